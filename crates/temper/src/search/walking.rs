//! When a search walks along a number instead of taking a neighbour.

use super::sweep::Sweep;
use super::tuning::TUNING;
use super::{Search, gain};

impl Search {
    pub(super) fn ask_step(&mut self) {
        let step = self.sweep.and_then(|sweep| sweep.next(&self.current));
        let current = &self.current;
        self.choices.start_edited(0.0, |out, _| {
            out.extend_from_slice(current);
            step.into_iter().flatten().for_each(|(at, value)| out[at].value = value);
        });
    }

    /// Whether the next input is a step of a walk along a number; begins such a walk now and then.
    pub(super) fn is_step_next(&mut self) -> bool {
        if self.sweep.is_none() {
            let (neighbours, steps) = (self.paid.factor(0), TUNING.sweep * self.paid.factor(1));
            if self.rng.unit() * (neighbours + steps) < steps {
                self.sweep = Sweep::start(&self.current, &self.sites.answers, &mut self.rng);
            }
        }
        self.sweep = self.sweep.filter(|sweep| sweep.next(&self.current).is_some());
        self.sweep.is_some()
    }

    /// Whether a step along a number is taken: only if it rises.
    pub(super) fn takes_step(&mut self, change: f64, is_best: bool) -> bool {
        self.paid.learn(1, gain(change, is_best));
        self.sweep = self.sweep.and_then(|sweep| sweep.go_on(change > 0.0));
        change > 0.0
    }
}
