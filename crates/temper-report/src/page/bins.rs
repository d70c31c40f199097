//! The values of an assertion, in a form that a page can carry: counts in bins, and some of the runs as points.

use serde::Serialize;

const BINS: usize = 48;

/// Values between two ends, counted.
#[derive(Serialize)]
pub(super) struct ValueBins {
    low: f64,
    high: f64,
    counts: Vec<usize>,
}

/// One run: its value, its seed, and whether it failed. Seeds are texts because JavaScript's numbers are too short.
pub(super) type RunPoint = (f64, String, bool);

/// The counts; nothing if the values do not differ.
pub(super) fn bins(numbers: &[f64]) -> Option<ValueBins> {
    let finite = || numbers.iter().copied().filter(|number| number.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let range = high - low;
    if !range.is_finite() || range <= 0.0 {
        return None;
    }
    let mut counts = vec![0; BINS];
    for number in finite() {
        counts[((number - low) / range * BINS as f64).min(BINS as f64 - 1.0) as usize] += 1;
    }
    Some(ValueBins { low: rounded(low), high: rounded(high), counts })
}

/// At most `most` of the runs, evenly spread, and the most extreme ones on the side of the bound among them.
pub(super) fn points(numbers: &[f64], seeds: &[u64], out: impl Fn(f64) -> bool, most: usize) -> Vec<RunPoint> {
    let runs: Vec<(f64, u64)> = numbers.iter().copied().zip(seeds.iter().copied()).collect();
    let point = |&(number, seed): &(f64, u64)| (rounded(number), seed.to_string(), out(number));
    if runs.len() <= most {
        return runs.iter().map(point).collect();
    }
    let extreme = most / 4;
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by(|&left, &right| {
        let key = |at: usize| (!out(runs[at].0), -runs[at].0.abs());
        key(left).partial_cmp(&key(right)).unwrap_or(std::cmp::Ordering::Equal)
    });
    let rest = runs.len() - extreme;
    let step = rest.div_ceil((most - extreme).max(1)).max(1);
    let mut kept: Vec<usize> = order[..extreme].to_vec();
    kept.extend(order[extreme..].iter().copied().step_by(step));
    kept.sort_unstable();
    kept.into_iter().map(|at| point(&runs[at])).collect()
}

/// Five digits, which is more than a drawing shows.
pub(super) fn rounded(number: f64) -> f64 {
    format!("{number:.4e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_counted_once_and_equal_values_have_no_picture() {
        let found = bins(&[0.0, 0.0, 0.5, 1.0]).unwrap();
        assert_eq!((found.counts[0], found.counts[24], found.counts[47]), (2, 1, 1));
        assert!(bins(&[1.0, 1.0]).is_none() && bins(&[]).is_none());
    }

    #[test]
    fn of_many_runs_those_that_failed_are_kept() {
        let numbers: Vec<f64> = (0..1000).map(f64::from).collect();
        let seeds: Vec<u64> = (0..1000).collect();
        let kept = points(&numbers, &seeds, |number| number > 989.0, 100);
        assert!(kept.len() <= 100, "{}", kept.len());
        assert_eq!(kept.iter().filter(|(_, _, is_out)| *is_out).count(), 10);
        assert_eq!(points(&numbers, &seeds, |_| false, 2000).len(), 1000);
    }
}
