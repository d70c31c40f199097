//! Internal: runs user code in Python worker processes, and is the only crate that starts a process.
//!
//! A [`Driver`] owns a tree of processes: a guard, a base layer with third-party modules imported, a slot for each core, and in
//! each slot project layers that have collected tests under a set of edits. A [`Piece`] of work is one fork of a project layer:
//! it costs milliseconds, has its own seed, limits, process group and scratch folder, and ends in a typed [`Report`] whatever
//! the subject does. docs/worker.md describes processes, messages, limits and containment.

mod cancel;
mod channel;
mod driver;
mod error;
mod messages;
mod pipes;
mod project;
mod report;
mod settings;
mod slot;
mod supervise;
mod tree;
pub mod wire;
mod work;

pub use cancel::Cancel;
pub use driver::{Driver, Flow};
pub use error::WorkerError;
pub use report::{
    CallResult, CollectError, ContainmentReport, End, Exception, Item, LoadFailure, Loaded, Mode, Outcome, Output,
    ProbeRecord, Refusal, Report, Secs, TestRun, TestStatus, Usage, Versions,
};
pub use settings::{Settings, Threads};
pub use wire::Value;
pub use work::{Call, Containment, Edit, LayerSpec, Limits, Piece, Policy, Subjects, Task, Work, WorkingDir};
