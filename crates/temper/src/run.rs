//! The run of a property, and the only loop that does it. It tries saved failures, draws or searches inputs, groups
//! failures by their key, shrinks each failure within its key and reports. It counts evaluations and has no clock.
//!
//! What is tested is a [`TestSubject`]. There are three: Rust closures ([`forall`](crate::forall())), and through the
//! Python package properties and checked functions. A subject evaluates one input at a time. It may say that its time
//! is over, and it may propose inputs; what is drawn, kept, grouped and shrunk is decided here.

mod plan;
mod rejections;
mod subject;

pub(crate) use plan::DEFAULT_SHRINK_BUDGET;
pub use plan::{Drawing, RunBudget, RunPlan, WhenFailed};
pub use rejections::{RejectedBy, Rejections, TooFewTests};
pub use subject::{Evaluation, NextInput, RunStage, TestSubject};

use crate::chain::{Chain, Told};
use crate::choices::{ChoiceTree, Choices};
use crate::search::Method;
use crate::shrink::shrink;

/// A failure hides others when more than this part of the tested inputs end in it. A lower part would spend the search
/// on failures that are only common.
const HIDING_PART: f64 = 0.5;

/// The evaluations that are spent around a failure that hides others: at most this many, and at most a quarter of the
/// search, so that enough is left for what is found behind it.
const STEERING_EVALUATIONS: usize = 2000;
const STEERING_PART: usize = 4;

/// One failure: the inputs that ended in the same way.
#[derive(Clone, Debug)]
pub struct FoundFailure<K, E> {
    /// What tells it from other failures. Unknown if another process found it and it did not fail again here.
    pub key: Option<K>,
    /// What the subject said about the input in `tree`. Unknown in the same case.
    pub evidence: Option<E>,
    /// The utility of that input, if it has one.
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
}

impl<K, E> Default for RunReport<K, E> {
    fn default() -> Self {
        let (failures, climb) = (Vec::new(), Vec::new());
        RunReport { failures, evaluations: 0, rejections: Rejections::default(), searched: 0, climb }
    }
}

impl<K, E> RunReport<K, E> {
    /// The inputs that were tested: evaluated and not rejected.
    pub fn tested(&self) -> usize {
        self.evaluations - self.rejections.total()
    }

    /// Why the run says nothing about its subject: it found nothing and tested too little.
    pub fn too_few_tests(&self) -> Option<TooFewTests> {
        TooFewTests::of(self.evaluations, self.rejections).filter(|_| self.failures.is_empty())
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
    let mut failures: Vec<_> = best.found.map(|tree| failure_of(subject, tree)).into_iter().collect();
    settle(subject, plan, &mut failures);
    let evaluations = best.evaluations * count;
    let rejections = best.rejections.times(count);
    RunReport { failures, evaluations, rejections, searched: 0, climb: best.climb }
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

/// A failure that another chain found. If it does not fail here, its key stays unknown.
fn failure_of<S: TestSubject>(subject: &mut S, tree: ChoiceTree) -> FoundFailure<S::Key, S::Evidence> {
    failing(subject, &tree, None).unwrap_or(FoundFailure {
        key: None,
        evidence: None,
        utility: None,
        tree,
        count: 1,
        shrinks: 0,
        is_saved: false,
        is_stable: false,
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
            Some(FoundFailure {
                key: Some(key),
                evidence: Some(evidence),
                utility,
                tree: tree.clone(),
                count: 1,
                shrinks: 0,
                is_saved: false,
                is_stable: true,
            })
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

/// One chain of a run: draws or searches until the budget is spent, the subject says that its time is over, or a failure
/// ends it. What is found is not shrunk.
pub fn explore<S: TestSubject>(subject: &mut S, plan: &RunPlan) -> RunReport<S::Key, S::Evidence> {
    let mut exploration = Exploration { subject, plan, report: RunReport::default(), passing: None };
    exploration.explore();
    exploration.report
}

struct Exploration<'a, S: TestSubject> {
    subject: &'a mut S,
    plan: &'a RunPlan,
    report: RunReport<S::Key, S::Evidence>,
    /// An input that passed, to draw around if a failure hides others.
    passing: Option<ChoiceTree>,
}

impl<S: TestSubject> Exploration<'_, S> {
    fn explore(&mut self) {
        for tree in &self.plan.first {
            self.evaluate_recorded(tree);
        }
        match &self.plan.drawing {
            Drawing::ByMethod(method) => self.draw_by_method(*method),
            Drawing::BySeed { skipped } => self.draw_by_seed(skipped),
        }
        if self.plan.search_budget > 0 && self.goes_on() {
            self.follow_proposals();
            if self.steer_away() {
                self.follow_proposals();
            }
        }
    }

    /// Whether a failure that was found lets the run go on.
    #[inline]
    fn goes_on(&self) -> bool {
        self.report.failures.is_empty() || self.plan.when_failed != WhenFailed::Stop
    }

    #[inline]
    fn is_over(&mut self, stage: RunStage) -> bool {
        // Even without any time left, one input is tested: a run of nothing would say nothing.
        self.report.evaluations > 0 && self.subject.is_over(stage, self.report.evaluations)
    }

    fn draw_by_method(&mut self, method: Option<Method>) {
        let mut chain = Chain::new(method, self.plan.seed, self.plan.size, self.plan.budget.searches());
        if self.plan.is_recording {
            chain.set_recording();
        }
        let mut limits = self.plan.budget.limits(false);
        while limits.allow(self.report.evaluations, self.report.rejections.total()) && !self.is_over(RunStage::Drawing)
        {
            let evaluation = self.subject.evaluate(chain.ask());
            let told = self.take(evaluation, |subject| {
                chain.recorded(|choices| {
                    subject.evaluate(choices);
                })
            });
            if !self.goes_on() {
                chain.note(told);
                break;
            }
            if matches!(told, Told::Tested(Some(_))) {
                limits = self.plan.budget.limits(true);
            }
            chain.tell(told);
        }
        self.report.climb = chain.into_climb();
    }

    fn draw_by_seed(&mut self, skipped: &[u64]) {
        let mut choices = Choices::random(0);
        choices.set_size(self.plan.size);
        let limits = self.plan.budget.limits(false);
        let mut seed = self.plan.seed;
        while limits.allow(self.report.evaluations, self.report.rejections.total())
            && self.goes_on()
            && !self.is_over(RunStage::Drawing)
        {
            if !skipped.contains(&seed) {
                self.subject.before_draw(seed);
                choices.start_random(seed, true);
                let evaluation = self.subject.evaluate(&mut choices);
                self.take(evaluation, |_| choices.recorded());
            }
            seed = seed.wrapping_add(1);
        }
    }

    /// Counts one evaluation and keeps what it found; `record` gives the answers that made the input.
    #[inline]
    fn take(&mut self, evaluation: Evaluation<S::Key, S::Evidence>, record: impl FnOnce(&mut S) -> ChoiceTree) -> Told {
        self.report.evaluations += 1;
        match evaluation {
            Evaluation::Passed { utility } => {
                if self.passing.is_none() && self.plan.search_budget > 0 {
                    self.passing = Some(record(self.subject));
                }
                Told::Tested(utility)
            }
            Evaluation::NoResult { utility } => Told::Tested(utility),
            Evaluation::Rejected { by } => {
                self.report.rejections.add(by);
                Told::Rejected
            }
            Evaluation::Failed { key, utility, evidence } => {
                self.group(key, utility, evidence, record);
                Told::Tested(utility)
            }
        }
    }

    /// Adds a failing input to its failure, or a new failure while there are not too many.
    #[cold]
    fn group(
        &mut self,
        key: S::Key,
        utility: Option<f64>,
        evidence: S::Evidence,
        record: impl FnOnce(&mut S) -> ChoiceTree,
    ) {
        if let Some(known) = self.report.failures.iter_mut().find(|failure| failure.key.as_ref() == Some(&key)) {
            known.count += 1;
        } else if self.report.failures.len() < self.plan.when_failed.most_failures() {
            let tree = record(self.subject);
            self.report.failures.push(FoundFailure {
                key: Some(key),
                evidence: Some(evidence),
                utility,
                tree,
                count: 1,
                shrinks: 0,
                is_saved: false,
                is_stable: true,
            });
        }
    }

    /// Evaluates what the subject proposes, until it has no more proposals.
    fn follow_proposals(&mut self) {
        let mut climb = Chain::climbing(0);
        while self.can_search() {
            match self.subject.next_input() {
                None => return,
                Some(NextInput::Recorded(tree)) => {
                    self.report.searched += 1;
                    self.evaluate_recorded(&tree);
                }
                Some(NextInput::Climb { seed, from, utility }) => {
                    climb = Chain::climbing(seed);
                    climb.start_from(&from, utility);
                    let told = self.evaluate_neighbour(&mut climb);
                    climb.tell(told);
                }
                Some(NextInput::Neighbour) => {
                    let told = self.evaluate_neighbour(&mut climb);
                    climb.tell(told);
                }
            }
        }
    }

    fn evaluate_recorded(&mut self, tree: &ChoiceTree) {
        let mut choices = Choices::replay(tree);
        let evaluation = self.subject.evaluate(&mut choices);
        self.take(evaluation, |_| choices.recorded());
    }

    fn evaluate_neighbour(&mut self, climb: &mut Chain) -> Told {
        let evaluation = self.subject.evaluate(climb.ask());
        self.report.searched += 1;
        self.take(evaluation, |_| climb.recorded(|_| ()))
    }

    fn can_search(&mut self) -> bool {
        self.report.searched < self.plan.search_budget && self.goes_on() && !self.is_over(RunStage::Searching)
    }

    /// If one failure is so common that it hides others, draws around an input that passed; says whether it did.
    fn steer_away(&mut self) -> bool {
        let Some(common) = self.report.failures.iter().rev().max_by_key(|failure| failure.count) else { return false };
        let Some(passing) = &self.passing else { return false };
        if common.count as f64 <= HIDING_PART * self.report.tested() as f64 {
            return false;
        }
        let key = common.key.clone();
        let mut climb = Chain::climbing(self.plan.steering_seed);
        climb.start_from(passing, 1.0);
        for _ in 0..STEERING_EVALUATIONS.min(self.plan.search_budget / STEERING_PART) {
            if !self.can_search() {
                break;
            }
            let before = self.count_of(key.as_ref());
            let told = self.evaluate_neighbour(&mut climb);
            let is_away = self.count_of(key.as_ref()) == before;
            climb.tell(match told {
                Told::Rejected => Told::Rejected,
                Told::Tested(_) => Told::Tested(Some(if is_away { 1.0 } else { 0.0 })),
            });
        }
        true
    }

    fn count_of(&self, key: Option<&S::Key>) -> usize {
        self.report.failures.iter().find(|failure| failure.key.as_ref() == key).map_or(0, |failure| failure.count)
    }
}

#[cfg(test)]
mod tests;
