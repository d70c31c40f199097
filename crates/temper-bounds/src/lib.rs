//! Internal: samples the value behind each approximate assertion and judges its bound.

pub mod number;
pub mod probe;
pub mod record;
pub mod sequential;
pub mod series;
pub mod suspicion;
pub mod verdict;

/// What happens to fixed seeds while tests are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// They stay: the test is judged as it is run every day.
    Keep,
    /// Each run gets its own in their place.
    Vary,
}
