//! Signs that a value is wrong and not merely noisy. A bound must not be widened over a bug.

use temper_source::Role;
use temper_stats::Samples;

use crate::sample::site_samples::SiteSamples;

/// Why a site looks like a bug.
#[derive(Clone, Debug, PartialEq)]
pub enum Suspicion {
    /// NaN or infinities among the values.
    NotFinite {
        /// Runs with a NaN.
        nan: usize,
        /// Runs with an infinity.
        infinite: usize,
    },
    /// A group of failing values far from all others.
    Clusters {
        /// Median of the values before the gap.
        near: f64,
        /// Median of the values beyond it.
        far: f64,
        /// How many lie beyond it.
        count: usize,
    },
    /// Failing values that are orders of magnitude out.
    Magnitude {
        /// The worst value.
        worst: f64,
        /// How many times as far from the median as the 95 % point.
        times: f64,
    },
    /// Values that move with the number of the run.
    Drift {
        /// Rank correlation of value and run.
        correlation: f64,
    },
}

/// Fewest values that make a group: three values beyond the same gap are no accident of a heavy tail (for a Pareto tail with
/// exponent 1 the chance is below 0.006, for lighter ones far less).
const LEAST_GROUP: usize = 3;
/// The gap before a far group, in units of the width of the values before it.
const GAP: f64 = 5.0;
/// Three orders of magnitude.
const MAGNITUDE: f64 = 1000.0;
/// Standard errors of the rank correlation: one accident in a million sites.
const DRIFT: f64 = 5.0;

/// The first sign found, if there is one.
#[must_use]
pub fn suspicion(series: &SiteSamples) -> Option<Suspicion> {
    if series.nan + series.infinite > 0 {
        return Some(Suspicion::NotFinite { nan: series.nan, infinite: series.infinite });
    }
    let samples = series.samples().ok()?;
    if series.failures > 0 {
        let oriented = series.direction.orient(&samples);
        // A tolerance that is not used needs 0: such values are no group of their own.
        let is_group_side = series.role != Role::Relative || samples.min() != Some(0.0);
        let found = clusters(series, &oriented).filter(|_| is_group_side).or_else(|| magnitude(series, &oriented));
        if found.is_some() {
            return found;
        }
    }
    drift(&series.numbers)
}

fn clusters(series: &SiteSamples, oriented: &Samples) -> Option<Suspicion> {
    let sorted = oriented.sorted();
    let median = oriented.quantile(0.5)?;
    let bound = series.direction.oriented(series.bound);
    let last = sorted.len().checked_sub(LEAST_GROUP)?;
    let least = if sorted.iter().all(|value| value.fract() == 0.0) { 1.0 } else { f64::MIN_POSITIVE };
    for start in (1..=last).rev() {
        let (before, after) = (sorted[start - 1], sorted[start]);
        if after < bound || before < median {
            break;
        }
        // From the median to the gap, or a quarter of the whole width where most values are the median.
        let width = (before - median).max(0.25 * (before - sorted[0])).max(least);
        if after - before > GAP * width {
            let middle = |values: &[f64]| series.direction.oriented(values[values.len() / 2]);
            let (near, far) = (middle(&sorted[..start]), middle(&sorted[start..]));
            return Some(Suspicion::Clusters { near, far, count: sorted.len() - start });
        }
    }
    None
}

fn magnitude(series: &SiteSamples, oriented: &Samples) -> Option<Suspicion> {
    let (median, high, worst) = (oriented.quantile(0.5)?, oriented.quantile(0.95)?, oriented.max()?);
    let times = (worst - median) / (high - median);
    let is_out = times.is_finite() && times > MAGNITUDE;
    is_out.then(|| Suspicion::Magnitude { worst: series.direction.oriented(worst), times })
}

fn drift(numbers: &[f64]) -> Option<Suspicion> {
    let n = numbers.len();
    if n < 30 {
        return None;
    }
    let ranks = ranks(numbers);
    let mean = (n as f64 - 1.0) / 2.0;
    let (mut both, mut own, mut time) = (0.0, 0.0, 0.0);
    for (index, rank) in ranks.iter().enumerate() {
        let (a, b) = (index as f64 - mean, rank - mean);
        both += a * b;
        own += b * b;
        time += a * a;
    }
    let correlation = both / (own * time).sqrt();
    let is_drift = correlation.is_finite() && correlation.abs() * (n as f64 - 1.0).sqrt() > DRIFT;
    is_drift.then_some(Suspicion::Drift { correlation })
}

/// Ranks from 0, ties sharing their mean.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut start = 0;
    for tied in order.chunk_by(|&a, &b| numbers[a] == numbers[b]) {
        let rank = start as f64 + (tied.len() as f64 - 1.0) / 2.0;
        tied.iter().for_each(|&index| ranks[index] = rank);
        start += tied.len();
    }
    ranks
}
