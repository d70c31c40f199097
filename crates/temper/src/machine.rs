//! State machines: systems that are tested by sequences of calls, drawn or searched for.
//!
//! A [`StateMachine`] says which steps there are, which of them a state allows, and what one does. A test is a list of
//! steps, so everything that lists have works here: a search inserts, copies and moves steps and changes their arguments,
//! shrinking deletes and simplifies them. A step that its state does not allow is passed over. With a utility of states
//! the search climbs over whole sequences of calls.
//!
//! Most fresh sequences leave some kinds of steps out, or have few of them (see [`MachineTest::swarm`]): a buffer is filled
//! by pushes without pops.
//!
//! [`parallel`] calls a system from several threads at once and looks for an order of the calls that explains what they
//! returned (linearisability, Herlihy and Wing).

mod linear;

pub use linear::{ConcurrentMachine, ParallelHistory, ParallelTest, parallel};

use crate::choices::{Choices, Rejected, Spread};
use crate::domain::{DefaultDomain, Domain, Encoder, vecs};
use crate::forall::{Goal, forall};
use crate::report::PropertyReport;
use crate::search::Method;
use std::fmt::{self, Debug};

/// The most steps of a test, unless the user sets another number.
const DEFAULT_STEPS: usize = 60;

/// A system with state, and how it is called.
///
/// ```
/// use temper::machine::{StateMachine, machine};
/// use temper::prelude::*;
///
/// #[derive(Clone, Debug, Domain)]
/// enum Call { Push(u8), Pop }
///
/// struct Stacks;
///
/// impl StateMachine for Stacks {
///     type Step = Call;
///     /// The system, and a model of it.
///     type State = (Vec<u8>, usize);
///
///     fn start(&self) -> (Vec<u8>, usize) {
///         (Vec::new(), 0)
///     }
///
///     fn steps(&self) -> impl Domain<Value = Call> {
///         any::<Call>()
///     }
///
///     fn is_allowed(&self, state: &(Vec<u8>, usize), step: &Call) -> bool {
///         matches!(step, Call::Push(_)) || state.1 > 0
///     }
///
///     fn run(&self, (stack, len): &mut (Vec<u8>, usize), step: &Call) {
///         match step {
///             Call::Push(item) => {
///                 stack.push(*item);
///                 *len += 1;
///             }
///             Call::Pop => {
///                 stack.pop();
///                 *len -= 1;
///             }
///         }
///         assert_eq!(stack.len(), *len);
///     }
/// }
///
/// machine(Stacks).check();
/// ```
pub trait StateMachine {
    /// One call with its arguments, mostly an enum with a derived domain.
    type Step: Debug;
    /// The system, and the model that it is compared with.
    type State;
    /// Whether [`StateMachine::utility`] gives a number. Inputs are then searched for.
    const IS_SEARCHED: bool = false;

    /// The state before the first step.
    fn start(&self) -> Self::State;

    /// The steps there are.
    fn steps(&self) -> impl Domain<Value = Self::Step>;

    /// Whether a step may be done in a state; others are passed over.
    fn is_allowed(&self, state: &Self::State, step: &Self::Step) -> bool {
        let _ = (state, step);
        true
    }

    /// Does one step, and panics if the system does not do what it should.
    fn run(&self, state: &mut Self::State, step: &Self::Step);

    /// What holds in every state; panics if it does not.
    fn check(&self, state: &Self::State) {
        let _ = state;
    }

    /// How near a state is to one that might fail. The highest of a sequence counts.
    fn utility(&self, state: &Self::State) -> f64 {
        let _ = state;
        0.0
    }
}

/// A reference of a step to the result of an earlier one; see [`EarlierResult::of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierResult(pub u16);

impl EarlierResult {
    /// The result that is meant, out of those there are: the first is the simplest. `None` if there is none yet.
    pub fn of<'r, T>(&self, results: &'r [T]) -> Option<&'r T> {
        results.get(usize::from(self.0).checked_rem(results.len())?)
    }
}

/// Draws references to earlier results; see [`EarlierResult`].
#[derive(Clone, Copy, Debug)]
pub struct EarlierResults;

impl Domain for EarlierResults {
    type Value = EarlierResult;

    fn draw(&self, choices: &mut Choices) -> Result<EarlierResult, Rejected> {
        Ok(EarlierResult(choices.unsigned(0, u16::MAX.into(), Spread::Uniform) as u16))
    }

    fn is_bare(&self) -> bool {
        true
    }
}

impl DefaultDomain for EarlierResult {
    type Domain = EarlierResults;

    fn domain() -> EarlierResults {
        EarlierResults
    }
}

/// A test of a state machine in the making; see [`machine`].
#[derive(Clone, Debug)]
pub struct MachineTest<M> {
    machine: M,
    max_steps: usize,
    budget: Option<usize>,
    seed: u64,
    method: Option<Method>,
    shrink_budget: Option<usize>,
    is_swarm: bool,
}

/// Steps of which each sequence prefers some; the alternatives are those of the inner domain.
#[derive(Clone, Copy, Debug)]
struct PreferredSteps<D> {
    steps: D,
    is_swarm: bool,
}

impl<D: Domain> Domain for PreferredSteps<D> {
    type Value = D::Value;

    fn draw(&self, choices: &mut Choices) -> Result<D::Value, Rejected> {
        if self.is_swarm { choices.step(|choices| self.steps.draw(choices)) } else { self.steps.draw(choices) }
    }

    fn is_bare(&self) -> bool {
        self.steps.is_bare()
    }

    fn encode(&self, value: &D::Value, out: &mut Encoder) -> bool {
        self.steps.encode(value, out)
    }
}

/// The statement that no sequence of steps makes a machine fail.
pub fn machine<M: StateMachine>(machine: M) -> MachineTest<M> {
    MachineTest {
        machine,
        max_steps: DEFAULT_STEPS,
        budget: None,
        seed: 0,
        method: None,
        shrink_budget: None,
        is_swarm: true,
    }
}

impl<M: StateMachine> MachineTest<M> {
    /// The most steps of a sequence; 60 unless set.
    pub fn max_steps(mut self, steps: usize) -> Self {
        self.max_steps = steps;
        self
    }

    /// The most sequences to test; 200 unless set, and 10,000 if there is a utility.
    pub fn budget(mut self, tests: usize) -> Self {
        self.budget = Some(tests);
        self
    }

    /// Fixes everything that is drawn.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How to search; unless set, annealing if there is a utility.
    pub fn method(mut self, method: Method) -> Self {
        self.method = Some(method);
        self
    }

    /// The most evaluations that shrinking a failing sequence may take; 0 turns shrinking off.
    pub fn shrink_budget(mut self, evaluations: usize) -> Self {
        self.shrink_budget = Some(evaluations);
        self
    }

    /// Whether three sequences out of four prefer some kinds of steps: of the variants of an enum or the alternatives of
    /// [`one_of`](crate::domain::one_of), some are then left out and some are rare. On unless set.
    pub fn swarm(mut self, is_swarm: bool) -> Self {
        self.is_swarm = is_swarm;
        self
    }

    /// Tests sequences of steps and reports what was found, without panicking.
    pub fn run(&self) -> MachineReport<M::Step> {
        let steps = PreferredSteps { steps: self.machine.steps(), is_swarm: self.is_swarm };
        let mut property = forall(vecs(steps).max_len(self.max_steps)).seed(self.seed);
        if let Some(budget) = self.budget {
            property = property.budget(budget);
        }
        if let Some(method) = self.method {
            property = property.method(method);
        }
        if let Some(evaluations) = self.shrink_budget {
            property = property.shrink_budget(evaluations);
        }
        let report = if M::IS_SEARCHED {
            property.run_with(|steps, goal| self.follow(steps, Some(goal)))
        } else {
            property.run(|steps| self.follow(steps, None))
        };
        let trace = report.value().map(|steps| self.trace(steps)).unwrap_or_default();
        MachineReport { report, trace }
    }

    /// Tests sequences of steps and panics with the shortest that fails, written as code.
    ///
    /// # Panics
    /// When a sequence fails, and when too few were tested to say anything.
    #[track_caller]
    pub fn check(&self) {
        let report = self.run();
        assert!(report.report.holds(), "{report}");
    }

    fn follow(&self, steps: &[M::Step], goal: Option<&Goal>) {
        let mut state = self.machine.start();
        let mut best = f64::NEG_INFINITY;
        let mut note = |state: &M::State| {
            if let Some(goal) = goal {
                best = best.max(self.machine.utility(state));
                goal.maximize(best);
            }
        };
        note(&state);
        for step in steps {
            if self.machine.is_allowed(&state, step) {
                self.machine.run(&mut state, step);
                note(&state);
                self.machine.check(&state);
            }
        }
    }

    /// The steps that were done, as lines of code. The last one is the one that fails.
    fn trace(&self, steps: &[M::Step]) -> Vec<String> {
        let mut lines = vec!["let mut state = machine.start();".to_owned()];
        lines.extend(steps.iter().map(|step| format!("machine.run(&mut state, &{step:?});")));
        lines
    }
}

/// What a test of a state machine found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MachineReport<S> {
    /// The report of the run; its input is the list of steps.
    pub report: PropertyReport<Vec<S>>,
    /// The steps that fail, as lines of code.
    pub trace: Vec<String>,
}

impl<S: Debug> fmt::Display for MachineReport<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.report)?;
        if !self.trace.is_empty() {
            write!(f, "\n  trace:")?;
        }
        self.trace.iter().try_for_each(|line| write!(f, "\n    {line}"))
    }
}
