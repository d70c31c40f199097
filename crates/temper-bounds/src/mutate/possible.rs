//! What a run that was cut points at: the bound just beyond all values so far, if it would kill clearly more mutants.
//!
//! So few runs do not support it at the target. They say where a tighter bound is likely to be, and that further runs are worth
//! their time; the next call takes these and verifies what comes of it.

use temper_stats::kill::{KillCurve, LOOSE_GAIN};

use crate::propose::literal::{self, LiteralStyle};
use crate::sample::looks::SCREENING;
use crate::sample::site_samples::SiteSamples;

/// A bound that no value so far lies beyond.
#[derive(Clone, Debug, PartialEq)]
pub struct PossibleBound {
    /// As source text, rounded away from the samples.
    pub text: String,
    /// The number that the text stands for.
    pub bound: f64,
    /// Runs of the original that it rests on.
    pub runs: usize,
}

/// The bound just beyond all values, if it is tighter than the one that is written and kills clearly more. `literal` is how that one
/// is written.
pub(super) fn possible(series: &SiteSamples, curve: &KillCurve, literal: &str) -> Option<PossibleBound> {
    let runs = series.numbers.len();
    if runs < SCREENING || series.failures > 0 || series.is_margin {
        return None;
    }
    let samples = series.samples().ok()?;
    let worst = series.direction.oriented(series.direction.orient(&samples).max()?);
    let style = LiteralStyle {
        literal,
        role: series.role,
        direction: series.direction,
        is_strict: series.is_strict,
        is_whole: samples.sorted().iter().all(|value| value.fract() == 0.0),
        distance: (worst - samples.quantile(0.5)?).abs(),
    };
    let (text, bound) = literal::written(worst, &style)?;
    let gain = curve.score(bound) - curve.score(series.bound);
    (series.is_inside(bound) && gain > LOOSE_GAIN).then_some(PossibleBound { text, bound, runs })
}

/// Whether a bound suits all tests at its site, which share the number that is written: each of them leaves room, and none needs
/// a wider one. All bounds are turned so that a larger one is wider.
pub(super) fn suits_all(own: f64, mut of_tests: impl Iterator<Item = Option<f64>>) -> bool {
    of_tests.all(|bound| bound.is_some_and(|bound| bound <= own))
}

#[cfg(test)]
mod tests {
    use temper_source::Role;
    use temper_stats::Direction;

    use super::*;

    /// The bound that is possible where the values lie between 0 and 0.29 and a mutant gives the same value in all its runs.
    fn found(runs: usize, written: f64, mutant: f64) -> Option<f64> {
        let values: Vec<f64> = (0..runs).map(|run| 0.01 * run as f64).collect();
        let series = SiteSamples::of_values(Direction::Upper, true, written, &values);
        let curve = KillCurve::new([[mutant; 5].as_slice()], Direction::Upper, true);
        possible(&series, &curve, "5.0").map(|each| each.bound)
    }

    #[test]
    fn it_lies_just_beyond_all_values_and_kills_more() {
        let bound = found(30, 5.0, 2.0).unwrap();
        assert!(bound > 0.29 && bound < 0.32, "{bound}");
    }

    #[test]
    fn a_tolerance_below_zero_is_not_possible() {
        let values: Vec<f64> = (0..30).map(|run| -0.01 * f64::from(run) - 0.01).collect();
        let mut series = SiteSamples::of_values(Direction::Upper, true, 1e-8, &values);
        let curve = KillCurve::new([[0.0; 5].as_slice()], Direction::Upper, true);
        assert!(possible(&series, &curve, "1e-8").is_some_and(|each| each.bound < 0.0), "a value may be negative");
        series.role = Role::Absolute;
        assert_eq!(possible(&series, &curve, "1e-8"), None, "a relative tolerance covers all differences");
    }

    #[test]
    fn a_bound_that_another_test_of_the_site_breaks_is_not_possible() {
        assert!(suits_all(0.5, [Some(0.5), Some(0.4)].into_iter()));
        assert!(!suits_all(0.5, [Some(0.5), Some(1.3)].into_iter()), "the other test needs 1.3");
        assert!(!suits_all(0.5, [Some(0.5), None].into_iter()), "the other test leaves no room");
    }

    #[test]
    fn a_few_runs_a_bound_that_kills_nothing_and_one_that_is_tight_already_give_none() {
        assert_eq!(found(29, 5.0, 2.0), None);
        assert_eq!(found(30, 5.0, 0.2), None, "the mutant lies among the values");
        assert_eq!(found(30, 1.0, 2.0), None, "it is killed by the bound as written");
        assert_eq!(found(30, 0.295, 0.294), None, "there is no room");
    }
}
