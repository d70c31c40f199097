//! From a verdict to a patch that a person can take: what could be done, the text of it, whether it holds when it is tried.

pub mod advice;
pub mod candidate;
mod larger_size;
pub mod literal;
mod middle_seed;
mod other_remedies;
pub mod patches;
pub mod proposal;
pub(crate) mod remedies;
mod remedy_kind;
mod repeated_mean;
pub(crate) mod rerun_mark;
pub mod rewrite;
mod supported_level;
pub mod verify;
mod written_body;
