//! Search for inputs with a high utility: simulated annealing over neighbourhoods, hill climbing, or plain drawing.
//!
//! The caller asks for a prepared source of choices, draws a value from it, evaluates it and tells the utility; so the
//! same search serves a Rust closure, a Python function and a function in another process. Follows the papers on
//! targeted property-based testing (Loescher and Sagonas) with four differences: the acceptance scale is learned (see
//! [`acceptance`]), the neighbourhood is sparse, the temperature is drawn anew for each test instead of falling once over
//! the budget, and a climb that stops rising is given up in favour of a new one.

mod acceptance;

use crate::choices::tree::{ChoiceTree, Node};
use crate::choices::Choices;
use crate::domain::Domain;
use crate::neighbour::{Editor, SHAPE, Shape, Sites};
use crate::rng::Rng;
use acceptance::Acceptance;

/// How inputs are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// Simulated annealing: worse neighbours are sometimes accepted. The default wherever there is a utility.
    #[default]
    Annealing,
    /// Only neighbours that are no worse are accepted.
    HillClimbing,
    /// Every input is drawn fresh.
    Random,
}

/// The constants of the search; one set for every problem, chosen on the benchmarks B2, B3 and B5.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    pub shape: Shape,
    /// Fresh draws at the start of a climb, of which the best is climbed from.
    pub first_draws: usize,
    /// A climb without progress for so many tests is given up...
    pub least_patience: f64,
    /// ...unless it rose for longer than that: then this many times the tests it took to rise.
    pub patience: f64,
    /// How often a new climb starts from the best input so far instead of from fresh draws.
    pub from_best: f64,
    /// Acceptance of a typical loss at temperature 1 is exp(-1 / heat).
    pub heat: f64,
    /// The heat at the end of a cycle.
    pub hot: f64,
    /// Length of a cycle.
    pub cycle: f64,
    pub small_gain: f64,
    pub grow: f64,
    pub slack: f64,
}

pub(crate) const TUNING: Tuning =
    Tuning { shape: SHAPE, first_draws: 3, least_patience: 100.0, patience: 1.0, from_best: 0.2, heat: 0.05, hot: 0.2, cycle: 60.0, small_gain: 0.1, grow: 1.0, slack: 0.2 };

/// What the last asked draw was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Fresh,
    Neighbour,
}

/// A search in progress; see the module description.
#[derive(Debug)]
pub struct Search {
    method: Method,
    tuning: Tuning,
    rng: Rng,
    choices: Choices,
    editor: Editor,
    sites: Sites,
    acceptance: Acceptance,
    asked: Asked,
    current: Vec<Node>,
    current_utility: f64,
    /// The best of this climb, and the tests since it began and since it last rose.
    climb_best: f64,
    anchor: usize,
    climb_tree: Vec<Node>,
    climb_tests: usize,
    last_rise: usize,
    drawn: usize,
    best: Vec<Node>,
    best_utility: f64,
    tests: usize,
    /// The seed of the last random draw, for recording it when it turns out to matter.
    last_seed: u64,
}

impl Search {
    /// A search whose whole course is fixed by `seed` and by what it is told.
    pub fn new(method: Method, seed: u64) -> Self {
        Search::tuned(method, seed, TUNING)
    }

    pub(crate) fn tuned(method: Method, seed: u64, tuning: Tuning) -> Self {
        let mut rng = Rng::new(seed);
        let mut choices = Choices::random(rng.bits());
        choices.set_size(crate::choices::DEFAULT_SIZE);
        Search {
            method,
            tuning,
            rng,
            choices,
            editor: Editor::new(tuning.shape),
            sites: Sites::default(),
            acceptance: Acceptance::new(),
            asked: Asked::Fresh,
            current: Vec::new(),
            current_utility: f64::NEG_INFINITY,
            climb_best: f64::NEG_INFINITY,
            anchor: 0,
            climb_tree: Vec::new(),
            climb_tests: 0,
            last_rise: 0,
            drawn: 0,
            best: Vec::new(),
            best_utility: f64::NEG_INFINITY,
            tests: 0,
            last_seed: 0,
        }
    }

    /// Sets the largest length of fresh lists without a bound of their own.
    pub fn set_size(&mut self, size: usize) {
        self.choices.set_size(size);
    }

    /// Starts the first climb from this tree instead of from fresh draws.
    pub fn start_from(&mut self, tree: &ChoiceTree, utility: f64) {
        self.current.clone_from(&tree.nodes);
        self.current_utility = utility;
        self.climb_best = utility;
        self.drawn = self.tuning.first_draws;
        self.sites.scan(&self.current);
        self.keep_best(utility);
    }

    /// The source for the next input. Draw one value from it, then [`Search::tell`].
    pub fn ask(&mut self) -> &mut Choices {
        self.asked = self.next_step();
        match self.asked {
            Asked::Fresh => {
                self.last_seed = self.rng.bits();
                self.choices.start_random(self.last_seed, self.method != Method::Random);
            }
            Asked::Neighbour => {
                let stagnant = self.climb_tests - self.last_rise;
                let place = stagnant as f64 % self.tuning.cycle;
                if stagnant > 0 && place < 1.0 && !self.climb_tree.is_empty() {
                    self.current.clone_from(&self.climb_tree);
                    self.current_utility = self.climb_best;
                    self.sites.scan(&self.current);
                }
                let temperature = 1.0 - self.rng.unit();
                let heat = self.tuning.heat * (self.tuning.hot / self.tuning.heat).powf(place / self.tuning.cycle);
                self.acceptance.set_temperature(temperature * heat);
                let (editor, sites, current) = (&mut self.editor, &self.sites, &self.current);
                self.choices.start_edited(temperature, |out, rng| {
                    editor.choose(sites, temperature, rng);
                    editor.apply(current, out);
                });
            }
        }
        &mut self.choices
    }

    fn next_step(&mut self) -> Asked {
        if self.method == Method::Random || self.drawn < self.tuning.first_draws {
            return Asked::Fresh;
        }
        let stagnant = (self.climb_tests - self.last_rise) as f64;
        if stagnant > self.tuning.least_patience.max(self.tuning.patience * self.last_rise as f64) {
            self.begin_climb();
        }
        if self.drawn < self.tuning.first_draws { Asked::Fresh } else { Asked::Neighbour }
    }

    /// Gives up the current climb, for fresh draws or for the best input so far.
    fn begin_climb(&mut self) {
        self.climb_tests = 0;
        self.last_rise = 0;
        if self.rng.chance(self.tuning.from_best) && self.best_utility > f64::NEG_INFINITY {
            self.current.clone_from(&self.best);
            self.current_utility = self.best_utility;
            self.climb_best = self.best_utility;
            self.climb_tree.clone_from(&self.best);
            self.sites.scan(&self.current);
        } else {
            self.drawn = 0;
            self.current_utility = f64::NEG_INFINITY;
            self.climb_best = f64::NEG_INFINITY;
        }
    }

    /// The utility of the value drawn last, higher being better; `None` when it has none (it was rejected, or there is no
    /// utility). NaN counts as worse than everything.
    pub fn tell(&mut self, utility: Option<f64>) {
        self.tests += 1;
        if self.method == Method::Random {
            if let Some(utility) = utility {
                self.best_utility = self.best_utility.max(utility);
            }
            return;
        }
        self.climb_tests += 1;
        self.drawn += usize::from(self.asked == Asked::Fresh);
        let Some(utility) = utility.filter(|u| !u.is_nan()) else { return };
        let is_accepted = match self.asked {
            Asked::Fresh => utility >= self.current_utility,
            Asked::Neighbour => self.accepts(utility),
        };
        if is_accepted {
            self.choices.swap_record(&mut self.current);
            self.current_utility = utility;
            self.sites.scan(&self.current);
            if utility > self.climb_best {
                self.last_rise = self.climb_tests;
                self.anchor = self.current.len();
            }
            if utility >= self.climb_best {
                self.climb_best = utility;
                self.climb_tree.clone_from(&self.current);
            }
            self.keep_best(utility);
        }
    }

    fn accepts(&mut self, utility: f64) -> bool {
        let change = utility - self.current_utility;
        self.acceptance.learn(change);
        self.editor.learn(if utility > self.climb_best { 1.0 } else if change > 0.0 { self.tuning.small_gain } else { 0.0 });
        match self.method {
            Method::HillClimbing => change >= 0.0,
            _ if change == 0.0 && self.choices.record().len() > self.current.len() => {
                self.choices.record().len() as f64 <= self.anchor as f64 * (1.0 + self.tuning.slack) && self.rng.chance(self.tuning.grow)
            }
            _ => self.acceptance.accepts(change, &mut self.rng),
        }
    }

    fn keep_best(&mut self, utility: f64) {
        if utility > self.best_utility {
            self.best_utility = utility;
            self.best.clone_from(&self.current);
        }
    }

    /// The answers that made the value drawn last, to be asked for before it is told about. The random method does not record, so the value is drawn once more.
    pub fn last_tree<D: Domain + ?Sized>(&mut self, domain: &D) -> ChoiceTree {
        if self.method == Method::Random {
            self.choices.start_random(self.last_seed, true);
            // It did not reject the first time, so it does not now.
            let _ = domain.draw(&mut self.choices);
        }
        self.choices.recorded()
    }

    /// The number of inputs told about.
    pub fn tests(&self) -> usize {
        self.tests
    }

    /// The best utility so far; minus infinity before there is one.
    pub fn best_utility(&self) -> f64 {
        self.best_utility
    }
}
