//! Internal: runs user code in Python worker processes, and is the only crate that starts a process.
//!
//! A [`Driver`] owns a tree of processes: a guard, a base layer with third-party modules imported, a slot for each core, and in
//! each slot project layers that have collected tests under a set of edits. A [`Piece`] of work is one fork of a project layer:
//! it costs milliseconds, has its own seed, limits, process group and scratch folder, and ends in a typed [`Report`] whatever
//! the subject does. docs/worker.md describes processes, messages, limits and containment.
//!
//! ```no_run
//! use std::sync::Arc;
//! use temper_worker::*;
//!
//! # fn sample() -> Result<(), WorkerError> {
//! let mut settings = Settings::new("/proj/.venv/bin/python".into(), "/temper/python".into(), "/tmp".into());
//! settings.env = std::env::vars_os().collect();
//! let mut driver = Driver::start(settings, Cancel::new())?;
//!
//! // The assertion `assert acc > 0.8` with a probe around its actual; nothing is written to disk.
//! let source = b"...assert __temper_probe__(1, acc) > 0.8\n".to_vec();
//! let mut layer = LayerSpec::new("/proj".into(), Subjects::Tests(vec!["tests/test_fit.py".to_owned()]));
//! layer.edits.push(Edit { path: "/proj/tests/test_fit.py".into(), source });
//! let layer = Arc::new(layer);
//!
//! let work = Work::Test { node: "tests/test_fit.py::test_accuracy".to_owned(), memory: Memory::AsFound };
//! let piece = |seed| Piece::new(work.clone(), seed, Limits::default());
//! driver.run([Task { layer, pieces: (0..30).map(piece).collect() }], |report| {
//!     let actual = report.probes.iter().find(|probe| probe.site == 1).and_then(|probe| probe.values[0].as_f64());
//!     // A sample, with the seed that gave it.
//!     let _ = (report.seed, actual);
//!     Flow::Continue
//! })
//! # }
//! ```

mod cancel;
mod channel;
mod dispatch;
mod driver;
mod error;
mod fences;
mod lazy_imports;
mod messages;
mod pipes;
mod project;
mod remote;
mod report;
mod settings;
mod shard;
mod slot;
mod supervise;
mod tree;
pub mod wire;
mod work;

pub use cancel::Cancel;
pub use dispatch::{Feed, Flow};
pub use driver::Driver;
pub use error::{ClusterError, WorkerError};
pub use fences::FenceSet;
pub use remote::{Cluster, ClusterSettings, ServePlace, serve};
pub use report::{
    CallResult, CollectError, ContainmentReport, End, Exception, Item, LoadFailure, Loaded, Mode, Outcome, Output,
    ProbeRecord, RandomSources, Refusal, RepeatedRun, Report, Secs, TestRun, TestStatus, Usage, Used, UsedItem,
    Versions,
};
pub use settings::{Settings, Threads};
pub use shard::{NoShard, Shard, ShardRuns};
pub use wire::Value;
pub use work::{
    Adaptive, Call, CodeChanges, Containment, Edit, LayerSpec, Limits, Memory, NextPiece, Piece, Policy, RepeatUntil,
    RunStart, Sight, Subjects, Task, Work, WorkingDir,
};
