//! Cross-validation: the model's own error on rows it has not seen.

use crate::data::dataset::Dataset;
use crate::error::PredictError;
use crate::judge::folds::split_fold;
use crate::judge::metrics::Metrics;
use crate::subject::predictor::{Predictor, Trainer, predict_classes};

/// What cross-validation found.
pub struct CrossValidation {
    /// Figures of each fold on the rows left out.
    pub folds: Vec<Metrics>,
    /// Each row's class as predicted by the model that did not see it.
    pub predicted: Vec<usize>,
    /// The model of each fold.
    pub models: Vec<Box<dyn Predictor>>,
}

impl CrossValidation {
    /// Mean over folds.
    pub fn mean(&self) -> Metrics {
        Metrics::mean(&self.folds)
    }
}

/// Trains one model per fold and tests it on the fold. `folds` gives the fold of each row.
///
/// # Errors
/// When training or predicting fails.
pub fn cross_validate(
    trainer: &mut dyn Trainer,
    data: &Dataset,
    folds: &[usize],
) -> Result<CrossValidation, PredictError> {
    let count = folds.iter().max().map_or(0, |last| last + 1);
    let mut result = CrossValidation { folds: Vec::new(), predicted: vec![0; data.rows()], models: Vec::new() };
    for fold in 0..count {
        let (seen, unseen) = split_fold(folds, fold);
        let mut model = trainer.train(&data.select(&seen))?;
        let predicted = predict_classes(model.as_mut(), &data.features.select(&unseen), &data.classes)?;
        let expected: Vec<usize> = unseen.iter().map(|&row| data.labels[row]).collect();
        result.folds.push(Metrics::of(&expected, &predicted, data.classes.len()));
        for (row, class) in unseen.into_iter().zip(predicted) {
            result.predicted[row] = class;
        }
        result.models.push(model);
    }
    Ok(result)
}
