//! The run of a property, and the only loop that does it. It tries saved failures, draws or searches inputs, groups
//! failures by their key, shrinks each failure within its key and reports. It counts evaluations and has no clock.
//!
//! What is tested is a [`TestSubject`]. There are three: Rust closures ([`forall`](crate::forall())), and through the
//! Python package properties and checked functions. A subject evaluates one input at a time. It may say that its time
//! is over, and it may propose inputs; what is drawn, kept, grouped and shrunk is decided here.

mod explore;
mod plan;
mod rejections;
mod subject;

pub use explore::explore;
pub(crate) use plan::DEFAULT_SHRINK_BUDGET;
pub use plan::{Drawing, RunBudget, RunPlan, WhenFailed};
pub use rejections::{RejectedBy, Rejections, TooFewTests};
pub use subject::{Evaluation, NextInput, RunStage, TestSubject};

pub use crate::search::Utilities;

use crate::choices::{ChoiceTree, Choices};
use crate::shrink::shrink;

/// One failure: the inputs that ended in the same way.
#[derive(Clone, Debug)]
pub struct FoundFailure<K, E> {
    /// What tells it from other failures. Unknown if another process found it and it did not fail again here.
    pub key: Option<K>,
    /// What the subject said about the input in `tree`. Unknown in the same case.
    pub evidence: Option<E>,
    /// The utility of that input, if it has exactly one.
    pub utility: Option<f64>,
    /// The answers that make the input: the simplest one found.
    pub tree: ChoiceTree,
    /// How many of the evaluated inputs ended in it, shrinking not counted.
    pub count: usize,
    /// How often shrinking made it simpler.
    pub shrinks: usize,
    /// Whether an earlier run saved it.
    pub is_saved: bool,
    /// Whether it failed again when the same input was evaluated again. True if that was not tried.
    pub is_stable: bool,
}

impl<K, E> FoundFailure<K, E> {
    fn new(key: K, evidence: E, utility: Option<f64>, tree: ChoiceTree) -> Self {
        let (key, evidence) = (Some(key), Some(evidence));
        FoundFailure { key, evidence, utility, tree, count: 1, shrinks: 0, is_saved: false, is_stable: true }
    }

    /// A failure that another chain found, and that does not fail here.
    fn unrepeated(tree: ChoiceTree) -> Self {
        let (key, evidence, utility) = (None, None, None);
        FoundFailure { key, evidence, utility, tree, count: 1, shrinks: 0, is_saved: false, is_stable: false }
    }
}

/// What a run found.
#[derive(Clone, Debug)]
pub struct RunReport<K, E> {
    /// The failures, in the order in which they were found.
    pub failures: Vec<FoundFailure<K, E>>,
    /// The inputs evaluated, rejected ones counted, saved ones and shrinking not counted.
    pub evaluations: usize,
    /// How many of them were rejected, and by what.
    pub rejections: Rejections,
    /// How many of them were proposed by the subject or drawn around its failures.
    pub searched: usize,
    /// The evaluations at which the best utility rose, with its values.
    pub climb: Vec<(usize, f64)>,
    /// Whether every input of the domain was evaluated.
    pub is_exhausted: bool,
}

impl<K, E> Default for RunReport<K, E> {
    fn default() -> Self {
        let (failures, climb) = (Vec::new(), Vec::new());
        RunReport {
            failures,
            evaluations: 0,
            rejections: Rejections::default(),
            searched: 0,
            climb,
            is_exhausted: false,
        }
    }
}

impl<K, E> RunReport<K, E> {
    /// The inputs that were tested: evaluated and not rejected.
    pub fn tested(&self) -> usize {
        self.evaluations - self.rejections.total()
    }

    /// Why the run says nothing about its subject: it found nothing and tested too little.
    pub fn too_few_tests(&self) -> Option<TooFewTests> {
        let says_all = self.is_exhausted && self.tested() > 0;
        TooFewTests::of(self.evaluations, self.rejections).filter(|_| self.failures.is_empty() && !says_all)
    }
}

/// What one of several chains found, as far as it can be handed from one thread or process to another.
#[derive(Clone, Debug, Default)]
pub struct ChainReport {
    /// The inputs evaluated, rejected ones counted.
    pub evaluations: usize,
    /// How many of them were rejected, and by what.
    pub rejections: Rejections,
    /// The evaluations at which the best utility rose, with its values.
    pub climb: Vec<(usize, f64)>,
    /// The first input that failed.
    pub found: Option<ChoiceTree>,
}

impl<K, E> From<RunReport<K, E>> for ChainReport {
    fn from(report: RunReport<K, E>) -> ChainReport {
        let found = report.failures.into_iter().next().map(|failure| failure.tree);
        ChainReport { evaluations: report.evaluations, rejections: report.rejections, climb: report.climb, found }
    }
}

/// Runs a subject: saved failures, then draws and searches, then shrinking.
pub fn run<S: TestSubject>(subject: &mut S, plan: &RunPlan) -> RunReport<S::Key, S::Evidence> {
    saved_failure(subject, &plan.saved).unwrap_or_else(|| {
        let mut report = explore(subject, plan);
        settle(subject, plan, &mut report.failures);
        report
    })
}

/// Like [`run`] for several chains that search at once. `explore_all` runs each of them with [`explore`],
/// in threads or processes.
/// The chain that found something in the fewest evaluations counts, or else the one that climbed highest.
pub fn run_chains<S: TestSubject>(
    subject: &mut S,
    plan: &RunPlan,
    explore_all: impl FnOnce(&mut S) -> Vec<ChainReport>,
) -> RunReport<S::Key, S::Evidence> {
    if let Some(report) = saved_failure(subject, &plan.saved) {
        return report;
    }
    let chains = explore_all(subject);
    let count = chains.len();
    let best = best_chain(chains);
    let found = best.found.map(|tree| failing(subject, &tree, None).unwrap_or(FoundFailure::unrepeated(tree)));
    let mut failures = Vec::from_iter(found);
    settle(subject, plan, &mut failures);
    let evaluations = best.evaluations * count;
    let rejections = best.rejections.times(count);
    RunReport { failures, evaluations, rejections, searched: 0, climb: best.climb, is_exhausted: false }
}

fn best_chain(chains: Vec<ChainReport>) -> ChainReport {
    let highest = |chain: &ChainReport| chain.climb.last().map_or(f64::NEG_INFINITY, |&(_, utility)| utility);
    let quickest = chains.iter().filter(|chain| chain.found.is_some()).min_by_key(|chain| chain.evaluations);
    let best = quickest.or_else(|| chains.iter().max_by(|a, b| highest(a).total_cmp(&highest(b))));
    best.cloned().unwrap_or_default()
}

/// The first saved failure that still fails. It is not shrunk again.
fn saved_failure<S: TestSubject>(subject: &mut S, saved: &[ChoiceTree]) -> Option<RunReport<S::Key, S::Evidence>> {
    saved.iter().find_map(|tree| {
        let mut failure = failing(subject, tree, None)?;
        failure.is_saved = true;
        Some(RunReport { failures: vec![failure], ..RunReport::default() })
    })
}

/// The failure that this input ends in, if it fails, and with this key if one is given.
fn failing<S: TestSubject>(
    subject: &mut S,
    tree: &ChoiceTree,
    wanted: Option<&S::Key>,
) -> Option<FoundFailure<S::Key, S::Evidence>> {
    match subject.evaluate(&mut Choices::replay(tree)) {
        Evaluation::Failed { key, utility, evidence } if wanted.is_none_or(|wanted| *wanted == key) => {
            Some(FoundFailure::new(key, evidence, utility.as_ref().and_then(Utilities::single), tree.clone()))
        }
        _ => None,
    }
}

/// Shrinks every failure within its key.
fn settle<S: TestSubject>(subject: &mut S, plan: &RunPlan, failures: &mut [FoundFailure<S::Key, S::Evidence>]) {
    for failure in failures {
        if let Some(key) = failure.key.clone()
            && subject.before_shrinking(&key, &failure.tree)
        {
            shrink_failure(subject, plan.shrink_budget, &key, failure);
        }
    }
}

/// Replaces a failure by the simplest one with the same key.
fn shrink_failure<S: TestSubject>(
    subject: &mut S,
    budget: usize,
    key: &S::Key,
    failure: &mut FoundFailure<S::Key, S::Evidence>,
) {
    let Some(again) = failing(subject, &failure.tree, Some(key)) else {
        failure.is_stable = false;
        return;
    };
    let mut fails = |choices: &mut Choices| {
        !subject.is_over(RunStage::Shrinking, 0)
            && matches!(subject.evaluate(choices), Evaluation::Failed { key: other, .. } if other == *key)
    };
    let (smallest, shrinks) = shrink(failure.tree.clone(), budget, &mut fails);
    let shrunk = if shrinks > 0 { failing(subject, &smallest, Some(key)) } else { None };
    // A subject that fails only sometimes may pass now. The input as it was found is then the better evidence.
    let (kept, shrinks) = shrunk.map_or((again, 0), |shrunk| (shrunk, shrinks));
    *failure = FoundFailure { count: failure.count, shrinks, ..kept };
}

#[cfg(test)]
mod tests;
