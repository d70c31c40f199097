//! What a search does when it is told several utilities for an input.

use super::front::Front;
use super::{Asked, Method, Search, gain};
use crate::choices::Choices;

impl Search {
    /// Like [`Search::tell`] for an input with several utilities.
    pub fn tell_several(&mut self, utilities: &[f64], draw_again: impl FnOnce(&mut Choices)) {
        self.tests += 1;
        if self.method == Method::Random {
            return;
        }
        self.climb_tests += 1;
        self.draws_left -= usize::from(self.asked == Asked::Fresh);
        let mut front = self.front.take().unwrap_or_else(|| Box::new(self.new_front()));
        let change = front.change(utilities);
        let (is_kept, is_best) = (front.climbed.wants(utilities), front.best.wants(utilities));
        let is_accepted = match self.asked {
            Asked::Fresh => change >= 0.0,
            Asked::Neighbour => self.accepts_several(change, is_kept),
            Asked::Step => self.takes_step(change, is_kept),
        };
        if is_accepted || is_kept || is_best {
            self.record_again(draw_again);
        }
        if is_best {
            front.best.keep(utilities, self.choices.record(), &mut self.rng);
        }
        if is_kept {
            front.climbed.keep(utilities, self.choices.record(), &mut self.rng);
            self.last_rise = self.climb_tests;
            self.anchor = self.choices.record_len();
        }
        if is_accepted {
            self.choices.swap_record(&mut self.current);
            self.shared = 0;
            front.current.clear();
            front.current.extend_from_slice(utilities);
            self.sites.scan(&self.current);
        }
        self.front = Some(front);
    }

    /// The front of a search that knew one utility until now.
    fn new_front(&self) -> Front {
        let mut front = Front::default();
        front.current.extend(Some(self.current_utility).filter(|&utility| utility > f64::NEG_INFINITY));
        front
    }

    fn accepts_several(&mut self, change: f64, is_kept: bool) -> bool {
        let gain = gain(change, is_kept);
        self.editor.learn(gain);
        self.paid.learn(0, gain);
        match self.method {
            _ if change == 0.0 => self.is_small_enough(),
            Method::HillClimbing => change > 0.0,
            // Changes are measured in usual losses already.
            _ => self.acceptance.accepts_of(change, 1.0, &mut self.rng),
        }
    }
}
