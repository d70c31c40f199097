//! Deciding while samples come in, without fooling oneself.
//!
//! Looking again and again until a limit falls on one side of the bound makes wrong answers more frequent than the
//! confidence says. So decisions are taken at few sample sizes that double, and all but the last look use a much higher
//! confidence (Haybittle 1971, Peto et al. 1976): together the early looks may be wrong a tenth as often as the last
//! one. By the union bound the whole procedure is wrong at most 1.1 times as often as asked (5.5 % for 95 %). In
//! exchange the last look needs no more samples than a single one would: 2,995 for 0.999. A batch between two looks may
//! be drawn, shown and stored, but not judged.

use crate::Confidence;

/// Share of the allowed error that all early looks have together.
const EARLY_SHARE: f64 = 0.1;
/// The first look: fewer samples leave no room for a fit above a threshold.
const FIRST: usize = 100;

/// The sample sizes at which a verdict may be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looks {
    sizes: Vec<usize>,
}

/// One look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Samples it is taken at.
    pub samples: usize,
    /// Confidence to judge with.
    pub confidence: Confidence,
    /// Whether no more samples will come.
    pub is_last: bool,
}

impl Looks {
    /// 100, 200, 400, ... and the most runs there will be.
    pub fn doubling(max_runs: usize) -> Self {
        let mut sizes: Vec<usize> = std::iter::successors(Some(FIRST), |n| n.checked_mul(2))
            // An early look just before the last one would spend error for nothing.
            .take_while(|n| 3 * n <= 2 * max_runs)
            .collect();
        sizes.push(max_runs);
        Self { sizes }
    }

    /// The sample sizes, ascending.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The look at this many samples; `None` between looks. At or beyond the last size it is the last look.
    pub fn at(&self, samples: usize, overall: Confidence) -> Option<Look> {
        let last = *self.sizes.last()?;
        if samples >= last {
            return Some(Look { samples, confidence: overall, is_last: true });
        }
        let early = (self.sizes.len() - 1) as f64;
        let confidence = Confidence::new(1.0 - overall.complement() * EARLY_SHARE / early).ok()?;
        self.sizes.contains(&samples).then_some(Look { samples, confidence, is_last: false })
    }

    /// The last look at fewer samples than planned, because the budget ended. Its size was not chosen by the data, so
    /// it may use the full confidence.
    pub fn cut_short(samples: usize, overall: Confidence) -> Look {
        Look { samples, confidence: overall, is_last: true }
    }

    /// Samples to have before the next look; `None` after the last one.
    pub fn next_after(&self, samples: usize) -> Option<usize> {
        self.sizes.iter().copied().find(|n| *n > samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_all_looks_add_up_to_little_more_than_one() {
        for max in [50, 100, 151, 300, 3_000, 100_000] {
            let looks = Looks::doubling(max);
            assert!(looks.sizes().is_sorted_by(|a, b| a < b), "{looks:?}");
            let spent: f64 =
                looks.sizes().iter().map(|n| looks.at(*n, Confidence::STANDARD).unwrap().confidence.complement()).sum();
            assert!(spent <= 0.055 + 1e-12, "{max}: {spent}");
            assert!(looks.at(max, Confidence::STANDARD).unwrap().is_last);
            assert_eq!(looks.next_after(max), None);
        }
        assert_eq!(Looks::doubling(3_000).sizes(), [100, 200, 400, 800, 1_600, 3_000]);
        assert_eq!(Looks::doubling(3_000).at(150, Confidence::STANDARD), None);
    }
}
