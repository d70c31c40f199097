//! A challenger: what a plain model learns from the same rows, as a reference for one that has none.
//!
//! The rows are split into folds. For each fold a forest and linear models learn from the other folds, and from the training rows
//! if those are known, and answer for the fold: no row is answered by a model that has seen it. The kind with the fewest errors
//! is the challenger. It is no truth: a model may be worse than it by little, and better by any amount.

mod boosting;
mod encoding;
mod forest;
mod linear;
mod minimise;
pub mod quantity;

use std::borrow::Cow;

use crate::challenger::encoding::CategoryOrder;
use crate::challenger::forest::{ChallengerForest, ForestRows};
use crate::challenger::linear::{LinearModel, LinearTerms, Terms};
use crate::data::bins::Bins;
use crate::data::dataset::Dataset;
use crate::data::matrix::Matrix;
use crate::error::ModelError;
use crate::judge::folds::stratified_folds;
use crate::seed::SeedStream;

/// Folds of the rows.
const FOLDS: usize = 5;

/// Trees of a forest.
const TREES: usize = 100;

/// Rows that a linear model learns from, at most.
const MOST_LINEAR_ROWS: usize = 20_000;

/// The kinds that are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChallengerKind {
    /// A random forest.
    Forest,
    /// Logistic regression.
    Linear,
    /// Logistic regression with products of columns.
    Products,
}

impl ChallengerKind {
    /// The kind in words.
    pub fn word(self) -> &'static str {
        match self {
            ChallengerKind::Forest => "a forest",
            ChallengerKind::Linear => "a logistic regression",
            ChallengerKind::Products => "a logistic regression with products of columns",
        }
    }
}

/// The answers of a challenger to rows that it has not seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Challenger {
    /// Its kind.
    pub kind: ChallengerKind,
    /// One class a row.
    pub predicted: Vec<usize>,
}

/// The best challenger on these rows; `training` are further rows that it may learn from.
///
/// # Errors
/// When the rows are too few for two folds.
pub fn cross_fit(rows: &Dataset, training: Option<&Dataset>, seed: u64) -> Result<Challenger, ModelError> {
    let folds = stratified_folds(&rows.labels, FOLDS.min(rows.rows()), seed as u32)?;
    let all = training.map_or(Cow::Borrowed(rows), |training| Cow::Owned(joined(rows, training)));
    let wrong = |predicted: &[usize]| predicted.iter().zip(&rows.labels).filter(|(a, b)| a != b).count();
    let mut best: Option<(usize, Challenger)> = None;
    for kind in [ChallengerKind::Forest, ChallengerKind::Linear, ChallengerKind::Products] {
        let Some(predicted) = answers(kind, &all, &folds, seed) else { continue };
        let errors = wrong(&predicted);
        if best.as_ref().is_none_or(|(fewest, _)| errors < *fewest) {
            best = Some((errors, Challenger { kind, predicted }));
        }
    }
    best.map(|(_, challenger)| challenger).ok_or(ModelError::NoRows)
}

/// The rows to be answered, then those that are only learnt from.
pub(crate) fn joined(rows: &Dataset, training: &Dataset) -> Dataset {
    let values = [rows.features.values(), training.features.values()].concat();
    Dataset {
        features: Matrix::from_values(rows.features.columns(), values),
        labels: [rows.labels.as_slice(), &training.labels].concat(),
        quantity: rows.quantity.as_ref().zip(training.quantity.as_ref()).map(|(a, b)| [a.as_slice(), b].concat()),
        ..rows.select(&[])
    }
}

/// Each row's class by a model of this kind that has not seen its fold. `folds` has the rows that are answered.
fn answers(kind: ChallengerKind, all: &Dataset, folds: &[usize], seed: u64) -> Option<Vec<usize>> {
    let mut predicted = vec![0; folds.len()];
    for fold in 0..=folds.iter().copied().max()? {
        let seen: Vec<u32> =
            (0..all.rows()).filter(|&row| folds.get(row) != Some(&fold)).map(|row| row as u32).collect();
        let asked: Vec<usize> = (0..folds.len()).filter(|&row| folds[row] == fold).collect();
        let found = match kind {
            ChallengerKind::Forest => forest_answers(all, &seen, &asked, seed),
            ChallengerKind::Linear => linear_answers(all, seen, &asked, LinearTerms::Columns, seed)?,
            ChallengerKind::Products => linear_answers(all, seen, &asked, LinearTerms::Products, seed)?,
        };
        for (row, class) in asked.into_iter().zip(found) {
            predicted[row] = class;
        }
    }
    Some(predicted)
}

fn forest_answers(all: &Dataset, seen: &[u32], asked: &[usize], seed: u64) -> Vec<usize> {
    let order = CategoryOrder::learn(all, seen);
    let features =
        if order.is_needed() { Cow::Owned(order.apply(&all.features)) } else { Cow::Borrowed(&all.features) };
    let bins = Bins::new(&features, &all.schema, |column| !column.is_identifier);
    let binned = bins.rows(&features);
    let rows = ForestRows { bins: &bins, binned: &binned, labels: &all.labels, classes: all.classes.len(), seen };
    let forest = ChallengerForest::grow(&rows, TREES, seed);
    asked.iter().map(|&row| forest.predict(&binned, row)).collect()
}

fn linear_answers(
    all: &Dataset,
    mut seen: Vec<u32>,
    asked: &[usize],
    kind: LinearTerms,
    seed: u64,
) -> Option<Vec<usize>> {
    if seen.len() > MOST_LINEAR_ROWS {
        SeedStream::new(&[seed, 0x6c69_6e65]).shuffle(&mut seen);
        seen.truncate(MOST_LINEAR_ROWS);
    }
    let rows: Vec<usize> = seen.iter().map(|&row| row as usize).collect();
    let terms = Terms::new(&all.features.select(&rows), &all.schema, kind)?;
    let mut values = Vec::with_capacity(rows.len() * terms.len());
    rows.iter().for_each(|&row| terms.write(all.features.row(row), &mut values));
    let labels: Vec<usize> = rows.iter().map(|&row| all.labels[row]).collect();
    let model = LinearModel::train(&values, terms.len(), &labels, all.classes.len());
    let mut row_terms = Vec::with_capacity(terms.len());
    let answer = |&row: &usize| {
        row_terms.clear();
        terms.write(all.features.row(row), &mut row_terms);
        model.predict(&row_terms)
    };
    Some(asked.iter().map(answer).collect())
}

/// What a challenger of this kind answers to other rows, after it has learnt from all of `training`.
pub fn challenge_rows(kind: ChallengerKind, training: &Dataset, rows: &Dataset, seed: u64) -> Option<Vec<usize>> {
    let all = joined(rows, training);
    let asked: Vec<usize> = (0..rows.rows()).collect();
    let seen: Vec<u32> = (rows.rows()..all.rows()).map(|row| row as u32).collect();
    match kind {
        ChallengerKind::Forest => Some(forest_answers(&all, &seen, &asked, seed)),
        ChallengerKind::Linear => linear_answers(&all, seen, &asked, LinearTerms::Columns, seed),
        ChallengerKind::Products => linear_answers(&all, seen, &asked, LinearTerms::Products, seed),
    }
}

/// Forests of which each has not seen one part of the rows: what one of them says near a row is as good as its word on unseen rows.
pub struct OutsideForests {
    forests: Vec<OneForest>,
    folds: Vec<usize>,
}

/// A forest with what its rows are encoded by.
struct OneForest {
    order: CategoryOrder,
    bins: Bins,
    forest: ChallengerForest,
}

/// What a forest says about an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForestVote {
    /// The class with most votes.
    pub class: usize,
    /// Its share of them.
    pub share: f32,
}

impl OutsideForests {
    /// Grows the forests.
    ///
    /// # Errors
    /// When the rows are too few for two folds.
    pub fn grow(data: &Dataset, seed: u64) -> Result<OutsideForests, ModelError> {
        let folds = stratified_folds(&data.labels, FOLDS.min(data.rows()), seed as u32)?;
        let count = folds.iter().max().map_or(0, |last| last + 1);
        let grow = |fold: usize| {
            let seen: Vec<u32> = (0..data.rows()).filter(|&row| folds[row] != fold).map(|row| row as u32).collect();
            let order = CategoryOrder::learn(data, &seen);
            let features = order.apply(&data.features);
            let bins = Bins::new(&features, &data.schema, |column| !column.is_identifier);
            let binned = bins.rows(&features);
            let (labels, classes) = (data.labels.as_slice(), data.classes.len());
            let rows = ForestRows { bins: &bins, binned: &binned, labels, classes, seen: &seen };
            let forest = ChallengerForest::grow(&rows, TREES, seed);
            OneForest { order, bins, forest }
        };
        Ok(OutsideForests { forests: (0..count).map(grow).collect(), folds: folds.clone() })
    }

    /// What the forest that has not seen `row` says about inputs near it.
    pub fn votes(&self, row: usize, inputs: &Matrix) -> Vec<ForestVote> {
        let OneForest { order, bins, forest } = &self.forests[self.folds[row]];
        let binned = bins.rows(&order.apply(inputs));
        let vote = |at: usize| {
            let votes = forest.votes(&binned, at);
            let class = forest::most(&votes);
            ForestVote { class, share: votes[class] / votes.iter().sum::<f32>() }
        };
        (0..inputs.rows()).map(vote).collect()
    }
}
