//! The project: the folder whose `pyproject.toml` is read and to which paths in results are relative.

use std::path::{Path, PathBuf};

use temper_report::Exit;

use crate::message::{Failure, Message};

const MARKS: &[&str] = &["pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", ".git"];

/// The nearest folder at or above the first named path (or the current folder) that carries one of the usual marks of
/// a project; the current folder when there is none.
pub fn root(current: &Path, first_path: Option<&Path>) -> PathBuf {
    let start = first_path.map_or_else(|| current.to_path_buf(), |path| current.join(path));
    // A path that does not exist is reported when it is read, with its own message.
    let start = std::fs::canonicalize(&start).unwrap_or_else(|_| current.to_path_buf());
    let found = start.ancestors().find(|folder| MARKS.iter().any(|mark| folder.join(mark).exists()));
    found.unwrap_or(current).to_path_buf()
}

/// The current folder, without links in its path, so that paths below it compare with paths below the root.
pub fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir()
        .and_then(std::fs::canonicalize)
        .map_err(|error| Message::error("the current folder cannot be read").fact(error.to_string()).ends(Exit::Usage))
}

/// The path as results show it: relative to the root where it lies below it.
pub fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}
