//! What can go wrong with the workers themselves. What goes wrong with a subject is an [`Outcome`](crate::Outcome), not an error.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use temper_files::FileError;

/// A failure of the machinery that runs user code.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The interpreter could not be executed.
    #[error("cannot start `{}`: {source}", python.display())]
    Start {
        /// The interpreter.
        python: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The interpreter ran, but no worker came up in it.
    #[error("`{}` started but {}\n{stderr}", python.display(), not_ready(*within))]
    NotReady {
        /// The interpreter.
        python: PathBuf,
        /// How long we waited; nothing if it ended by itself.
        within: Option<Duration>,
        /// What it printed.
        stderr: String,
    },
    /// The processes that hold the layers are gone, and with them every slot.
    #[error("the worker processes ended unexpectedly while {during}")]
    Lost {
        /// What the driver was doing.
        during: &'static str,
    },
    /// A worker said something that the driver does not understand.
    #[error("a worker sent a message without a usable `{field}`")]
    Protocol {
        /// The part that is missing or of the wrong kind.
        field: &'static str,
    },
    /// Machines that do the work elsewhere failed.
    #[error("the cluster failed: {said}")]
    Cluster {
        /// What it said.
        said: String,
    },
    /// The workers of a cluster do not fit the project.
    #[error(transparent)]
    Unfit(#[from] ClusterError),
    /// The caller asked to stop; all worker processes have been ended.
    #[error("cancelled")]
    Cancelled,
    /// No scratch folder could be made.
    #[error(transparent)]
    Scratch(#[from] FileError),
    /// The operating system refused something the driver needs.
    #[error("the operating system refused {action}: {source}")]
    System {
        /// What was asked.
        action: &'static str,
        /// Why not.
        source: io::Error,
    },
}

/// Why there is no cluster.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The library is not installed.
    #[error("the Python package `distributed` is not installed")]
    Missing,
    /// Nobody answers, or nobody has workers.
    #[error("{0}")]
    Unreachable(String),
    /// The workers there would not give the numbers of this machine.
    #[error("the workers of the cluster do not fit this project")]
    Unfit(Vec<String>),
    /// The bridge ended, or said something else.
    #[error("the connection to the cluster could not be made: {0}")]
    Broken(String),
}

fn not_ready(within: Option<Duration>) -> String {
    match within {
        None => "ended without becoming a worker: is it a Python of version 3.10 or later?".to_owned(),
        Some(within) => format!("did not become a worker within {} s", within.as_secs()),
    }
}

impl WorkerError {
    /// Wraps a refusal of the operating system, saying what it refused.
    pub(crate) fn system(action: &'static str) -> impl FnOnce(nix::errno::Errno) -> Self {
        move |errno| Self::System { action, source: errno.into() }
    }
}
