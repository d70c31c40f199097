//! What a run is told before it starts.

use crate::choices::{ChoiceTree, DEFAULT_SIZE};
use crate::search::Method;

/// The most inputs that shrinking tries, unless the user sets another number.
pub(crate) const DEFAULT_SHRINK_BUDGET: usize = 10_000;

/// If a budget counts tested inputs, this many are evaluated for each of them at most: nine tenths may be rejected.
const EVALUATIONS_PER_TEST: usize = 10;

/// How inputs are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// As a method says. Without one the subject decides: the first utility starts annealing, until then inputs are drawn.
    ByMethod(Option<Method>),
    /// Each input from its own seed, counted up from the plan's, so that a single draw can be repeated or left out.
    BySeed {
        /// Seeds that are left out.
        skipped: Vec<u64>,
    },
}

/// What a run does about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFailed {
    /// The first failure ends it.
    Stop,
    /// It goes on and collects failures with different keys, up to this many.
    Collect(usize),
}

impl WhenFailed {
    pub(super) fn most_failures(self) -> usize {
        match self {
            WhenFailed::Stop => 1,
            WhenFailed::Collect(most) => most,
        }
    }
}

/// How many inputs a run draws or searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunBudget {
    /// This many inputs, rejected ones counted.
    Evaluations(usize),
    /// Inputs that are tested; rejected ones do not count, until more than nine tenths are rejected.
    Tests {
        /// The number of tests while there is no utility.
        draws: usize,
        /// The number of tests once there is one.
        searches: usize,
        /// The evaluations after which a run that tested nothing is given up. Fewer tested inputs than a tenth are
        /// accepted until then.
        patience: usize,
    },
}

/// A budget as two numbers to compare with.
#[derive(Clone, Copy, Debug)]
pub(super) struct EvaluationLimits {
    tests: usize,
    evaluations: usize,
    evaluations_without_test: usize,
}

impl EvaluationLimits {
    /// Whether one more input may be evaluated.
    #[inline]
    pub fn allow(&self, evaluations: usize, rejected: usize) -> bool {
        evaluations < self.evaluations
            && evaluations - rejected < self.tests
            && (evaluations > rejected || evaluations < self.evaluations_without_test)
    }
}

impl RunBudget {
    /// How many inputs are drawn if there is no utility.
    pub(super) fn draws(self) -> usize {
        match self {
            RunBudget::Evaluations(evaluations) => evaluations,
            RunBudget::Tests { draws, .. } => draws,
        }
    }

    /// How many inputs a search may take.
    pub(super) fn searches(self) -> usize {
        match self {
            RunBudget::Evaluations(evaluations) => evaluations,
            RunBudget::Tests { searches, .. } => searches,
        }
    }

    /// The budget of one of several chains.
    pub fn share(self, chains: usize) -> RunBudget {
        match self {
            RunBudget::Evaluations(evaluations) => RunBudget::Evaluations(evaluations.div_ceil(chains)),
            RunBudget::Tests { draws, searches, patience } => {
                RunBudget::Tests { draws: draws.div_ceil(chains), searches: searches.div_ceil(chains), patience }
            }
        }
    }

    pub(super) fn limits(self, has_utility: bool) -> EvaluationLimits {
        match self {
            RunBudget::Evaluations(evaluations) => {
                EvaluationLimits { tests: usize::MAX, evaluations, evaluations_without_test: usize::MAX }
            }
            RunBudget::Tests { draws, searches, patience } => {
                let tests = if has_utility { searches } else { draws };
                let evaluations = tests.saturating_mul(EVALUATIONS_PER_TEST).max(patience);
                EvaluationLimits { tests, evaluations, evaluations_without_test: patience }
            }
        }
    }
}

/// Everything that a run is told, apart from its subject.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// Inputs that failed in earlier runs. The first that still fails is the whole result.
    pub saved: Vec<ChoiceTree>,
    /// Inputs that are evaluated before anything is drawn, and count as drawn.
    pub first: Vec<ChoiceTree>,
    /// How inputs are drawn.
    pub drawing: Drawing,
    /// Fixes all that is drawn.
    pub seed: u64,
    /// The largest length of fresh lists without their own bound.
    pub size: usize,
    /// How many inputs are drawn or searched.
    pub budget: RunBudget,
    /// What a failure does.
    pub when_failed: WhenFailed,
    /// How many inputs are evaluated after the draws: the subject's proposals, and draws around a failure that hides
    /// others. 0 leaves both out.
    pub search_budget: usize,
    /// Fixes what is drawn around a failure that hides others.
    pub steering_seed: u64,
    /// The most evaluations that make one failure simpler.
    pub shrink_budget: usize,
    /// Whether each draw is recorded, for subjects that read the record while they evaluate.
    pub is_recording: bool,
    /// Whether a domain that has fewer inputs than the budget has tests is enumerated. That is enough for subjects that do
    /// the same for the same input every time.
    pub is_enumerated: bool,
}

impl RunPlan {
    /// A plan with this budget that draws by a method and ends with the first failure.
    pub fn new(method: Option<Method>, seed: u64, budget: RunBudget) -> RunPlan {
        RunPlan {
            saved: Vec::new(),
            first: Vec::new(),
            drawing: Drawing::ByMethod(method),
            seed,
            size: DEFAULT_SIZE,
            budget,
            when_failed: WhenFailed::Stop,
            search_budget: 0,
            steering_seed: seed,
            shrink_budget: DEFAULT_SHRINK_BUDGET,
            is_recording: false,
            is_enumerated: true,
        }
    }
}
