//! Bounds from order statistics: exact for every distribution, as far as the data reach.
//!
//! The r-th smallest of n samples lies at or above the quantile `target` with probability P(Binomial(n, target) < r)
//! (Wilks 1941), with equality for continuous distributions and at least that much for others. No model can be wrong
//! here; the price is n: the largest sample serves 0.99 only from 299 samples on, 0.999 from 2,995. It fails when runs
//! are not independent or drift.

use crate::special::binomial_cdf;
use crate::{Confidence, Samples, Target};

/// A tolerance bound and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderBound {
    /// The sample that serves as the bound.
    pub value: f64,
    /// Its rank, 1 being the smallest sample.
    pub rank: usize,
    /// Probability that it reaches the quantile, at least the confidence asked for.
    pub confidence: f64,
}

/// The smallest sample that is at or above the quantile `target` with the asked confidence; `None` when even the
/// largest is not.
pub fn upper_bound(samples: &Samples, target: Target, confidence: Confidence) -> Option<OrderBound> {
    let n = samples.len();
    let (rank, reached) = smallest_rank(n, target, confidence)?;
    Some(OrderBound { value: samples.sorted()[rank - 1], rank, confidence: reached })
}

fn smallest_rank(n: usize, target: Target, confidence: Confidence) -> Option<(usize, f64)> {
    // P(Binomial < r) for rank r; it grows with r, so the smallest one is found by bisection.
    let reached = |rank: usize| if rank == 0 { 0.0 } else { below(n, target, rank) };
    if n == 0 || reached(n) < confidence.get() {
        return None;
    }
    let (mut low, mut high) = (0, n);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if reached(middle) >= confidence.get() { high = middle } else { low = middle }
    }
    Some((high, reached(high)))
}

fn below(n: usize, target: Target, rank: usize) -> f64 {
    if rank >= n { -(n as f64 * target.get().ln()).exp_m1() } else { binomial_cdf(n, target.get(), rank - 1) }
}

/// How many samples the largest needs to serve as the bound: 299 for 0.99 and 2,995 for 0.999 at 95 %.
pub fn samples_needed(target: Target, confidence: Confidence) -> usize {
    let exact = (confidence.complement().ln() / target.get().ln()).ceil();
    // One step either way for what rounding did to the quotient.
    let mut n = (exact as usize).saturating_sub(1).max(1);
    while below(n, target, n) < confidence.get() && n < usize::MAX {
        n += 1;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(p: f64) -> Target {
        Target::new(p).unwrap()
    }

    #[test]
    fn the_largest_sample_serves_from_the_textbook_sizes_on() {
        for (p, n) in [(0.99, 299), (0.999, 2_995), (0.9, 29), (0.95, 59)] {
            assert_eq!(samples_needed(target(p), Confidence::STANDARD), n);
            let samples = |k: usize| Samples::new(&(0..k).map(|i| i as f64).collect::<Vec<_>>()).unwrap();
            let bound = upper_bound(&samples(n), target(p), Confidence::STANDARD).unwrap();
            assert_eq!(bound.rank, n);
            assert_eq!(upper_bound(&samples(n - 1), target(p), Confidence::STANDARD), None);
        }
    }

    #[test]
    fn rank_is_the_smallest_that_a_plain_binomial_sum_allows() {
        for (n, p) in [(1_000, 0.99), (473, 0.98), (500, 0.5)] {
            let mut term = (n as f64 * f64::ln_1p(-p)).exp();
            let mut log_term = n as f64 * f64::ln_1p(-p);
            let mut sum = term;
            let mut rank = 1;
            while sum < 0.95 {
                log_term += ((n - rank + 1) as f64 / rank as f64).ln() + (p / (1.0 - p)).ln();
                term = log_term.exp();
                sum += term;
                rank += 1;
            }
            let (ours, reached) = smallest_rank(n, target(p), Confidence::STANDARD).unwrap();
            assert_eq!(ours, rank);
            assert!((reached - sum).abs() < 1e-9);
        }
    }
}
