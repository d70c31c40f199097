//! `temper model`: whether a trained classifier is worse than a reference, and where (`judge`, `against`). `--paper` and `--suite` do the
//! published work instead, leaf by leaf (`examine`). `distances`, `calibration` and `drift` are about quantities, probabilities and
//! two tables. `setup` reads what the user named; the other files keep and write.

mod against;
mod calibration;
mod distances;
mod drift;
mod emit;
mod examine;
mod judge;
pub mod keep;
mod properties;
mod remarks;
pub mod setup;
mod suite;
mod unseen_answers;

use temper_model::judge_model::JudgedModel;
use temper_model::record::run_document;
use temper_model::record_rows::{RowsRecord, judged_document};
use temper_report::{Details, Exit, ModelDetails, Verdict, without_colour};

use self::examine::examine;
use self::remarks::{warn, warn_of_seen_rows};
use self::setup::Opened;
use super::CommandContext;
use crate::args::{Model, SurrogateChoice};
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::terminal::Stderr;

/// Runs the command.
pub fn run(context: &CommandContext<'_>, arguments: &Model) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install()?;
    if let Some(file) = &arguments.suite {
        return suite::run(context, arguments, file, &interrupt);
    }
    if let (Some(older), Some(newer)) = (&arguments.data, &arguments.newer) {
        return drift::run(context, arguments, (older, newer), &interrupt);
    }
    let mut opened = Opened::new(context, arguments, &interrupt)?;
    if opened.data.quantity.is_some() {
        return distances::run(context, arguments, opened);
    }
    if arguments.calibration {
        return calibration::run(context, arguments, &opened);
    }
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
    context.finish_with(&document, |text| written.iter().fold(text, |text, path| text + &format!("wrote {path}\n")))
}

/// What a model that lives in the caller's own process is worth, for people and for programs.
pub struct ModelReport {
    /// As `temper model` prints it.
    pub text: String,
    /// The findings, as JSON.
    pub findings: String,
    /// How errors are told from the rest, as JSON.
    pub tree: String,
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
    let tree = match &document.details {
        Details::Model { model: ModelDetails::Judged(run) } => serde_json::to_string(&run.tree).unwrap_or_default(),
        _ => "[]".to_owned(),
    };
    let findings = serde_json::to_string(&document.findings).unwrap_or_default();
    let verdict = document.subjects.first().map(|subject| &subject.verdict);
    let missing = verdict.and_then(Verdict::open_reason).unwrap_or_default().to_owned();
    let verdict = verdict.map(|verdict| verdict.word().to_owned()).unwrap_or_default();
    ModelReport { text: without_colour(&document.text(false)), findings, tree, verdict, missing }
}
