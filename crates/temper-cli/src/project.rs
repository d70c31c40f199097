//! The project: the folder whose `pyproject.toml` is read and to which paths in results are relative.

use std::path::{Path, PathBuf};

use crate::exit::Exit;
use crate::message::{Failure, Message};

const MARKS: &[&str] = &["pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", ".git"];

/// The nearest folder at or above the first named path (or the current folder) that carries one of the usual marks of
/// a project; the current folder when there is none.
pub fn root(first_path: Option<&Path>) -> Result<PathBuf, Failure> {
    let current = std::env::current_dir().map_err(|error| {
        Message::error("the current folder cannot be read").fact(error.to_string()).ends(Exit::Usage)
    })?;
    let start = first_path.map_or_else(|| current.clone(), |path| current.join(path));
    // A path that does not exist is reported when it is read, with its own message.
    let start = std::fs::canonicalize(&start).unwrap_or_else(|_| current.clone());
    let found = start.ancestors().find(|folder| MARKS.iter().any(|mark| folder.join(mark).exists()));
    Ok(found.map_or(current, Path::to_path_buf))
}

/// The path as results show it: relative to the root where it lies below it.
pub fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}
