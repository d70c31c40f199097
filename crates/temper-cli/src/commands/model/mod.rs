//! `temper model`: whether a trained classifier is worse than a reference, and where (`judge`, `against`). `--paper` and `--suite` do the
//! published work instead, leaf by leaf (`examine`). `setup` reads what the user named; the other files keep and write.

mod against;
mod emit;
mod examine;
mod judge;
pub mod keep;
mod properties;
mod remarks;
pub mod setup;
mod suite;

use temper_model::judge_model::JudgedModel;
use temper_model::record::run_document;
use temper_model::record_rows::{RowsRecord, judged_document};
use temper_report::{Exit, Verdict, without_colour};

use self::examine::examine;
use self::remarks::{warn, warn_of_seen_rows};
use self::setup::Opened;
use super::CommandContext;
use crate::args::{Model, ModelTask, SurrogateChoice};
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
    let mut opened = Opened::new(context, arguments, &interrupt)?;
    if !arguments.property.is_empty() {
        return properties::run(context, arguments, &opened);
    }
    if !arguments.paper && arguments.surrogate != SurrogateChoice::Model {
        return judge::run(context, arguments, opened);
    }
    let found = examine(context, arguments, &mut opened, arguments.paper)?;
    warn(context, &opened);
    warn_of_seen_rows(context, &found.baseline);
    if let Err(error) = keep::remember(context, &keep::of_leaves(&found, &opened.data), &opened, found.seed) {
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
    /// The word of the verdict.
    pub verdict: String,
    /// What an undecided verdict lacks.
    pub missing: String,
}

/// The report on a judgement that was made elsewhere.
pub fn report_model(name: &str, judged: &JudgedModel<'_>, seed: u64) -> ModelReport {
    let target = judged.rows.target.clone();
    let record =
        RowsRecord { judged, path: &target, model: name, seed, is_kept: false, suspicions: None, mutants: None };
    let document = judged_document(record, None);
    let findings = serde_json::to_string(&document.findings).unwrap_or_default();
    let verdict = document.subjects.first().map(|subject| &subject.verdict);
    let missing = verdict.and_then(Verdict::open_reason).unwrap_or_default().to_owned();
    let verdict = verdict.map(|verdict| verdict.word().to_owned()).unwrap_or_default();
    ModelReport { text: without_colour(&document.text(false)), findings, verdict, missing }
}
