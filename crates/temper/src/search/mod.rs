//! Search for inputs with a high utility: simulated annealing over neighbourhoods, hill climbing, or plain drawing.
//!
//! The caller asks for a prepared source of choices, draws a value from it, evaluates it and tells the utility. The search
//! follows the papers on targeted property-based testing (Loescher and Sagonas) with these differences:
//! - the acceptance scale is learned (see [`acceptance`]);
//! - the neighbourhood is sparse;
//! - the temperature is drawn for each test instead of falling once over the budget;
//! - a climb that stops rising is given up in favour of a new one;
//! - now and then the search walks along single numbers (see [`sweep`]), along all of them if it does not rise (see
//!   [`rounds`]);
//! - there may be several utilities (see [`front`]).

mod acceptance;
mod front;
mod rounds;
mod several;
mod sweep;
mod tuning;
mod utilities;
mod walking;

pub use utilities::Utilities;

use crate::choices::Choices;
use crate::choices::tree::{ChoiceNode, ChoiceTree};
use crate::neighbour::{Editor, Learned, Sites};
use crate::rng::Rng;
use acceptance::Acceptance;
use front::{Archive, Front};
use rounds::Rounds;
use sweep::Sweep;
use tuning::TUNING;

/// How inputs are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// Simulated annealing: worse neighbours are sometimes accepted. The default if there is a utility.
    #[default]
    Annealing,
    /// Only neighbours that are no worse are accepted.
    HillClimbing,
    /// Every input is drawn fresh.
    Random,
}

/// What the last asked draw was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Fresh,
    Neighbour,
    /// A step along one number.
    Step,
}

/// A search in progress; see the module description.
#[derive(Debug)]
pub(crate) struct Search {
    method: Method,
    rng: Rng,
    choices: Choices,
    editor: Editor,
    sites: Sites,
    acceptance: Acceptance,
    asked: Asked,
    current: Vec<ChoiceNode>,
    /// How many first nodes the source has of the current tree, apart from what the last edits and the replay made of its
    /// answers; 0 once either is another.
    shared: usize,
    current_utility: f64,
    /// The best of this climb. Its tree is the current one, or else the one kept here: most inputs that are accepted are
    /// no worse, and a copy of each would cost as much as a neighbour.
    climb_best: f64,
    is_at_best: bool,
    climb_tree: Vec<ChoiceNode>,
    /// The number of nodes that the input of the last rise had.
    anchor: usize,
    /// The tests since the climb began, and how many of them had passed when it last rose.
    climb_tests: usize,
    last_rise: usize,
    draws_left: usize,
    best: Vec<ChoiceNode>,
    best_utility: f64,
    tests: usize,
    /// The random source before the last fresh draw, for recording that draw when it turns out to matter.
    before: Rng,
    /// Whether fresh draws are recorded at once.
    is_recording: bool,
    /// Set by the first input with several utilities.
    front: Option<Box<Front>>,
    sweep: Option<Sweep>,
    rounds: Rounds,
    /// How well neighbours and steps along a number have paid.
    paid: Learned<2>,
}

impl Search {
    /// A search whose whole course is fixed by `seed` and by what it is told.
    pub fn new(method: Method, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let choices = Choices::random(rng.bits());
        let before = rng.clone();
        Search {
            method,
            rng,
            choices,
            editor: Editor::new(TUNING.shape),
            sites: Sites::default(),
            acceptance: Acceptance::new(),
            asked: Asked::Fresh,
            current: Vec::new(),
            shared: 0,
            current_utility: f64::NEG_INFINITY,
            climb_best: f64::NEG_INFINITY,
            is_at_best: false,
            anchor: 0,
            climb_tree: Vec::new(),
            climb_tests: 0,
            last_rise: 0,
            draws_left: TUNING.first_draws,
            best: Vec::new(),
            best_utility: f64::NEG_INFINITY,
            tests: 0,
            before,
            is_recording: false,
            front: None,
            sweep: None,
            rounds: Rounds::new(),
            paid: Learned::default(),
        }
    }

    /// Sets the largest length of fresh lists without their own bound, and whether it is still growing.
    pub fn set_size(&mut self, size: usize, is_growing: bool) {
        self.choices.set_full_size(size, is_growing);
    }

    /// Says how many tests there will be at most, before the first of them: a short search climbs earlier.
    pub fn set_budget(&mut self, tests: usize) {
        self.draws_left = self.draws_left.min(tests / TUNING.first_part);
        self.rounds.set_budget(tests);
    }

    /// Makes fresh draws be recorded at once, so that none is drawn again.
    pub fn set_recording(&mut self) {
        self.is_recording = true;
    }

    /// Starts the first climb from this tree instead of from fresh draws.
    pub fn start_from(&mut self, tree: &ChoiceTree, utility: f64) {
        self.current.clone_from(&tree.nodes);
        self.shared = 0;
        self.current_utility = utility;
        self.climb_best = utility;
        self.draws_left = 0;
        self.is_at_best = true;
        self.anchor = tree.nodes.len();
        self.sites.scan(&self.current);
        self.keep_best(utility);
    }

    /// The source for the next input. Draw one value from it, then [`Search::tell`].
    #[inline]
    pub fn ask(&mut self) -> &mut Choices {
        if self.method == Method::Random && !self.is_recording {
            self.before = self.choices.start_unrecorded();
        } else {
            self.ask_searching();
        }
        &mut self.choices
    }

    fn ask_searching(&mut self) {
        self.asked = self.next_step();
        match self.asked {
            Asked::Fresh => {
                self.shared = 0;
                self.before = self.rng.split();
                self.choices.start_from(self.before.clone(), self.is_recording);
            }
            Asked::Step => self.ask_step(),
            Asked::Neighbour => {
                self.turn_cycle();
                let temperature = 1.0 - self.rng.unit();
                self.acceptance.set_temperature(temperature * self.heat());
                let (editor, sites, current) = (&mut self.editor, &self.sites, &self.current);
                let shared = &mut self.shared;
                self.choices.start_edited_again(temperature, &current[..*shared], |out, rng| {
                    editor.take_back(current, out, *shared);
                    editor.choose(sites, temperature, rng);
                    *shared = editor.apply(current, out, *shared);
                });
            }
        }
    }

    /// The source for the simplest input, asked for in place of a drawn one.
    pub(crate) fn ask_simplest(&mut self) -> &mut Choices {
        self.asked = Asked::Fresh;
        self.shared = 0;
        self.choices.start_replay(&[], true);
        &mut self.choices
    }

    /// The number of tests since the climb last rose.
    fn stagnant(&self) -> usize {
        self.climb_tests - self.last_rise
    }

    fn heat(&self) -> f64 {
        let place = (self.stagnant() % TUNING.cycle) as f64 / TUNING.cycle as f64;
        TUNING.cool * (TUNING.hot / TUNING.cool).powf(place)
    }

    /// At the end of a cycle without a rise, returns to the best input of the climb.
    fn turn_cycle(&mut self) {
        let stagnant = self.stagnant();
        if stagnant == 0 || !stagnant.is_multiple_of(TUNING.cycle) {
            return;
        }
        if let Some(front) = &mut self.front {
            front.turn_focus(&mut self.rng);
            if let Some(member) = front.climbed.pick(&mut self.rng) {
                self.current.clone_from(&member.tree);
                self.shared = 0;
                front.current.clone_from(&member.utilities);
                self.sites.scan(&self.current);
            }
        } else if self.is_at_best {
            self.current_utility = self.climb_best;
        } else if !self.climb_tree.is_empty() {
            self.current.clone_from(&self.climb_tree);
            self.shared = 0;
            self.current_utility = self.climb_best;
            self.is_at_best = true;
            self.sites.scan(&self.current);
        }
    }

    fn next_step(&mut self) -> Asked {
        if self.method == Method::Random || self.draws_left > 0 {
            return Asked::Fresh;
        }
        let stagnant = self.stagnant() as f64;
        if stagnant > TUNING.least_patience.max(TUNING.patience * self.last_rise as f64) {
            self.begin_climb();
        }
        match () {
            _ if self.draws_left > 0 => Asked::Fresh,
            _ if self.is_step_next() => Asked::Step,
            _ => Asked::Neighbour,
        }
    }

    /// Gives up the current climb, for fresh draws or for the best input so far.
    fn begin_climb(&mut self) {
        self.sweep = None;
        self.shared = 0;
        self.rounds.forget_rise();
        self.climb_tests = 0;
        self.last_rise = 0;
        let is_from_best = self.rng.chance(TUNING.from_best);
        if let Some(front) = &mut self.front {
            front.climbed = Archive::default();
            front.turn_focus(&mut self.rng);
            match front.best.pick(&mut self.rng).filter(|_| is_from_best) {
                Some(member) => {
                    self.current.clone_from(&member.tree);
                    front.current.clone_from(&member.utilities);
                    self.sites.scan(&self.current);
                }
                None => {
                    self.draws_left = TUNING.draws;
                    front.current.clear();
                }
            }
        } else if is_from_best && self.best_utility > f64::NEG_INFINITY {
            self.current.clone_from(&self.best);
            self.current_utility = self.best_utility;
            self.climb_best = self.best_utility;
            self.is_at_best = true;
            self.sites.scan(&self.current);
        } else {
            self.draws_left = TUNING.draws;
            self.current_utility = f64::NEG_INFINITY;
            self.climb_best = f64::NEG_INFINITY;
        }
    }

    /// The utility of the value drawn last, higher being better; `None` when it has none (it was rejected, or there is no
    /// utility). NaN counts as worse than everything. `draw_again` draws the value again, if it matters and was not
    /// recorded.
    #[inline]
    pub fn tell(&mut self, utility: Option<f64>, draw_again: impl FnOnce(&mut Choices)) {
        self.tests += 1;
        if self.method == Method::Random {
            if let Some(utility) = utility {
                self.best_utility = self.best_utility.max(utility);
            }
        } else {
            self.tell_searching(utility, draw_again);
        }
    }

    fn tell_searching(&mut self, utility: Option<f64>, draw_again: impl FnOnce(&mut Choices)) {
        self.climb_tests += 1;
        self.draws_left -= usize::from(self.asked == Asked::Fresh);
        let Some(utility) = utility.filter(|u| !u.is_nan()) else {
            // Nothing is known about the step, and nothing follows the walk if it was the last.
            self.sweep = self.sweep.and_then(|sweep| sweep.go_on(false));
            return;
        };
        let is_accepted = match self.asked {
            Asked::Fresh => utility >= self.current_utility,
            Asked::Neighbour => self.accepts(utility),
            Asked::Step => self.takes_step(utility - self.current_utility, utility > self.climb_best),
        };
        if is_accepted {
            self.record_again(draw_again);
            let is_same_shape = self.is_same_shape();
            // The two are exchanged, and are as alike as before, up to where the replay left the tree.
            self.shared = self.choices.swap_record(&mut self.current).min(self.shared);
            self.current_utility = utility;
            if is_same_shape && !self.sites.depend_on_answers() {
                // The places are the same.
            } else {
                self.sites.scan_again(&self.current, self.choices.exchanged());
            }
            if utility > self.climb_best {
                self.last_rise = self.climb_tests;
                self.anchor = self.current.len();
            }
            if self.is_at_best && utility < self.climb_best {
                self.choices.swap_record(&mut self.climb_tree);
                self.shared = 0;
            }
            self.is_at_best = utility >= self.climb_best;
            self.climb_best = self.climb_best.max(utility);
            self.keep_best(utility);
        }
    }

    fn accepts(&mut self, utility: f64) -> bool {
        let change = utility - self.current_utility;
        self.acceptance.learn(change);
        let gain = gain(change, utility > self.climb_best);
        let is_drift = gain == 0.0 && change == 0.0 && self.is_drift();
        self.editor.learn(if is_drift { TUNING.drift_gain } else { gain });
        self.paid.learn(0, gain);
        match self.method {
            _ if change == 0.0 => self.is_small_enough(),
            Method::HillClimbing => change > 0.0,
            _ => self.acceptance.accepts(change, &mut self.rng),
        }
    }

    /// Whether the draw at hand, of equal utility, is another input that is accepted on a plateau.
    fn is_drift(&mut self) -> bool {
        self.stagnant() > TUNING.drift_after && self.is_small_enough() && !self.choices.has_recorded(&self.current)
    }

    /// Whether the draw at hand is known to differ from the current input in its answers only.
    fn is_same_shape(&self) -> bool {
        let is_edited_in_place = match self.asked {
            Asked::Fresh => false,
            Asked::Neighbour => self.editor.keeps_shape(),
            Asked::Step => true,
        };
        is_edited_in_place && self.choices.is_answered_in_place()
    }

    /// Whether the draw at hand is no larger than the current input, or still near the size of the last rise.
    fn is_small_enough(&self) -> bool {
        let len = self.choices.record_len();
        len <= self.current.len() || len as f64 <= self.anchor as f64 * (1.0 + TUNING.slack)
    }

    fn keep_best(&mut self, utility: f64) {
        if utility > self.best_utility {
            self.best_utility = utility;
            self.best.clone_from(&self.current);
        }
    }

    /// The answers that made the value drawn last, to be asked for before it is told about. `draw_again` draws the value
    /// again, if it was not recorded.
    pub fn recorded(&mut self, draw_again: impl FnOnce(&mut Choices)) -> ChoiceTree {
        self.record_again(draw_again);
        self.choices.recorded()
    }

    fn record_again(&mut self, draw_again: impl FnOnce(&mut Choices)) {
        if self.choices.is_plain() {
            self.choices.start_from(self.before.clone(), true);
            draw_again(&mut self.choices);
        }
    }
}

/// What a change counts for learning, above the current input or above all of the climb.
fn gain(change: f64, is_best: bool) -> f64 {
    match change {
        _ if is_best => 1.0,
        _ if change > 0.0 => TUNING.small_gain,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests;
