//! Internal: tails, tests, intervals and bounds over slices of numbers.

pub mod edf;
mod error;
pub mod gpd;
pub mod moments;
mod probability;
pub mod random;
mod samples;
mod special;

pub use error::Error;
pub use probability::{Confidence, Probability, Target};
pub use samples::Samples;
