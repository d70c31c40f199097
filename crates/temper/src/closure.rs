//! A domain and a Rust closure as the subject of a run.

use crate::choices::{ChoiceTree, Choices};
use crate::domain::Domain;
use crate::isolated::ChildTask;
use crate::labels;
use crate::outcome::Outcome;
use crate::quiet::{self, CaughtPanic, PanicPlace};
use crate::run::{Evaluation, RejectedBy, RunStage, TestSubject, Utilities};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a property said about one input. The utility is to be raised.
#[derive(Clone, Debug)]
pub(crate) struct JudgedInput {
    pub outcome: Outcome,
    /// Where the property panicked, if it did.
    pub place: Option<PanicPlace>,
    pub utility: Option<Utilities>,
}

impl JudgedInput {
    /// Calls a property; a panic in it is an outcome.
    #[inline]
    pub fn of(property: impl FnOnce() -> Outcome, utility: impl FnOnce() -> Option<Utilities>) -> JudgedInput {
        let (outcome, place) = match quiet::catch(property) {
            Ok(outcome) => (outcome, None),
            Err(panic) => (Outcome::Crashed(panic.message), panic.place),
        };
        JudgedInput { outcome, place, utility: utility() }
    }
}

/// What tells one failure of a closure from another. Messages are left out, because they hold values of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClosureFailure {
    /// It panicked there.
    Panicked(Option<PanicPlace>),
    /// The domain panicked there, while it drew an input.
    DrawPanicked(Option<PanicPlace>),
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
    /// Unknown if the domain panicked while it drew the input.
    pub value: Option<T>,
    pub outcome: Outcome,
}

/// See the module description. `fewest` is the number of evaluations in which another chain found a failure.
#[derive(Debug)]
pub(crate) struct ClosureSubject<'a, D, F> {
    pub domain: &'a D,
    pub judge: F,
    pub fewest: Option<&'a AtomicUsize>,
    /// If this process was started for the property: where it notes each input.
    pub task: Option<ChildTask>,
    /// Whether labels are counted, on this thread.
    pub is_labelled: bool,
}

impl<'a, D, F> ClosureSubject<'a, D, F> {
    pub fn new(domain: &'a D, judge: F) -> Self {
        ClosureSubject { domain, judge, fewest: None, task: None, is_labelled: false }
    }
}

impl<D: Domain, F: Fn(&D::Value) -> JudgedInput> TestSubject for ClosureSubject<'_, D, F> {
    type Key = ClosureFailure;
    type Evidence = FailedInput<D::Value>;

    #[inline]
    fn evaluate(&mut self, choices: &mut Choices) -> Evaluation<ClosureFailure, FailedInput<D::Value>> {
        let mut drawn = None;
        // The property has its own catch inside: what panics here is the domain, or the utility.
        let judged = quiet::catch(|| {
            let value = drawn.insert(self.domain.draw(choices).ok()?);
            if let Some(task) = &self.task {
                task.note(&choices.recorded());
            }
            Some((self.judge)(value))
        });
        if self.is_labelled {
            labels::end_input(matches!(&judged, Ok(Some(judged)) if !matches!(judged.outcome, Outcome::Rejected)));
        }
        match judged {
            Ok(None) => Evaluation::Rejected { by: RejectedBy::Domain },
            Ok(Some(judged)) => evaluation(judged, drawn),
            Err(panic) => panicked(panic, drawn),
        }
    }

    fn draw_again(&mut self, choices: &mut Choices) {
        // A draw that rejects or panics has no value, and its answers are recorded all the same.
        let _ = quiet::catch(|| self.domain.draw(choices).is_ok());
    }

    fn draws_input(&mut self, choices: &mut Choices) -> Option<bool> {
        // A domain that panics is left to the draws of the run, which report it.
        quiet::catch(|| self.domain.draw(choices).is_ok()).ok()
    }

    fn before_shrinking(&mut self, _: &ClosureFailure, _: &ChoiceTree) -> bool {
        labels::stop_counting();
        true
    }

    #[inline]
    fn is_over(&mut self, stage: RunStage, evaluations: usize) -> bool {
        stage != RunStage::Shrinking && self.fewest.is_some_and(|fewest| evaluations >= fewest.load(Ordering::Relaxed))
    }
}

#[inline]
fn evaluation<T>(judged: JudgedInput, drawn: Option<T>) -> Evaluation<ClosureFailure, FailedInput<T>> {
    let JudgedInput { outcome, place, utility } = judged;
    match outcome {
        Outcome::Passed => Evaluation::Passed { utility },
        // An input that the property is not about cannot become its counterexample: it has no utility.
        Outcome::Rejected => Evaluation::Rejected { by: RejectedBy::Property },
        Outcome::Failed(_) | Outcome::Crashed(_) => {
            let key = ClosureFailure::of(&outcome, place);
            Evaluation::Failed { key, utility, evidence: FailedInput { value: drawn, outcome } }
        }
    }
}

/// What a panic outside of the property says: the utility panicked if there is an input, else the domain.
#[cold]
fn panicked<T>(panic: CaughtPanic, drawn: Option<T>) -> Evaluation<ClosureFailure, FailedInput<T>> {
    let CaughtPanic { message, place } = panic;
    let (key, message) = match &drawn {
        Some(_) => (ClosureFailure::Panicked(place), format!("{message} (in the utility)")),
        None => {
            let at = place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
            (ClosureFailure::DrawPanicked(place), format!("{message}{at}"))
        }
    };
    Evaluation::Failed {
        key,
        utility: None,
        evidence: FailedInput { value: drawn, outcome: Outcome::Crashed(message) },
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
