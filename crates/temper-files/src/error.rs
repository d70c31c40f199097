//! What the file system may refuse, or what we refuse to do with it.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file was not written or removed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system refused.
    #[error("cannot use `{}`: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The answer of the operating system.
        cause: io::Error,
    },
    /// A link stands where a folder of ours should be.
    #[error("`{}` is a link, and Temper does not follow links", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// The folder belongs to another user.
    #[error("`{}` belongs to another user", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
}

impl FileError {
    /// What is wrong, without the path.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Io { cause, .. } => cause.to_string(),
            Self::Link { .. } => "it is a link, and Temper does not follow links".to_owned(),
            Self::Foreign { .. } => "it belongs to another user".to_owned(),
        }
    }

    /// The file or folder that it is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. } | Self::Link { path } | Self::Foreign { path } => path,
        }
    }

    /// Wraps an answer of the operating system. A link where there should be none is told apart.
    pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(nix::Error) -> Self {
        let path = path.into();
        move |error| Self::Io { path, cause: error.into() }
    }

    /// As [`FileError::at`], for calls that refuse links by `ELOOP` or `ENOTDIR`.
    pub(crate) fn at_folder(path: impl Into<PathBuf>) -> impl FnOnce(nix::Error) -> Self {
        let path = path.into();
        move |error| match error {
            nix::Error::ELOOP | nix::Error::ENOTDIR if path.is_symlink() => Self::Link { path },
            _ => Self::Io { path, cause: error.into() },
        }
    }
}
