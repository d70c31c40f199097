//! Writing files whole or not at all, and the name of a file in its repository.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::PatchError;

fn failed(path: &Path) -> impl FnOnce(io::Error) -> PatchError {
    let path = path.to_path_buf();
    move |cause| PatchError::Io { path, cause }
}

/// Writes a file of ours, with its folder.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), PatchError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed(folder))?;
    }
    fs::write(path, bytes).map_err(failed(path))
}

/// Removes a file of ours, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), PatchError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path)(error)),
        _ => Ok(()),
    }
}

/// Puts new content in place of a user's file: all of it or, if this process ends, none. Links and permissions stay.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), PatchError> {
    let real = fs::canonicalize(path).map_err(failed(path))?;
    let beside = real.with_extension(format!("temper-{}", std::process::id()));
    let written = fs::write(&beside, bytes)
        .and_then(|()| fs::set_permissions(&beside, fs::metadata(&real)?.permissions()))
        .and_then(|()| fs::rename(&beside, &real));
    written.map_err(|error| {
        // What is half written is ours alone.
        let _ = fs::remove_file(&beside);
        failed(path)(error)
    })
}

/// The path by which git knows a file of the project: `git apply` reads names from the root of the repository.
pub(super) fn name_in_repository(root: &Path, path: &str) -> PathBuf {
    let repository = root.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(root);
    root.strip_prefix(repository).unwrap_or(Path::new("")).join(path)
}
