//! `forall`, `exists` and `not_exists`: statements about the inputs of a domain, tested with drawn or searched inputs.

use crate::domain::Domain;
use crate::outcome::{IntoOutcome, Outcome};
use crate::quiet;
use crate::regressions::Regressions;
use crate::report::Report;
use crate::run::{Run, Settings, Trial};
use crate::search::Method;
use std::cell::Cell;
use std::fmt::Debug;
use std::path::Path;

/// Tests of a property without a utility, and with one: a search needs more, and each test moves it forward.
const DEFAULT_BUDGET: usize = 200;
const DEFAULT_SEARCH_BUDGET: usize = 10_000;

/// The utility of inputs; implemented by what [`Forall::maximize`] and [`Forall::minimize`] take.
pub trait Utility<T> {
    /// Whether there is a utility at all.
    const EXISTS: bool;
    /// The utility of an input, higher being better.
    fn of(&self, value: &T) -> Option<f64>;
    /// 1 where the user's function is raised, -1 where it is lowered.
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

/// Where a property tells its utility while it runs; see [`Forall::run_with`].
#[derive(Debug, Default)]
pub struct Goal {
    utility: Cell<Option<f64>>,
    is_lowered: Cell<bool>,
}

impl Goal {
    /// Searches for inputs that raise this number.
    pub fn maximize(&self, utility: f64) {
        self.utility.set(Some(utility));
    }

    /// Searches for inputs that lower this number.
    pub fn minimize(&self, utility: f64) {
        self.is_lowered.set(true);
        self.utility.set(Some(-utility));
    }
}

/// A property in the making; see [`forall`].
#[derive(Clone, Debug)]
pub struct Forall<D, U = NoUtility> {
    domain: D,
    utility: U,
    settings: Settings,
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
    Forall { domain, utility: NoUtility, settings: Settings::default() }
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

    /// The most inputs to test; 200 unless set, and 10,000 where there is a utility.
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

    /// How to search; annealing where there is a utility unless set.
    pub fn method(mut self, method: Method) -> Self {
        self.settings.method = Some(method);
        self
    }

    /// The largest length of fresh lists without a bound of their own; 42 unless set.
    pub fn size(mut self, size: usize) -> Self {
        self.settings.size = size;
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
    pub fn run<P: IntoOutcome>(&self, property: impl Fn(&D::Value) -> P) -> Report<D::Value>
    where
        D::Value: Debug,
    {
        let report = self.prepared(&self.settings, |value| self.trial(&property, value)).alone();
        save(&self.settings, &report);
        report
    }

    /// Like [`Forall::run`] with several chains of search at once, each on a thread of its own and with its share of the
    /// budget. The result depends on the seed and the number of chains, not on the machine.
    pub fn run_parallel<P: IntoOutcome>(
        &self,
        chains: usize,
        property: impl Fn(&D::Value) -> P + Sync,
    ) -> Report<D::Value>
    where
        D: Sync,
        D::Value: Debug,
        U: Sync,
    {
        let report = self.prepared(&self.settings, |value: &D::Value| self.trial(&property, value)).parallel(chains);
        save(&self.settings, &report);
        report
    }

    /// Tests the property and panics with the shrunk counterexample if there is one; for use in `#[test]` functions.
    ///
    /// # Panics
    /// When a counterexample is found.
    #[track_caller]
    pub fn check<P: IntoOutcome>(&self, property: impl Fn(&D::Value) -> P)
    where
        D::Value: Debug,
    {
        let settings = self.settings.in_test();
        let report = self.prepared(&settings, |value| self.trial(&property, value)).alone();
        save(&settings, &report);
        assert!(!report.is_found(), "{report}");
    }

    fn trial<P: IntoOutcome>(&self, property: &impl Fn(&D::Value) -> P, value: &D::Value) -> Trial {
        let utility = self.utility.of(value);
        Trial { outcome: quiet::catch(|| property(value).into_outcome()), utility }
    }

    fn prepared<'a, F: Fn(&D::Value) -> Trial>(&'a self, settings: &'a Settings, trial: F) -> Run<'a, D, F> {
        self.with_defaults(settings, trial, U::EXISTS)
    }

    fn with_defaults<'a, F>(&'a self, settings: &'a Settings, trial: F, is_targeted: bool) -> Run<'a, D, F> {
        let (method, budget) = match is_targeted {
            true => (Method::Annealing, DEFAULT_SEARCH_BUDGET),
            false => (Method::Random, DEFAULT_BUDGET),
        };
        Run {
            domain: &self.domain,
            trial,
            sign: self.utility.sign(),
            method: settings.method.unwrap_or(method),
            budget: settings.budget.unwrap_or(budget),
            settings,
        }
    }
}

impl<D: Domain> Forall<D, NoUtility> {
    /// Like [`Forall::run`] for a property that tells its utility itself, where computing both at once saves work.
    ///
    /// ```
    /// use temper::prelude::*;
    /// let report = forall(floats(0.0..=1.0).uniform()).budget(10_000).run_with(|&x, goal| {
    ///     goal.maximize(x);
    ///     x < 0.9999
    /// });
    /// assert!(report.is_found());
    /// ```
    pub fn run_with<P: IntoOutcome>(&self, property: impl Fn(&D::Value, &Goal) -> P) -> Report<D::Value>
    where
        D::Value: Debug,
    {
        self.with_goal(&self.settings, property)
    }

    /// Like [`Forall::check`] for a property that tells its utility itself.
    ///
    /// # Panics
    /// When a counterexample is found.
    #[track_caller]
    pub fn check_with<P: IntoOutcome>(&self, property: impl Fn(&D::Value, &Goal) -> P)
    where
        D::Value: Debug,
    {
        let report = self.with_goal(&self.settings.in_test(), property);
        assert!(!report.is_found(), "{report}");
    }

    fn with_goal<P: IntoOutcome>(
        &self,
        settings: &Settings,
        property: impl Fn(&D::Value, &Goal) -> P,
    ) -> Report<D::Value>
    where
        D::Value: Debug,
    {
        let is_lowered = Cell::new(false);
        let trial = |value: &D::Value| {
            let goal = Goal::default();
            let outcome = quiet::catch(|| property(value, &goal).into_outcome());
            is_lowered.set(is_lowered.get() || goal.is_lowered.get());
            Trial { outcome, utility: goal.utility.get() }
        };
        let mut report = self.with_defaults(settings, trial, true).alone();
        if is_lowered.get() {
            report.negate();
        }
        save(settings, &report);
        report
    }
}

impl Settings {
    /// These settings as `check` uses them: failures of tests are saved unless the user said where or not.
    fn in_test(&self) -> Settings {
        match self.regressions {
            Regressions::Nowhere => Settings { regressions: Regressions::of_current_test(), ..self.clone() },
            Regressions::File(_) => self.clone(),
        }
    }
}

/// Saves what was found. A folder that cannot be written costs the user the saved input, not the report.
fn save<T: Debug>(settings: &Settings, report: &Report<T>) {
    if let Some(found) = report.found.as_ref().filter(|found| !found.is_saved) {
        let _ = settings.regressions.save(&found.tree, &format!("{:?}", found.value));
    }
}

/// A search for a witness; see [`exists`] and [`not_exists`].
#[derive(Clone, Debug)]
pub struct Exists<D, U = NoUtility> {
    inner: Forall<D, U>,
    is_wanted: bool,
}

/// The statement that some input of a domain is a witness. Give it a utility that leads there.
///
/// ```
/// use temper::prelude::*;
/// // Some list of at most ten small numbers has a sum of squares of exactly 1,000.
/// let squares = |list: &Vec<i32>| list.iter().map(|v| v * v).sum::<i32>();
/// exists(vecs(ints(0..=20)).max_len(10)).minimize(|list| (squares(list) - 1000).abs().into()).check(|list| squares(list) == 1000);
/// ```
pub fn exists<D: Domain>(domain: D) -> Exists<D> {
    Exists { inner: forall(domain), is_wanted: true }
}

/// The statement that no input of a domain is a witness.
pub fn not_exists<D: Domain>(domain: D) -> Exists<D> {
    Exists { inner: forall(domain), is_wanted: false }
}

impl<D: Domain, U: Utility<D::Value>> Exists<D, U> {
    /// Searches for inputs that raise `utility`.
    pub fn maximize<F: Fn(&D::Value) -> f64>(self, utility: F) -> Exists<D, Towards<F>> {
        Exists { inner: self.inner.maximize(utility), is_wanted: self.is_wanted }
    }

    /// Searches for inputs that lower `utility`.
    pub fn minimize<F: Fn(&D::Value) -> f64>(self, utility: F) -> Exists<D, Towards<F>> {
        Exists { inner: self.inner.minimize(utility), is_wanted: self.is_wanted }
    }

    /// The most inputs to test; see [`Forall::budget`].
    pub fn budget(mut self, tests: usize) -> Self {
        self.inner = self.inner.budget(tests);
        self
    }

    /// The seed of the run; see [`Forall::seed`].
    pub fn seed(mut self, seed: u64) -> Self {
        self.inner = self.inner.seed(seed);
        self
    }

    /// How to search; see [`Forall::method`].
    pub fn method(mut self, method: Method) -> Self {
        self.inner = self.inner.method(method);
        self
    }

    /// Searches for a witness and reports what was found, shrunk.
    pub fn run(&self, is_witness: impl Fn(&D::Value) -> bool) -> Report<D::Value>
    where
        D::Value: Debug,
    {
        self.inner.run(|value| {
            if is_witness(value) { Outcome::Failed("this is a witness".to_owned()) } else { Outcome::Passed }
        })
    }

    /// Searches for a witness and panics when the statement turns out wrong: none was found, or one was.
    ///
    /// # Panics
    /// When [`exists`] finds no witness within its budget, or [`not_exists`] finds one.
    #[track_caller]
    pub fn check(&self, is_witness: impl Fn(&D::Value) -> bool)
    where
        D::Value: Debug,
    {
        let report = self.run(is_witness);
        assert!(report.is_found() == self.is_wanted, "{report}");
    }
}

#[cfg(test)]
mod tests;
