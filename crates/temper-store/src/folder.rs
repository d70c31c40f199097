//! Plain files in `.temper/`: the records of runs, and what `temper replay` needs of a check. Each is replaced as a whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::StoreError;

const FOLDER: &str = ".temper";

/// Makes the folder of the project at `root`, which git ignores by itself.
pub(crate) fn make_folder(root: &Path) -> Result<PathBuf, StoreError> {
    let folder = root.join(FOLDER);
    fs::create_dir_all(&folder).map_err(refused(&folder))?;
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        fs::write(&ignore, "*\n").map_err(refused(&ignore))?;
    }
    Ok(folder)
}

/// Writes a file of the folder, such as `records/check.json`.
///
/// # Errors
/// When the file system refuses.
pub fn write_file(root: &Path, name: &str, text: &str) -> Result<(), StoreError> {
    let path = make_folder(root)?.join(name);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(refused(folder))?;
    }
    // Written to another file and moved: a killed run leaves the old file or the new one.
    let fresh = path.with_extension("new");
    fs::write(&fresh, text).map_err(refused(&fresh))?;
    fs::rename(&fresh, &path).map_err(refused(&path))
}

/// Reads a file of the folder; none if it was never written.
///
/// # Errors
/// When there is a file that cannot be read.
pub fn read_file(root: &Path, name: &str) -> Result<Option<String>, StoreError> {
    let path = root.join(FOLDER).join(name);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::Io { path, source }),
    }
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_was_written_last_and_git_ignores_it() {
        let root = std::env::temp_dir().join(format!("temper-store-folder-{}", std::process::id()));
        assert_eq!(read_file(&root, "records/check.json").unwrap(), None);
        for text in ["first", "second"] {
            write_file(&root, "records/check.json", text).unwrap();
        }
        assert_eq!(read_file(&root, "records/check.json").unwrap().as_deref(), Some("second"));
        assert_eq!(fs::read_to_string(root.join(".temper/.gitignore")).unwrap(), "*\n");
        assert_eq!(fs::read_dir(root.join(".temper/records")).unwrap().count(), 1, "nothing else is left");
        fs::remove_dir_all(&root).unwrap();
    }
}
