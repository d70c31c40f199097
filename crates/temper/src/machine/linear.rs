//! Systems that several threads call at once: whether some order of the calls explains what they returned.

use crate::choices::{Choices, Rejected};
use crate::domain::{Domain, Vecs, vecs};
use crate::forall::forall;
use crate::report::PropertyReport;
use std::fmt::{self, Debug};
use std::sync::Barrier;

/// The most calls before the threads start, and of each thread. The orders to try grow with the faculty of the latter.
const PREFIX: usize = 6;
const CALLS: usize = 4;

/// How often each input is run, because threads meet differently each time.
const REPEATS: usize = 20;

/// A system that can be called from several threads, and a model of it that is called from one.
pub trait ConcurrentMachine: Sync {
    /// One call with its arguments.
    type Step: Debug + Sync;
    /// What a call returns.
    type Response: Debug + PartialEq + Send;
    /// What the system should be.
    type Model: Clone;
    /// The system.
    type System: Sync;

    /// The model before the first call.
    fn model(&self) -> Self::Model;

    /// The system before the first call.
    fn system(&self) -> Self::System;

    /// The calls there are.
    fn steps(&self) -> impl Domain<Value = Self::Step>;

    /// What a call does to the model, and what it should return.
    fn expected(&self, model: &mut Self::Model, step: &Self::Step) -> Self::Response;

    /// Calls the system.
    fn call(&self, system: &Self::System, step: &Self::Step) -> Self::Response;
}

/// Calls to be made one after the other, and then by several threads at once.
#[derive(Clone)]
pub struct ParallelHistory<S> {
    /// The calls before the threads start.
    pub before: Vec<S>,
    /// The calls of each thread.
    pub threads: Vec<Vec<S>>,
}

impl<S: Debug> Debug for ParallelHistory<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "before {:?}, at once {:?}", self.before, self.threads)
    }
}

struct Histories<D> {
    before: Vecs<D>,
    thread: Vecs<D>,
    threads: usize,
}

impl<D: Domain> Domain for Histories<D> {
    type Value = ParallelHistory<D::Value>;

    fn draw(&self, choices: &mut Choices) -> Result<Self::Value, Rejected> {
        let before = self.before.draw(choices)?;
        let threads = (0..self.threads).map(|_| self.thread.draw(choices)).collect::<Result<_, _>>()?;
        Ok(ParallelHistory { before, threads })
    }
}

/// A test of a concurrent machine in the making; see [`parallel`].
#[derive(Clone, Debug)]
pub struct ParallelTest<M> {
    machine: M,
    threads: usize,
    budget: usize,
    seed: u64,
}

/// The statement that a system called by several threads returns what some order of the calls would return.
pub fn parallel<M: ConcurrentMachine>(machine: M) -> ParallelTest<M> {
    ParallelTest { machine, threads: 2, budget: 200, seed: 0 }
}

impl<M: ConcurrentMachine> ParallelTest<M> {
    /// How many threads call the system at once; 2 unless set.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(2);
        self
    }

    /// The most histories to test; 200 unless set.
    pub fn budget(mut self, tests: usize) -> Self {
        self.budget = tests;
        self
    }

    /// Fixes everything that is drawn. How threads meet is not fixed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Tests histories of calls and reports what was found, without panicking.
    pub fn run(&self) -> PropertyReport<ParallelHistory<M::Step>> {
        let list = |most| vecs(self.machine.steps()).max_len(most);
        let domain = Histories { before: list(PREFIX), thread: list(CALLS), threads: self.threads };
        forall(domain)
            .budget(self.budget)
            .seed(self.seed)
            // Threads may meet differently each time.
            .enumerated(false)
            .run(|history| (0..REPEATS).try_for_each(|_| self.explained(history)))
    }

    /// Tests histories of calls and panics with the shortest that no order explains.
    ///
    /// # Panics
    /// When such a history is found.
    #[track_caller]
    pub fn check(&self) {
        let report = self.run();
        assert!(report.holds(), "{report}");
    }

    fn explained(&self, history: &ParallelHistory<M::Step>) -> Result<(), String> {
        let (system, mut model) = (self.machine.system(), self.machine.model());
        for step in &history.before {
            let (returned, expected) = (self.machine.call(&system, step), self.machine.expected(&mut model, step));
            if returned != expected {
                return Err(format!("{step:?} returned {returned:?} instead of {expected:?}"));
            }
        }
        let responses = self.at_once(&system, &history.threads);
        let mut places = vec![0; history.threads.len()];
        match self.has_order(&model, history, &responses, &mut places) {
            true => Ok(()),
            false => Err(format!("no order of the calls explains that the threads were returned {responses:?}")),
        }
    }

    fn at_once(&self, system: &M::System, threads: &[Vec<M::Step>]) -> Vec<Vec<M::Response>> {
        let barrier = Barrier::new(threads.len());
        let one = |steps: &[M::Step]| {
            barrier.wait();
            steps.iter().map(|step| self.machine.call(system, step)).collect()
        };
        std::thread::scope(|scope| {
            let handles: Vec<_> = threads.iter().map(|steps| scope.spawn(|| one(steps))).collect();
            let joined = handles.into_iter().map(|handle| handle.join());
            joined.map(|calls| calls.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        })
    }

    /// Whether the calls from these places on have an order in which the model returns the same.
    fn has_order(
        &self,
        model: &M::Model,
        history: &ParallelHistory<M::Step>,
        responses: &[Vec<M::Response>],
        places: &mut [usize],
    ) -> bool {
        let mut is_done = true;
        for thread in 0..places.len() {
            let place = places[thread];
            let Some(step) = history.threads[thread].get(place) else { continue };
            is_done = false;
            let mut next = model.clone();
            if self.machine.expected(&mut next, step) == responses[thread][place] {
                places[thread] += 1;
                let is_explained = self.has_order(&next, history, responses, places);
                places[thread] -= 1;
                if is_explained {
                    return true;
                }
            }
        }
        is_done
    }
}
