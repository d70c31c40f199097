//! The layout of the workspace, as far as a program can judge it: names that mean one thing, modules that depend on each other
//! in one direction, and a map whose files exist.

#![expect(clippy::unwrap_used, reason = "a test that cannot read the repository has failed")]

mod crate_table;
mod module_cycles;
mod sources;
mod type_names;
mod walks;
mod writers;
