//! Which side of the samples an assertion bounds.

use crate::Samples;

/// The side on which the bound lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// `actual < bound` or `actual <= bound`: large values fail.
    Upper,
    /// `actual > bound` or `actual >= bound`: small values fail.
    Lower,
}

impl Direction {
    /// The value with the sign that makes this an upper bound. Applying it twice gives the value back.
    pub fn oriented(self, value: f64) -> f64 {
        match self {
            Self::Upper => value,
            Self::Lower => 0.0 - value,
        }
    }

    /// The samples with the signs that make this an upper bound.
    pub fn orient(self, samples: &Samples) -> Samples {
        match self {
            Self::Upper => samples.clone(),
            Self::Lower => samples.negated(),
        }
    }
}
