//! FASER's optimisation to the letter (sections III-B, III-D, IV-C): pass probability by a concentration inequality,
//! kill score by mutants, a weighted sum of both over weights 0.5 to 0.9.
//!
//! The paper searches with basin hopping; the sum is piecewise smooth with known breakpoints, so its maximum is found
//! exactly. Conventions where the paper is ambiguous: `fixtures/oracles/tighten/README.md`.

use super::LOOSE_GAIN;
use super::curve::{Assertion, KillCurve};
use crate::concentration::{self, Choice, Inequality, Reading, pass_probability};
use crate::error::check;
use crate::moments::Moments;
use crate::samples::quantile_of_sorted;
use crate::{Error, Samples};

/// The paper's weights of the pass probability.
pub const WEIGHTS: [f64; 5] = [0.5, 0.6, 0.7, 0.8, 0.9];

/// A bound with what it achieves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Optimum {
    /// Weight of the pass probability.
    pub weight: f64,
    /// The bound, in the sign of the samples.
    pub bound: f64,
    /// Estimated pass probability.
    pub pass: f64,
    /// Kill score.
    pub kill: f64,
    /// Weighted sum.
    pub objective: f64,
}

/// What FASER says of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaserLabel {
    /// The best bound raises the kill score by more than five points.
    Loose,
    /// It does not.
    Tight,
    /// No bound up to the original one reaches the pass probability.
    Infeasible,
}

/// The paper's answer with all its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Faser {
    /// Which inequality, and why; `None` when the original never varies.
    pub choice: Option<Choice>,
    /// Smallest bound whose pass probability is above the target, up to the original bound.
    pub crossing: Option<f64>,
    /// Optimum of each weight under the pass constraint; empty when infeasible.
    pub constrained: Vec<Optimum>,
    /// Optimum of each weight without it.
    pub unconstrained: Vec<Optimum>,
    /// Best kill score among the constrained ones; ties go to the higher pass probability.
    pub best: Option<Optimum>,
    /// The stated procedure: the first weight whose unconstrained optimum reaches the target.
    pub escalation: Option<Optimum>,
    /// Pass probability and kill score of the bound as written.
    pub original: (f64, f64),
    /// The verdict.
    pub label: FaserLabel,
}

struct FaserProblem<'a> {
    curve: &'a KillCurve,
    inequality: Inequality,
    moments: Moments,
    deviation: f64,
    target: f64,
    low: f64,
    high: f64,
}

/// Runs the optimisation between the 90th percentile of the original and the bound as written. `None` when the bound
/// lies below that percentile: such a test is flaky and not FASER's business.
///
/// # Errors
/// [`Error::TooFew`] below 5 samples, [`Error::TooMany`] above 5,000, [`Error::NotFinite`].
pub fn optimise(
    original: &[f64],
    curve: &KillCurve,
    assertion: &Assertion,
    target: f64,
    weights: &[f64],
    reading: Reading,
) -> Result<Option<Faser>, Error> {
    check(original, 5)?;
    let direction = assertion.direction;
    let samples = direction.orient(&Samples::new(original)?);
    let choice = match concentration::choose(samples.sorted(), reading) {
        Ok(choice) => Some(choice),
        Err(Error::NoVariation { .. }) => None,
        Err(other) => return Err(other),
    };
    let moments = Moments::of(samples.sorted());
    let low = quantile_of_sorted(samples.sorted(), 0.9).unwrap_or(moments.mean);
    let high = direction.oriented(assertion.bound);
    if high < low {
        return Ok(None);
    }
    let inequality = choice.map_or(Inequality::Dasgupta, |c| c.inequality);
    let problem = FaserProblem { curve, inequality, moments, deviation: moments.deviation(), target, low, high };
    Ok(Some(problem.solve(weights, choice, |bound| direction.oriented(bound))))
}

impl FaserProblem<'_> {
    fn pass(&self, bound: f64) -> f64 {
        pass_probability(self.inequality, &self.moments, self.deviation, bound)
    }

    fn solve(&self, weights: &[f64], choice: Option<Choice>, turned: impl Fn(f64) -> f64) -> Faser {
        let candidates: Vec<(f64, f64, f64)> =
            self.candidates().into_iter().map(|b| (b, self.pass(b), self.curve.mean_at(b))).collect();
        let crossing = self.first_above(self.target);
        let find = |weight: f64, is_allowed: &dyn Fn(f64) -> bool| {
            best_of(&candidates, weight, is_allowed).map(|o| Optimum { bound: turned(o.bound), ..o })
        };
        let constrained: Vec<Optimum> = weights.iter().filter_map(|w| find(*w, &|pass| pass > self.target)).collect();
        let unconstrained: Vec<Optimum> = weights.iter().filter_map(|w| find(*w, &|_| true)).collect();
        let best = constrained
            .iter()
            .copied()
            .reduce(|a, b| if b.kill > a.kill || b.kill == a.kill && b.pass > a.pass { b } else { a });
        let escalation = unconstrained.iter().copied().find(|o| o.pass >= self.target);
        let original = (self.pass(self.high), self.curve.mean_at(self.high));
        let label = match best {
            None => FaserLabel::Infeasible,
            Some(b) if b.kill - original.1 > LOOSE_GAIN => FaserLabel::Loose,
            Some(_) => FaserLabel::Tight,
        };
        let crossing = crossing.map(turned);
        Faser { choice, crossing, constrained, unconstrained, best, escalation, original, label }
    }

    /// Every bound at which the objective can have its maximum: between two of them the kill score is constant and the
    /// pass probability only grows, so the last double of each piece, and the first one after each jump, will do.
    fn candidates(&self) -> Vec<f64> {
        let mut bounds = vec![self.low, self.high];
        bounds.extend(self.first_above(self.target));
        let first = self.curve.values().partition_point(|x| *x < self.low);
        let last = self.curve.values().partition_point(|x| *x <= self.high.next_up());
        for x in &self.curve.values()[first..last] {
            bounds.extend([x.next_down(), *x, x.next_up()]);
        }
        if self.deviation == 0.0 {
            bounds.push(self.moments.mean.next_up());
        } else if self.inequality == Inequality::Cantelli {
            let n = self.moments.n;
            let steps = (1..=n + 1).map(|k| 1.0 - k as f64 / (n + 1) as f64);
            bounds.extend(steps.filter_map(|level| self.first_above(level - 0.5 / (n + 1) as f64)));
        }
        bounds.retain(|b| *b >= self.low && *b <= self.high);
        bounds.sort_unstable_by(f64::total_cmp);
        bounds.dedup();
        bounds
    }

    /// Smallest bound in the search range whose pass probability is above a level.
    fn first_above(&self, level: f64) -> Option<f64> {
        let (mut low, mut high) = (self.low, self.high);
        if self.pass(low) > level {
            return Some(low);
        }
        if self.pass(high) <= level {
            return None;
        }
        loop {
            let middle = 0.5 * low + 0.5 * high;
            if middle <= low || middle >= high {
                return Some(high);
            }
            if self.pass(middle) > level { high = middle } else { low = middle }
        }
    }
}

/// Largest weighted sum; the smallest bound among those within 1e-15 of it.
fn best_of(candidates: &[(f64, f64, f64)], weight: f64, is_allowed: &dyn Fn(f64) -> bool) -> Option<Optimum> {
    let mut best: Option<Optimum> = None;
    for &(bound, pass, kill) in candidates.iter().filter(|c| is_allowed(c.1)) {
        let objective = weight * pass + (1.0 - weight) * kill;
        if best.is_none_or(|b| objective > b.objective + 1e-15) {
            best = Some(Optimum { weight, bound, pass, kill, objective });
        }
    }
    best
}
