//! One chain of a run, step by step: [`run`](crate::run()) asks it for a source of choices, draws an input from it,
//! evaluates it and tells the result. The chain knows the method, the growth of the first inputs and the best utility.

use crate::choices::{ChoiceTree, Choices, DEFAULT_SIZE};
use crate::search::{Method, Search, Utilities};

/// The random method's lists grow to their full size over this many tests, so that small counterexamples come first.
const GROWTH_TESTS: usize = 50;

/// What the run found out about an input, as far as the search is concerned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    /// It was rejected.
    Rejected,
    /// It was tested; its utilities, higher being better, if there are any.
    Tested(Option<Utilities>),
}

/// A chain in progress; see the module description.
#[derive(Debug)]
pub(crate) struct Chain {
    search: Search,
    seed: u64,
    size: usize,
    budget: usize,
    method: Method,
    /// No method was given, and the property decides: with a utility it is searched, without one it is drawn.
    is_open: bool,
    is_recording: bool,
    /// The next input is the simplest one: the first thing to try if inputs are only drawn.
    is_simplest_next: bool,
    tests: usize,
    best: f64,
    climb: Vec<(usize, f64)>,
}

impl Chain {
    /// A chain whose whole course is fixed by the seed and by what it is told. Without a method, the first utility that
    /// is told starts annealing; until then inputs are drawn. `size` is the largest length of fresh lists without their
    /// own bound; a search of few tests, by its budget, climbs earlier.
    pub fn new(method: Option<Method>, seed: u64, size: usize, budget: usize) -> Chain {
        let started = method.unwrap_or(Method::Annealing);
        let mut search = Search::new(started, seed);
        search.set_size(size, false);
        search.set_budget(budget);
        Chain {
            search,
            seed,
            size,
            budget,
            method: started,
            is_open: method.is_none(),
            is_recording: false,
            is_simplest_next: false,
            tests: 0,
            best: f64::NEG_INFINITY,
            climb: Vec::new(),
        }
    }

    /// A climb of any length from this input and its utility.
    pub fn climbing(seed: u64, from: &ChoiceTree, utility: f64) -> Chain {
        let mut chain = Chain::new(Some(Method::HillClimbing), seed, DEFAULT_SIZE, usize::MAX);
        chain.search.start_from(from, utility);
        chain.set_recording();
        chain
    }

    /// Records every draw at once, so that none is drawn again.
    pub fn set_recording(&mut self) {
        self.is_recording = true;
        self.search.set_recording();
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
            let size = self.size.min(1 + self.size * (self.tests - 1) / GROWTH_TESTS);
            self.search.set_size(size, self.tests <= GROWTH_TESTS);
        }
        if std::mem::take(&mut self.is_simplest_next) { self.search.ask_simplest() } else { self.search.ask() }
    }

    /// Tells the result of the input asked for last. `draw_again` draws it from the choices it is given, if the input
    /// matters and was not recorded.
    #[inline]
    pub fn tell(&mut self, told: Told, draw_again: impl FnOnce(&mut Choices)) {
        match told {
            Told::Rejected => self.search.tell(None, draw_again),
            // A property without a utility is the common one, and the one whose tests are short.
            Told::Tested(None) if !self.is_open => self.search.tell(None, draw_again),
            Told::Tested(utility) => self.tell_tested(utility, draw_again),
        }
    }

    fn tell_tested(&mut self, utilities: Option<Utilities>, draw_again: impl FnOnce(&mut Choices)) {
        let has_utility = utilities.is_some();
        match &utilities {
            Some(Utilities::Several(several)) => self.search.tell_several(several, draw_again),
            one => self.search.tell(one.as_ref().and_then(Utilities::single), draw_again),
        }
        self.note(&Told::Tested(utilities));
        let wanted = if has_utility { Method::Annealing } else { Method::Random };
        if self.is_open && self.method != wanted {
            self.method = wanted;
            self.is_simplest_next = wanted == Method::Random;
            self.search = Search::new(wanted, self.seed);
            self.search.set_size(self.size, false);
            self.search.set_budget(self.budget);
            if self.is_recording {
                self.search.set_recording();
            }
        }
        // A utility stays: a later test that does not reach it says nothing.
        self.is_open &= !has_utility;
    }

    /// Takes note of a utility without telling the search, as of the failure that ends it.
    pub fn note(&mut self, told: &Told) {
        if let &Told::Tested(Some(Utilities::One(utility))) = told
            && utility > self.best
        {
            self.best = utility;
            self.climb.push((self.tests, utility));
        }
    }

    /// The answers that made the input asked for last, to be asked for before it is told about. `draw_again` draws it
    /// from the choices it is given, if it was not recorded.
    pub fn recorded(&mut self, draw_again: impl FnOnce(&mut Choices)) -> ChoiceTree {
        self.search.recorded(draw_again)
    }

    /// The tests at which the best utility rose, with its values.
    pub fn into_climb(self) -> Vec<(usize, f64)> {
        self.climb
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Domain, any, floats, vecs};

    fn chain(method: Option<Method>) -> Chain {
        Chain::new(method, 1, DEFAULT_SIZE, usize::MAX)
    }

    #[test]
    fn without_a_method_the_property_decides() {
        let domain = vecs(floats(0.0..=1.0).uniform()).len(3..=3);
        let sum = |chain: &mut Chain| domain.draw(chain.ask()).map_or(0.0, |value| value.iter().sum::<f64>());
        let best = |tells_utility: bool| {
            let mut chain = chain(None);
            let mut best: f64 = 0.0;
            for _ in 0..1000 {
                let utility = sum(&mut chain);
                best = best.max(utility);
                chain.tell(Told::Tested(tells_utility.then_some(utility.into())), |choices| {
                    assert!(domain.draw(choices).is_ok())
                });
            }
            assert_eq!(chain.into_climb().is_empty(), !tells_utility);
            best
        };
        // The chance that 1,000 draws of three come within 0.001 of 3 is below one in a million.
        assert!(best(true) > 2.999 && best(false) < 2.999);
    }

    #[test]
    fn a_late_utility_starts_the_search() {
        let domain = floats(0.0..=1.0).uniform();
        let mut chain = chain(None);
        for test in 0..600 {
            let value = domain.draw(chain.ask()).unwrap_or(0.0);
            let told = if test % 3 == 0 { Told::Rejected } else { Told::Tested((test > 50).then_some(value.into())) };
            chain.tell(told, |choices| assert!(domain.draw(choices).is_ok()));
        }
        assert!(chain.into_climb().last().is_some_and(|&(_, best)| best > 0.9999));
    }

    #[test]
    fn a_test_without_a_utility_does_not_end_the_search() {
        let domain = vecs(floats(0.0..=1.0).uniform()).len(3..=3);
        let mut chain = chain(None);
        for test in 0..1000 {
            let utility = domain.draw(chain.ask()).map_or(0.0, |value| value.iter().sum::<f64>());
            chain.tell(Told::Tested((test % 3 != 1).then_some(utility.into())), |choices| {
                assert!(domain.draw(choices).is_ok())
            });
        }
        // The chance that 1,000 draws of three come within 0.001 of 3 is below one in a million.
        assert!(chain.into_climb().last().is_some_and(|&(_, best)| best > 2.999));
    }

    /// The greatest length of each of the first lists that a method draws, over many seeds.
    fn greatest_lengths(method: Method, tests: usize) -> Vec<usize> {
        let domain = vecs(any::<i32>());
        let mut greatest = vec![0; tests];
        for seed in 0..1000 {
            let mut chain = Chain::new(Some(method), seed, DEFAULT_SIZE, usize::MAX);
            for greatest in &mut greatest {
                *greatest = domain.draw(chain.ask()).map_or(0, |list| list.len()).max(*greatest);
                chain.tell(Told::Tested(None), |_| ());
            }
        }
        greatest
    }

    #[test]
    fn drawn_lists_grow_to_their_full_size_over_the_first_fifty_tests() {
        // Lengths are uniform up to the size, at most 42: the chance that 1,000 seeds miss one of them is 6e-11.
        let expected: Vec<usize> = (0..60).map(|before: usize| (1 + 42 * before / 50).min(42)).collect();
        assert_eq!(greatest_lengths(Method::Random, 60), expected);
        assert_eq!((expected[0], expected[25], expected[48], expected[49]), (1, 22, 41, 42));
    }

    #[test]
    fn a_search_starts_with_lists_of_full_size() {
        assert_eq!(greatest_lengths(Method::Annealing, 3), [42, 42, 42]);
    }

    #[test]
    fn an_open_chain_without_a_utility_tries_the_simplest_input_second() {
        let domain = vecs(any::<i32>()).min_len(1);
        let mut chain = chain(None);
        let mut draws = Vec::new();
        for _ in 0..2 {
            draws.push(domain.draw(chain.ask()).unwrap_or_default());
            chain.tell(Told::Tested(None), |_| ());
        }
        assert_eq!(draws[1], [0]);
    }
}
