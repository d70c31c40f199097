//! The project's `.temper/` folder.

use std::path::Path;

use crate::error::FileError;
use crate::folder::Folder;

/// Its name in the project's root.
pub const STATE: &str = ".temper";

/// Opens `.temper/` below a project's root, made if it is not there, with the `.gitignore` that keeps it out of git. One that is
/// a link is refused: a repository could bring it, and lead what is written anywhere.
///
/// # Errors
/// When it is a link, or the file system refuses.
pub fn state_folder(root: &Path) -> Result<Folder, FileError> {
    let root = std::fs::canonicalize(root).map_err(|cause| FileError::Io { path: root.into(), cause })?;
    let folder = Folder::open(&root)?.folder(STATE)?;
    folder.write_once(".gitignore", b"*\n")?;
    Ok(folder)
}
