//! Property testing whose inputs are searched for, not only drawn.

// The derive macro writes `::temper::...`, also for types of this crate's own tests.
extern crate self as temper;

pub mod choices;
pub mod domain;
mod forall;
mod neighbour;
mod outcome;
mod quiet;
mod regressions;
mod report;
pub mod rng;
mod run;
pub mod search;
mod shrink;


pub use choices::{ChoiceTree, Choices, Rejected, Spread};
pub use domain::Domain;
pub use temper_derive::Domain;

pub use forall::{Exists, Forall, Goal, NoUtility, Towards, Utility, exists, forall, not_exists};
pub use outcome::{IntoOutcome, Outcome};
pub use report::{Counterexample, Report};
pub use search::{Method, Search};
pub use shrink::shrink;

/// Everything that a test needs.
pub mod prelude {
    pub use crate::choices::{ChoiceTree, Choices, Rejected, Spread};
    pub use crate::domain::*;
    pub use crate::forall::{exists, forall, not_exists};
    pub use crate::outcome::Outcome;
    pub use crate::report::Report;
    pub use temper_derive::Domain;
    pub use crate::search::Method;
}
