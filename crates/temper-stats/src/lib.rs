//! Internal: tails, tests, intervals and bounds over slices of numbers.

pub mod bootstrap;
pub mod bound;
pub mod boxcox;
pub mod concentration;
pub mod coverage;
mod direction;
pub mod edf;
mod error;
pub mod gpd;
pub mod interval;
pub mod kill;
pub mod lattice;
pub mod looks;
pub mod moment_tests;
pub mod moments;
pub mod multiple;
pub mod order;
pub mod paired;
mod probability;
pub mod random;
pub mod rerun;
mod samples;
pub mod sequential;
pub mod shapiro;
pub mod smirnov;
mod special;
pub mod tail;
pub mod verdict;

pub use direction::Direction;
pub use error::Error;
pub use probability::{Confidence, Probability, Target};
pub use samples::Samples;
