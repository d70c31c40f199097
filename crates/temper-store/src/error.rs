//! What can go wrong with the store.

use std::path::PathBuf;

use temper_files::FileError;

/// A failure to open, read or write the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or folder could not be made or read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The store was written by a later version of Temper.
    #[error("`{}` has schema version {found}, and this version of Temper knows up to {known}", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The newest one we know.
        known: i64,
    },
    /// The file is there but is no store of ours, or SQLite refused it.
    #[error("cannot use `{}` as a store: {source}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
}
