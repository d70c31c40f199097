#![doc = include_str!("../README.md")]
//!
//! # Where to read on
//!
//! - [`guide`]: how to choose a utility, and how to write domains that search well.
//! - [`domain`]: the domains and the [`Domain`](trait@Domain) trait.
//! - [`choices`]: the source that domains draw from; what is recorded and how it is replayed.
//! - [`run`](mod@run): the loop itself, for callers whose subject is no Rust closure.
//! - [`machine`]: systems with state, tested by sequences of calls, from one thread or several.
//! - [`laws`]: checkers for your own domains.

// The derive macro writes `::temper::...`, also for types in the tests of this crate.
extern crate self as temper;

mod chain;
pub mod choices;
mod closure;
pub mod domain;
mod exists;
mod forall;
mod isolated;
mod labels;
pub mod laws;
pub mod machine;
mod neighbour;
mod outcome;
mod quiet;
mod regressions;
mod report;
pub mod rng;
pub mod run;
mod search;
mod shrink;

#[doc = include_str!("../docs/guide.md")]
pub mod guide {}

pub use choices::{ChoiceTree, Choices, Rejected, Spread};
pub use domain::Domain;
pub use exists::{Exists, exists, not_exists};
pub use forall::{Forall, Goal, NoUtility, Towards, Utility, forall};
pub use labels::{LabelCounts, MissedLabel, classify, event};
pub use outcome::{IntoOutcome, Outcome};
pub use regressions::Regressions;
pub use report::{Counterexample, DrawingPanic, PropertyReport, climb_plot};
pub use search::Method;
pub use temper_derive::Domain;

/// Everything that a test needs.
pub mod prelude {
    pub use crate::choices::{ChoiceTree, Choices, Rejected, Spread};
    pub use crate::domain::*;
    pub use crate::exists::{exists, not_exists};
    pub use crate::forall::forall;
    pub use crate::labels::{classify, event};
    pub use crate::outcome::Outcome;
    pub use crate::report::PropertyReport;
    pub use crate::search::Method;
    pub use temper_derive::Domain;
}
