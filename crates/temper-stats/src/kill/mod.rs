//! Tightening: how many mutants does a bound kill, and which bound kills most while the test still passes?
//!
//! [`curve`] counts kills, [`effect`] decides which mutants count, [`tighten`] is the calibrated choice (the tightest
//! bound that meets the pass target with confidence), [`faser`] the paper's weighted sum. As pass probability rises and
//! kill score falls with the bound, the tightest feasible bound is also the best one; the weighted sum only adds
//! cases where a slightly looser bound costs no kill.

pub mod curve;
pub mod effect;
pub mod faser;
pub mod tighten;

pub use curve::{Assertion, KillCurve, KillScore};

/// A test is loose when another bound raises the kill score by more than this (FASER section IV-D).
pub const LOOSE_GAIN: f64 = 0.05;
