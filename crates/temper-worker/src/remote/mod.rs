//! Pieces of work on other machines.
//!
//! A piece of work names everything that it needs, so it may be done anywhere. Here a [`Cluster`] stands in the place of local
//! slots: each of its slots sends one piece at a time to a *bridge*, a process that knows how to reach the other machines
//! (`python/temper/cluster/bridge.py` for Dask). On the other side [`serve`] does one piece after the other with a separate driver, in
//! a copy of the project. The bridge passes bytes on and understands none of them.
//!
//! A copy lies elsewhere than the project, so paths are translated on the way there and back (`relocate.rs`).

mod cluster;
mod frames;
mod relocate;
mod serve;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use cluster::{Cluster, ClusterSettings};
pub use serve::{ServePlace, serve};

use crate::report::Report;
use crate::work::{LayerSpec, Piece};

/// One piece of work for another machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct RemotePiece {
    /// Where the project lies here.
    root: PathBuf,
    /// Where the interpreter's libraries lie here; empty if that is not known.
    prefix: PathBuf,
    layer: LayerSpec,
    piece: Piece,
}

/// What the other machine says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum RemoteAnswer {
    /// It was done.
    Report(Box<Report>),
    /// The workers there failed.
    Failed(String),
}
