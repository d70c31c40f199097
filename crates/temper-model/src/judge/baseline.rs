//! The error that a model is known to have, and whether a leaf's error is worse.

use crate::data::dataset::Dataset;
use crate::error::ModelError;
use crate::judge::cross_validation::{CrossValidation, cross_validate};
use crate::judge::folds::stratified_folds;
use crate::subject::predictor::{Predictor, Trainer, predict_classes};

/// Folds of cross-validation (Durelli et al., section 6); fewer when there are fewer rows.
pub const FOLDS: usize = 10;

/// Where a baseline's rows come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaselineOrigin {
    /// Rows left out in cross-validation.
    CrossValidation,
    /// Rows that the model has never seen.
    Holdout,
    /// The rows given, which the model may have been trained on: its error there is optimistic, and so is any comparison.
    GivenRows,
}

/// The model's error on real rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// Rows that it got wrong.
    pub errors: usize,
    /// Rows.
    pub rows: usize,
    /// Where they come from.
    pub origin: BaselineOrigin,
}

impl Baseline {
    /// Counts the rows whose prediction differs from their label.
    pub fn of(labels: &[usize], predicted: &[usize], origin: BaselineOrigin) -> Self {
        let errors = labels.iter().zip(predicted).filter(|(label, predicted)| label != predicted).count();
        Baseline { errors, rows: labels.len(), origin }
    }

    /// The error rate that leaves are compared with: Laplace's rule of succession, so that a model without a single error on
    /// few rows is not held to perfection.
    pub fn rate(&self) -> f64 {
        (self.errors + 1) as f64 / (self.rows + 2) as f64
    }

    /// Chance of at least so many failures if the leaf's error were the baseline's (one-sided exact binomial test).
    pub fn p_value(&self, failures: usize, inputs: usize) -> f64 {
        binomial_at_least(failures, inputs, self.rate())
    }
}

/// Measures a model's error on the best rows there are: a hold-out, else by cross-validation where it can be trained, else the
/// rows given.
///
/// # Errors
/// When a model cannot be trained or does not answer as a classifier must.
pub fn measure(
    data: &Dataset,
    model: &mut dyn Predictor,
    trainer: Option<&mut dyn Trainer>,
    holdout: Option<&Dataset>,
    seed: u32,
) -> Result<(Baseline, Option<CrossValidation>), ModelError> {
    if let (None, Some(trainer)) = (holdout, trainer) {
        let folds = stratified_folds(&data.labels, FOLDS.min(data.rows()), seed)?;
        let crossed = cross_validate(trainer, data, &folds)?;
        return Ok((Baseline::of(&data.labels, &crossed.predicted, BaselineOrigin::CrossValidation), Some(crossed)));
    }
    let (rows, origin) = holdout.map_or((data, BaselineOrigin::GivenRows), |rows| (rows, BaselineOrigin::Holdout));
    let predicted = predict_classes(model, &rows.features, &rows.classes)?;
    Ok((Baseline::of(&rows.labels, &predicted, origin), None))
}

/// Probability that a binomial count is at least `count`.
fn binomial_at_least(count: usize, total: usize, rate: f64) -> f64 {
    if count == 0 {
        return 1.0;
    }
    if count > total {
        return 0.0;
    }
    let odds = rate / (1.0 - rate);
    let choose: f64 = (0..count).map(|i| ((total - i) as f64 / (count - i) as f64).ln()).sum();
    let mut term = (choose + count as f64 * rate.ln() + (total - count) as f64 * (-rate).ln_1p()).exp();
    let mut sum = 0.0;
    for reached in count..=total {
        sum += term;
        term *= (total - reached) as f64 / (reached + 1) as f64 * odds;
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    // scipy.stats.binom.sf(count - 1, total, rate), 1.17; relative tolerance for summation and logarithms.
    #[test]
    fn binomial_tail_equals_the_oracle_of_scipy() {
        let known = [
            (0, 10, 0.2, 1.0),
            (1, 100, 0.0066, 0.48427810959867246),
            (3, 100, 0.0066, 0.028956752926493315),
            (20, 100, 0.05, 1.0522953420147289e-07),
            (60, 100, 0.5, 0.028443966820490444),
            (100, 100, 0.9, 2.6561398887587523e-05),
            (5, 2000, 0.01, 0.9999841271649688),
            (1500, 2000, 0.5, 7.371987614885022e-116),
            (40, 3000, 0.02, 0.9976481475186155),
            (7, 7, 0.3, 0.00021869999999999995),
        ];
        for (count, total, rate, expected) in known {
            let found = binomial_at_least(count, total, rate);
            assert!((found - expected).abs() <= 1e-12 + 1e-10 * expected, "{count} of {total}: {found} {expected}");
        }
    }

    #[test]
    fn a_model_without_errors_is_not_held_to_perfection() {
        let baseline = Baseline { errors: 0, rows: 150, origin: BaselineOrigin::Holdout };
        assert!(baseline.p_value(1, 100) > 0.05);
        assert!(baseline.p_value(20, 100) < 1e-6);
        assert_eq!(baseline.p_value(0, 100), 1.0);
    }
}
