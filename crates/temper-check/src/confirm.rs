//! One recorded call in a fresh process: the confirmation of a finding, and `temper replay`.

use std::path::Path;
use std::time::Duration;

use temper_worker::{Call, Driver, End, Flow, Limits, Outcome, Piece, Task, Value, Work};

use crate::finding::Kind;
use crate::message;
use crate::module::{Module, SERVER};
use crate::reply::{self, Answer};
use crate::run::{CheckError, Options};
use crate::saved::SavedFinding;
use crate::scripts;

/// What came of a recorded call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The kind of finding, or none when the call passed.
    pub kind: Option<Kind>,
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
pub(crate) fn read(answer: &Answer, module: &Module, shown: &dyn Fn(&str) -> String) -> Replayed {
    let nothing =
        |message: String| Replayed { kind: None, message, path: module.shown.clone(), line: 0, call: String::new() };
    match answer {
        Answer::Returned(value) => Replayed {
            kind: Kind::of_worker(&reply::text(value, "kind")),
            message: reply::text(value, "message"),
            path: shown(&reply::text(value, "path")),
            line: reply::number(value, "line") as u32,
            call: reply::text(value, "call"),
        },
        Answer::Ended(outcome) if is_kill(outcome) => {
            Replayed { kind: Some(Kind::Killed), ..nothing(format!("the process {}", message::outcome_text(outcome))) }
        }
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
    if finding.kind == Kind::Import {
        let work = Work::Import { module: module.name.clone() };
        let piece = Piece { work, seed: options.seed, limits: Limits::default() };
        let outcome =
            one(driver, Task { layer: module.import_layer(root, &options.policy(&[])), pieces: vec![piece] })?;
        let imported =
            Replayed { kind: None, message: String::new(), path: module.shown.clone(), line: 0, call: String::new() };
        return Ok(match outcome {
            Answer::Raised(exception) => Replayed {
                kind: Some(Kind::Import),
                message: message::exception_text(&exception),
                line: message::line_in(&exception, module),
                ..imported
            },
            _ => imported,
        });
    }
    if finding.kind == Kind::Script {
        let piece = scripts::piece(module, root, options);
        let task = Task { layer: module.import_layer(root, &options.policy(&[])), pieces: vec![piece] };
        return Ok(read(&one(driver, task)?, module, &shown));
    }
    let tree = finding.tree_bytes();
    let recorded = Recorded { subject: &finding.subject, tree: &tree, omitted: &finding.omitted };
    let task =
        Task { layer: module.layer(root, &options.policy(&[])), pieces: vec![piece(module, &recorded, root, options)] };
    Ok(read(&one(driver, task)?, module, &shown))
}

fn one(driver: &mut Driver, task: Task) -> Result<Answer, CheckError> {
    let mut found = None;
    driver.run([task], |report| {
        found = Some(reply::answer(&report));
        Flow::Continue
    })?;
    found.ok_or(CheckError::NoAnswer)
}

/// A path relative to the project where it lies in it.
pub(crate) fn shown_below(root: &Path, path: &str) -> String {
    Path::new(path).strip_prefix(root).map_or_else(|_| path.to_owned(), |below| below.display().to_string())
}
