//! Files that the user names: results, and the sources that `temper apply` changes.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use nix::sys::stat::Mode;
use std::os::unix::fs::PermissionsExt;

use crate::error::FileError;
use crate::folder::Folder;

/// Writes results where the user said. A link of that name is replaced, and what it leads to stays; a device or a pipe, such
/// as `/dev/stdout`, is written to.
///
/// # Errors
/// When the file system refuses; an old file is then still there.
pub fn write_output(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |cause| FileError::Io { path: path.into(), cause };
    let is_stream = |found: fs::Metadata| !found.is_file() && !found.is_dir();
    if fs::metadata(path).is_ok_and(is_stream) {
        return OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut stream| stream.write_all(bytes))
            .map_err(failed);
    }
    let (folder, name) = place(path)?;
    let real = fs::canonicalize(folder).map_err(failed)?;
    Folder::open(&real)?.write(name, bytes)
}

/// As [`write_output`], with the folders on the way.
///
/// # Errors
/// As [`write_output`].
pub fn write_output_with_folders(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let (folder, _) = place(path)?;
    fs::create_dir_all(folder).map_err(|cause| FileError::Io { path: path.into(), cause })?;
    write_output(path, bytes)
}

/// Puts new content in place of a file of the user's project, with the permissions that it has. If the file is a link, the
/// file behind it is replaced and the link stays: it is the user's own.
///
/// # Errors
/// When the file system refuses; the file is then as it was.
pub fn replace_source(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |cause| FileError::Io { path: path.into(), cause };
    let real = fs::canonicalize(path).map_err(failed)?;
    let mode = fs::metadata(&real).map_err(failed)?.permissions().mode();
    let (folder, name) = place(&real)?;
    Folder::open(folder)?.write_as(name, bytes, Some(Mode::from_bits_truncate(mode & 0o7777)))
}

/// Removes a file of ours, or a link and not what it leads to.
///
/// # Errors
/// When the file system refuses.
pub fn remove_file(path: &Path) -> Result<(), FileError> {
    let (folder, name) = place(path)?;
    Folder::open(folder)?.remove(name).map(drop)
}

fn place(path: &Path) -> Result<(&Path, &str), FileError> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let name = path.file_name().and_then(|name| name.to_str());
    let no_name =
        || FileError::Io { path: path.into(), cause: std::io::Error::other("it has no name that can be written") };
    Ok((folder, name.ok_or_else(no_name)?))
}
