//! `temper model`: where a trained classifier contradicts its data. One run is here; `setup` reads what the user named,
//! and the other files print, write or compare.

mod compare;
mod emit;
mod examine;
pub mod keep;
pub mod setup;
mod suite;

use std::collections::BTreeSet;

use temper_model::Dataset;
use temper_model::assess::Assessment;
use temper_model::judge::baseline::{Baseline, BaselineOrigin};
use temper_model::record::{ExaminedModel, run_document};
use temper_report::{Exit, without_colour};

use self::examine::examine;
use self::setup::Opened;
use super::CommandContext;
use crate::args::{Model, ModelTask};
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::terminal::Stderr;

/// Runs the command.
pub fn run(context: &CommandContext<'_>, arguments: &Model) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install()?;
    if arguments.task == ModelTask::Regression {
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
    let document = run_document((&found, &opened.data, &opened.path), opened.bench.python.version.as_deref());
    context.save(&document)?;
    context.print(&document, || {
        let text = document.text(context.common.verbose > 0);
        written.iter().fold(text, |text, path| text + &format!("wrote {path}\n"))
    })?;
    Ok(document.exit())
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
    let found = ExaminedModel {
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
    let document = run_document((&found, data, &data.target), None);
    let findings = serde_json::to_string(&document.findings).unwrap_or_default();
    ModelReport { text: without_colour(&document.text(false)), findings, count: document.findings.len() }
}

/// Remarks about the data, and a baseline that flatters, are said on standard error.
fn warn(context: &CommandContext<'_>, opened: &Opened, baseline: &Baseline) {
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
