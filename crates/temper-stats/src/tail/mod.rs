//! The upper tail of the samples behind an assertion: where it starts, what kind it is, how far it reaches.
//!
//! Peaks over threshold as in FLEX sections 3 and 4: fit a GPD above each candidate threshold, test the fit, take the
//! lowest threshold that fits. A tail with a slightly positive shape is called exponential when the likelihood-ratio
//! test cannot tell. If nothing fits, or the tail is heavy, the same again after a Box-Cox transform.
//! Two methods: [`Method::Calibrated`] (default) and [`Method::Flex`], the paper to the letter. They differ in the
//! candidates and the stopping rule; what they say of a far quantile differs more, see [`limit`].
//! It fails on drifting or dependent samples, on mixtures whose rare part was never seen, and beyond the data it is
//! only as right as the GPD is.

mod analyse;
pub mod limit;
pub mod stop;
mod threshold;

pub use analyse::{Analysis, Tail, TailKind, analyse};
pub use threshold::ThresholdTest;

/// Which procedure is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Thresholds at the quantiles 0.50, 0.52, ..., 0.98; ForwardStop.
    Calibrated,
    /// Every distinct sample is a threshold; the paper's StrongStop.
    Flex,
}

/// How the tail is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Which procedure.
    pub method: Method,
    /// A fit is accepted when its p-value is above this (FLEX section 4.3: 0.05). Also the level of the likelihood-ratio test.
    pub significance: f64,
    /// Rate of the stopping rule (FLEX section 4.3: 0.05).
    pub false_discovery_rate: f64,
    /// Least number of samples above a threshold. 50: below, the shape's standard error exceeds 0.14 and every fit passes.
    pub least_exceedances: usize,
    /// Whether a Box-Cox transform is tried where nothing fits or the tail is heavy.
    pub transform: bool,
}

impl Options {
    /// The calibrated default.
    pub const CALIBRATED: Self = Self {
        method: Method::Calibrated,
        significance: 0.05,
        false_discovery_rate: 0.05,
        least_exceedances: 50,
        transform: true,
    };
    /// The paper's procedure.
    pub const FLEX: Self = Self { method: Method::Flex, ..Self::CALIBRATED };
}

impl Default for Options {
    fn default() -> Self {
        Self::CALIBRATED
    }
}
