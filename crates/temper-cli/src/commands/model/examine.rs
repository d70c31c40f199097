//! One data set and one model: the model's usual error, then the leaves that it contradicts.

use temper_model::assess::{self, assess};
use temper_model::judge::baseline::{Baseline, measure};
use temper_model::judge::cross_validation::CrossValidation;
use temper_model::judge::suite_totals::totals;
use temper_model::mutants::detection::{Challenge, challenge};
use temper_model::record::ExaminedModel;
use temper_model::subject::predictor::{Predictor, Trainer};
use temper_model::subject::worker_model::ModelSource;
use temper_report::Exit;

use super::setup::{self, Opened, failure};
use crate::args::Model;
use crate::commands::CommandContext;
use crate::message::{Failure, Message};
use crate::progress::{Ahead, ProgressLine};

/// A model that is ready to be asked, with its usual error.
pub struct MeasuredModel {
    pub model: Box<dyn Predictor>,
    pub baseline: Baseline,
    pub crossed: Option<CrossValidation>,
}

/// One data set and one model; `with_totals` also asks the models of the folds about all inputs.
pub fn examine(
    context: &CommandContext<'_>,
    arguments: &Model,
    opened: &mut Opened,
    with_totals: bool,
) -> Result<ExaminedModel, Failure> {
    let seed = setup::seed(context, arguments);
    let training = ProgressLine::start("training", "models", setup::FOLDS + 1, context.common.quiet > 0);
    let mut trainer = opened.trainer(move || training.step(|| "for the model's usual error".to_owned()));
    let mut model = ready(opened, trainer.as_mut().map(|trainer| trainer as &mut dyn Trainer))?;
    let as_trainer = trainer.as_mut().map(|trainer| trainer as &mut dyn Trainer);
    let measured = measure(&opened.data, model.as_mut(), as_trainer, opened.holdout.as_ref(), seed as u32);
    let (baseline, crossed) = measured.map_err(failure)?;
    // Its progress line goes with it.
    drop(trainer);
    examine_measured(context, arguments, opened, MeasuredModel { model, baseline, crossed }, with_totals)
}

/// The model as it is asked: trained here if that is wanted.
pub fn ready(opened: &Opened, trainer: Option<&mut dyn Trainer>) -> Result<Box<dyn Predictor>, Failure> {
    match (&opened.source, trainer) {
        (ModelSource::Train(_), Some(trainer)) => trainer.train(&opened.data).map_err(|error| failure(error.into())),
        _ => Ok(opened.predictor()),
    }
}

/// The leaves that a model contradicts whose usual error is known.
pub fn examine_measured(
    context: &CommandContext<'_>,
    arguments: &Model,
    opened: &Opened,
    measured: MeasuredModel,
    with_totals: bool,
) -> Result<ExaminedModel, Failure> {
    let MeasuredModel { mut model, baseline, mut crossed } = measured;
    let seed = setup::seed(context, arguments);
    let options = setup::options(arguments, seed, context.common.verbose > 0);
    let is_quiet = context.common.quiet > 0;
    let data = &opened.data;
    let shown = ProgressLine::start("asking about", "inputs", 0, is_quiet);
    let mut on_progress = |now: assess::ModelProgress| {
        shown.set(now.done, now.total, |elapsed| Ahead::at_pace(elapsed, now.done, now.total), || "1 model".to_owned());
    };
    let assessment = assess(data, model.as_mut(), &baseline, &options, &mut on_progress).map_err(failure)?;
    drop(shown);
    let figures = crossed.as_ref().map(CrossValidation::mean);
    let totals = match &mut crossed {
        Some(crossed) if with_totals && !assessment.is_interrupted => {
            Some(totals(crossed, &assessment.coverage.0, &assessment.boundary.0, &data.classes).map_err(failure)?)
        }
        _ => None,
    };
    // Only the published method judges leaves; elsewhere they show.
    let is_judged = arguments.paper && options.grown_on == assess::GrownOn::Labels;
    let mutants = if arguments.mutants { Some(challenge_model(opened, &options, is_quiet)?) } else { None };
    let model = opened.name.clone();
    Ok(ExaminedModel { assessment, baseline, totals, crossed: figures, model, seed, is_judged, mutants, is_kept: true })
}

fn challenge_model(opened: &Opened, options: &assess::ModelOptions, is_quiet: bool) -> Result<Challenge, Failure> {
    let mut trainer = opened.loaded.trainer().ok_or_else(|| {
        Message::error("mutants are trained, and this model cannot be")
            .hint("give an estimator with `--train`, or a model file of an estimator with `fit`")
            .ends(Exit::Usage)
    })?;
    let shown = ProgressLine::start("training", "mutants", 0, is_quiet);
    let mut on_mutant = |done: usize, total: usize| {
        shown.set(done, total, |elapsed| Ahead::at_pace(elapsed, done, total), || "1 model".to_owned());
    };
    challenge(trainer.as_mut(), &opened.data, options, &mut on_mutant).map_err(failure)
}
