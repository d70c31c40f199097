//! The ways to deal with a flaky assertion, and what is known of one that is not proposed.

use serde::{Deserialize, Serialize};

/// The ways to deal with a flaky assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RemedyKind {
    /// Another bound.
    Bound,
    /// A larger number of samples or steps.
    Size,
    /// A mean over several repetitions.
    Mean,
    /// The test is repeated before it is called failed.
    Rerun,
    /// A fixed seed.
    Seed,
}

impl RemedyKind {
    /// The word that the command line uses.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Bound => "bound",
            Self::Size => "size",
            Self::Mean => "mean",
            Self::Rerun => "rerun",
            Self::Seed => "seed",
        }
    }
}

/// A remedy that could be had in place of the one proposed. Nothing but a short trial, if that, speaks for it yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherRemedy {
    /// In which way.
    pub kind: RemedyKind,
    /// What would be written.
    pub text: String,
    /// How many times as long the test takes.
    pub times: f64,
    /// What is known of it.
    pub known: KnownOfRemedy,
}

/// What speaks for a remedy before it is verified.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownOfRemedy {
    /// A short trial.
    Trial {
        /// Its runs.
        runs: usize,
        /// Those that failed.
        failures: usize,
        /// The distance between the quartiles over that of the median from the bound, as a share of what it is without
        /// the remedy.
        spread: f64,
    },
    /// The share of resampled means that would fail.
    Resampled {
        /// The share.
        failing: f64,
        /// Whether it is a limit: distances from an expected number were resampled, and the distance of a mean is never greater
        /// than the mean of the distances.
        is_limit: bool,
    },
    /// The seed with the value in the middle of this many.
    MiddleSeed {
        /// Seeds that were tried.
        seeds: usize,
        /// The value that it gives.
        value: f64,
    },
    /// The share of failures that is left if repetitions are independent.
    Independent {
        /// The share.
        failing: f64,
    },
}
