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

/// Reads the functions of `files`, and in `around` how they are called. What functions said about earlier
/// proposals narrows them.
///
/// # Errors
/// When the workers fail.
pub fn suggest(
    driver: &mut Driver,
    files: &[PathBuf],
    around: &[PathBuf],
    said: &[SaidOfProposal],
    root: &Path,
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
    let limits = Limits { wall: Duration::from_secs(120), ..Limits::default() };
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
            _ => Err(CheckError::NoAnswer),
        };
        Flow::Continue
    })?;
    let with_shown_path = |each: SuggestedFunction| SuggestedFunction { path: shown_below(root, &each.path), ..each };
    Ok(found?.functions.into_iter().map(with_shown_path).collect())
}
