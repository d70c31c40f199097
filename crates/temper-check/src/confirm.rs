//! One recorded call in a fresh process: the confirmation of a finding, and `temper replay`.

use std::path::Path;
use std::time::Duration;

use temper_report::FindingKind;
use temper_worker::{Call, Driver, End, Flow, Limits, Outcome, Piece, Report, Task, Value, Work};

use crate::checker::{CheckError, Options};
use crate::message;
use crate::module::{Module, SERVER};
use crate::protocol::{Answer, CallEnd, ConfirmReply, FoundPlace, ScriptEnd, ScriptReply};
use crate::saved::SavedFinding;
use crate::scripts;

/// What came of a recorded call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The kind of finding, or none when the call passed.
    pub kind: Option<FindingKind>,
    /// What happened, as for a finding.
    pub message: String,
    /// Where; the subject's file and line 0 when nothing is known.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The call as it is drawn today; empty when the annotations have changed too much.
    pub call: String,
}

/// A recorded call to make again.
pub(crate) struct Recorded<'r> {
    pub subject: &'r str,
    pub tree: &'r [u8],
    pub omitted: &'r [u64],
}

/// The piece of work that makes a recorded call once.
pub(crate) fn piece(module: &Module, recorded: &Recorded<'_>, root: &Path, options: &Options) -> Piece {
    let mut entries = options.entries(root, module);
    entries.extend([
        (Value::from("tree"), Value::Bytes(recorded.tree.to_vec())),
        (Value::from("omitted"), recorded.omitted.iter().copied().collect()),
    ]);
    let arguments = vec![Value::from(module.name.as_str()), Value::from(recorded.subject), Value::Map(entries)];
    call_piece("confirm", arguments, options, 30)
}

/// One call of a function of our server.
pub(crate) fn call_piece(function: &str, arguments: Vec<Value>, options: &Options, wall_secs: u64) -> Piece {
    let call = Call { arguments, keywords: Vec::new(), seed: options.seed };
    let limits = Limits {
        wall: Duration::from_secs(wall_secs),
        cpu: Duration::from_secs(wall_secs),
        memory_bytes: options.memory_bytes,
        ..Limits::default()
    };
    Piece {
        work: Work::Calls { module: SERVER.to_owned(), function: function.to_owned(), calls: vec![call] },
        seed: options.seed,
        limits,
    }
}

/// Reads what came of a recorded call.
pub(crate) fn read(answer: &Answer<ConfirmReply>, module: &Module, shown: &dyn Fn(&str) -> String) -> Replayed {
    let nothing =
        |message: String| Replayed { kind: None, message, path: module.shown.clone(), line: 0, call: String::new() };
    match answer {
        Answer::Returned(ConfirmReply { kind, call, place }) => {
            let call = call.clone().unwrap_or_default();
            match (kind, place) {
                (CallEnd::Found(kind), Some(FoundPlace { message, path, line, .. })) => {
                    Replayed { kind: Some(*kind), message: message.clone(), path: shown(path), line: *line, call }
                }
                _ => Replayed { call, ..nothing(String::new()) },
            }
        }
        Answer::Unreadable(error) => nothing(error.to_string()),
        Answer::Ended(outcome) if is_kill(outcome) => Replayed {
            kind: Some(FindingKind::Killed),
            ..nothing(format!("the process {}", message::outcome_text(outcome)))
        },
        Answer::Ended(outcome) => nothing(format!("the process {}", message::outcome_text(outcome))),
        Answer::Raised(exception) => nothing(message::exception_text(exception)),
        Answer::NotLoaded(failure) => {
            let problem = message::not_imported(module, failure);
            nothing(problem.facts.first().cloned().unwrap_or_default())
        }
    }
}

/// Whether the subject ended its process, which no valid input may do.
pub(crate) fn is_kill(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Ended(End::Signal(_) | End::Exited(_)) | Outcome::MemoryLimit(_))
}

/// Makes the call of a saved finding again, in a fresh process.
///
/// # Errors
/// When the workers themselves fail.
pub fn replay(
    driver: &mut Driver,
    module: &Module,
    finding: &SavedFinding,
    root: &Path,
    options: &Options,
) -> Result<Replayed, CheckError> {
    let shown = |path: &str| shown_below(root, path);
    if finding.kind == FindingKind::Import {
        let work = Work::Import { module: module.name.clone() };
        let piece = Piece { work, seed: options.seed, limits: Limits::default() };
        let task = Task { layer: module.import_layer(root, &options.policy(&[])), pieces: vec![piece] };
        return Ok(imported(&one(driver, task)?, module));
    }
    if finding.kind == FindingKind::Script {
        let piece = scripts::piece(module, root, options);
        let task = Task { layer: module.import_layer(root, &options.policy(&[])), pieces: vec![piece] };
        return Ok(script_ended(Answer::of(&one(driver, task)?), module, &shown));
    }
    let tree = finding.tree_bytes();
    let recorded = Recorded { subject: &finding.subject, tree: &tree, omitted: &finding.omitted };
    let task =
        Task { layer: module.layer(root, &options.policy(&[])), pieces: vec![piece(module, &recorded, root, options)] };
    Ok(read(&Answer::of(&one(driver, task)?), module, &shown))
}

/// An import that was tried again.
fn imported(report: &Report, module: &Module) -> Replayed {
    let passed =
        Replayed { kind: None, message: String::new(), path: module.shown.clone(), line: 0, call: String::new() };
    match &report.outcome {
        Outcome::Raised(exception) => Replayed {
            kind: Some(FindingKind::Import),
            message: message::exception_text(exception),
            line: message::line_in(exception, module),
            ..passed
        },
        _ => passed,
    }
}

/// A script that was run again.
fn script_ended(answer: Answer<ScriptReply>, module: &Module, shown: &dyn Fn(&str) -> String) -> Replayed {
    let answer = match answer {
        Answer::Returned(ScriptReply { kind: ScriptEnd::Raised, place: Some(place), .. }) => {
            return Replayed {
                kind: Some(FindingKind::Script),
                message: place.message,
                path: shown(&place.path),
                line: place.line,
                call: String::new(),
            };
        }
        Answer::Returned(_) => Answer::Returned(ConfirmReply { kind: CallEnd::NothingFound, call: None, place: None }),
        Answer::Unreadable(error) => Answer::Unreadable(error),
        Answer::Raised(exception) => Answer::Raised(exception),
        Answer::NotLoaded(failure) => Answer::NotLoaded(failure),
        Answer::Ended(outcome) => Answer::Ended(outcome),
    };
    read(&answer, module, shown)
}

fn one(driver: &mut Driver, task: Task) -> Result<Report, CheckError> {
    let mut found = None;
    driver.run([task], |report| {
        found = Some(report);
        Flow::Continue
    })?;
    found.ok_or(CheckError::NoAnswer)
}

/// A path relative to the project where it lies in it.
pub(crate) fn shown_below(root: &Path, path: &str) -> String {
    Path::new(path).strip_prefix(root).map_or_else(|_| path.to_owned(), |below| below.display().to_string())
}
