//! `forall`: a statement about the inputs of a domain, tested with drawn or searched inputs.

mod goal;
mod isolation;

pub use goal::Goal;

use crate::choices::DEFAULT_SIZE;
use crate::closure::{ClosureSubject, JudgedInput};
use crate::domain::Domain;
use crate::isolated::DEFAULT_TIMEOUT;
use crate::labels::{LabelCounts, LabelRecorder};
use crate::outcome::IntoOutcome;
use crate::regressions::Regressions;
use crate::report::PropertyReport;
use crate::rng::split_mix;
use crate::run::{
    ChainReport, DEFAULT_SHRINK_BUDGET, RunBudget, RunPlan, Utilities, WhenFailed, explore, run, run_chains,
};
use crate::search::Method;
use isolation::run_isolated;
use std::fmt::Debug;
use std::panic::Location;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Tests of a property without a utility, and with one: a search needs more, and each test moves it forward.
const DEFAULT_BUDGET: usize = 200;
const DEFAULT_SEARCH_BUDGET: usize = 10_000;

/// What the user sets for a property.
#[derive(Clone, Debug)]
struct PropertySettings {
    budget: Option<usize>,
    shrink_budget: usize,
    seed: u64,
    method: Option<Method>,
    size: usize,
    regressions: Regressions,
    /// Whether the property is first run in its own process, and how long that may test one input.
    isolation: Option<Duration>,
    /// Whether a small domain is enumerated.
    is_enumerated: bool,
    /// How many failures with different keys a run collects.
    failures: usize,
    /// Labels, with the least part of the inputs that must have them.
    cover: Vec<(String, f64)>,
}

impl Default for PropertySettings {
    fn default() -> Self {
        PropertySettings {
            budget: None,
            shrink_budget: DEFAULT_SHRINK_BUDGET,
            seed: 0,
            method: None,
            size: DEFAULT_SIZE,
            regressions: Regressions::default(),
            isolation: None,
            is_enumerated: true,
            failures: 1,
            cover: Vec::new(),
        }
    }
}

impl PropertySettings {
    /// These settings as `check` uses them: failures of tests are saved, unless the user chose a folder.
    fn in_test(&self) -> PropertySettings {
        match self.regressions {
            Regressions::Nowhere => PropertySettings { regressions: Regressions::of_current_test(), ..self.clone() },
            Regressions::File(_) => self.clone(),
        }
    }

    fn plan(&self, has_utility: bool) -> RunPlan {
        let (method, budget) = match has_utility {
            true => (Method::Annealing, DEFAULT_SEARCH_BUDGET),
            false => (Method::Random, DEFAULT_BUDGET),
        };
        let budget = RunBudget::Evaluations(self.budget.unwrap_or(budget));
        RunPlan {
            saved: self.regressions.load(),
            size: self.size,
            shrink_budget: self.shrink_budget,
            // An input that is drawn without being noted would end an isolated process without a trace.
            is_enumerated: self.is_enumerated && self.isolation.is_none(),
            when_failed: if self.failures > 1 { WhenFailed::Collect(self.failures) } else { WhenFailed::Stop },
            ..RunPlan::new(Some(self.method.unwrap_or(method)), self.seed, budget)
        }
    }
}

/// The utility of inputs; implemented by what [`Forall::maximize`] and [`Forall::minimize`] take.
pub trait Utility<T> {
    /// Whether there is a utility at all.
    const EXISTS: bool;
    /// The utility of an input, higher being better.
    fn of(&self, value: &T) -> Option<f64>;
    /// 1 if the user's function is raised, -1 if it is lowered.
    fn sign(&self) -> f64;
}

/// No utility: inputs are drawn.
#[derive(Clone, Copy, Debug)]
pub struct NoUtility;

impl<T> Utility<T> for NoUtility {
    const EXISTS: bool = false;

    fn of(&self, _: &T) -> Option<f64> {
        None
    }

    fn sign(&self) -> f64 {
        1.0
    }
}

/// A utility to raise, or to lower when the sign is negative.
#[derive(Clone, Copy, Debug)]
pub struct Towards<F> {
    f: F,
    sign: f64,
}

impl<T, F: Fn(&T) -> f64> Utility<T> for Towards<F> {
    const EXISTS: bool = true;

    #[inline]
    fn of(&self, value: &T) -> Option<f64> {
        Some(self.sign * (self.f)(value))
    }

    fn sign(&self) -> f64 {
        self.sign
    }
}

/// A property in the making; see [`forall`].
#[derive(Clone, Debug)]
pub struct Forall<D, U = NoUtility> {
    domain: D,
    utility: U,
    settings: PropertySettings,
}

/// A statement about every input of a domain. Add a utility to search instead of only drawing, then run it with
/// [`Forall::check`] in a test or with [`Forall::run`] anywhere.
///
/// ```
/// use temper::prelude::*;
/// let report = forall(vecs(ints(0..=100))).budget(1000).run(|list| list.iter().sum::<i32>() < 150);
/// assert_eq!(report.value(), Some(&vec![51, 99]));
/// ```
pub fn forall<D: Domain>(domain: D) -> Forall<D> {
    Forall { domain, utility: NoUtility, settings: PropertySettings::default() }
}

impl<D: Domain, U: Utility<D::Value>> Forall<D, U> {
    /// Searches for inputs that raise `utility`, in place of any utility given before.
    ///
    /// ```
    /// use temper::prelude::*;
    /// // Ten coins that all show heads are one in a thousand; ten thousand draws of forty would not help.
    /// let coins = bits().len(40..=40);
    /// let heads = |coins: &Vec<bool>| coins.iter().filter(|&&c| c).count();
    /// let report = forall(coins).maximize(|c| heads(c) as f64).run(|c| heads(c) < 40);
    /// assert!(report.is_found());
    /// ```
    pub fn maximize<F: Fn(&D::Value) -> f64>(self, utility: F) -> Forall<D, Towards<F>> {
        self.towards(utility, 1.0)
    }

    /// Searches for inputs that lower `utility`, in place of any utility given before.
    pub fn minimize<F: Fn(&D::Value) -> f64>(self, utility: F) -> Forall<D, Towards<F>> {
        self.towards(utility, -1.0)
    }

    fn towards<F>(self, f: F, sign: f64) -> Forall<D, Towards<F>> {
        Forall { domain: self.domain, utility: Towards { f, sign }, settings: self.settings }
    }

    /// The most inputs to test; 200 unless set, and 10,000 if there is a utility.
    pub fn budget(mut self, tests: usize) -> Self {
        self.settings.budget = Some(tests);
        self
    }

    /// The most inputs that shrinking tries; 10,000 unless set. 0 turns shrinking off.
    pub fn shrink_budget(mut self, tests: usize) -> Self {
        self.settings.shrink_budget = tests;
        self
    }

    /// The seed of the run; 0 unless set. The same seed gives the same run, so a test that passes keeps passing until the
    /// code changes; give other seeds to look further.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// How to search; unless set, annealing if there is a utility.
    pub fn method(mut self, method: Method) -> Self {
        self.settings.method = Some(method);
        self
    }

    /// The largest length of fresh lists without their own bound; 42 unless set.
    pub fn size(mut self, size: usize) -> Self {
        self.settings.size = size;
        self
    }

    /// Runs the property in its own process first: the program is executed again for it. An input that ends the process
    /// (a stack overflow, an abort) or never ends is then reported like any other, shrunk with few tries. Costs the time of
    /// a second run. The test must come by the property in the same way every time.
    pub fn isolated(mut self) -> Self {
        self.settings.isolation = self.settings.isolation.or(Some(DEFAULT_TIMEOUT));
        self
    }

    /// How long an [`isolated`](Forall::isolated) property may take for one input; a minute unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.isolation = Some(timeout);
        self
    }

    /// Whether a domain with fewer inputs than the budget has tests is enumerated, each input tested once, as it is unless
    /// this is set. Set it to `false` for a property that may say something else about the same input.
    ///
    /// ```
    /// use temper::prelude::*;
    /// let report = forall(ints(-1000..=1000)).budget(10_000).run(|x| x * x >= 0);
    /// assert!(report.is_exhausted && report.tests == 2001);
    /// ```
    pub fn enumerated(mut self, is_enumerated: bool) -> Self {
        self.settings.is_enumerated = is_enumerated;
        self
    }

    /// How many different failures a run collects; 1 unless set. They differ by where the property panicked, or by the
    /// variant of the error that it returned. A run that may find more goes on to the end of its budget; the others are in
    /// [`PropertyReport::others`].
    ///
    /// ```
    /// use temper::prelude::*;
    /// let report = forall(ints(0..=1000)).failures(2).run(|&x| {
    ///     assert!(x != 7 && x < 1000, "one place");
    ///     assert!(x < 500, "another place");
    /// });
    /// assert_eq!(report.others.len(), 1);
    /// ```
    pub fn failures(mut self, most: usize) -> Self {
        self.settings.failures = most.max(1);
        self
    }

    /// The least part of the tested inputs that must have a label, given by [`event`](crate::event) or
    /// [`classify`](crate::classify). If fewer have it, the run does not hold: it did not test what it is about.
    ///
    /// ```
    /// use temper::prelude::*;
    /// let report = forall(ints(0..=1_000_000)).cover("even", 0.3).cover("zero", 0.5).run(|&n| {
    ///     classify(n % 2 == 0, "even");
    ///     classify(n == 0, "zero");
    /// });
    /// assert!(!report.holds());
    /// assert_eq!(report.missed_labels[0].label, "zero");
    /// ```
    pub fn cover(mut self, label: &str, part: f64) -> Self {
        self.settings.cover.push((label.to_owned(), part));
        self
    }

    /// Saves counterexamples in `folder`, in a file named `name`, and tries those saved there first. [`Forall::check`]
    /// does so by itself under `cargo test`, in `regressions/` of the package, named after the test.
    pub fn save_in(mut self, folder: impl AsRef<Path>, name: &str) -> Self {
        self.settings.regressions = Regressions::in_folder(folder.as_ref(), name);
        self
    }

    /// Tests the property and reports what was found, without panicking. The property may return a truth value, a
    /// `Result`, an [`Outcome`], or nothing: then a panic in it, as of `assert!`, breaks it.
    #[track_caller]
    pub fn run<P: IntoOutcome>(&self, property: impl Fn(&D::Value) -> P) -> PropertyReport<D::Value>
    where
        D::Value: Debug,
    {
        self.tested(&self.settings, property)
    }

    /// Like [`Forall::run`] with several chains of search at once, each on its thread and with its share of the
    /// budget. The result depends on the seed and the number of chains, not on the machine.
    pub fn run_parallel<P: IntoOutcome>(
        &self,
        chains: usize,
        property: impl Fn(&D::Value) -> P + Sync,
    ) -> PropertyReport<D::Value>
    where
        D: Sync,
        D::Value: Debug,
        U: Sync,
    {
        let plan = self.settings.plan(U::EXISTS);
        let judge = |value: &D::Value| self.judged(&property, value);
        let mut subject = ClosureSubject::new(&self.domain, &judge);
        let labels = Mutex::new(LabelCounts::default());
        let threads = |_: &mut _| explore_in_threads(&self.domain, &judge, &plan, chains.max(1), &labels);
        let found = run_chains(&mut subject, &plan, threads);
        let mut report = PropertyReport::of(found, &self.domain, self.utility.sign(), plan.seed);
        report.count_labels(labels.into_inner().unwrap_or_else(PoisonError::into_inner), &self.settings.cover);
        save(&self.settings, &report);
        report
    }

    /// Tests the property and panics with the shrunk counterexample if there is one; for use in `#[test]` functions. A run
    /// that tested nothing, or rejected more than nine tenths of its draws, panics too.
    ///
    /// # Panics
    /// When a counterexample is found, and when too few inputs were tested to say anything.
    #[track_caller]
    pub fn check<P: IntoOutcome>(&self, property: impl Fn(&D::Value) -> P)
    where
        D::Value: Debug,
    {
        let report = self.tested(&self.settings.in_test(), property);
        assert!(report.holds(), "{report}");
    }

    #[track_caller]
    fn tested<P: IntoOutcome>(
        &self,
        settings: &PropertySettings,
        property: impl Fn(&D::Value) -> P,
    ) -> PropertyReport<D::Value>
    where
        D::Value: Debug,
    {
        let plan = settings.plan(U::EXISTS);
        let mut subject = ClosureSubject::new(&self.domain, |value: &D::Value| self.judged(&property, value));
        if let Some(timeout) = settings.isolation
            && let Some(report) = run_isolated(&mut subject, &plan, timeout, Location::caller())
        {
            return report;
        }
        let report = run_labelled(&mut subject, &plan, settings, || self.utility.sign());
        save(settings, &report);
        report
    }

    #[inline]
    fn judged<P: IntoOutcome>(&self, property: &impl Fn(&D::Value) -> P, value: &D::Value) -> JudgedInput {
        let utility = self.utility.of(value);
        JudgedInput::of(|| property(value).into_outcome(), || utility.map(Utilities::One))
    }
}

/// Explores on several threads, each with its share of the budget and its own seed. What is found depends on the seed and
/// the number of chains only: a chain goes on until it has made as many evaluations as the quickest one.
fn explore_in_threads<D: Domain + Sync>(
    domain: &D,
    judge: &(impl Fn(&D::Value) -> JudgedInput + Sync),
    plan: &RunPlan,
    chains: usize,
    labels: &Mutex<LabelCounts>,
) -> Vec<ChainReport> {
    let fewest = AtomicUsize::new(usize::MAX);
    let mut state = plan.seed;
    let plans: Vec<RunPlan> = (0..chains)
        .map(|_| RunPlan {
            seed: split_mix(&mut state),
            budget: plan.budget.share(chains),
            is_enumerated: false,
            ..plan.clone()
        })
        .collect();
    let one = |plan: &RunPlan| {
        let recorder = LabelRecorder::start();
        let subject = ClosureSubject::new(domain, judge);
        let mut subject = ClosureSubject { fewest: Some(&fewest), is_labelled: true, ..subject };
        let report = ChainReport::from(explore(&mut subject, plan));
        labels.lock().unwrap_or_else(PoisonError::into_inner).add(&recorder.counts());
        if report.found.is_some() {
            fewest.fetch_min(report.evaluations, Ordering::Relaxed);
        }
        report
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = plans.iter().map(|plan| scope.spawn(|| one(plan))).collect();
        let joined = handles.into_iter().map(|handle| handle.join());
        joined.map(|chain| chain.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

impl<D: Domain> Forall<D, NoUtility> {
    /// Like [`Forall::run`] for a property that tells its utility itself, because computing both at once saves work.
    ///
    /// ```
    /// use temper::prelude::*;
    /// let report = forall(floats(0.0..=1.0).uniform()).budget(10_000).run_with(|&x, goal| {
    ///     goal.maximize(x);
    ///     x < 0.9999
    /// });
    /// assert!(report.is_found());
    /// ```
    #[track_caller]
    pub fn run_with<P: IntoOutcome>(&self, property: impl Fn(&D::Value, &Goal) -> P) -> PropertyReport<D::Value>
    where
        D::Value: Debug,
    {
        self.with_goal(&self.settings, property)
    }

    /// Like [`Forall::check`] for a property that tells its utility itself.
    ///
    /// # Panics
    /// When a counterexample is found, and when too few inputs were tested to say anything.
    #[track_caller]
    pub fn check_with<P: IntoOutcome>(&self, property: impl Fn(&D::Value, &Goal) -> P)
    where
        D::Value: Debug,
    {
        let report = self.with_goal(&self.settings.in_test(), property);
        assert!(report.holds(), "{report}");
    }

    #[track_caller]
    fn with_goal<P: IntoOutcome>(
        &self,
        settings: &PropertySettings,
        property: impl Fn(&D::Value, &Goal) -> P,
    ) -> PropertyReport<D::Value>
    where
        D::Value: Debug,
    {
        let goal = Goal::default();
        let judge = |value: &D::Value| {
            goal.forget();
            JudgedInput::of(|| property(value, &goal).into_outcome(), || goal.utilities())
        };
        let plan = settings.plan(true);
        let mut subject = ClosureSubject::new(&self.domain, judge);
        if let Some(timeout) = settings.isolation
            && let Some(report) = run_isolated(&mut subject, &plan, timeout, Location::caller())
        {
            return report;
        }
        let mut report = run_labelled(&mut subject, &plan, settings, || goal.sign());
        report.best_by_name = goal.best_by_name();
        save(settings, &report);
        report
    }
}

/// Runs a property on this thread and counts the labels of its inputs.
fn run_labelled<D: Domain, F: Fn(&D::Value) -> JudgedInput>(
    subject: &mut ClosureSubject<'_, D, F>,
    plan: &RunPlan,
    settings: &PropertySettings,
    sign: impl FnOnce() -> f64,
) -> PropertyReport<D::Value> {
    let recorder = LabelRecorder::start();
    subject.is_labelled = true;
    let found = run(subject, plan);
    let mut report = PropertyReport::of(found, subject.domain, sign(), plan.seed);
    report.count_labels(recorder.counts(), &settings.cover);
    report
}

/// Saves what was found. A folder that cannot be written costs the user the saved input, not the report.
fn save<T: Debug>(settings: &PropertySettings, report: &PropertyReport<T>) {
    if let Some(found) = report.found.as_ref().filter(|found| found.is_stable && !found.is_saved) {
        let _ = settings.regressions.save(&found.tree, &format!("{:?}", found.value));
    }
}

#[cfg(test)]
mod tests;
