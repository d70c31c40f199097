//! The whole way from a table and a model to findings, on models whose errors are known.
#![expect(clippy::unwrap_used, reason = "a step that fails fails the test")]

mod closest;
mod findings;
mod mutants;
mod subjects;
