//! Internal: tails, tests, intervals and bounds over slices of numbers.

pub mod boxcox;
pub mod edf;
mod error;
pub mod gpd;
pub mod interval;
pub mod lattice;
pub mod moments;
pub mod order;
mod probability;
pub mod random;
mod samples;
mod special;

pub use error::Error;
pub use probability::{Confidence, Probability, Target};
pub use samples::Samples;
