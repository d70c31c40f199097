//! `forall`: properties that must hold for every input of a domain, tested with drawn or searched inputs.

use crate::choices::{ChoiceTree, Choices, DEFAULT_SIZE};
use crate::domain::Domain;
use crate::outcome::{IntoOutcome, Outcome};
use crate::quiet;
use crate::report::{Counterexample, Report};
use crate::search::{Method, Search};
use crate::shrink::shrink;
use std::fmt::Debug;

/// Tests of a property without a utility, and with one: a search needs more, and each test moves it forward.
const DEFAULT_BUDGET: usize = 200;
const DEFAULT_SEARCH_BUDGET: usize = 10_000;

/// The most inputs that shrinking tries.
const DEFAULT_SHRINK_BUDGET: usize = 10_000;

/// The random mode's lists grow to their full size over so many tests, so that small counterexamples come first.
const GROWTH_TESTS: usize = 50;

/// What a run is told, apart from the domain and the utility.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub budget: Option<usize>,
    pub shrink_budget: usize,
    pub seed: u64,
    pub method: Option<Method>,
    pub size: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { budget: None, shrink_budget: DEFAULT_SHRINK_BUDGET, seed: 0, method: None, size: DEFAULT_SIZE }
    }
}

/// The utility of inputs; implemented by what [`Forall::maximize`] and [`Forall::minimize`] take.
pub trait Utility<T> {
    /// Whether there is a utility at all.
    const EXISTS: bool;
    /// The utility of an input, higher being better.
    fn of(&self, value: &T) -> Option<f64>;
    /// The utility as the user's function gave it.
    fn shown(&self, utility: f64) -> f64;
}

/// No utility: inputs are drawn.
#[derive(Clone, Copy, Debug)]
pub struct NoUtility;

impl<T> Utility<T> for NoUtility {
    const EXISTS: bool = false;

    fn of(&self, _: &T) -> Option<f64> {
        None
    }

    fn shown(&self, utility: f64) -> f64 {
        utility
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

    fn shown(&self, utility: f64) -> f64 {
        self.sign * utility
    }
}

/// A property in the making; see [`forall`].
#[derive(Clone, Debug)]
pub struct Forall<D, U = NoUtility> {
    domain: D,
    utility: U,
    pub(crate) settings: Settings,
}

/// A statement about every input of a domain. Add a utility to search instead of only drawing, then run it with
/// [`Forall::check`] in a test or with [`Forall::run`] anywhere.
pub fn forall<D: Domain>(domain: D) -> Forall<D> {
    Forall { domain, utility: NoUtility, settings: Settings::default() }
}

impl<D: Domain, U: Utility<D::Value>> Forall<D, U> {
    /// Searches for inputs that raise `utility`, in place of any utility given before.
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

    /// The seed of the run. The same seed gives the same run.
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

    /// Tests the property and reports what was found, without panicking.
    pub fn run<P: IntoOutcome>(&self, property: impl Fn(&D::Value) -> P) -> Report<D::Value> {
        self.run_trial(|value| {
            let utility = self.utility.of(value);
            Trial { outcome: quiet::catch(|| property(value).into_outcome()), utility }
        })
    }

    /// Tests the property and panics with the shrunk counterexample if there is one; for use in `#[test]` functions.
    ///
    /// # Panics
    /// When a counterexample is found.
    pub fn check<P: IntoOutcome>(&self, property: impl Fn(&D::Value) -> P)
    where
        D::Value: Debug,
    {
        let report = self.run(property);
        assert!(!report.is_found(), "{report}");
    }

    fn run_trial(&self, trial: impl Fn(&D::Value) -> Trial) -> Report<D::Value> {
        let default_method = if U::EXISTS { Method::Annealing } else { Method::Random };
        let method = self.settings.method.unwrap_or(default_method);
        let default_budget = if U::EXISTS { DEFAULT_SEARCH_BUDGET } else { DEFAULT_BUDGET };
        let budget = self.settings.budget.unwrap_or(default_budget);
        let mut search = Search::new(method, self.settings.seed);
        search.set_size(self.settings.size);
        let mut report = Report {
            found: None,
            tests: 0,
            rejected: 0,
            seed: self.settings.seed,
            best_utility: None,
            climb: Vec::new(),
        };
        while report.tests < budget {
            if method == Method::Random {
                search.set_size(self.settings.size.min(1 + self.settings.size * report.tests / GROWTH_TESTS));
            }
            report.tests += 1;
            let Ok(value) = self.domain.draw(search.ask()) else {
                report.rejected += 1;
                search.tell(None);
                continue;
            };
            let Trial { outcome, utility } = trial(&value);
            self.note(&mut report, utility, &outcome);
            if outcome.is_counterexample() {
                let tree = search.last_tree(&self.domain);
                report.found = self.shrunk(tree, &trial).or(Some(Counterexample {
                    value,
                    outcome,
                    utility: utility.map(|u| self.utility.shown(u)),
                    tree: ChoiceTree::default(),
                    shrinks: 0,
                    is_saved: false,
                }));
                break;
            }
            search.tell(utility.filter(|_| outcome != Outcome::Rejected));
        }
        report
    }

    fn note(&self, report: &mut Report<D::Value>, utility: Option<f64>, outcome: &Outcome) {
        report.rejected += usize::from(*outcome == Outcome::Rejected);
        let Some(utility) = utility.filter(|u| !u.is_nan()) else { return };
        let is_best = report.best_utility.is_none_or(|best| utility > self.utility.shown(best));
        if is_best {
            let shown = self.utility.shown(utility);
            report.best_utility = Some(shown);
            report.climb.push((report.tests, shown));
        }
    }

    /// Shrinks a failing tree and evaluates the result once more; `None` when it does not fail again.
    fn shrunk(&self, tree: ChoiceTree, trial: &impl Fn(&D::Value) -> Trial) -> Option<Counterexample<D::Value>> {
        let mut fails = |choices: &mut Choices| {
            self.domain.draw(choices).is_ok_and(|value| trial(&value).outcome.is_counterexample())
        };
        let (tree, shrinks) = shrink(tree, self.settings.shrink_budget, &mut fails);
        let value = self.domain.draw(&mut Choices::replay(&tree)).ok()?;
        let Trial { outcome, utility } = trial(&value);
        let utility = utility.map(|u| self.utility.shown(u));
        let counterexample = Counterexample { value, utility, tree, shrinks, is_saved: false, outcome };
        counterexample.outcome.is_counterexample().then_some(counterexample)
    }
}

/// What came of one input.
struct Trial {
    outcome: Outcome,
    utility: Option<f64>,
}
