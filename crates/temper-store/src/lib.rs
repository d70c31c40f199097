//! Internal: the project's `.temper/` folder: every sample with its seed, and what was concluded from them.
//!
//! SQLite in write-ahead mode. Samples are keyed by the content that produced them, so a rerun continues where the last one
//! ended and an edit sets aside only what it touches. A batch is one transaction: a killed run loses at most the batch in
//! flight. Several processes may have the store open at once.

mod content;
mod error;
mod schema;
mod store;

pub use content::{Content, ContentKey};
pub use error::StoreError;
pub use store::{Sample, SeriesId, Store, StoredRun};
