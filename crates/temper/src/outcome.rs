//! What a property says about one input.

use std::fmt;

/// What a property says about one input. Inputs that were rejected, that passed, that broke the property and that crashed
/// it are four different things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The property holds.
    Passed,
    /// The input is not one that the property is about.
    Rejected,
    /// The property does not hold; the text says why, and may be empty.
    Failed(String),
    /// The property panicked with this message.
    Crashed(String),
}

impl Outcome {
    /// Whether the input is a counterexample.
    pub fn is_counterexample(&self) -> bool {
        matches!(self, Outcome::Failed(_) | Outcome::Crashed(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Passed => f.write_str("passed"),
            Outcome::Rejected => f.write_str("rejected"),
            Outcome::Failed(why) if why.is_empty() => f.write_str("the property does not hold"),
            Outcome::Failed(why) => write!(f, "the property does not hold: {why}"),
            Outcome::Crashed(message) => write!(f, "the property panicked: {message}"),
        }
    }
}

/// What a property may return: a truth value, nothing (it then uses `assert!`), a `Result`, or an [`Outcome`].
pub trait IntoOutcome {
    /// As an outcome.
    fn into_outcome(self) -> Outcome;
}

impl IntoOutcome for Outcome {
    fn into_outcome(self) -> Outcome {
        self
    }
}

impl IntoOutcome for bool {
    #[inline]
    fn into_outcome(self) -> Outcome {
        if self { Outcome::Passed } else { Outcome::Failed(String::new()) }
    }
}

impl IntoOutcome for () {
    fn into_outcome(self) -> Outcome {
        Outcome::Passed
    }
}

impl<T: IntoOutcome, E: fmt::Debug> IntoOutcome for Result<T, E> {
    fn into_outcome(self) -> Outcome {
        match self {
            Ok(inner) => inner.into_outcome(),
            Err(error) => Outcome::Failed(format!("{error:?}")),
        }
    }
}
