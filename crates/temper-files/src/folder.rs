//! A folder held by its descriptor: names in it are resolved from there, and the last part of a path is never a link.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat, renameat};
use nix::sys::stat::{FchmodatFlags, Mode, SFlag, fchmod, fchmodat, fstatat, mkdirat};
use nix::unistd::{UnlinkatFlags, unlinkat};

use crate::error::FileError;

/// Files that others may read as they may read the rest of the project.
const FILE_MODE: Mode = Mode::from_bits_truncate(0o644);
/// Folders of state: nobody else's business.
const FOLDER_MODE: Mode = Mode::S_IRWXU;

/// Levels of folders that are emptied one inside the other.
const DEEPEST: usize = 32;

/// An open folder.
#[derive(Debug)]
pub struct Folder {
    descriptor: OwnedFd,
    path: PathBuf,
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl Folder {
    /// Opens a folder. Links on the way to it are followed, as the user's own `cd` would; it must not be one itself.
    ///
    /// # Errors
    /// When it is a link, no folder, or cannot be opened.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let descriptor = nix::fcntl::open(path, flags, Mode::empty()).map_err(FileError::at_folder(path))?;
        Ok(Self { descriptor, path: path.to_owned() })
    }

    /// Its path as it was opened; for messages, and for programs that can only be told a path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder in it, and makes it if it is not there. Names here and below are plain: without `/`, not `..`.
    ///
    /// # Errors
    /// When a link or a file has its name, or the file system refuses.
    pub fn folder(&self, name: &str) -> Result<Self, FileError> {
        let path = self.plain(name)?;
        match mkdirat(&self.descriptor, name, FOLDER_MODE) {
            Ok(()) | Err(Errno::EEXIST) => {}
            Err(error) => return Err(FileError::at(path)(error)),
        }
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let descriptor =
            openat(&self.descriptor, name, flags, Mode::empty()).map_err(FileError::at_folder(path.clone()))?;
        Ok(Self { descriptor, path })
    }

    /// The path of a name in this folder; a name that would lead out of it is refused.
    fn plain(&self, name: &str) -> Result<PathBuf, FileError> {
        let path = self.path.join(name);
        if name.is_empty() || name == "." || name == ".." || name.contains('/') {
            return Err(FileError::Io { path, cause: io::Error::other("this is no name in a folder") });
        }
        Ok(path)
    }

    /// Makes a folder that is not there yet, which only this user can enter.
    pub(crate) fn new_folder(&self, name: &str) -> Result<Self, FileError> {
        let path = self.path.join(name);
        mkdirat(&self.descriptor, name, FOLDER_MODE).map_err(FileError::at(path))?;
        self.folder(name)
    }

    /// The whole content of a file; nothing if there is none.
    ///
    /// # Errors
    /// When it is a link, or cannot be read.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        let path = self.plain(name)?;
        let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let file = match openat(&self.descriptor, name, flags, Mode::empty()) {
            Ok(descriptor) => File::from(descriptor),
            Err(Errno::ENOENT) => return Ok(None),
            Err(error) => return Err(FileError::at_folder(path)(error)),
        };
        let mut bytes = Vec::new();
        { file }.read_to_end(&mut bytes).map_err(|cause| FileError::Io { path, cause })?;
        Ok(Some(bytes))
    }

    /// Puts a file into the folder, in place of what has its name. A link of that name is replaced, and what it leads to stays.
    /// After a crash there is the old file or the new one, whole.
    ///
    /// # Errors
    /// When the file system refuses; the old file is then still there.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        self.write_as(name, bytes, None)
    }

    /// As [`Folder::write`], with exactly these permissions if some are given.
    pub(crate) fn write_as(&self, name: &str, bytes: &[u8], mode: Option<Mode>) -> Result<(), FileError> {
        let path = self.plain(name)?;
        let temporary = unguessable(".temper-")?;
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let descriptor =
            openat(&self.descriptor, temporary.as_str(), flags, FILE_MODE).map_err(FileError::at(&path))?;
        // The mask of new files may take rights away, so that they are set on the open file.
        let allowed = mode.map_or(Ok(()), |mode| fchmod(&descriptor, mode)).map_err(io::Error::from);
        let mut file = File::from(descriptor);
        let written = allowed.and_then(|()| file.write_all(bytes)).and_then(|()| file.sync_all());
        let written = written.map_err(|cause| FileError::Io { path: path.clone(), cause }).and_then(|()| {
            renameat(&self.descriptor, temporary.as_str(), &self.descriptor, name).map_err(FileError::at(&path))
        });
        if written.is_err() {
            // What is half written is ours alone, and nobody knows its name.
            let _ = unlinkat(&self.descriptor, temporary.as_str(), UnlinkatFlags::NoRemoveDir);
        }
        written
    }

    /// Writes a file that is not there yet, and leaves one that is.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn write_once(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        match fstatat(&self.descriptor, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(()),
            Err(_) => self.write(name, bytes),
        }
    }

    /// Gives a file another name, in place of what has that one; a file that is not there is left.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        let path = self.plain(from)?;
        self.plain(to)?;
        match renameat(&self.descriptor, from, &self.descriptor, to) {
            Ok(()) | Err(Errno::ENOENT) => Ok(()),
            Err(error) => Err(FileError::at(path)(error)),
        }
    }

    /// Removes a file, or a link and not what it leads to. Says whether there was one.
    ///
    /// # Errors
    /// When it is a folder, or the file system refuses.
    pub fn remove(&self, name: impl AsRef<OsStr>) -> Result<bool, FileError> {
        let name = name.as_ref();
        match unlinkat(&self.descriptor, name, UnlinkatFlags::NoRemoveDir) {
            Ok(()) => Ok(true),
            Err(Errno::ENOENT) => Ok(false),
            Err(error) => Err(FileError::at(self.path.join(name))(error)),
        }
    }

    /// Removes a file or a folder with all that is in it, whatever permissions it has. Links are removed, not followed.
    ///
    /// # Errors
    /// When something could not be removed; the rest is gone.
    pub fn remove_tree(&self, name: impl AsRef<OsStr>) -> Result<(), FileError> {
        let mut open = vec![name.as_ref().to_owned()];
        let mut result = Ok(());
        while let Some(each) = open.pop() {
            result = result.and(self.remove_below(&each, self, 0, &mut open));
        }
        result
    }

    /// Removes what is called `name` in this folder, `depth` levels below `top`. What lies too deep is moved up to `top`, to be
    /// removed from there: each level costs a descriptor.
    fn remove_below(
        &self,
        name: &OsStr,
        top: &Folder,
        depth: usize,
        open: &mut Vec<OsString>,
    ) -> Result<(), FileError> {
        match fstatat(&self.descriptor, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
            Err(Errno::ENOENT) => return Ok(()),
            Err(error) => return Err(FileError::at(self.path.join(name))(error)),
            Ok(found) if SFlag::from_bits_truncate(found.st_mode) & SFlag::S_IFMT != SFlag::S_IFDIR => {
                return self.remove(name).map(drop);
            }
            Ok(_) => {}
        }
        let inner = self.entered(name)?;
        if depth == DEEPEST {
            let moved = unguessable(".temper-")?;
            renameat(&self.descriptor, name, top, moved.as_str()).map_err(FileError::at(inner.path))?;
            open.push(moved.into());
            return Ok(());
        }
        let each = |each: OsString| inner.remove_below(&each, top, depth + 1, open);
        inner.names()?.into_iter().map(each).fold(Ok(()), Result::and)?;
        match unlinkat(&self.descriptor, name, UnlinkatFlags::RemoveDir) {
            Ok(()) | Err(Errno::ENOENT) => Ok(()),
            Err(error) => Err(FileError::at(inner.path)(error)),
        }
    }

    /// Opens a folder that is to be emptied, and gives this user all rights to it.
    fn entered(&self, name: &OsStr) -> Result<Self, FileError> {
        let path = self.path.join(name);
        // A descriptor that needs no right to read: then the rights can be given to exactly this folder, link or no link.
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let handle =
            openat(&self.descriptor, name, flags, Mode::empty()).map_err(FileError::at_folder(path.clone()))?;
        let through = format!("/proc/self/fd/{}", handle.as_raw_fd());
        // Fails for what is another user's: opening it then says so.
        let _ = fchmodat(handle.as_fd(), through.as_str(), Mode::S_IRWXU, FchmodatFlags::FollowSymlink);
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let descriptor =
            openat(handle.as_fd(), ".", flags, Mode::empty()).map_err(FileError::at_folder(path.clone()))?;
        Ok(Self { descriptor, path })
    }

    /// The names of what is in it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn names(&self) -> Result<Vec<OsString>, FileError> {
        let failed = |error: nix::Error| FileError::at(&self.path)(error);
        let again =
            openat(&self.descriptor, ".", OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC, Mode::empty());
        let mut open = Dir::from_fd(again.map_err(failed)?).map_err(failed)?;
        let mut names = Vec::new();
        for entry in open.iter() {
            let entry = entry.map_err(|error| FileError::at(&self.path)(error))?;
            match entry.file_name().to_bytes() {
                b"." | b".." => {}
                name => names.push(OsStr::from_bytes(name).to_owned()),
            }
        }
        Ok(names)
    }
}

/// A name that nobody can know before it is used.
pub(crate) fn unguessable(prefix: &str) -> Result<String, FileError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| FileError::Io { path: "random numbers".into(), cause: io::Error::other(error.to_string()) })?;
    Ok(bytes.iter().fold(prefix.to_owned(), |name, byte| format!("{name}{byte:02x}")))
}
