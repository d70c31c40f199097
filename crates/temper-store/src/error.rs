//! What can go wrong with the store.

use std::path::PathBuf;

use temper_files::FileError;

/// A failure to open, read or write the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or folder could not be made or read.
    #[error(transparent)]
    File(#[from] FileError),
    /// SQLite refused it.
    #[error("cannot use `{}` as a store: {source}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
}
