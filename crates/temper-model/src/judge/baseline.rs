//! The error that a model is known to have, and whether a leaf's error is worse.

use crate::data::dataset::Dataset;
use crate::error::ModelError;
use crate::judge::cross_validation::{CrossValidation, cross_validate};
use crate::judge::exact_tests::binomial_at_least;
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
    /// The rows given, which the model has not seen, as the user says.
    Unseen,
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

    /// Chance of at least that many failures if the leaf's error were the baseline's (one-sided exact binomial test).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_without_errors_is_not_held_to_perfection() {
        let baseline = Baseline { errors: 0, rows: 150, origin: BaselineOrigin::Holdout };
        assert!(baseline.p_value(1, 100) > 0.05);
        assert!(baseline.p_value(20, 100) < 1e-6);
        assert_eq!(baseline.p_value(0, 100), 1.0);
    }
}
