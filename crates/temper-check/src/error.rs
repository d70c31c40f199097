//! The workers failed, not a subject.

use temper_worker::WorkerError;

use crate::protocol::ProtocolError;

/// The workers failed, not a subject.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The worker processes.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The worker and the driver disagree about a reply.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The part that reads source failed.
    #[error("the source could not be read: {0}")]
    Reader(String),
    /// A piece of work was not done.
    #[error("the workers gave no answer")]
    NoAnswer,
}
