//! A challenger for a target that is a quantity: boosted trees or a linear model, whichever is nearer to rows it has not seen.

use std::borrow::Cow;

use crate::challenger::boosting::{BoostedRows, BoostedTrees};
use crate::challenger::encoding::CategoryOrder;
use crate::challenger::linear::{LinearTerms, Terms};
use crate::challenger::minimise::minimise;
use crate::challenger::{FOLDS, MOST_LINEAR_ROWS, joined};
use crate::data::bins::Bins;
use crate::data::dataset::Dataset;
use crate::error::ModelError;
use crate::judge::folds::stratified_folds;
use crate::seed::SeedStream;

/// Steps of the minimiser.
const STEPS: usize = 60;

/// The kinds that are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityKind {
    /// Boosted trees.
    Boosting,
    /// Linear regression.
    Linear,
    /// Linear regression with products of columns.
    Products,
}

impl QuantityKind {
    /// The kind in words.
    pub fn word(self) -> &'static str {
        match self {
            QuantityKind::Boosting => "boosted trees",
            QuantityKind::Linear => "a linear regression",
            QuantityKind::Products => "a linear regression with products of columns",
        }
    }
}

/// The answers of a challenger to rows that it has not seen.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantityChallenger {
    /// Its kind.
    pub kind: QuantityKind,
    /// One number a row.
    pub predicted: Vec<f64>,
}

/// The challenger that is least off on average; `training` are further rows that it may learn from.
///
/// # Errors
/// When the rows are too few for two folds.
pub fn cross_fit_quantity(
    rows: &Dataset,
    training: Option<&Dataset>,
    seed: u64,
) -> Result<QuantityChallenger, ModelError> {
    let folds = stratified_folds(&rows.labels, FOLDS.min(rows.rows()), seed as u32)?;
    let all = training.map_or(Cow::Borrowed(rows), |training| Cow::Owned(joined(rows, training)));
    let off = |predicted: &[f64]| -> f64 {
        rows.quantity.iter().flatten().zip(predicted).map(|(target, answer)| (target - answer).abs()).sum()
    };
    let mut best: Option<(f64, QuantityChallenger)> = None;
    for kind in [QuantityKind::Boosting, QuantityKind::Linear, QuantityKind::Products] {
        let Some(predicted) = answers(kind, &all, &folds, seed) else { continue };
        let own = off(&predicted);
        if best.as_ref().is_none_or(|(least, _)| own < *least) {
            best = Some((own, QuantityChallenger { kind, predicted }));
        }
    }
    best.map(|(_, challenger)| challenger).ok_or(ModelError::NoRows)
}

/// Each row's quantity by a model of this kind that has not seen its fold. `folds` has the rows that are answered.
fn answers(kind: QuantityKind, all: &Dataset, folds: &[usize], seed: u64) -> Option<Vec<f64>> {
    let mut predicted = vec![0.0; folds.len()];
    for fold in 0..=folds.iter().copied().max()? {
        let mut seen: Vec<u32> =
            (0..all.rows()).filter(|&row| folds.get(row) != Some(&fold)).map(|row| row as u32).collect();
        if seen.len() > MOST_LINEAR_ROWS {
            SeedStream::new(&[seed, 0x7175_616e]).shuffle(&mut seen);
            seen.truncate(MOST_LINEAR_ROWS);
        }
        let asked: Vec<usize> = (0..folds.len()).filter(|&row| folds[row] == fold).collect();
        let found = match kind {
            QuantityKind::Boosting => boosted_answers(all, &seen, &asked, seed)?,
            QuantityKind::Linear => linear_answers(all, &seen, &asked, LinearTerms::Columns)?,
            QuantityKind::Products => linear_answers(all, &seen, &asked, LinearTerms::Products)?,
        };
        for (row, answer) in asked.into_iter().zip(found) {
            predicted[row] = answer;
        }
    }
    Some(predicted)
}

fn boosted_answers(all: &Dataset, seen: &[u32], asked: &[usize], seed: u64) -> Option<Vec<f64>> {
    let order = CategoryOrder::learn(all, seen);
    let features =
        if order.is_needed() { Cow::Owned(order.apply(&all.features)) } else { Cow::Borrowed(&all.features) };
    let bins = Bins::new(&features, &all.schema, |column| !column.is_identifier);
    let binned = bins.rows(&features);
    let values = all.quantity.as_deref()?;
    let trees = BoostedTrees::grow(&BoostedRows { bins: &bins, binned: &binned, values, seen }, seed);
    Some(asked.iter().map(|&row| trees.predict(&binned, row)).collect())
}

fn linear_answers(all: &Dataset, seen: &[u32], asked: &[usize], kind: LinearTerms) -> Option<Vec<f64>> {
    let targets = all.quantity.as_deref()?;
    let rows: Vec<usize> = seen.iter().map(|&row| row as usize).collect();
    let terms = Terms::new(&all.features.select(&rows), &all.schema, kind)?;
    let mut values = Vec::with_capacity(rows.len() * terms.len());
    rows.iter().for_each(|&row| terms.write(all.features.row(row), &mut values));
    let mean = rows.iter().map(|&row| targets[row]).sum::<f64>() / rows.len().max(1) as f64;
    let spread = rows.iter().map(|&row| (targets[row] - mean).abs()).sum::<f64>() / rows.len().max(1) as f64;
    let scale = if spread > 0.0 { spread } else { 1.0 };
    let wanted: Vec<f64> = rows.iter().map(|&row| (targets[row] - mean) / scale).collect();
    let weights = least_squares(&values, terms.len(), &wanted);
    let mut row_terms = Vec::with_capacity(terms.len());
    let answer = |&row: &usize| {
        row_terms.clear();
        terms.write(all.features.row(row), &mut row_terms);
        mean + scale * dot(&row_terms, &weights)
    };
    Some(asked.iter().map(answer).collect())
}

/// Weights with a ridge penalty of one row's size; the constant is free.
fn least_squares(rows: &[f64], terms: usize, wanted: &[f64]) -> Vec<f64> {
    let count = wanted.len().max(1) as f64;
    let mut loss = |weights: &[f64], gradient: &mut [f64]| {
        gradient.fill(0.0);
        let mut total = 0.0;
        for (row, wanted) in rows.chunks_exact(terms).zip(wanted) {
            let excess = dot(row, weights) - wanted;
            total += 0.5 * excess * excess;
            gradient.iter_mut().zip(row).for_each(|(gradient, term)| *gradient += excess * term);
        }
        for (gradient, weight) in gradient.iter_mut().zip(weights).skip(1) {
            *gradient += weight;
            total += 0.5 * weight * weight;
        }
        gradient.iter_mut().for_each(|part| *part /= count);
        total / count
    };
    minimise(vec![0.0; terms], STEPS, &mut loss)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::csv::{ColumnChoice, read_csv_columns};
    use crate::data::target::TargetKind;

    /// How far a challenger is off on average on 600 rows of a truth, and its kind.
    fn off(truth: fn(f64, f64, usize) -> f64) -> (f64, QuantityKind) {
        let mut random = SeedStream::new(&[5]);
        let mut text = "a,b,hue,y\n".to_owned();
        for _ in 0..600 {
            let [a, b] = [0; 2].map(|_| random.below(10_000) as f64 / 10_000.0);
            let hue = random.below(3);
            text += &format!("{a},{b},{},{}\n", ["red", "green", "blue"][hue], truth(a, b, hue));
        }
        let choice = ColumnChoice { target: TargetKind::Quantity, ..ColumnChoice::default() };
        let data = read_csv_columns(text.as_bytes(), "data.csv", "y", &choice).unwrap();
        let found = cross_fit_quantity(&data, None, 0).unwrap();
        let targets = data.quantity.unwrap();
        let sum: f64 = targets.iter().zip(&found.predicted).map(|(target, answer)| (target - answer).abs()).sum();
        (sum / 600.0, found.kind)
    }

    #[test]
    fn each_truth_has_a_kind_that_learns_it() {
        let (off_linear, kind) = off(|a, b, hue| 1000.0 + 30.0 * a - 10.0 * b + 5.0 * hue as f64);
        assert!(kind != QuantityKind::Boosting && off_linear < 0.3, "{off_linear} {kind:?}");
        let (off_product, kind) = off(|a, b, _| 20.0 * a * b);
        assert!(kind == QuantityKind::Products && off_product < 0.3, "{off_product} {kind:?}");
        let (off_steps, kind) = off(|a, b, hue| if (a > 0.4) == (b > 0.6) { 10.0 * hue as f64 } else { 5.0 });
        assert!(kind == QuantityKind::Boosting && off_steps < 1.0, "{off_steps} {kind:?}");
    }
}
