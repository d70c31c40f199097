//! The results of functions with `@regression`, in a file next to the project's `pyproject.toml` that is meant to be
//! committed. The worker reads it and says what is new; here it is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::Value;
use temper_files::write_output;

use crate::saved::SaveError;

const FILE: &str = "temper.regressions.json";

/// Adds records to the file, in place of those of the same names; the path when anything was written.
///
/// # Errors
/// When the file cannot be read or written.
pub fn keep_regressions(root: &Path, records: &[(String, String)]) -> Result<Option<PathBuf>, SaveError> {
    if records.is_empty() {
        return Ok(None);
    }
    let path = root.join(FILE);
    let refused = |cause| SaveError::Io { path: path.clone(), cause };
    let format = |cause| SaveError::Format { path: path.clone(), cause };
    let mut all: BTreeMap<String, Value> = match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(format)?,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
        Err(cause) => return Err(refused(cause)),
    };
    for (name, text) in records {
        all.insert(name.clone(), serde_json::from_str(text).map_err(format)?);
    }
    let text = serde_json::to_string_pretty(&all).map_err(format)? + "\n";
    write_output(&path, text.as_bytes()).map_err(|error| refused(io::Error::other(error.reason())))?;
    Ok(Some(path))
}
