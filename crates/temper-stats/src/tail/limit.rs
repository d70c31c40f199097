//! Limits for far quantiles of the samples, calibrated.
//!
//! The limit is the more cautious one of two thresholds: the top tenth of the samples or less (few excesses, little bias) and the top
//! three tenths (many excesses, but perhaps too low a threshold for what lies far out). At each, it is a quantile of the
//! posterior under a weak prior on the shape (`gpd/posterior.rs`). Chosen by simulation among profile limits, transforms and
//! means over thresholds, on seeds other than those of the recorded benchmark (`benches/stats/calibration.tsv`); the
//! coverage measured there is printed next to every bound.
//! Limits hold for independent samples of one distribution with a finite variance: t2, Cauchy and a separate mode of
//! three in a thousand are not covered.

use super::TailKind;
use crate::gpd::posterior::Posterior;
use crate::gpd::power_of_two_near;
use crate::lattice::Lattice;
use crate::special::{normal_cdf, normal_quantile};
use crate::{Confidence, Samples, Target};

/// Shares of the samples above the two thresholds.
const HIGH_SHARE: f64 = 0.1;
const LOW_SHARE: f64 = 0.3;
/// Most samples above the higher one, as a multiple of the root of their number. A fixed share of many samples leaves a bias
/// that the shrinking limits expose.
const HIGH_COUNT: f64 = 3.0;
/// Fewest samples: the least size that was simulated.
pub const LEAST_SAMPLES: usize = 100;
/// Added to the normal quantile of the confidence, for the bias of the thresholds: 0.965 for 0.95.
const CAUTION: f64 = 0.167;
/// Added, in addition, for each factor of ten by which a failure may be rarer than one in a thousand.
const CAUTION_RARER: f64 = 0.3;
/// Factor on the error of a lower limit. The prior expects a slightly heavy tail, which is cautious for upper limits and the opposite
/// for lower ones: without it 12 of 100 bounds that stand at the quantile of a beta or of two normal groups were called flaky.
const LOWER_CAUTION: f64 = 0.1;
/// Shapes from which on a tail is called heavy, and below which light.
const HEAVY: f64 = 0.2;
const LIGHT: f64 = 0.0;

/// The upper tail of samples, fitted above two thresholds.
pub struct FittedTail {
    samples: usize,
    /// The lattice that the samples lie on, if they do.
    pub lattice: Option<Lattice>,
    /// A power of two that brings the samples below 1 in size, so that no finite sample overflows.
    unit: f64,
    /// The largest sample, in units of `unit` like everything below; half a step further on a lattice.
    largest: f64,
    fits: Vec<ThresholdFit>,
}

/// The posterior above one threshold.
struct ThresholdFit {
    threshold: f64,
    exceedances: usize,
    posterior: Posterior,
}

/// The upper limit of a quantile of the whole distribution, and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantileLimit {
    /// The quantile is above and below this with even chances.
    pub estimate: f64,
    /// The quantile is at most this, with the asked confidence.
    pub high: f64,
    /// Samples above the threshold that gave the limit.
    pub exceedances: usize,
}

impl FittedTail {
    /// Fits the tail; `None` for too few samples, or if most of them are the largest.
    pub fn new(samples: &Samples) -> Option<Self> {
        let (min, max) = (samples.min()?, samples.max()?);
        if samples.len() < LEAST_SAMPLES {
            return None;
        }
        let lattice = Lattice::find(samples);
        let unit = 2.0 * power_of_two_near(max.abs().max(min.abs()));
        let spread = lattice.map_or_else(|| samples.sorted().to_vec(), |lattice| lattice.spread(samples));
        let sorted: Vec<f64> = spread.into_iter().map(|x| x / unit).collect();
        let high = HIGH_SHARE.min(HIGH_COUNT / (samples.len() as f64).sqrt());
        let fits: Vec<ThresholdFit> =
            [high, LOW_SHARE].into_iter().filter_map(|share| ThresholdFit::new(&sorted, share)).collect();
        let largest = *sorted.last()?;
        (!fits.is_empty()).then_some(Self { samples: samples.len(), lattice, unit, largest, fits })
    }

    /// The upper limit at a target; `None` when it is no finite number.
    pub fn limit(&self, target: Target, confidence: Confidence) -> Option<QuantileLimit> {
        let share = share_below(target, confidence);
        let limits = self.fits.iter().map(|fit| (fit, self.quantile(fit, target, share)));
        let (widest, high) = limits.max_by(|a, b| a.1.total_cmp(&b.1))?;
        // A sample above the limit would be evidence against it.
        let high = high.max(self.largest) * self.unit;
        let estimate = (self.quantile(widest, target, 0.5) * self.unit).min(high);
        high.is_finite().then_some(QuantileLimit { estimate, high, exceedances: widest.exceedances })
    }

    /// The quantile is at least this, with the asked confidence.
    pub fn lower_limit(&self, target: Target, confidence: Confidence) -> f64 {
        let share = LOWER_CAUTION * (1.0 - share_below(target, confidence));
        self.fits.iter().map(|fit| self.quantile(fit, target, share)).fold(f64::INFINITY, f64::min) * self.unit
    }

    fn quantile(&self, fit: &ThresholdFit, target: Target, share: f64) -> f64 {
        let survival = target.complement() * self.samples as f64 / fit.exceedances as f64;
        fit.threshold + fit.posterior.quantile(survival, share)
    }

    /// The value that the largest of `count` samples is below with about probability `share`: that share of the posterior of
    /// that quantile of the largest, which errs on the side of a wide range.
    pub fn largest_of(&self, count: usize, share: f64) -> Option<f64> {
        let fit = self.fits.last()?;
        let survival = -(share.ln() / count as f64).exp_m1() * self.samples as f64 / fit.exceedances as f64;
        let value = fit.threshold + fit.posterior.quantile(survival, share);
        Some(value * self.unit).filter(|value| value.is_finite())
    }

    /// The mean shape above the lower threshold, which has more samples.
    pub fn shape(&self) -> f64 {
        self.fits.last().and_then(|fit| fit.posterior.typical()).map_or(0.0, |gpd| gpd.shape())
    }

    /// What kind of tail that is.
    pub fn kind(&self) -> TailKind {
        match self.shape() {
            shape if shape < LIGHT => TailKind::Light,
            shape if shape < HEAVY => TailKind::Exponential,
            _ => TailKind::Heavy,
        }
    }

    /// Estimated probability that a sample lies above `value`; `None` below the lower threshold.
    pub fn probability_above(&self, value: f64) -> Option<f64> {
        let fit = self.fits.last()?;
        let beyond = value / self.unit - fit.threshold;
        let share = fit.exceedances as f64 / self.samples as f64;
        (beyond >= 0.0).then(|| fit.posterior.typical().map(|gpd| share * gpd.survival(beyond)))?
    }
}

/// The share of the posterior below a limit.
fn share_below(target: Target, confidence: Confidence) -> f64 {
    let rarer = (Target::THOUSANDTH.complement() / target.complement()).log10().max(0.0);
    normal_cdf(normal_quantile(confidence.get()) + CAUTION + CAUTION_RARER * rarer)
}

impl ThresholdFit {
    fn new(sorted: &[f64], share: f64) -> Option<Self> {
        let exceedances = (share * sorted.len() as f64).round() as usize;
        let first = sorted.len().checked_sub(exceedances)?;
        let threshold = *sorted.get(first.checked_sub(1)?)?;
        let excesses: Vec<f64> = sorted[first..].iter().map(|x| x - threshold).collect();
        Some(Self { threshold, exceedances, posterior: Posterior::new(&excesses)? })
    }
}
