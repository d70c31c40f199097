//! `temper model`: where a trained classifier contradicts its data. One run is here; `setup` reads what the user named,
//! and the other files print, write or compare.

mod compare;
mod emit;
mod json;
pub mod keep;
pub mod setup;
mod suite;
mod text;

use std::collections::BTreeSet;

use temper_model::Dataset;
use temper_model::assess::{self, Assessment, assess};
use temper_model::judge::baseline::{Baseline, BaselineOrigin, measure};
use temper_model::judge::cross_validation::CrossValidation;
use temper_model::judge::suite_totals::{Totals, totals};
use temper_model::mutants::detection::{Challenge, challenge};
use temper_model::subject::predictor::{Predictor, Trainer};
use temper_model::subject::worker_model::ModelSource;
use temper_report::Exit;

use super::Context;
use crate::args::{Model, Task};
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::progress::{Ahead, Progress};
use crate::terminal::Stderr;
use setup::{Opened, failure};

/// What one run found, with everything that is printed.
pub struct Found {
    pub assessment: Assessment,
    pub baseline: Baseline,
    /// Figures of the fold models, where there are some and the published experiment is wanted.
    pub totals: Option<Totals>,
    /// Figures of cross-validation.
    pub crossed: Option<temper_model::judge::metrics::Metrics>,
    /// The model as the user knows it.
    pub model: String,
    pub seed: u64,
    /// Whether leaves are judged: not when the surrogate imitates the model itself.
    pub is_judged: bool,
    /// Findings that an earlier report has too.
    pub known: BTreeSet<String>,
    /// What became of the model's mutants, where they were asked for.
    pub mutants: Option<Challenge>,
    /// Whether findings are kept for `temper replay`: not those of a model in the caller's own process.
    pub is_kept: bool,
}

/// Runs the command.
pub fn run(context: &Context<'_>, arguments: &Model) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install()?;
    if arguments.task == Task::Regression {
        return Err(Message::error("`--task regression` is not supported")
            .fact("properties of quantities are not built yet; treating them as classes would be wrong")
            .hint("cut the quantity into classes, and test the model's answer cut in the same way")
            .ends(Exit::Usage));
    }
    if let Some(file) = &arguments.suite {
        return suite::run(context, arguments, file, &interrupt);
    }
    if !arguments.compare.is_empty() {
        return compare::run(context, arguments, &interrupt);
    }
    let mut opened = Opened::new(context, arguments, &interrupt)?;
    let mut found = examine(context, arguments, &mut opened, arguments.paper)?;
    if let Some(path) = &arguments.baseline {
        found.known = keep::known(&found, path)?;
    }
    warn(context, &opened, &found.baseline);
    if let Err(error) = keep::remember(context, &found, &opened) {
        let message = Message::warning("findings are not kept for `temper replay`").fact(error.to_string());
        Stderr::new(context.common.quiet).show(&message);
    }
    let written = emit::write(context, arguments, &found, &opened)?;
    context.print(
        || {
            let text = text::render(&found, &opened.data, &opened.path, context.common.verbose > 0);
            written.iter().fold(text, |text, path| text + &format!("wrote {path}\n"))
        },
        || Ok(json::document(&found, &opened.data, &opened.path, &opened.bench.python)),
    )?;
    Ok(exit_of(&found))
}

/// What a model that lives in the caller's own process is worth, for people and for programs.
pub struct ModelReport {
    /// As `temper model` prints it.
    pub text: String,
    /// The findings, as JSON.
    pub findings: String,
    /// How many there are.
    pub count: usize,
}

/// The report on an assessment that was made elsewhere.
pub fn report_model(
    name: &str,
    data: &Dataset,
    assessment: Assessment,
    baseline: Baseline,
    crossed: Option<temper_model::judge::metrics::Metrics>,
    seed: u64,
) -> ModelReport {
    let (model, known) = (name.to_owned(), BTreeSet::new());
    let found = Found {
        assessment,
        baseline,
        totals: None,
        crossed,
        model,
        seed,
        is_judged: true,
        known,
        mutants: None,
        is_kept: false,
    };
    let text = crate::terminal::plain(&text::render(&found, data, &data.target, false));
    let findings = json::findings(&found, data, &data.target);
    let count = findings.len();
    ModelReport { text, findings: serde_json::to_string(&findings).unwrap_or_default(), count }
}

/// One data set and one model; `with_totals` also asks the models of the folds about all inputs.
fn examine(context: &Context<'_>, arguments: &Model, opened: &mut Opened, with_totals: bool) -> Result<Found, Failure> {
    let seed = setup::seed(context, arguments);
    let options = setup::options(arguments, seed, context.common.verbose > 0);
    let is_quiet = context.common.quiet > 0;
    let data = &opened.data;
    let training = Progress::start("training", "models", setup::FOLDS + 1, is_quiet);
    let mut trainer = opened.trainer(move || training.step(|| "for the model's usual error".to_owned()));
    let mut model: Box<dyn Predictor> = match (&opened.source, &mut trainer) {
        (ModelSource::Train(_), Some(trainer)) => trainer.train(data).map_err(|error| failure(error.into()))?,
        _ => opened.loaded.predictor(&data.schema),
    };
    let as_trainer = trainer.as_mut().map(|trainer| trainer as &mut dyn Trainer);
    let measured = measure(data, model.as_mut(), as_trainer, opened.holdout.as_ref(), seed as u32);
    let (baseline, mut crossed): (Baseline, Option<CrossValidation>) = measured.map_err(failure)?;
    // Its progress line goes with it.
    drop(trainer);
    let shown = Progress::start("asking about", "inputs", 0, is_quiet);
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
    let is_judged = options.grown_on == assess::GrownOn::Labels;
    let mutants = if arguments.mutants { Some(challenge_model(opened, &options, is_quiet)?) } else { None };
    let (model, known) = (opened.name.clone(), BTreeSet::new());
    Ok(Found { assessment, baseline, totals, crossed: figures, model, seed, is_judged, known, mutants, is_kept: true })
}

fn challenge_model(opened: &Opened, options: &assess::ModelOptions, is_quiet: bool) -> Result<Challenge, Failure> {
    let mut trainer = opened.loaded.trainer().ok_or_else(|| {
        Message::error("mutants are trained, and this model cannot be")
            .hint("give an estimator with `--train`, or a model file of an estimator with `fit`")
            .ends(Exit::Usage)
    })?;
    let shown = Progress::start("training", "mutants", 0, is_quiet);
    let mut on_mutant = |done: usize, total: usize| {
        shown.set(done, total, |elapsed| Ahead::at_pace(elapsed, done, total), || "1 model".to_owned());
    };
    challenge(trainer.as_mut(), &opened.data, options, &mut on_mutant).map_err(failure)
}

/// Remarks about the data, and a baseline that flatters, are said on standard error.
fn warn(context: &Context<'_>, opened: &Opened, baseline: &Baseline) {
    let mut stderr = Stderr::new(context.common.quiet);
    for remark in &opened.data.remarks {
        stderr.show(&setup::message(&remark.to_string(), true));
    }
    if baseline.origin == BaselineOrigin::GivenRows {
        stderr.show(
            &Message::warning(
                "the model's usual error is measured on the rows given, which it may have been trained on",
            )
            .fact("it looks better than it is, so more leaves stand out")
            .hint("give rows that it has not seen with `--holdout FILE`"),
        );
    }
}

/// Nothing tested is never green.
fn exit_of(found: &Found) -> Exit {
    let findings = &found.assessment.findings;
    if found.assessment.is_interrupted {
        Exit::Interrupted
    } else if !found.is_judged {
        Exit::Clean
    } else if findings.iter().any(|finding| !found.known.contains(&finding.id)) {
        Exit::Findings
    } else if found.assessment.leaves.is_empty() {
        Exit::Inconclusive
    } else {
        Exit::Clean
    }
}
