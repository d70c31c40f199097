//! Candidate thresholds, the test of fit at each, and the choice among them (FLEX section 4.2, Bader et al. 2018).

use super::strong_stop::strong_stop;
use super::{Candidates, TailOptions};
use crate::gpd::fit::{exponential_of, fit_profile};
use crate::gpd::fitness::{Distance, Fitness, test_sorted};
use crate::gpd::profile::Profile;
use crate::gpd::{Exponential, Fit};
use crate::samples::quantile_of_sorted;

/// One threshold, the fit above it and how well it fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThresholdTest {
    /// The threshold, in the unit of the samples (of the transformed ones, if a transform was used).
    pub threshold: f64,
    /// Samples strictly above it.
    pub exceedances: usize,
    /// The fitted GPD of the excesses.
    pub fit: Fit,
    /// The fitted exponential of the excesses.
    pub exponential: Exponential,
    /// Anderson-Darling distance with the table's p-value.
    pub fitness: Fitness,
}

/// Candidates in descending order, each with at least the asked number of exceedances.
fn candidates(sorted: &[f64], options: &TailOptions) -> Vec<f64> {
    let mut values: Vec<f64> = match options.candidates {
        Candidates::Quantiles => {
            (25..50).rev().filter_map(|i| quantile_of_sorted(sorted, f64::from(2 * i) / 100.0)).collect()
        }
        Candidates::Samples => sorted.iter().rev().copied().collect(),
    };
    values.dedup();
    let n = sorted.len();
    values.retain(|u| n - sorted.partition_point(|x| x <= u) >= options.least_exceedances);
    values
}

/// Tests every candidate, highest threshold first.
pub(crate) fn test_all(sorted: &[f64], options: &TailOptions) -> Vec<ThresholdTest> {
    candidates(sorted, options).into_iter().filter_map(|u| test_one(sorted, u)).collect()
}

impl ThresholdTest {
    /// The same test with every length multiplied by `unit`.
    pub(crate) fn scaled(self, unit: f64) -> Self {
        let count = self.exceedances as f64;
        let shift = count * unit.ln();
        let scale = |s: f64| (s * unit).clamp(f64::MIN_POSITIVE, f64::MAX);
        Self {
            threshold: self.threshold * unit,
            fit: Fit { gpd: self.fit.gpd.scaled(unit), log_likelihood: self.fit.log_likelihood - shift, ..self.fit },
            exponential: Exponential {
                scale: scale(self.exponential.scale),
                log_likelihood: self.exponential.log_likelihood - shift,
            },
            ..self
        }
    }
}

fn test_one(sorted: &[f64], threshold: f64) -> Option<ThresholdTest> {
    let first = sorted.partition_point(|x| *x <= threshold);
    let excesses: Vec<f64> = sorted[first..].iter().map(|x| x - threshold).collect();
    let profile = Profile::new(&excesses)?;
    let (fit, _) = fit_profile(&profile);
    Some(ThresholdTest {
        threshold,
        exceedances: excesses.len(),
        fit,
        exponential: exponential_of(&profile),
        fitness: test_sorted(&fit, &excesses, Distance::AndersonDarling),
    })
}

/// Position of the lowest accepted threshold among tests in descending order of threshold: StrongStop with index 1 at the
/// highest one ends the walk downwards (FLEX section 3).
pub(crate) fn choose(tests: &[ThresholdTest], options: &TailOptions) -> Option<usize> {
    let fits = |i: &usize| tests[*i].fitness.p > options.significance;
    let descending: Vec<f64> = tests.iter().map(|t| t.fitness.p).collect();
    let rule = strong_stop(&descending);
    let last = rule.iter().position(|v| *v <= options.false_discovery_rate).unwrap_or(tests.len().saturating_sub(1));
    (0..tests.len().min(last + 1)).rev().find(fits)
}
