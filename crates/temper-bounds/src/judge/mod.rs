//! From the samples of a site to its verdict.

pub mod far_inside;
pub(crate) mod kept_targets;
pub mod path_rules;
pub mod suspicion;
pub(crate) mod value_range;
pub mod verdict;
