//! When a search walks along a number instead of taking a neighbour.

use super::sweep::Sweep;
use super::tuning::TUNING;
use super::{Search, gain};

impl Search {
    pub(super) fn ask_step(&mut self) {
        let step = self.sweep.and_then(|sweep| sweep.next(&self.current));
        self.shared = 0;
        let current = &self.current;
        self.choices.start_edited(0.0, |out, _| {
            out.extend_from_slice(current);
            step.into_iter().flatten().for_each(|(at, value)| out[at].value = value);
        });
    }

    /// Whether the next input is a step of a walk along a number; begins such a walk now and then.
    pub(super) fn is_step_next(&mut self) -> bool {
        if self.sweep.is_none() {
            self.begin_round();
        }
        if self.sweep.is_none() {
            let (neighbours, steps) = (self.paid.factor(0), TUNING.sweep * self.paid.factor(1));
            if self.rng.unit() * (neighbours + steps) < steps {
                self.sweep = Sweep::start(&self.current, &self.sites.answers, &mut self.rng);
            }
        }
        while let Some(sweep) = self.sweep
            && sweep.next(&self.current).is_none()
        {
            self.sweep = sweep.follow(false, &self.current, &self.sites.answers);
        }
        self.sweep.is_some()
    }

    /// Begins walks along all numbers, if they are due.
    fn begin_round(&mut self) {
        self.rounds.end();
        if self.rounds.is_due(self.sites.answers.len(), self.stagnant(), self.last_rise, self.tests) {
            self.rounds.begin(self.last_rise);
            self.sweep = Sweep::round(&self.current, &self.sites.answers, &mut self.rng);
        }
    }

    /// Whether a step along a number is taken: only if it rises.
    pub(super) fn takes_step(&mut self, change: f64, is_best: bool) -> bool {
        self.paid.learn(1, gain(change, is_best));
        self.rounds.note(is_best);
        self.walk_on(change > 0.0);
        change > 0.0
    }

    /// Takes note of whether the last step rose: the walk goes on, or one along the next number begins.
    fn walk_on(&mut self, is_risen: bool) {
        if let Some(sweep) = self.sweep {
            let next = sweep.go_on(is_risen);
            self.sweep = next.or_else(|| sweep.follow(is_risen, &self.current, &self.sites.answers));
        }
    }
}
