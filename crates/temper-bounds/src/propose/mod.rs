//! From a verdict to a patch that a person can take: what could be done, the text of it, whether it holds when it is tried.

pub mod advice;
pub(crate) mod candidates;
pub mod literal;
pub mod patches;
pub mod proposal;
pub(crate) mod rerun_mark;
pub mod rewrite;
pub mod verify;
