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

/// How many samples the second largest needs to serve as the bound: 473 for 0.99 and 4,742 for 0.999 at 95 %.
pub fn samples_needed_by_second(target: Target, confidence: Confidence) -> usize {
    let serves = |n: usize| below(n, target, n - 1) >= confidence.get();
    let mut low = samples_needed(target, confidence).max(2);
    let mut high = low;
    while !serves(high) && high < usize::MAX / 2 {
        (low, high) = (high, 2 * high);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if serves(middle) { high = middle } else { low = middle }
    }
    high
}

/// One of several chances to find a bound in samples that keep coming: see [`levels`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderLevel {
    /// Samples at which to look.
    pub samples: usize,
    /// Samples that lie beyond the bound: none at the first level, one at the second.
    pub beyond: usize,
    /// Probability that no bound of this level or of those before it is wrong, if each is taken only where those before
    /// it were not.
    pub confidence: f64,
}

/// What the levels spend of the error: mostly the first, which is all that most sites need.
const SPENT: [f64; 3] = [0.7, 0.2, 0.1];

/// Sizes at which to look at a growing set of samples for a bound, until one serves some purpose.
///
/// At level k the bound is the k-th largest sample so far; it is taken if it lies at or below some fixed number, and else
/// there is a next level. Each has a separate share of the error, so that all together keep the confidence: the chance
/// that a bound is taken which lies below the quantile is at most that of a count of exceedances, of rate 1 - target, to be
/// below k at level k and not to have been at the levels before. For a fixed number above the quantile the one event
/// implies the other; for one below it, the rate is higher and the chance lower. The count can only fall below k at level
/// k from exactly k - 1, without a further exceedance, which gives the sizes one by one.
pub fn levels(target: Target, confidence: Confidence) -> [OrderLevel; SPENT.len()] {
    let (rate, error) = (target.complement(), confidence.complement());
    // counts[j]: chance of j exceedances so far and no bound taken.
    let mut counts = [1.0, 0.0, 0.0, 0.0];
    let mut samples = 0;
    let mut spent = 0.0;
    std::array::from_fn(|beyond| {
        let share = SPENT[beyond] * error;
        let further = ((share / counts[beyond]).ln() / target.get().ln()).ceil().max(1.0) as usize;
        for _ in 0..further {
            for j in (1..counts.len()).rev() {
                counts[j] = counts[j] * target.get() + counts[j - 1] * rate;
            }
            counts[0] *= target.get();
        }
        samples += further;
        spent += counts[beyond];
        counts[..=beyond].fill(0.0);
        OrderLevel { samples, beyond, confidence: 1.0 - spent }
    })
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
    fn the_second_largest_serves_from_the_first_size_that_its_rank_allows() {
        for (p, n) in [(0.99, 473), (0.999, 4_742), (0.9, 46), (0.5, 8)] {
            assert_eq!(samples_needed_by_second(target(p), Confidence::STANDARD), n);
            let rank = |n: usize| smallest_rank(n, target(p), Confidence::STANDARD).unwrap().0;
            assert_eq!((rank(n), rank(n - 1)), (n - 1, n - 1));
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

    #[test]
    fn levels_together_keep_the_confidence_and_spend_most_of_it_at_the_first() {
        for (p, confidence) in [(0.9, 0.95), (0.99, 0.95), (0.999, 0.95), (0.95, 0.9)] {
            let levels = levels(target(p), Confidence::new(confidence).unwrap());
            assert!(levels.iter().zip([0, 1, 2]).all(|(level, beyond)| level.beyond == beyond));
            assert!(levels.is_sorted_by(|a, b| a.samples < b.samples && a.confidence >= b.confidence));
            assert!(levels[2].confidence >= confidence);
            // The first is the largest sample with 0.7 of the error.
            let surer = Confidence::new(1.0 - 0.7 * (1.0 - confidence)).unwrap();
            assert_eq!(levels[0].samples, samples_needed(target(p), surer));
        }
    }

    #[test]
    fn a_bound_taken_at_some_level_is_wrong_as_rarely_as_asked() {
        // Uniform values, so that the quantile 0.9 is 0.9. The number that a bound must reach to be taken lies below the
        // quantile, at it and above it. 4,000 repetitions: under a rate of 0.05 more than 242 have a chance below 0.1 %.
        let levels = levels(target(0.9), Confidence::STANDARD);
        for purpose in [0.88, 0.9, 0.93, 1.0] {
            let mut wrong = 0;
            for seed in 0..4_000 {
                let mut random = crate::random::Random::new(seed);
                let values: Vec<f64> = (0..levels[2].samples).map(|_| random.open()).collect();
                let bound = |level: &OrderLevel| {
                    let samples = Samples::new(&values[..level.samples]).unwrap();
                    samples.sorted()[level.samples - 1 - level.beyond]
                };
                let taken = levels.iter().map(bound).find(|&bound| bound <= purpose);
                wrong += usize::from(taken.is_some_and(|bound| bound < 0.9));
            }
            assert!(wrong <= 242, "{purpose}: {wrong}");
            // At the quantile itself all three shares are spent.
            assert!(purpose != 0.9 || wrong > 120, "{wrong}");
        }
    }
}
