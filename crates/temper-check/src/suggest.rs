//! Proposals of annotations, from the source of functions and of their callers. The worker reads; nothing is run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use temper_worker::{Call, Driver, Flow, LayerSpec, Limits, Piece, Policy, Subjects, Task, Value, Work};

use crate::confirm::shown_below;
use crate::message;
use crate::module::Module;
use crate::reply::{self, Answer};
use crate::run::CheckError;

/// The module of our package that reads source.
const READER: &str = "temper.check.suggest";

/// Annotations that a function could have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The file, as reports show it.
    pub path: String,
    /// The line of the function.
    pub line: u32,
    /// Its qualified name.
    pub function: String,
    /// Each decorator as source text, with what it was read off.
    pub decorators: Vec<(String, String)>,
    /// What else the user should know.
    pub notes: Vec<String>,
    /// Whether every argument that needs a value got a constraint.
    pub is_complete: bool,
    /// The table of a side file that says the same.
    pub entry: String,
}

/// Reads the functions of `files`, and in `around` how they are called.
///
/// # Errors
/// When the workers fail.
pub fn suggest(
    driver: &mut Driver,
    files: &[PathBuf],
    around: &[PathBuf],
    root: &Path,
) -> Result<Vec<Suggestion>, CheckError> {
    let named = |path: &PathBuf| {
        let module = Module::of_file(path, root, String::new(), None);
        Value::List(vec![Value::from_path(path), Value::from(module.name.as_str())])
    };
    let arguments = vec![
        Value::List(files.iter().map(named).collect()),
        Value::List(around.iter().map(|path| Value::from_path(path)).collect()),
    ];
    let limits = Limits { wall: Duration::from_secs(120), ..Limits::default() };
    let layer = LayerSpec {
        root: root.to_path_buf(),
        paths: Vec::new(),
        subjects: Subjects::Modules(vec![READER.to_owned()]),
        edits: Vec::new(),
        policy: Policy::scratch_only(),
        limits: limits.clone(),
    };
    let call = Call { arguments, keywords: Vec::new(), seed: 0 };
    let work = Work::Calls { module: READER.to_owned(), function: "suggest".to_owned(), calls: vec![call] };
    let mut found = Err(CheckError::NoAnswer);
    driver.run([Task { layer: Arc::new(layer), pieces: vec![Piece { work, seed: 0, limits }] }], |report| {
        found = match reply::answer(&report) {
            Answer::Returned(value) => Ok(value),
            Answer::Raised(exception) => Err(CheckError::Reader(message::exception_text(&exception))),
            _ => Err(CheckError::NoAnswer),
        };
        Flow::Continue
    })?;
    let Value::List(found) = found? else { return Ok(Vec::new()) };
    Ok(found.iter().map(|value| read(value, root)).collect())
}

fn read(value: &Value, root: &Path) -> Suggestion {
    let pair = |item: &Value| match item.as_list() {
        Some([line, source]) => Some((line.to_text()?, source.to_text()?)),
        _ => None,
    };
    Suggestion {
        path: shown_below(root, &reply::text(value, "path")),
        line: reply::number(value, "line") as u32,
        function: reply::text(value, "function"),
        decorators: reply::list(value, "decorators").iter().filter_map(pair).collect(),
        notes: reply::list(value, "notes").iter().filter_map(Value::to_text).collect(),
        is_complete: value.get("is_complete").and_then(Value::as_bool).unwrap_or(false),
        entry: reply::text(value, "entry"),
    }
}
