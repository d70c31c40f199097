//! Proposals of annotations, from the source of functions and of their callers. The worker reads; nothing is run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use temper_worker::{Call, Driver, Flow, LayerSpec, Limits, Piece, Policy, Sight, Subjects, Task, Value, Work};

use crate::error::CheckError;
use crate::message;
use crate::module::Module;
use crate::protocol::{SuggestReply, SuggestedFunction, WorkerAnswer};
use crate::work::shown_below;

/// The module of our package that reads source.
const READER: &str = "temper.check.suggest";

/// Ten times what the largest modules of scikit-learn take with the files around them.
const READER_CPU: Duration = Duration::from_secs(120);
/// A machine with a load of twenty for each core is still waited for.
const CLOCK_FOR_CPU: u32 = 20;

/// What a function said about an input of its proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidOfProposal {
    /// The function, as `module.name`.
    pub function: String,
    /// What it said.
    pub message: String,
    /// Whether it refused the input by a `raise`; else it crashed.
    pub is_refusal: bool,
}

impl SaidOfProposal {
    fn value(&self) -> Value {
        let SaidOfProposal { function, message, is_refusal } = self;
        Value::List(vec![function.as_str().into(), message.as_str().into(), Value::from(*is_refusal)])
    }
}

/// The limits of the reader. It runs our code alone, so that processor time ends it, and the clock only if it hangs: among many
/// other processes it gets a small part of a core. What the user gives to tests may raise the limit, and does not lower it.
fn reader_limits(cpu: Duration) -> Limits {
    let cpu = cpu.max(READER_CPU);
    Limits { cpu, wall: CLOCK_FOR_CPU * cpu, ..Limits::default() }
}

/// Reads the functions of `files`, and in `around` how they are called. What functions said about earlier
/// proposals narrows them. `cpu` is the processor time that the user gives to work on the project.
///
/// # Errors
/// When the workers fail.
pub fn suggest(
    driver: &mut Driver,
    files: &[PathBuf],
    around: &[PathBuf],
    said: &[SaidOfProposal],
    root: &Path,
    cpu: Duration,
) -> Result<Vec<SuggestedFunction>, CheckError> {
    let named = |path: &PathBuf| {
        let module = Module::of_file(path, root, String::new(), None);
        Value::List(vec![Value::from_path(path), Value::from(module.name.as_str())])
    };
    let arguments = vec![
        Value::List(files.iter().map(named).collect()),
        Value::List(around.iter().map(|path| Value::from_path(path)).collect()),
        Value::List(said.iter().map(SaidOfProposal::value).collect()),
    ];
    let limits = reader_limits(cpu);
    let layer = LayerSpec {
        // It reads source text, wherever that lies, and runs none of it.
        policy: Policy { sight: Sight::Everything, ..Policy::scratch_only() },
        limits: limits.clone(),
        ..LayerSpec::new(root.to_path_buf(), Subjects::Modules(vec![READER.to_owned()]))
    };
    let call = Call { arguments, keywords: Vec::new(), seed: 0 };
    let work = Work::Calls { module: READER.to_owned(), function: "suggest".to_owned(), calls: vec![call] };
    let mut found = Err(CheckError::NoAnswer);
    driver.run([Task { layer: Arc::new(layer), pieces: vec![Piece::new(work, 0, limits)] }], |report| {
        found = match WorkerAnswer::<SuggestReply>::of(&report) {
            WorkerAnswer::Returned(reply) => Ok(reply),
            WorkerAnswer::Unreadable(error) => Err(CheckError::Reader(error.to_string())),
            WorkerAnswer::Raised(exception) => Err(CheckError::Reader(message::exception_text(&exception))),
            WorkerAnswer::NotLoaded(failure) => Err(CheckError::Reader(message::load_failure_text(&failure))),
            WorkerAnswer::Ended(outcome) => {
                Err(CheckError::Reader(format!("the process {}", message::outcome_text(&outcome))))
            }
        };
        Flow::Continue
    })?;
    let with_shown_path = |each: SuggestedFunction| SuggestedFunction { path: shown_below(root, &each.path), ..each };
    Ok(found?.functions.into_iter().map(with_shown_path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_does_not_end_the_reader() {
        for (given, expected) in [(1, 120), (120, 120), (600, 600)] {
            let limits = reader_limits(Duration::from_secs(given));
            assert_eq!(limits.cpu.as_secs(), expected, "{given}");
            assert!(limits.wall >= 20 * limits.cpu, "{given}");
        }
    }
}
