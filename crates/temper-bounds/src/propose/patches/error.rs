//! What may go wrong with a patch.

use temper_files::FileError;
use temper_source::SourceError;
use temper_store::StoreError;

/// What may go wrong with a patch.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// The file is not the one that was analysed.
    #[error("`{path}` has changed since this patch was made")]
    Changed {
        /// The file, relative to the project.
        path: String,
    },
    /// Its edits are in the file.
    #[error("patch `{id}` is applied already")]
    Applied {
        /// The proposal.
        id: String,
    },
    /// Another patch changed the same place.
    #[error("patch `{id}` changes what another patch has changed")]
    Overlap {
        /// The proposal.
        id: String,
    },
    /// There is no bound at the pass target asked for.
    #[error("there is no bound for `{id}` at {pass}")]
    NoLevel {
        /// The proposal.
        id: String,
        /// The target.
        pass: f64,
        /// Targets that there is one at.
        known: Vec<f64>,
    },
    /// The text given is no number that can stand there.
    #[error("`{text}` is no number that can stand there")]
    NoNumber {
        /// What was given.
        text: String,
    },
    /// The edited text is no valid Python, or the file cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}
