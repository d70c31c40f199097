//! Internal: samples the value behind each approximate assertion and judges its bound.
//!
//! `temper bounds`, after FLEX (papers by Dutta, Shi and Misailovic, ESEC/FSE 2021), with three differences: all forms of
//! assertion are recorded by one mechanism (`probe`), bounds carry a confidence (`temper-stats`), and sampling stops as soon
//! as the evidence allows (`sequential`). [`scheduler::run`] does the whole job; it prints nothing and reads no clock.

pub mod findings;
pub mod judge;
pub mod mutate;
pub mod plan;
pub mod propose;
pub mod sample;

/// What happens to fixed seeds while tests are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seeds {
    /// They stay: the test is judged as it is run every day.
    Keep,
    /// Each run gets its own in their place.
    Vary,
}
