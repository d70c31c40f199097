//! Plain files in `.temper/`: the records of runs, and what `temper replay` needs of a check. Each is replaced as a whole.

use std::path::Path;

use temper_files::{FileError, Folder, STATE, state_folder};

use crate::error::StoreError;

/// Writes a file of the folder, such as `records/check.json`.
///
/// # Errors
/// When the file system refuses.
pub fn write_file(root: &Path, name: &str, text: &str) -> Result<(), StoreError> {
    let mut folder = state_folder(root)?;
    let mut parts = name.split('/').peekable();
    while let Some(part) = parts.next() {
        match parts.peek() {
            Some(_) => folder = folder.folder(part)?,
            None => folder.write(part, text.as_bytes())?,
        }
    }
    Ok(())
}

/// Reads a file of the folder; none if it was never written.
///
/// # Errors
/// When there is a file that cannot be read.
pub fn read_file(root: &Path, name: &str) -> Result<Option<String>, StoreError> {
    let path = root.join(STATE).join(name);
    let (Some(folder), Some(file)) = (path.parent(), path.file_name().and_then(|file| file.to_str())) else {
        return Ok(None);
    };
    if !folder.exists() {
        return Ok(None);
    }
    let Some(bytes) = Folder::open(folder)?.read(file)? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|error| FileError::Io { path, cause: std::io::Error::other(error) })?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_read_as_it_was_written_last_and_git_ignores_it() {
        let root = std::env::temp_dir().join(format!("temper-store-folder-{}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
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
