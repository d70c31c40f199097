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

/// What models answer to rows that they have not seen, whatever is asked: one model a fold.
///
/// # Errors
/// When training or asking fails.
pub fn cross_answers<T>(
    trainer: &mut dyn Trainer,
    data: &Dataset,
    folds: &[usize],
    mut ask: impl FnMut(&mut dyn Predictor, &Dataset) -> Result<Vec<T>, PredictError>,
) -> Result<Vec<T>, PredictError> {
    let mut answers: Vec<Option<T>> = (0..data.rows()).map(|_| None).collect();
    for fold in 0..folds.iter().max().map_or(0, |last| last + 1) {
        let (seen, unseen) = split_fold(folds, fold);
        let mut model = trainer.train(&data.select(&seen))?;
        let found = ask(model.as_mut(), &data.select(&unseen))?;
        for (row, answer) in unseen.into_iter().zip(found) {
            answers[row] = Some(answer);
        }
    }
    Ok(answers.into_iter().flatten().collect())
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
