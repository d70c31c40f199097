//! What a run evaluates, and what it is told about each input.

use super::RejectedBy;
use crate::choices::{ChoiceTree, Choices};
use crate::search::Utilities;

/// What a subject says about one input. Utilities are to be raised.
#[derive(Clone, Debug, PartialEq)]
pub enum Evaluation<K, E> {
    /// The input is not one that the subject is about.
    Rejected {
        /// What rejected it.
        by: RejectedBy,
    },
    /// The subject did what it should.
    Passed {
        /// The utilities of the input, if it has any.
        utility: Option<Utilities>,
    },
    /// The input was allowed, and the subject gave no result for it: a documented error, or a call that was given up.
    NoResult {
        /// The utilities of the input, if it has any.
        utility: Option<Utilities>,
    },
    /// The subject failed.
    Failed {
        /// What tells this failure from others.
        key: K,
        /// The utilities of the input, if it has any.
        utility: Option<Utilities>,
        /// What the subject keeps of the failure: a message, an exception, the input.
        evidence: E,
    },
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStage {
    /// Inputs come from the plan's own draws or search.
    Drawing,
    /// Inputs come from the subject's proposals.
    Searching,
    /// A failure is made simpler.
    Shrinking,
}

/// An input that a subject wants evaluated next.
#[derive(Clone, Debug, PartialEq)]
pub enum NextInput {
    /// The input that these answers make.
    Recorded(ChoiceTree),
    /// A neighbour of this input, as the start of a climb. Only inputs that are no worse are moved on from.
    Climb {
        /// Fixes the course of the climb.
        seed: u64,
        /// The input to start from.
        from: ChoiceTree,
        /// The utility of that input.
        utility: f64,
    },
    /// The next neighbour of the climb that was started last.
    Neighbour,
}

/// What a run evaluates. Only `evaluate` is needed; the rest is for subjects with a clock or with proposals.
pub trait TestSubject {
    /// What tells one failure from another. Failures with equal keys count as one, and shrinking keeps to a key. So a key
    /// must not hold values that change with the input.
    type Key: Clone + PartialEq;
    /// What is kept of a failure.
    type Evidence;

    /// Draws one input from `choices` and evaluates it.
    fn evaluate(&mut self, choices: &mut Choices) -> Evaluation<Self::Key, Self::Evidence>;

    /// Draws an input again, to have its answers recorded. A subject that can draw without evaluating saves the time.
    fn draw_again(&mut self, choices: &mut Choices) {
        self.evaluate(choices);
    }

    /// Draws an input without evaluating it, and says whether there was one; `None` if the subject cannot do this. Then its
    /// inputs are not enumerated, even if they are few.
    fn draws_input(&mut self, choices: &mut Choices) -> Option<bool> {
        let _ = choices;
        None
    }

    /// Whether this stage has to end, after this many evaluations: the only way in which a clock enters a run.
    #[inline]
    fn is_over(&mut self, stage: RunStage, evaluations: usize) -> bool {
        let _ = (stage, evaluations);
        false
    }

    /// The input of this seed is drawn next; see [`Drawing::BySeed`](super::Drawing::BySeed).
    fn before_draw(&mut self, seed: u64) {
        let _ = seed;
    }

    /// The input to evaluate next after the draws; `None` ends the proposals.
    fn next_input(&mut self) -> Option<NextInput> {
        None
    }

    /// A failure is shrunk next, from this input; `false` leaves it as it was found.
    fn before_shrinking(&mut self, key: &Self::Key, tree: &ChoiceTree) -> bool {
        let _ = (key, tree);
        true
    }
}
