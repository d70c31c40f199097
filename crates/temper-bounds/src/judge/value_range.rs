//! Limits that the values of a site cannot pass, and bounds that stand at them.

use temper_stats::bound::{BoundEstimate, Range, Request};
use temper_stats::lattice::Lattice;
use temper_stats::{Direction, Samples};

use crate::sample::site_samples::SiteSamples;

/// Limits that values of this kind cannot pass: what their name tells, counts are not negative, shares of a whole lie between
/// 0 and 1.
pub(crate) fn range(series: &SiteSamples, samples: &Samples) -> Range {
    let (Some(min), Some(max)) = (samples.min(), samples.max()) else { return Range::default() };
    let Range { low, high } = series.known_range;
    let is_kept = low.is_none_or(|low| low <= min) && high.is_none_or(|high| max <= high);
    if !series.is_margin && is_kept && series.known_range != Range::default() {
        return series.known_range;
    }
    if series.is_margin || min < 0.0 {
        return Range::default();
    }
    if samples.sorted().iter().all(|value| value.fract() == 0.0) {
        return Range { low: Some(0.0), high: None };
    }
    let lattice = Lattice::find(&series.direction.orient(samples));
    let is_share = lattice.is_some_and(|lattice| {
        let parts = 1.0 / lattice.step;
        max <= 1.0
            && (parts - parts.round()).abs() < 1e-6
            && samples.sorted().iter().all(|v| (v * parts - (v * parts).round()).abs() < 1e-6)
    });
    if is_share { Range { low: Some(0.0), high: Some(1.0) } } else { Range { low: Some(0.0), high: None } }
}

/// A value, or the limit that values of its kind cannot pass.
pub(crate) fn inside_range(series: &SiteSamples, samples: &Samples, value: f64) -> f64 {
    let Range { low, high } = range(series, samples);
    value.clamp(low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY))
}

/// Whether a bound stands at a limit that no value can pass, so that the assertion would accept everything.
pub(crate) fn is_hard_limit(proposal: &BoundEstimate, wanted: &Request) -> bool {
    match wanted.direction {
        Direction::Upper => wanted.range.high.is_some_and(|high| proposal.bound >= high),
        Direction::Lower => wanted.range.low.is_some_and(|low| proposal.bound <= low),
    }
}
