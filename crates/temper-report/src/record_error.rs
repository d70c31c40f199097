//! Why a saved record cannot be read.

/// The version of the form of records. Raised when a member changes its meaning or goes away; new members do not raise
/// it.
pub const SCHEMA_VERSION: u32 = 1;

/// A saved record that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It is no JSON, or a member is missing or wrong.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Another version of Temper wrote it.
    #[error("it has version {0} of the form, and this Temper reads version {SCHEMA_VERSION}")]
    Version(u32),
    /// No command that makes records.
    #[error("`{0}` is no command that makes records")]
    Command(String),
    /// No verdict.
    #[error("`{0}` is no verdict")]
    Verdict(String),
}
