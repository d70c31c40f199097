//! The empirical bound: bootstrap of the extreme (FLEX section 5.2).
//!
//! Resamples never exceed the largest sample, so this says how stable the extreme is, not how far the next one may lie.
//! FLEX offers it where no tail could be fitted; we do so only when its interval is narrow.

use crate::random::Random;
use crate::samples::quantile_of_sorted;
use crate::{Confidence, Direction, Error, Samples};

/// Extremes of resamples.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtremeBootstrap {
    /// Mean of the extremes.
    pub mean: f64,
    /// Median of the extremes.
    pub median: f64,
    /// Lower end of their interval.
    pub low: f64,
    /// Upper end of their interval.
    pub high: f64,
    extremes: Vec<f64>,
}

impl ExtremeBootstrap {
    /// Width of the interval.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// A quantile of the extremes; `None` outside 0..=1.
    pub fn quantile(&self, p: f64) -> Option<f64> {
        quantile_of_sorted(&self.extremes, p)
    }

    /// Whether the interval is narrower than `share` of the bound it would replace.
    pub fn is_narrow(&self, bound: f64, share: f64) -> bool {
        self.width() < share * bound.abs()
    }
}

/// Resamples the samples and takes the extreme on the failing side of each resample. FLEX takes 1,000.
///
/// # Errors
/// [`Error::TooFew`] without samples or resamples.
pub fn extremes(
    samples: &Samples,
    direction: Direction,
    resamples: usize,
    confidence: Confidence,
    seed: u64,
) -> Result<ExtremeBootstrap, Error> {
    let n = samples.len();
    if n == 0 || resamples == 0 {
        return Err(Error::TooFew { needed: 1, got: n.min(resamples) });
    }
    let oriented = direction.orient(samples);
    let mut random = Random::new(seed);
    // The largest of n uniform ranks is drawn directly: its distribution function is (rank / n)^n.
    let mut extremes: Vec<f64> = (0..resamples)
        .map(|_| {
            let share = random.open().powf(1.0 / n as f64);
            let rank = ((share * n as f64).ceil() as usize).clamp(1, n);
            direction.oriented(oriented.sorted()[rank - 1])
        })
        .collect();
    extremes.sort_unstable_by(f64::total_cmp);
    let half = 0.5 * confidence.complement();
    let at = |p: f64| quantile_of_sorted(&extremes, p).unwrap_or(f64::NAN);
    let mean = extremes.iter().map(|x| x / resamples as f64).sum();
    Ok(ExtremeBootstrap { mean, median: at(0.5), low: at(half), high: at(1.0 - half), extremes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_have_the_distribution_of_a_resampled_maximum() {
        let samples = Samples::new(&(1..=20).map(f64::from).collect::<Vec<_>>()).unwrap();
        let drawn = extremes(&samples, Direction::Upper, 20_000, Confidence::STANDARD, 3).unwrap();
        let share_at_max = drawn.extremes.iter().filter(|x| **x == 20.0).count() as f64 / 20_000.0;
        // 1 - (19/20)^20 = 0.6415; the standard error is 0.0034, five of them allowed.
        assert!((share_at_max - 0.6415).abs() < 0.017, "{share_at_max}");
        assert_eq!(drawn.high, 20.0);
        let lower = extremes(&samples, Direction::Lower, 20_000, Confidence::STANDARD, 3).unwrap();
        assert_eq!((lower.low, lower.median), (1.0, 1.0));
    }
}
