//! Property testing whose inputs are searched for, not only drawn.

pub mod choices;
pub mod domain;
mod forall;
mod neighbour;
mod outcome;
mod quiet;
mod report;
pub mod rng;
pub mod search;
mod shrink;

pub use choices::{ChoiceTree, Choices, Rejected, Spread};
pub use domain::Domain;
pub use forall::{Forall, NoUtility, Towards, Utility, forall};
pub use outcome::{IntoOutcome, Outcome};
pub use report::{Counterexample, Report};
pub use search::{Method, Search};

/// Everything that a test needs.
pub mod prelude {
    pub use crate::choices::{ChoiceTree, Choices, Rejected, Spread};
    pub use crate::domain::*;
    pub use crate::forall::forall;
    pub use crate::outcome::Outcome;
    pub use crate::report::Report;
    pub use crate::search::Method;
}
