//! The bound on the other side of a value, where mutants that move it away from failing say that one is missing.
//!
//! A ratio that must stay below 0.9 and falls to nothing passes, although something is wrong. The bound comes from the same samples,
//! by the same order statistic; there is none where the value may lie at the limit of its kind, which is its best.

use temper_source::{Form, Reduction, Role};
use temper_stats::bound::{self, BoundMethod};
use temper_stats::kill::KillCurve;
use temper_stats::order::{OrderLevel, levels};
use temper_stats::{Direction, Samples};

use super::score;
use super::tighten::{MutantEffect, Tightened};
use crate::judge::value_range::is_hard_limit;
use crate::judge::verdict::{self, Rules};
use crate::plan::sampling_plan::{PlannedFile, SamplingPlan};
use crate::propose::literal::{self, LiteralStyle};
use crate::sample::site_samples::SiteSamples;

/// A bound on the other side.
#[derive(Clone, Debug, PartialEq)]
pub struct OppositeBound {
    /// As source text, rounded away from the samples.
    pub text: String,
    /// The number that the text stands for.
    pub bound: f64,
    /// Runs of the original that it was observed in.
    pub runs: usize,
    /// Mutants that it would kill in most of their runs, of those that move the value away from failing.
    pub killed: usize,
    /// All that do.
    pub improving: usize,
}

/// The other side.
fn turned(direction: Direction) -> Direction {
    if direction == Direction::Upper { Direction::Lower } else { Direction::Upper }
}

/// Samples of the mutants that move the value away from failing, turned to the other side.
fn curve(found: &Tightened, test: usize, number: i64, series: &SiteSamples) -> KillCurve {
    let improving = score::effects(found, test, number).filter_map(|effect| match effect {
        MutantEffect::Effective { values, improves: true, .. } => Some(values.as_slice()),
        _ => None,
    });
    let improving: Vec<&[f64]> = improving.collect();
    KillCurve::new(score::distinct(&improving), turned(series.direction), true)
}

/// Whether a second bound can be written: one value is compared with one number, once in a run.
fn is_possible(plan: &SamplingPlan, number: i64, series: &SiteSamples) -> bool {
    let is_plain = |(_, site): (&PlannedFile, &temper_source::Site)| {
        site.form == Form::Compare && site.reduction == Reduction::None && !site.in_loop && site.answer.is_none()
    };
    let is_value = series.role == Role::Value && !series.is_margin && !series.is_distance;
    is_value && plan.site(number).is_some_and(is_plain)
}

/// Whether further runs of the original may give a bound on the other side that kills something.
pub(super) fn is_promising(
    plan: &SamplingPlan,
    found: &Tightened,
    (test, number): (usize, i64),
    series: &SiteSamples,
) -> bool {
    let curve = curve(found, test, number, series);
    let best = series.numbers.iter().map(|&value| turned(series.direction).oriented(value)).fold(f64::MIN, f64::max);
    is_possible(plan, number, series) && curve.mostly_killed(turned(series.direction).oriented(best)) > 0
}

/// The bound on the other side, if the samples give one and mutants say that it kills.
pub(super) fn opposite(
    plan: &SamplingPlan,
    found: &Tightened,
    (test, number): (usize, i64),
    series: &SiteSamples,
    rules: &Rules,
) -> Option<OppositeBound> {
    let curve = curve(found, test, number, series);
    if curve.is_empty() || !is_possible(plan, number, series) {
        return None;
    }
    let level = levels(rules.pass, rules.confidence).into_iter().next()?;
    let (text, bound) = written(series, &level, rules)?;
    let (killed, improving) = (curve.mostly_killed(bound), curve.len());
    (killed > 0).then_some(OppositeBound { text, bound, runs: level.samples, killed, improving })
}

/// The number on the other side that the first runs support, rounded outward.
fn written(series: &SiteSamples, level: &OrderLevel, rules: &Rules) -> Option<(String, f64)> {
    let samples = Samples::new(series.numbers.get(..level.samples)?).ok()?;
    let rules = Rules { method: BoundMethod::Calibrated, ..*rules };
    let turned = SiteSamples { direction: turned(series.direction), is_strict: true, ..series.clone() };
    let request = verdict::request(&turned, &rules, &samples, rules.confidence);
    let estimate = bound::propose_at(level, &samples, &request)?;
    if is_hard_limit(&estimate, &request) {
        return None;
    }
    let is_whole = samples.sorted().iter().all(|value| value.fract() == 0.0);
    let style = LiteralStyle {
        // The bound of a count is a whole number.
        literal: if is_whole { "0" } else { "" },
        role: Role::Value,
        direction: turned.direction,
        is_strict: true,
        is_whole,
        distance: (estimate.bound - samples.quantile(0.5)?).abs(),
    };
    let (text, bound) = literal::written(estimate.bound, &style)?;
    let Direction::Lower = turned.direction else { return Some((text, bound)) };
    // Rounded below the least value that is possible, it would accept everything.
    (request.range.low.is_none_or(|low| bound > low)).then_some((text, bound))
}

#[cfg(test)]
mod tests {
    use temper_stats::{Confidence, Target};

    use super::*;

    const LEVEL: OrderLevel = OrderLevel { samples: 100, beyond: 0, confidence: 0.95 };

    fn bound(direction: Direction, value: impl Fn(usize) -> f64) -> Option<f64> {
        let rules = Rules {
            pass: Target::new(0.97).unwrap(),
            confidence: Confidence::STANDARD,
            method: BoundMethod::Calibrated,
            most_runs: 100,
            bound_runs: 100,
            is_sharpened: false,
        };
        let values: Vec<f64> = (0..100).map(value).collect();
        let series = SiteSamples::of_values(direction, true, 0.0, &values);
        written(&series, &LEVEL, &rules).map(|(_, bound)| bound)
    }

    #[test]
    fn the_bound_lies_just_beyond_the_samples_on_the_other_side() {
        let least = bound(Direction::Upper, |index| 0.2 + 0.001 * index as f64).unwrap();
        assert!((0.19..0.2).contains(&least), "{least}");
        let greatest = bound(Direction::Lower, |index| -0.2 - 0.001 * index as f64).unwrap();
        assert!(greatest > -0.2 && greatest < -0.18, "{greatest}");
    }

    #[test]
    fn the_bound_of_a_count_is_a_whole_number() {
        assert_eq!(bound(Direction::Upper, |index| 52.0 + (index % 13) as f64), Some(51.0));
        assert_eq!(bound(Direction::Lower, |index| 52.0 + (index % 13) as f64), Some(65.0));
    }

    #[test]
    fn a_value_at_the_limit_of_its_kind_has_none() {
        // Shares of ten that reach 1, the best that they can be; counts that reach 0.
        assert_eq!(bound(Direction::Lower, |index| 1.0 - 0.1 * (index % 3) as f64), None);
        assert_eq!(bound(Direction::Upper, |index| (index % 7) as f64), None);
    }
}
