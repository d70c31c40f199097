//! One run of a property: saved failures first, then the search, then shrinking. Knows nothing of how the user wrote the
//! property; that is [`forall`](crate::forall())'s part.

use crate::chain::{Chain, Told};
use crate::choices::{ChoiceTree, Choices, DEFAULT_SIZE};
use crate::domain::Domain;
use crate::outcome::Outcome;
use crate::regressions::Regressions;
use crate::report::{Counterexample, Report};
use crate::rng::split_mix;
use crate::search::Method;
use crate::shrink::shrink;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most inputs that shrinking tries, unless the user sets another number.
const DEFAULT_SHRINK_BUDGET: usize = 10_000;

/// What a run is told, apart from the domain and the property.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub budget: Option<usize>,
    pub shrink_budget: usize,
    pub seed: u64,
    pub method: Option<Method>,
    pub size: usize,
    pub regressions: Regressions,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            budget: None,
            shrink_budget: DEFAULT_SHRINK_BUDGET,
            seed: 0,
            method: None,
            size: DEFAULT_SIZE,
            regressions: Regressions::default(),
        }
    }
}

/// What came of one input. The utility is to be raised.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub outcome: Outcome,
    pub utility: Option<f64>,
}

/// A run about to start: `trial` evaluates one input, `sign` turns utilities back into what the user's function gave.
pub(crate) struct Run<'a, D, F> {
    pub domain: &'a D,
    pub trial: F,
    pub sign: f64,
    pub method: Method,
    pub budget: usize,
    pub settings: &'a Settings,
}

/// What one chain of a search found.
struct Found {
    tests: usize,
    rejected: usize,
    found: Option<ChoiceTree>,
    climb: Vec<(usize, f64)>,
}

impl<D: Domain, F: Fn(&D::Value) -> Trial> Run<'_, D, F> {
    /// Runs one chain on this thread.
    pub fn alone(&self) -> Report<D::Value> {
        let saved = self.saved_failure();
        saved.unwrap_or_else(|| {
            self.report(&self.chain(self.settings.seed, self.budget, &AtomicUsize::new(usize::MAX)), 1)
        })
    }

    /// The first saved failure that still fails.
    fn saved_failure(&self) -> Option<Report<D::Value>> {
        let trees = self.settings.regressions.load();
        let failing = |tree| self.evaluate(tree, 0, true);
        let found = trees.into_iter().find_map(failing)?;
        let best_utility = found.utility;
        let seed = self.settings.seed;
        Some(Report { found: Some(found), tests: 0, rejected: 0, seed, best_utility, climb: Vec::new() })
    }

    /// One search. It stops at its budget, at a counterexample, or when another chain has found one in fewer tests.
    fn chain(&self, seed: u64, budget: usize, fewest: &AtomicUsize) -> Found {
        let mut chain = Chain::new(Some(self.method), seed);
        chain.set_size(self.settings.size);
        chain.set_budget(budget);
        let mut found = None;
        while chain.tests() < budget && chain.tests() < fewest.load(Ordering::Relaxed) {
            let Ok(value) = self.domain.draw(chain.ask()) else {
                chain.tell(Told::Rejected);
                continue;
            };
            let Trial { outcome, utility } = (self.trial)(&value);
            if outcome.is_counterexample() {
                chain.note(utility);
                fewest.fetch_min(chain.tests(), Ordering::Relaxed);
                found = Some(chain.last_tree(self.domain));
                break;
            }
            // An input that the property does not speak about cannot become its counterexample: it has no utility.
            let is_rejected = outcome == Outcome::Rejected;
            chain.tell(if is_rejected { Told::Rejected } else { Told::Tested(utility) });
        }
        let climb = chain.climb().iter().map(|&(test, utility)| (test, self.sign * utility)).collect();
        Found { tests: chain.tests(), rejected: chain.rejected(), found, climb }
    }

    /// Shrinks what a chain found, saves it and words the report.
    fn report(&self, chain: &Found, chains: usize) -> Report<D::Value> {
        let found = chain.found.as_ref().and_then(|tree| self.shrunk(tree));
        let climb = chain.climb.clone();
        Report {
            found,
            tests: chain.tests * chains,
            rejected: chain.rejected,
            seed: self.settings.seed,
            best_utility: climb.last().map(|&(_, utility)| utility),
            climb,
        }
    }

    fn shrunk(&self, tree: &ChoiceTree) -> Option<Counterexample<D::Value>> {
        let mut fails = |choices: &mut Choices| {
            self.domain.draw(choices).is_ok_and(|value| (self.trial)(&value).outcome.is_counterexample())
        };
        let (smallest, shrinks) = shrink(tree.clone(), self.settings.shrink_budget, &mut fails);
        // A property that fails only sometimes may pass now; the input as it was found is then the better evidence.
        self.evaluate(smallest, shrinks, false)
            .or_else(|| self.evaluate(tree.clone(), 0, false))
            .or_else(|| self.unstable(tree))
    }

    /// The counterexample that a tree gives, if it gives one.
    fn evaluate(&self, tree: ChoiceTree, shrinks: usize, is_saved: bool) -> Option<Counterexample<D::Value>> {
        let value = self.domain.draw(&mut Choices::replay(&tree)).ok()?;
        let Trial { outcome, utility } = (self.trial)(&value);
        if !outcome.is_counterexample() {
            return None;
        }
        Some(Counterexample { value, outcome, utility: utility.map(|u| self.sign * u), tree, shrinks, is_saved })
    }

    fn unstable(&self, tree: &ChoiceTree) -> Option<Counterexample<D::Value>> {
        let value = self.domain.draw(&mut Choices::replay(tree)).ok()?;
        let outcome = Outcome::Failed("it failed once and passed when run again on the same input".to_owned());
        Some(Counterexample { value, outcome, utility: None, tree: tree.clone(), shrinks: 0, is_saved: false })
    }
}

impl<D: Domain + Sync, F: Fn(&D::Value) -> Trial + Sync> Run<'_, D, F> {
    /// Runs several chains at once, each with its share of the budget and a seed of its own. What is found depends on the
    /// seed and the number of chains only: of several chains the one with the fewest tests counts.
    pub fn parallel(&self, chains: usize) -> Report<D::Value> {
        if let Some(report) = self.saved_failure() {
            return report;
        }
        let chains = chains.max(1);
        let fewest = AtomicUsize::new(usize::MAX);
        let mut state = self.settings.seed;
        let seeds: Vec<u64> = (0..chains).map(|_| split_mix(&mut state)).collect();
        let budget = self.budget.div_ceil(chains);
        let results: Vec<Found> = std::thread::scope(|scope| {
            let start = |&seed: &u64| {
                scope.spawn({
                    let fewest = &fewest;
                    move || self.chain(seed, budget, fewest)
                })
            };
            let handles: Vec<_> = seeds.iter().map(start).collect();
            handles.into_iter().filter_map(|handle| handle.join().ok()).collect()
        });
        let winner = results.iter().filter(|chain| chain.found.is_some()).min_by_key(|chain| chain.tests);
        let best = |chain: &Found| chain.climb.last().map_or(f64::NEG_INFINITY, |&(_, utility)| self.sign * utility);
        let highest = |a: &&Found, b: &&Found| best(a).total_cmp(&best(b));
        let last_resort = Found { tests: budget, rejected: 0, found: None, climb: Vec::new() };
        let chain = winner.or_else(|| results.iter().max_by(highest)).unwrap_or(&last_resort);
        self.report(chain, chains)
    }
}
