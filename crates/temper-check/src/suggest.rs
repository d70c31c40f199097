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

/// A proposal that a function refused: the function, as `module.name`, and what it said.
pub type Refused = (String, String);

/// Reads the functions of `files`, and in `around` how they are called. What functions refused narrows their proposals.
///
/// # Errors
/// When the workers fail.
pub fn suggest(
    driver: &mut Driver,
    files: &[PathBuf],
    around: &[PathBuf],
    refused: &[Refused],
    root: &Path,
) -> Result<Vec<SuggestedFunction>, CheckError> {
    let named = |path: &PathBuf| {
        let module = Module::of_file(path, root, String::new(), None);
        Value::List(vec![Value::from_path(path), Value::from(module.name.as_str())])
    };
    let arguments = vec![
        Value::List(files.iter().map(named).collect()),
        Value::List(around.iter().map(|path| Value::from_path(path)).collect()),
        Value::List(
            refused.iter().map(|(name, said)| Value::List(vec![name.as_str().into(), said.as_str().into()])).collect(),
        ),
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
