//! Internal: the project's `.temper/` folder: every sample with its seed, and the records of runs.
//!
//! Samples are in SQLite, in write-ahead mode; records are plain files. Samples are keyed by the content that produced them,
//! so a rerun continues where the last one ended and an edit sets aside only what it touches. A batch is one transaction: a killed run loses at most the batch in
//! flight. Several processes may have the store open at once.

mod content;
mod error;
mod folder;
mod merge;
mod schema;
mod store;
mod upkeep;

pub use content::{Content, ContentKey};
pub use error::StoreError;
pub use folder::{read_file, write_file};
pub use merge::{Joined, NotJoined};
pub use store::{Sample, SeriesId, SetAside, Store, StoredRun};
pub use upkeep::{KeptRuns, StoreContents};
