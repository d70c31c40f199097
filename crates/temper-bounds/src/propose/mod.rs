//! From a verdict to a patch that a person can take: what could be done, the text of it, whether it holds when it is tried.

pub mod advice;
pub mod candidate;
pub mod literal;
pub mod patches;
pub mod proposal;
pub(crate) mod remedies;
pub(crate) mod rerun_mark;
pub mod rewrite;
mod supported_level;
pub mod verify;
