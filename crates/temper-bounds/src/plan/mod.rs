//! What is sampled, before anything runs: which tests and sites, the edits that record their values, and which files each
//! test uses.

pub(crate) mod ahead;
pub(crate) mod import_graph;
pub mod known_range;
pub mod probe;
pub mod sampling_plan;
