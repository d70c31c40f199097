//! A model on real rows: its answers to rows that it has not seen, against a reference.

use temper_model::judge::baseline::{Baseline, BaselineOrigin};
use temper_model::judge::cross_validation::{CrossValidation, cross_validate};
use temper_model::judge::folds::stratified_folds;
use temper_model::judge_model::{JudgedModel, ModelAnswers, ModelReference, judge_model};
use temper_model::record_rows::{RowsRecord, judged_document};
use temper_model::subject::predictor::{Predictor, Trainer, predict_in_batches};
use temper_model::subject::worker_model::ModelSource;
use temper_model::suspicions::find_suspicions;
use temper_model::unread_columns::unread_columns;
use temper_model::{Dataset, PredictError};
use temper_report::Exit;

use super::against::Against;
use super::examine::{MeasuredModel, examine_measured, ready};
use super::remarks::warn;
use super::setup::{self, Opened, failure};
use super::unseen_answers::warn_of_copies;
use super::{emit, keep};
use crate::args::Model;
use crate::commands::CommandContext;
use crate::message::{Failure, Message};
use crate::progress::{Ahead, ProgressLine};
use crate::terminal::Stderr;

/// Judges the model, and prints and keeps what was found.
pub fn run(context: &CommandContext<'_>, arguments: &Model, mut opened: Opened) -> Result<Exit, Failure> {
    let seed = setup::seed(context, arguments);
    let margin = setup::margin(arguments)?;
    let against = match &arguments.against {
        Some(name) => Some((name.as_str(), Against::open(context, &opened.bench, name)?)),
        None => None,
    };
    let is_paired_with_model = matches!(against, Some((_, Against::Model(_))));
    let AskedModel { mut model, predicted, origin, crossed } =
        ask(context, arguments, &opened, is_paired_with_model, seed)?;
    let unread = unread_columns(model.as_mut(), &opened.data, seed).map_err(|error| failure(error.into()))?;
    opened.leave_out(&unread);
    let opened = &opened;
    let rows = opened.judged_rows();
    let reference = match &against {
        Some((name, against)) => against.reference(name, rows, opened.threshold.as_ref())?,
        None => ModelReference::Challenger { training: opened.holdout.as_ref().map(|_| &opened.data) },
    };
    let baseline = Baseline::of(&rows.labels, &predicted, origin);
    let answers = ModelAnswers { rows, predicted, origin };
    let judged = judge_model(answers, reference, margin, seed).map_err(failure)?;
    warn(context, opened);
    if let Err(error) = keep::remember(context, &keep::of_regions(&judged), opened, seed) {
        let message = Message::warning("findings are not kept for `temper replay`").fact(error.to_string());
        Stderr::new(context.common.quiet).show(&message);
    }
    let measured = MeasuredModel { model, baseline, crossed };
    finish(context, arguments, opened, &judged, measured)
}

/// Generated inputs if something needs them, then the document.
fn finish(
    context: &CommandContext<'_>,
    arguments: &Model,
    opened: &Opened,
    judged: &JudgedModel<'_>,
    mut measured: MeasuredModel,
) -> Result<Exit, Failure> {
    let seed = setup::seed(context, arguments);
    let suspicions = match arguments.suspicions {
        true => {
            let found = find_suspicions(&opened.data, measured.model.as_mut(), &measured.baseline, seed);
            Some(found.map_err(failure)?)
        }
        false => None,
    };
    let needs_inputs = !arguments.emit.is_empty() || arguments.mutants;
    let examined = match needs_inputs {
        true => Some(examine_measured(context, arguments, opened, measured, false)?),
        false => None,
    };
    let written = match &examined {
        Some(examined) => emit::write(context, arguments, examined, opened)?,
        None => Vec::new(),
    };
    let record = RowsRecord {
        judged,
        path: &opened.path,
        model: &opened.name,
        seed,
        is_kept: true,
        suspicions: suspicions.as_ref().map(|found| (found, &opened.data)),
        mutants: examined.as_ref().and_then(|examined| examined.mutants.as_ref()),
    };
    let document = judged_document(record, opened.bench.python.version.as_deref());
    context.finish_with(&document, |text| written.iter().fold(text, |text, path| text + &format!("wrote {path}\n")))
}

/// A model with its answers.
struct AskedModel {
    model: Box<dyn Predictor>,
    predicted: Vec<usize>,
    origin: BaselineOrigin,
    crossed: Option<CrossValidation>,
}

/// The model's answers to rows that it has not seen: a hold-out, or the rows given, or the folds of cross-validation. Copies of
/// a model say nothing about the one in the file, so two files are compared on the rows given.
fn ask(
    context: &CommandContext<'_>,
    arguments: &Model,
    opened: &Opened,
    is_paired_with_model: bool,
    seed: u64,
) -> Result<AskedModel, Failure> {
    let is_quiet = context.common.quiet > 0;
    let training = ProgressLine::start("training", "models", setup::FOLDS + 1, is_quiet);
    let mut trainer = opened.trainer(move || training.step(|| "to answer rows that it has not seen".to_owned()));
    let mut model = ready(opened, trainer.as_mut().map(|trainer| trainer as &mut dyn Trainer))?;
    let is_trained_here = matches!(opened.source, ModelSource::Train(_));
    let data = &opened.data;
    let rows = opened.judged_rows();
    let origin = match (&opened.holdout, arguments.unseen) {
        (Some(_), _) => BaselineOrigin::Holdout,
        (None, true) => BaselineOrigin::Unseen,
        (None, false) => BaselineOrigin::GivenRows,
    };
    let mut crossed = None;
    if origin == BaselineOrigin::GivenRows
        && (is_trained_here || !is_paired_with_model)
        && let Some(trainer) = &mut trainer
    {
        crossed = cross_validated(context, trainer, data, is_trained_here, seed)?;
    }
    drop(trainer);
    if is_trained_here && let Some(found) = crossed {
        let predicted = found.predicted.clone();
        let origin = BaselineOrigin::CrossValidation;
        return Ok(AskedModel { model, predicted, origin, crossed: Some(found) });
    }
    let shown = ProgressLine::start("asking about", "rows", rows.rows(), is_quiet);
    let mut done = 0;
    let mut on_batch = |count: usize| {
        done += count;
        shown.set(done, rows.rows(), |elapsed| Ahead::at_pace(elapsed, done, rows.rows()), || "1 model".to_owned());
    };
    let own = predict_in_batches(model.as_mut(), &rows.features, &rows.classes, &mut on_batch);
    let own = own.map_err(|error| failure(error.into()))?;
    let wrong = |predicted: &[usize]| predicted.iter().zip(&rows.labels).filter(|(a, b)| a != b).count();
    // A model that is worse on rows it may have seen than copies on rows they have not is the worse for it.
    let (predicted, origin) = match &crossed {
        Some(found) if wrong(&found.predicted) >= wrong(&own) => {
            (found.predicted.clone(), BaselineOrigin::CrossValidation)
        }
        _ => (own, origin),
    };
    Ok(AskedModel { model, predicted, origin, crossed })
}

/// Answers by copies of the model. If the model came as it is and no copy can be trained, that is said, and there are none.
fn cross_validated(
    context: &CommandContext<'_>,
    trainer: &mut dyn Trainer,
    data: &Dataset,
    is_trained_here: bool,
    seed: u64,
) -> Result<Option<CrossValidation>, Failure> {
    let folds = stratified_folds(&data.labels, setup::FOLDS.min(data.rows()), seed as u32).map_err(failure)?;
    match cross_validate(trainer, data, &folds) {
        Ok(found) => Ok(Some(found)),
        Err(error @ (PredictError::Interrupted | PredictError::Workers { .. })) => Err(failure(error.into())),
        Err(error) if is_trained_here => Err(failure(error.into())),
        Err(error) => {
            warn_of_copies(context, error);
            Ok(None)
        }
    }
}
