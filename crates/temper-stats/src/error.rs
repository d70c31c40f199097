//! What can be wrong with the numbers a caller hands in.

/// Why a statistic could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A sample is NaN or infinite.
    #[error("sample {index} is `{value}`, which is not a finite number")]
    NotFinite {
        /// Position in the slice that was given.
        index: usize,
        /// The value found there.
        value: f64,
    },
    /// The method needs more samples.
    #[error("{got} samples, but at least {needed} are needed")]
    TooFew {
        /// The least number that would do.
        needed: usize,
        /// The number that was given.
        got: usize,
    },
    /// The method is not defined for that many samples.
    #[error("{got} samples, but at most {most} can be used")]
    TooMany {
        /// The largest number that would do.
        most: usize,
        /// The number that was given.
        got: usize,
    },
    /// A parameter lies outside its range.
    #[error("{name} is `{value}`, which is not {range}")]
    OutOfRange {
        /// What the parameter is called.
        name: &'static str,
        /// The value that was given.
        value: f64,
        /// The values that would do, in words.
        range: &'static str,
    },
    /// All samples are equal, so nothing varies.
    #[error("all samples are equal to `{value}`")]
    NoVariation {
        /// The value they share.
        value: f64,
    },
    /// Two lists that must pair up have different lengths.
    #[error("{left} numbers on one side and {right} on the other, but they must pair up")]
    Unpaired {
        /// Length of the first list.
        left: usize,
        /// Length of the second list.
        right: usize,
    },
}

/// Refuses NaN and infinities, naming the first one.
pub(crate) fn check_finite(values: &[f64]) -> Result<(), Error> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(Error::NotFinite { index, value: values[index] }),
        None => Ok(()),
    }
}

/// Refuses slices that are too short, then NaN and infinities.
pub(crate) fn check(values: &[f64], needed: usize) -> Result<(), Error> {
    if values.len() < needed {
        return Err(Error::TooFew { needed, got: values.len() });
    }
    check_finite(values)
}
