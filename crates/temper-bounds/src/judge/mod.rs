//! From the samples of a site to its verdict.

pub(crate) mod kept_targets;
pub mod suspicion;
pub mod verdict;
