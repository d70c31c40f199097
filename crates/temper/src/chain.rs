//! One chain of a run, step by step: the caller asks for a source of choices, draws an input from it, evaluates it where
//! and how it likes, and tells what came of it. [`forall`](crate::forall()) drives chains over Rust closures; the Python
//! package drives them over Python functions. The clock, the budget and the property are the caller's.

use crate::choices::{ChoiceTree, Choices, DEFAULT_SIZE};
use crate::domain::Domain;
use crate::search::{Method, Search};

/// The random method's lists grow to their full size over so many tests, so that small counterexamples come first.
const GROWTH_TESTS: usize = 50;

/// What the caller found out about an input, as far as the search is concerned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// The domain or the property rejected it.
    Rejected,
    /// It was tested; its utility, higher being better, where there is one.
    Tested(Option<f64>),
}

/// A chain in progress; see the module description.
#[derive(Debug)]
pub struct Chain {
    search: Search,
    seed: u64,
    size: usize,
    budget: usize,
    method: Method,
    /// No method was given, and the property decides: with a utility it is searched, without one it is drawn.
    is_open: bool,
    is_recording: bool,
    /// The next input is the simplest one: the first thing to try where inputs are only drawn.
    is_simplest_next: bool,
    tests: usize,
    rejected: usize,
    best: f64,
    climb: Vec<(usize, f64)>,
}

impl Chain {
    /// A chain whose whole course is fixed by the seed and by what it is told. Without a method, the first utility that
    /// is told starts annealing; until then inputs are drawn.
    pub fn new(method: Option<Method>, seed: u64) -> Chain {
        let started = method.unwrap_or(Method::Annealing);
        Chain {
            search: Search::new(started, seed),
            seed,
            size: DEFAULT_SIZE,
            budget: usize::MAX,
            method: started,
            is_open: method.is_none(),
            is_recording: false,
            is_simplest_next: false,
            tests: 0,
            rejected: 0,
            best: f64::NEG_INFINITY,
            climb: Vec::new(),
        }
    }

    /// Sets the largest length of fresh lists without a bound of their own.
    pub fn set_size(&mut self, size: usize) {
        self.size = size;
        self.search.set_size(size);
    }

    /// Says how many tests there will be at most, before the first of them: a short search climbs earlier.
    pub fn set_budget(&mut self, tests: usize) {
        self.budget = tests;
        self.search.set_budget(tests);
    }

    /// Records every draw, also of the random method, so that [`Chain::last_tree`] needs no domain to draw again.
    pub fn set_recording(&mut self) {
        self.is_recording = true;
        self.search.set_recording();
    }

    /// Starts from this tree instead of from fresh draws.
    pub fn start_from(&mut self, tree: &ChoiceTree, utility: f64) {
        self.search.start_from(tree, utility);
    }

    /// The source for the next input. Draw one value from it, then [`Chain::tell`].
    #[inline]
    pub fn ask(&mut self) -> &mut Choices {
        self.tests += 1;
        let is_plain = self.tests > GROWTH_TESTS + 1 && !self.is_simplest_next;
        if is_plain { self.search.ask() } else { self.ask_early() }
    }

    /// One of the first inputs: the random method starts with the simplest one and with small ones.
    fn ask_early(&mut self) -> &mut Choices {
        if self.method == Method::Random {
            self.search.set_size(self.size.min(1 + self.size * (self.tests - 1) / GROWTH_TESTS));
        }
        if std::mem::take(&mut self.is_simplest_next) { self.search.ask_simplest() } else { self.search.ask() }
    }

    /// What came of the input asked for last.
    #[inline]
    pub fn tell(&mut self, told: Told) {
        match told {
            Told::Rejected => {
                self.rejected += 1;
                self.search.tell(None);
            }
            // A property without a utility is the common one, and the one whose tests are short.
            Told::Tested(None) if !self.is_open => self.search.tell(None),
            Told::Tested(utility) => self.tell_tested(utility),
        }
    }

    fn tell_tested(&mut self, utility: Option<f64>) {
        self.note(utility);
        self.search.tell(utility);
        let wanted = if utility.is_some() { Method::Annealing } else { Method::Random };
        if self.is_open && self.method != wanted {
            self.method = wanted;
            self.is_simplest_next = wanted == Method::Random;
            self.search = Search::new(wanted, self.seed);
            self.search.set_size(self.size);
            self.search.set_budget(self.budget);
            if self.is_recording {
                self.search.set_recording();
            }
        }
        // A utility stays: a later test that does not reach it says nothing.
        self.is_open &= utility.is_none();
    }

    /// Takes note of a utility without telling the search, as of the counterexample that ends it.
    pub fn note(&mut self, utility: Option<f64>) {
        if let Some(higher) = utility.filter(|&utility| utility > self.best) {
            self.best = higher;
            self.climb.push((self.tests, higher));
        }
    }

    /// The answers that made the input asked for last, to be asked for before it is told about.
    pub fn last_tree<D: Domain + ?Sized>(&mut self, domain: &D) -> ChoiceTree {
        self.search.last_tree(domain)
    }

    /// Whether a utility was told.
    pub fn is_targeted(&self) -> bool {
        !self.climb.is_empty()
    }

    /// The number of inputs asked for.
    pub fn tests(&self) -> usize {
        self.tests
    }

    /// The number of inputs that were rejected.
    pub fn rejected(&self) -> usize {
        self.rejected
    }

    /// The tests at which the best utility rose, with its values.
    pub fn climb(&self) -> &[(usize, f64)] {
        &self.climb
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{floats, vecs};

    #[test]
    fn without_a_method_the_property_decides() {
        let domain = vecs(floats(0.0..=1.0).uniform()).len(3..=3);
        let sum = |chain: &mut Chain| domain.draw(chain.ask()).map_or(0.0, |value| value.iter().sum::<f64>());
        let best = |tells_utility: bool| {
            let mut chain = Chain::new(None, 1);
            let mut best: f64 = 0.0;
            for _ in 0..1000 {
                let utility = sum(&mut chain);
                best = best.max(utility);
                chain.tell(Told::Tested(tells_utility.then_some(utility)));
            }
            assert_eq!(chain.is_targeted(), tells_utility);
            best
        };
        // The chance that 1,000 draws of three come within 0.001 of 3 is below one in a million.
        assert!(best(true) > 2.999 && best(false) < 2.999);
    }

    #[test]
    fn a_late_utility_starts_the_search() {
        let domain = floats(0.0..=1.0).uniform();
        let mut chain = Chain::new(None, 1);
        for test in 0..600 {
            let value = domain.draw(chain.ask()).unwrap_or(0.0);
            chain.tell(if test % 3 == 0 { Told::Rejected } else { Told::Tested((test > 50).then_some(value)) });
        }
        assert!(chain.climb().last().is_some_and(|&(_, best)| best > 0.9999));
        assert_eq!((chain.tests(), chain.rejected()), (600, 200));
    }
}
