//! Mutants of models, and how many of them generated inputs notice.

pub mod detection;
pub mod model_mutant;
