//! The upper tail of the samples behind an assertion: where it starts, what kind it is, how far it reaches.
//!
//! [`limit`] gives the calibrated limits of far quantiles that proposals rest on. [`analyse`](fn@analyse) is the procedure of the paper:
//! peaks over threshold as in FLEX sections 3 and 4, which fits a GPD above each candidate threshold, tests the fit and takes
//! the lowest threshold that fits. A tail with a slightly positive shape is called exponential when the likelihood-ratio
//! test cannot tell. If nothing fits, or the tail is heavy, the same again after a Box-Cox transform.
//! Both fail on drifting or dependent samples, on mixtures whose rare part was never seen, and beyond the data they are
//! only as right as the GPD is.

mod analyse;
pub mod limit;
pub mod strong_stop;
mod threshold;

pub use analyse::{Tail, TailAnalysis, TailKind, analyse};
pub use threshold::ThresholdTest;

/// Which values may be thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Candidates {
    /// The type-7 quantiles 0.50, 0.52, ..., 0.98.
    Quantiles,
    /// Every distinct sample, as in FLEX.
    Samples,
}

/// When a Box-Cox transform is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transform {
    /// Never.
    Never,
    /// If no threshold fits, or the tail is heavy (FLEX algorithm 1).
    NoFitOrHeavy,
}

/// How the tail is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TailOptions {
    /// Which thresholds are tried.
    pub candidates: Candidates,
    /// When a transform is tried.
    pub transform: Transform,
    /// A fit is accepted when its p-value is above this (FLEX section 4.3: 0.05). Also the level of the
    /// likelihood-ratio test.
    pub significance: f64,
    /// Rate of the stopping rule (FLEX section 4.3: 0.05).
    pub false_discovery_rate: f64,
    /// Least number of samples above a threshold. 50: below, the shape's standard error exceeds 0.14 and every fit
    /// passes.
    pub least_exceedances: usize,
}

impl TailOptions {
    /// The paper's procedure.
    pub const FLEX: Self = Self {
        candidates: Candidates::Samples,
        transform: Transform::NoFitOrHeavy,
        significance: 0.05,
        false_discovery_rate: 0.05,
        least_exceedances: 50,
    };
}

impl Default for TailOptions {
    fn default() -> Self {
        Self::FLEX
    }
}
