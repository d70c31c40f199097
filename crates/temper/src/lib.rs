#![doc = include_str!("../README.md")]
//!
//! # Where to read on
//!
//! - [`guide`]: how to choose a utility, and how to write domains that search well.
//! - [`domain`]: the domains and the [`Domain`](trait@Domain) trait.
//! - [`choices`]: the source that domains draw from; what is recorded and how it is replayed.
//! - [`chain`]: one run step by step, for callers that evaluate inputs elsewhere; [`search`] is what drives it.
//! - [`laws`]: checkers for domains of your own.

// The derive macro writes `::temper::...`, also for types of this crate's own tests.
extern crate self as temper;

pub mod chain;
pub mod choices;
pub mod domain;
mod forall;
pub mod laws;
mod neighbour;
mod outcome;
mod quiet;
mod regressions;
mod report;
pub mod rng;
mod run;
pub mod search;
mod shrink;

#[doc = include_str!("../docs/guide.md")]
pub mod guide {}

pub use chain::{Chain, Told};
pub use choices::{ChoiceTree, Choices, Rejected, Spread};
pub use domain::Domain;
pub use forall::{Exists, Forall, Goal, NoUtility, Towards, Utility, exists, forall, not_exists};
pub use outcome::{IntoOutcome, Outcome};
pub use regressions::Regressions;
pub use report::{Counterexample, Report, climb_plot};
pub use search::{Method, Search};
pub use shrink::shrink;
pub use temper_derive::Domain;

/// Everything that a test needs.
pub mod prelude {
    pub use crate::choices::{ChoiceTree, Choices, Rejected, Spread};
    pub use crate::domain::*;
    pub use crate::forall::{exists, forall, not_exists};
    pub use crate::outcome::Outcome;
    pub use crate::report::Report;
    pub use crate::search::Method;
    pub use temper_derive::Domain;
}
