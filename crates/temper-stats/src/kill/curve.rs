//! Kill score over the bound: FASER equations 5 and 6.
//!
//! The kill probability of a mutant is the share of its samples that fail; the kill score is the mean over mutants. Its
//! interval is for these mutants only: it says nothing about faults of other kinds.

use crate::special::normal_quantile;
use crate::{Confidence, Direction};

/// One comparison of an actual with a bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assertion {
    /// Which side fails.
    pub direction: Direction,
    /// Whether a value equal to the bound fails (`<`, `>`).
    pub is_strict: bool,
    /// The bound.
    pub bound: f64,
}

impl Assertion {
    /// Whether a value fails. NaN fails.
    pub fn fails(&self, value: f64) -> bool {
        let (x, b) = (self.direction.oriented(value), self.direction.oriented(self.bound));
        if self.is_strict { x >= b || x.is_nan() } else { x > b || x.is_nan() }
    }
}

/// Mean kill probability with an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KillScore {
    /// The mean over mutants; 0 without mutants.
    pub mean: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Samples of mutants, ready to be asked at any bound. Signs are turned so that large values fail.
#[derive(Debug, Clone)]
pub struct KillCurve {
    direction: Direction,
    is_strict: bool,
    mutants: Vec<Vec<f64>>,
    /// All samples ascending, and the kill score that each and those above it contribute.
    values: Vec<f64>,
    weights_above: Vec<f64>,
}

impl KillCurve {
    /// From the samples of the mutants that count. Mutants without samples are left out; NaN counts as a kill at every
    /// bound.
    pub fn new<'a>(mutants: impl IntoIterator<Item = &'a [f64]>, direction: Direction, is_strict: bool) -> Self {
        let orient = |x: &f64| if x.is_nan() { f64::INFINITY } else { direction.oriented(*x) };
        let mutants: Vec<Vec<f64>> = mutants
            .into_iter()
            .filter(|m| !m.is_empty())
            .map(|m| {
                let mut turned: Vec<f64> = m.iter().map(orient).collect();
                turned.sort_unstable_by(f64::total_cmp);
                turned
            })
            .collect();
        let count = mutants.len() as f64;
        let mut weighted: Vec<(f64, f64)> =
            mutants.iter().flat_map(|m| m.iter().map(move |x| (*x, 1.0 / (count * m.len() as f64)))).collect();
        weighted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let values = weighted.iter().map(|w| w.0).collect();
        let mut sum = 0.0;
        let mut weights_above: Vec<f64> = weighted
            .iter()
            .rev()
            .map(|w| {
                sum += w.1;
                sum
            })
            .collect();
        weights_above.reverse();
        Self { direction, is_strict, mutants, values, weights_above }
    }

    /// Number of mutants.
    pub fn len(&self) -> usize {
        self.mutants.len()
    }

    /// Whether there are no mutants.
    pub fn is_empty(&self) -> bool {
        self.mutants.is_empty()
    }

    /// Kill score at a bound in the sign of the samples.
    pub fn score(&self, bound: f64) -> f64 {
        self.mean_at(self.direction.oriented(bound))
    }

    /// Kill score with an interval, at a bound in the sign of the samples.
    pub fn score_with_interval(&self, bound: f64, confidence: Confidence) -> KillScore {
        self.score_of_share(bound, confidence, 1.0)
    }

    /// The same for a random `share` of the mutants that the score is asked for: its interval is about all of them.
    pub fn score_of_share(&self, bound: f64, confidence: Confidence, share: f64) -> KillScore {
        self.score_at(self.direction.oriented(bound), confidence, share)
    }

    /// How many mutants a bound kills in more than half of their runs; the bound in the sign of the samples.
    pub fn mostly_killed(&self, bound: f64) -> usize {
        self.each_at(self.direction.oriented(bound)).filter(|share| *share > 0.5).count()
    }

    /// Samples of all mutants, ascending, with failing values large: where the score changes.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// Kill score at a bound whose sign was turned with the samples.
    pub(crate) fn mean_at(&self, bound: f64) -> f64 {
        let first = self.first_killed(&self.values, bound);
        self.weights_above.get(first).copied().unwrap_or(0.0).min(1.0)
    }

    fn first_killed(&self, sorted: &[f64], bound: f64) -> usize {
        sorted.partition_point(|x| if self.is_strict { *x < bound } else { *x <= bound })
    }

    /// Kill probability of each mutant.
    fn each_at(&self, bound: f64) -> impl Iterator<Item = f64> {
        self.mutants.iter().map(move |m| (m.len() - self.first_killed(m, bound)) as f64 / m.len() as f64)
    }

    /// Kill score with an interval, at a bound whose sign was turned with the samples.
    fn score_at(&self, bound: f64, confidence: Confidence, share: f64) -> KillScore {
        let mean = self.mean_at(bound);
        let count = self.mutants.len().max(1) as f64;
        // Half a kill and half a survival added, so that mutants killed always or never still have a variance.
        let variance: f64 = self
            .each_at(bound)
            .zip(&self.mutants)
            .map(|(p, m)| {
                let n = m.len() as f64;
                let share = (p * n + 0.5) / (n + 1.0);
                share * (1.0 - share) / n
            })
            .sum::<f64>()
            / (count * count);
        // Kill probabilities lie between 0 and 1, most of them at an end: no spread with this mean is wider. One kill and one
        // survival are added, so that mutants that all agree still leave some doubt about the rest.
        let centre = (mean * count + 1.0) / (count + 2.0);
        let of_mutants = (1.0 - share.clamp(0.0, 1.0)) * centre * (1.0 - centre) / count;
        let variance = variance + of_mutants;
        let half = normal_quantile(1.0 - 0.5 * confidence.complement()) * variance.sqrt();
        KillScore { mean, low: (mean - half).max(0.0), high: (mean + half).min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_count_alike_whatever_their_number_of_samples() {
        let mutants: [&[f64]; 3] = [&[1.0, 2.0, 3.0, 4.0], &[5.0], &[]];
        let curve = KillCurve::new(mutants, Direction::Upper, true);
        assert_eq!(curve.len(), 2);
        for (bound, score) in [(0.0, 1.0), (3.0, 0.75), (3.5, 0.625), (5.0, 0.5), (6.0, 0.0)] {
            assert!((curve.mean_at(bound) - score).abs() < 1e-12, "{bound}");
        }
        let lenient = KillCurve::new(mutants, Direction::Upper, false);
        assert!((lenient.mean_at(3.0) - 0.625).abs() < 1e-12);
    }

    #[test]
    fn a_mutant_counts_as_killed_if_most_of_its_runs_fail() {
        let mutants: [&[f64]; 3] = [&[1.0, 2.0, 3.0, 4.0], &[3.0, 3.0, 9.0], &[5.0]];
        let curve = KillCurve::new(mutants, Direction::Upper, true);
        let counts = [0.5, 2.0, 3.0, 4.0, 9.0, 10.0].map(|bound| curve.mostly_killed(bound));
        // Half of the runs are not most of them.
        assert_eq!(counts, [3, 3, 2, 1, 0, 0]);
        let turned = KillCurve::new([[-1.0, -2.0].as_slice()], Direction::Lower, true);
        assert_eq!(turned.mostly_killed(-0.5), 1);
    }

    #[test]
    fn assertions_fail_on_the_right_side() {
        let below = Assertion { direction: Direction::Upper, is_strict: true, bound: 2.0 };
        assert!(below.fails(2.0) && below.fails(f64::NAN) && !below.fails(1.9));
        let at_least = Assertion { direction: Direction::Lower, is_strict: false, bound: 2.0 };
        assert!(!at_least.fails(2.0) && at_least.fails(1.9));
    }

    #[test]
    fn the_interval_of_a_random_share_covers_the_score_of_all() {
        // 60 mutants, killed always, never or now and then; a quarter of them is drawn.
        let all: Vec<Vec<f64>> = (0..60_u32)
            .map(|mutant| {
                (0..20).map(|run| f64::from((mutant % 3 == 0 || (mutant % 7 == 1 && run % 2 == 0)) as u8)).collect()
            })
            .collect();
        let whole = KillCurve::new(all.iter().map(Vec::as_slice), Direction::Upper, false).score(0.5);
        let confidence = Confidence::new(0.95).unwrap();
        let covered = (0..200_u64).filter(|seed| {
            let mut random = crate::random::Random::new(*seed);
            let mut order: Vec<(f64, usize)> = (0..all.len()).map(|index| (random.open(), index)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let drawn = order.iter().take(15).map(|(_, index)| all[*index].as_slice());
            let curve = KillCurve::new(drawn, Direction::Upper, false);
            let score = curve.score_of_share(0.5, confidence, 0.25);
            (score.low..=score.high).contains(&whole)
        });
        // 95 % of 200, less three standard errors.
        assert!(covered.count() >= 181);
    }
}
