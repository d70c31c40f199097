//! What a model answers to rows that it has not seen, whatever is asked: a hold-out, the rows given, or the folds of cross-validation.

use temper_model::judge::baseline::BaselineOrigin;
use temper_model::judge::cross_validation::cross_answers;
use temper_model::judge::folds::stratified_folds;
use temper_model::subject::predictor::{Predictor, Trainer};
use temper_model::subject::worker_model::ModelSource;
use temper_model::{Dataset, ModelError, PredictError};

use super::examine::ready;
use super::setup::{self, Opened, failure};
use crate::args::Model;
use crate::commands::CommandContext;
use crate::message::{Failure, Message};
use crate::progress::ProgressLine;
use crate::terminal::Stderr;

/// A model with its answers, one a row.
pub struct UnseenAnswers<T> {
    pub model: Box<dyn Predictor>,
    pub answers: Vec<T>,
    pub origin: BaselineOrigin,
}

/// Asks the model, or copies of it that are trained on other rows. Copies say nothing about a file that is compared with another one
/// (`is_paired`), so that one is asked itself.
pub fn unseen_answers<T>(
    context: &CommandContext<'_>,
    arguments: &Model,
    opened: &Opened,
    is_paired: bool,
    mut ask: impl FnMut(&mut dyn Predictor, &Dataset) -> Result<Vec<T>, PredictError>,
) -> Result<UnseenAnswers<T>, Failure> {
    let training = ProgressLine::start("training", "models", setup::FOLDS + 1, context.common.quiet > 0);
    let mut trainer = opened.trainer(move || training.step(|| "to answer rows that it has not seen".to_owned()));
    let mut model = ready(opened, trainer.as_mut().map(|trainer| trainer as &mut dyn Trainer))?;
    let is_trained_here = matches!(opened.source, ModelSource::Train(_));
    let origin = match (&opened.holdout, arguments.unseen) {
        (Some(_), _) => BaselineOrigin::Holdout,
        (None, true) => BaselineOrigin::Unseen,
        (None, false) => BaselineOrigin::GivenRows,
    };
    if origin == BaselineOrigin::GivenRows
        && (is_trained_here || !is_paired)
        && let Some(trainer) = &mut trainer
    {
        let data = &opened.data;
        let seed = setup::seed(context, arguments) as u32;
        let folds = stratified_folds(&data.labels, setup::FOLDS.min(data.rows()), seed).map_err(failure)?;
        match cross_answers(trainer, data, &folds, &mut ask) {
            Ok(answers) => return Ok(UnseenAnswers { model, answers, origin: BaselineOrigin::CrossValidation }),
            Err(error) if is_trained_here || !is_of_copies(&error) => return Err(failure(error.into())),
            Err(error) => warn_of_copies(context, error),
        }
    }
    let answers = ask(model.as_mut(), opened.judged_rows()).map_err(|error| failure(error.into()))?;
    Ok(UnseenAnswers { model, answers, origin })
}

fn is_of_copies(error: &PredictError) -> bool {
    !matches!(error, PredictError::Interrupted | PredictError::Workers { .. })
}

/// Says that copies of the model cannot be trained, so that the rows given are all there is.
pub fn warn_of_copies(context: &CommandContext<'_>, error: PredictError) {
    let said = ModelError::from(error).to_string();
    let message = Message::warning("copies of the model cannot be trained, so cross-validation is left out")
        .fact(said.lines().next().unwrap_or_default());
    Stderr::new(context.common.quiet).show(&message);
}
