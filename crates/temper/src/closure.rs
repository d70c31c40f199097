//! A domain and a Rust closure as the subject of a run.

use crate::choices::Choices;
use crate::domain::Domain;
use crate::outcome::Outcome;
use crate::quiet::PanicPlace;
use crate::run::{Evaluation, RejectedBy, RunStage, TestSubject};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a property said about one input. The utility is to be raised.
#[derive(Clone, Debug)]
pub(crate) struct JudgedInput {
    pub outcome: Outcome,
    /// Where the property panicked, if it did.
    pub place: Option<PanicPlace>,
    pub utility: Option<f64>,
}

/// What tells one failure of a closure from another. Messages are left out, because they hold values of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClosureFailure {
    /// It panicked there.
    Panicked(Option<PanicPlace>),
    /// It returned a failure: the name of the error's variant or type, if the text shows one.
    Returned(Option<String>),
}

impl ClosureFailure {
    fn of(outcome: &Outcome, place: Option<PanicPlace>) -> ClosureFailure {
        match outcome {
            Outcome::Failed(why) => ClosureFailure::Returned(variant_name(why)),
            _ => ClosureFailure::Panicked(place),
        }
    }
}

/// The name at the start of a derived `Debug` text: `Negative` of `Negative(-3)`, `TooLong` of `TooLong { len: 9 }`.
fn variant_name(text: &str) -> Option<String> {
    let name: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let rest = &text[name.len()..];
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase());
    (is_name && (rest.is_empty() || rest.starts_with('(') || rest.starts_with(" {"))).then_some(name)
}

/// An input that failed, with what the property said about it.
#[derive(Clone, Debug)]
pub(crate) struct FailedInput<T> {
    pub value: T,
    pub outcome: Outcome,
}

/// See the module description. `fewest` is the number of evaluations in which another chain found a failure.
#[derive(Debug)]
pub(crate) struct ClosureSubject<'a, D, F> {
    pub domain: &'a D,
    pub judge: F,
    pub fewest: Option<&'a AtomicUsize>,
}

impl<D: Domain, F: Fn(&D::Value) -> JudgedInput> TestSubject for ClosureSubject<'_, D, F> {
    type Key = ClosureFailure;
    type Evidence = FailedInput<D::Value>;

    #[inline]
    fn evaluate(&mut self, choices: &mut Choices) -> Evaluation<ClosureFailure, FailedInput<D::Value>> {
        let Ok(value) = self.domain.draw(choices) else {
            return Evaluation::Rejected { by: RejectedBy::Domain };
        };
        let JudgedInput { outcome, place, utility } = (self.judge)(&value);
        match outcome {
            Outcome::Passed => Evaluation::Passed { utility },
            // An input that the property is not about cannot become its counterexample: it has no utility.
            Outcome::Rejected => Evaluation::Rejected { by: RejectedBy::Property },
            Outcome::Failed(_) | Outcome::Crashed(_) => {
                let key = ClosureFailure::of(&outcome, place);
                Evaluation::Failed { key, utility, evidence: FailedInput { value, outcome } }
            }
        }
    }

    #[inline]
    fn is_over(&mut self, stage: RunStage, evaluations: usize) -> bool {
        stage != RunStage::Shrinking && self.fewest.is_some_and(|fewest| evaluations >= fewest.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_told_from_a_text_with_values() {
        let name = |text| variant_name(text);
        assert_eq!(name("Negative(-3)").as_deref(), Some("Negative"));
        assert_eq!(name("TooLong { len: 9 }").as_deref(), Some("TooLong"));
        assert_eq!(name("Empty").as_deref(), Some("Empty"));
        assert_eq!([name("Sum 3 is odd"), name("\"Sum\""), name("3"), name("")], [None, None, None, None]);
    }
}
