//! Confidence limits for far quantiles of the samples, calibrated.
//!
//! The limit is the more cautious one of two thresholds: the chosen one (many excesses, but perhaps too low a threshold
//! for what lies far out) and a high one (few excesses, little bias). At each, the profile likelihood is cut at a
//! chi-square value with an allowance for bias. The constants below were tuned by simulation on seeds other than those
//! of the recorded benchmark (`benches/stats/calibration.tsv`); the coverage measured there is printed beside every
//! bound.
//! Limits hold for independent samples of one distribution whose tail the GPD describes.

use super::TailAnalysis;
use super::threshold::ThresholdTest;
use crate::gpd::fit::fit_profile;
use crate::gpd::profile::Profile;
use crate::gpd::profile_limit::limits_of;
use crate::special::normal_quantile;
use crate::{Confidence, Target};

/// Added to the normal quantile before squaring. Plain chi-square cuts cover 0.6 to 0.95 at a nominal 0.95 with the
/// exceedances of this job, mostly by bias; this much of it raises exponential and heavy tails to at least 0.92.
const BIAS: f64 = 0.5;
/// Added besides for each unit of shape below 0: towards shape -1 the likelihood ratio is no chi-square any more, and
/// limits there are so near to the data that caution costs little.
const LIGHT_BIAS: f64 = 1.4;
/// Samples above the high threshold, as a multiple of the root of their number: 50 to 55 of 300, 160 of 3,000. A fixed
/// share leaves a bias that the shrinking limits expose (t3, 3,000 samples, 0.9999, a tenth: coverage 0.90).
const HIGH_COUNT: f64 = 3.0;

/// Lower and upper confidence limit of a quantile of the whole distribution, each one-sided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantileLimits {
    /// The quantile is at least this, with the asked confidence.
    pub low: f64,
    /// The quantile is at most this, with the asked confidence.
    pub high: f64,
}

/// Limits at a target; `None` when no tail was accepted or a limit is no finite number.
pub fn limits(analysis: &TailAnalysis, target: Target, confidence: Confidence) -> Option<QuantileLimits> {
    let tail = analysis.tail?;
    let chosen = analysis.tests.iter().position(|t| t.exceedances == tail.at.exceedances)?;
    let high_count = HIGH_COUNT * (analysis.n as f64).sqrt();
    let high = analysis.tests.iter().position(|t| t.exceedances as f64 >= high_count).unwrap_or(chosen);
    let (mut low, mut top) = (f64::INFINITY, f64::NEG_INFINITY);
    for index in [chosen, high.min(chosen)] {
        let (a, b) = at_threshold(analysis, &analysis.tests[index], target, confidence)?;
        (low, top) = (low.min(a), top.max(b));
    }
    // A sample above the limit would be evidence against it.
    let largest = analysis.analysed.last().copied()?;
    let low = analysis.in_user_units(low)?;
    let high = analysis.in_user_units(top.max(largest))?;
    Some(QuantileLimits { low, high })
}

fn at_threshold(
    analysis: &TailAnalysis,
    test: &ThresholdTest,
    target: Target,
    confidence: Confidence,
) -> Option<(f64, f64)> {
    let n = analysis.n as f64;
    let sorted = &analysis.analysed;
    let excesses: Vec<f64> =
        sorted[sorted.len() - test.exceedances..].iter().map(|x| x - analysis.place(test)).collect();
    let profile = Profile::new(&excesses)?;
    let (_, step) = fit_profile(&profile);
    let survival = target.complement() * n / test.exceedances as f64;
    let (low, high) = limits_of(&profile, step, survival, cut(test.fit.gpd.shape(), confidence));
    Some((analysis.place(test) + low, analysis.place(test) + high))
}

/// How far twice the log-likelihood may fall, by the fitted shape.
fn cut(shape: f64, confidence: Confidence) -> f64 {
    let z = normal_quantile(confidence.get()).max(0.0);
    (z + BIAS + LIGHT_BIAS * (-shape).clamp(0.0, 1.0)).powi(2)
}
