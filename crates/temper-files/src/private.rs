//! Folders for temporary files: fresh, entered by this user alone, gone with their owner.

use std::path::{Path, PathBuf};

use nix::sys::stat::fstat;
use nix::unistd::geteuid;
use std::os::fd::AsFd;

use crate::error::FileError;
use crate::folder::{Folder, unguessable};

/// A fresh folder with a name that nobody could guess, removed when it is dropped.
#[derive(Debug)]
pub struct PrivateFolder {
    parent: Folder,
    folder: Folder,
    name: String,
}

impl PrivateFolder {
    /// Makes one in `parent`. `/tmp` is a usual parent: others can see the name there once it exists, and do nothing with it.
    ///
    /// # Errors
    /// When the file system refuses, or what was made is not ours.
    pub fn create(parent: &Path) -> Result<Self, FileError> {
        // The parent may be reached through links: the user, or the system, chose it.
        let real = std::fs::canonicalize(parent).map_err(|cause| FileError::Io { path: parent.into(), cause })?;
        let parent = Folder::open(&real)?;
        let name = unguessable("temper-")?;
        let folder = parent.new_folder(&name)?;
        let found = fstat(folder.as_fd()).map_err(FileError::at(folder.path()))?;
        if found.st_uid != geteuid().as_raw() || found.st_mode & 0o077 != 0 {
            return Err(FileError::Foreign { path: folder.path().to_owned() });
        }
        Ok(Self { parent, folder, name })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Its path, for workers, which can only be told a path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a file or folder in it.
    #[must_use]
    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system's own cleaning of temporary files.
        let _ = self.parent.remove_tree(&self.name);
    }
}
