//! Sites whose values stay so far from their bound that a handful of runs tells.
//!
//! The bound is measured from the median in units of the distance of the worst value. Values that may have a heavy tail are
//! measured on the logarithmic scale too, on which such a tail is a light one. The limits were simulated: with the bound
//! exactly at the 0.999 quantile, at most 1 of 100 samples of any of the 14 distributions in `benches/stats` exceeds them at
//! one look. A tail without a finite variance is not among them.

use temper_stats::{Confidence, Direction, Target};

use crate::sample::looks::SCREENING;
use crate::sample::site_samples::SiteSamples;

/// Fewest values, and how many times the distance of the worst value the bound must have, on the plain and the log scale.
const LIMITS: [(usize, f64, f64); 5] =
    [(10, 18.4, 6.2), (20, 9.9, 3.6), (30, 7.5, 2.8), (50, 5.7, 2.3), (100, 4.1, 1.8)];
/// The pass target and the confidence that the limits were simulated for.
const SIMULATED_PASS: f64 = 0.999;
const SIMULATED_CONFIDENCE: f64 = 0.95;

/// For bounds that are nearer: how many times the distance of the worst value, and the look at the tail that mostly decides
/// then. Rough, because only the order of runs follows from it.
const TAIL_LOOKS: [(f64, usize); 4] = [(2.5, 200), (1.9, 400), (1.5, 800), (1.3, 1600)];

/// Why a site is far inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FarInside {
    /// How many times as far from the median as the worst value the bound is.
    pub times: f64,
    /// Values that this rests on.
    pub values: usize,
}

impl FarInside {
    /// The share of runs that a separate group of bad values may have and still be missed in one case of twenty.
    #[must_use]
    pub fn unseen_share(&self) -> f64 {
        3.0 / self.values as f64
    }
}

/// How many times as far from the median as the worst value the bound is; nothing if all values are the same.
#[must_use]
pub(crate) fn ratio(series: &SiteSamples) -> Option<f64> {
    ratio_of(series.direction, &series.numbers, series.bound)
}

/// The look after `looked` runs that is expected to decide a site without failures: one of the fixed ones, or the last.
#[must_use]
pub(crate) fn deciding_look(series: &SiteSamples, looked: usize, most: usize) -> usize {
    // Values that are all the same so far are decided by the screening.
    let Some(times) = ratio(series) else { return if looked < SCREENING { SCREENING } else { most } };
    let early = LIMITS.into_iter().map(|(runs, plain, _)| (plain, runs));
    let looks = early.chain(TAIL_LOOKS).filter(|&(least, look)| look > looked && times >= least);
    looks.map(|(_, look)| look).next().unwrap_or(most).clamp(looked + 1, most.max(looked + 1))
}

/// Whether a site is decided by that.
#[must_use]
pub(crate) fn far_inside(series: &SiteSamples, pass: Target, confidence: Confidence) -> Option<FarInside> {
    let values = series.numbers.len();
    let is_whole = series.failures == 0 && values == series.reached && series.errors == 0;
    if !is_whole || confidence.get() > SIMULATED_CONFIDENCE || values > LIMITS[LIMITS.len() - 1].0 {
        return None;
    }
    let (_, plain, log) = LIMITS.into_iter().rev().find(|(least, ..)| *least <= values)?;
    // Quantiles of a power tail grow with a power of their rarity; on the log scale, with its logarithm.
    let rarer = ((1.0 - SIMULATED_PASS) / pass.complement()).max(1.0);
    let (plain, log) = (plain * rarer.cbrt(), log * (1.0 + rarer.ln() / -(1.0 - SIMULATED_PASS).ln()));
    let times = ratio(series)?;
    let is_far = times >= plain && log_ratio(series).is_none_or(|times| times >= log);
    is_far.then_some(FarInside { times, values })
}

fn log_ratio(series: &SiteSamples) -> Option<f64> {
    if series.is_margin || series.numbers.iter().any(|&value| value <= 0.0) {
        return None;
    }
    let logs: Vec<f64> = series.numbers.iter().map(|value| value.ln()).collect();
    // A lower bound that positive values cannot reach lies infinitely far away.
    let bound = if series.bound > 0.0 { series.bound.ln() } else { f64::NEG_INFINITY };
    ratio_of(series.direction, &logs, bound)
}

fn ratio_of(direction: Direction, values: &[f64], bound: f64) -> Option<f64> {
    let mut oriented: Vec<f64> = values.iter().map(|&value| direction.oriented(value)).collect();
    oriented.sort_by(f64::total_cmp);
    let (&best, &worst) = (oriented.first()?, oriented.last()?);
    let median = 0.5 * (oriented[(oriented.len() - 1) / 2] + oriented[oriented.len() / 2]);
    // If most values are the worst one, the whole width stands in.
    let width = if worst > median { worst - median } else { worst - best };
    (width > 0.0).then(|| (direction.oriented(bound) - median) / width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::looks::next_look;
    use temper_stats::random::Random;

    /// Whether the values are far inside the bound, asked at a confidence of 95 %.
    fn is_far(series: &SiteSamples, pass: f64) -> bool {
        far_inside(series, Target::new(pass).unwrap(), Confidence::new(0.95).unwrap()).is_some()
    }

    fn series(bound: f64, values: &[f64]) -> SiteSamples {
        SiteSamples::of_values(Direction::Upper, false, bound, values)
    }

    #[test]
    fn ten_runs_decide_what_is_a_hundred_times_as_far() {
        let lengths = [3.0, 4.0, 3.0, 5.0, 4.0, 3.0, 3.0, 4.0, 5.0, 3.0];
        assert!(is_far(&series(1000.0, &lengths), 0.999));
        assert!(!is_far(&series(20.0, &lengths), 0.999));
        assert!(!is_far(&series(1000.0, &lengths[..9]), 0.999));
    }

    #[test]
    fn rounding_errors_are_far_inside_a_tolerance_even_if_most_are_the_worst() {
        let errors = [2.2e-16, 2.2e-16, 0.0, 2.2e-16, 2.2e-16, 2.2e-16, 2.2e-16, 0.0, 2.2e-16, 2.2e-16];
        assert!(is_far(&series(1e-8, &errors), 0.999));
    }

    #[test]
    fn a_failure_an_error_or_a_higher_confidence_leaves_it_open() {
        let values: Vec<f64> = (0..10).map(f64::from).collect();
        let whole = series(1000.0, &values);
        assert!(is_far(&whole, 0.999));
        assert!(!is_far(&SiteSamples { failures: 1, ..whole.clone() }, 0.999));
        assert!(!is_far(&SiteSamples { errors: 1, ..whole.clone() }, 0.999));
        let sure = Confidence::new(0.99).unwrap();
        assert!(far_inside(&whole, Target::new(0.999).unwrap(), sure).is_none());
    }

    /// How to draw a value, and the 0.999 and 0.9999 quantiles.
    type Known = (&'static str, fn(&mut Random) -> f64, [f64; 2]);

    const KNOWN: [Known; 6] = [
        ("uniform", |random| random.open(), [0.999, 0.9999]),
        ("normal", |random| random.normal(), [3.0902, 3.719]),
        ("exponential", |random| -random.open().ln(), [6.9078, 9.2103]),
        ("laplace", |random| random.open().ln() - random.open().ln(), [6.2146, 8.5172]),
        ("lognormal", |random| random.normal().exp(), [21.982, 41.224]),
        ("t3", |random| random.normal() / (mean_square(random)).sqrt(), [10.2145, 22.2037]),
    ];

    fn mean_square(random: &mut Random) -> f64 {
        (0..3).map(|_| random.normal().powi(2)).sum::<f64>() / 3.0
    }

    #[test]
    fn a_bound_at_the_target_quantile_is_called_far_in_one_of_a_hundred_at_most() {
        for (name, draw, quantiles) in KNOWN {
            for (bound, pass) in quantiles.into_iter().zip([0.999, 0.9999]) {
                let mut wrong = [0; LIMITS.len()];
                for seed in 0..2000 {
                    let mut random = Random::new(seed);
                    let values: Vec<f64> = (0..100).map(|_| draw(&mut random)).collect();
                    for (wrong, (n, ..)) in wrong.iter_mut().zip(LIMITS) {
                        *wrong += usize::from(is_far(&series(bound, &values[..n]), pass));
                    }
                }
                // 1 % of 2,000 and three standard errors of it.
                assert!(wrong.iter().all(|&wrong| wrong <= 34), "{name} {pass}: {wrong:?}");
            }
        }
    }

    #[test]
    fn the_look_that_decides_is_the_sooner_the_further_the_bound_is() {
        let values = [0.0, 1.0, 2.0];
        let looks = [30.0, 9.0, 6.0, 3.5, 1.1].map(|bound| deciding_look(&series(bound, &values), 2, 2995));
        assert_eq!(looks, [10, 30, 100, 200, 2995]);
        // What the sooner look did not decide is left to a later one.
        assert_eq!(deciding_look(&series(30.0, &values), 30, 2995), 50);
        assert_eq!(deciding_look(&series(30.0, &values), 1600, 2995), 2995);
        assert_eq!(deciding_look(&series(30.0, &[1.0, 1.0]), 10, 2995), 30);
        assert_eq!(deciding_look(&series(1.1, &values), 2995, 2995), 2996);
    }

    #[test]
    fn every_limit_has_its_look() {
        let mut runs = 0;
        for (least, ..) in LIMITS {
            while runs < least {
                runs = next_look(runs, 1000);
            }
            assert_eq!(runs, least);
        }
    }
}
