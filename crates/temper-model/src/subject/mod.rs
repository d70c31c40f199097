//! The model under test: as this crate asks it, in a worker process, and one of our own.

pub mod neighbours;
pub mod predictor;
pub mod worker_model;
