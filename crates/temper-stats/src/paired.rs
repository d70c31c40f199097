//! Tests on pairs: the same seed with and without a change.
//!
//! McNemar (1947) for pass/fail pairs, exact; Student's paired t for differences that are about normal; Wilcoxon's
//! signed ranks (1945) where they are not: exact without ties up to 50 pairs, else the normal approximation with tie
//! correction. All assume independent pairs.

use crate::Error;
use crate::error::check;
use crate::moments::Moments;
use crate::special::{binomial_cdf, normal_sf, student_two_sided};

/// A statistic with its two-sided p-value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedTest {
    /// The statistic.
    pub statistic: f64,
    /// Two-sided p-value.
    pub p: f64,
}

/// Exact McNemar test from the two counts of discordant pairs. The statistic is the smaller count.
pub fn mcnemar(only_first: usize, only_second: usize) -> PairedTest {
    let (n, k) = (only_first + only_second, only_first.min(only_second));
    let p = if n == 0 { 1.0 } else { (2.0 * binomial_cdf(n, 0.5, k)).min(1.0) };
    PairedTest { statistic: k as f64, p }
}

fn differences(left: &[f64], right: &[f64], needed: usize) -> Result<Vec<f64>, Error> {
    if left.len() != right.len() {
        return Err(Error::Unpaired { left: left.len(), right: right.len() });
    }
    check(left, needed)?;
    check(right, needed)?;
    // Halved: the difference of two finite numbers can overflow, and neither test sees the factor.
    Ok(left.iter().zip(right).map(|(a, b)| 0.5 * a - 0.5 * b).collect())
}

/// Paired t test of left minus right. All differences equal gives p = 1 when they are 0, and p = 0 otherwise.
///
/// # Errors
/// [`Error::Unpaired`], [`Error::TooFew`] below 2 pairs, [`Error::NotFinite`].
pub fn paired_t(left: &[f64], right: &[f64]) -> Result<PairedTest, Error> {
    let differences = differences(left, right, 2)?;
    let moments = Moments::of(&differences);
    let n = differences.len() as f64;
    if moments.deviation() == 0.0 {
        let is_zero = moments.mean == 0.0;
        return Ok(PairedTest {
            statistic: if is_zero { 0.0 } else { f64::MAX.copysign(moments.mean) },
            p: if is_zero { 1.0 } else { 0.0 },
        });
    }
    let t = (moments.mean / moments.deviation() * n.sqrt()).clamp(-f64::MAX, f64::MAX);
    Ok(PairedTest { statistic: t, p: student_two_sided(t, n - 1.0) })
}

/// Wilcoxon signed-rank test of left minus right; pairs without a difference are left out. The statistic is the smaller
/// of the two rank sums.
///
/// # Errors
/// [`Error::Unpaired`], [`Error::TooFew`] without pairs, [`Error::NotFinite`].
pub fn wilcoxon(left: &[f64], right: &[f64]) -> Result<PairedTest, Error> {
    let mut kept: Vec<f64> = differences(left, right, 1)?.into_iter().filter(|d| *d != 0.0).collect();
    kept.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
    let n = kept.len();
    if n == 0 {
        return Ok(PairedTest { statistic: 0.0, p: 1.0 });
    }
    let (mut positive, mut tie_term, mut start) = (0.0, 0.0, 0);
    for group in kept.chunk_by(|a, b| a.abs() == b.abs()) {
        let size = group.len() as f64;
        let rank = start as f64 + (size + 1.0) / 2.0;
        positive += rank * group.iter().filter(|d| **d > 0.0).count() as f64;
        tie_term += size * size * size - size;
        start += group.len();
    }
    let total = (n * (n + 1)) as f64 / 2.0;
    let statistic = positive.min(total - positive);
    let p = if tie_term == 0.0 && n <= 50 { exact_rank_p(n, statistic) } else { normal_rank_p(n, statistic, tie_term) };
    Ok(PairedTest { statistic, p })
}

/// Twice the share of sign patterns whose positive ranks sum to at most the statistic.
fn exact_rank_p(n: usize, statistic: f64) -> f64 {
    let total = n * (n + 1) / 2;
    let mut ways = vec![0.0; total + 1];
    ways[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..=total).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let below: f64 = ways[..=(statistic as usize).min(total)].iter().sum();
    (2.0 * below * 0.5_f64.powi(n as i32)).min(1.0)
}

fn normal_rank_p(n: usize, statistic: f64, tie_term: f64) -> f64 {
    let n = n as f64;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tie_term / 48.0;
    let z = (statistic - n * (n + 1.0) / 4.0) / variance.sqrt();
    (2.0 * normal_sf(z.abs())).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: [f64; 8] = [125.0, 115.0, 130.0, 140.0, 141.0, 115.0, 140.0, 125.5];
    const RIGHT: [f64; 8] = [110.0, 122.0, 125.0, 120.0, 140.0, 124.0, 123.0, 137.0];

    // scipy 1.17.1: ttest_rel, wilcoxon (default and method="approx", correction=False), binomtest.
    #[test]
    fn p_values_agree_with_scipy() {
        let t = paired_t(&LEFT, &RIGHT).unwrap();
        assert!((t.statistic - SCIPY[0]).abs() < 1e-9 && (t.p - SCIPY[1]).abs() < 1e-9, "{t:?}");
        let w = wilcoxon(&LEFT, &RIGHT).unwrap();
        assert!((w.statistic - SCIPY[2]).abs() < 1e-9 && (w.p - SCIPY[3]).abs() < 1e-9, "{w:?}");
        let tied: Vec<f64> = RIGHT.iter().zip(LEFT).map(|(r, l)| l + (r - l).signum() * 2.0).collect();
        let w = wilcoxon(&LEFT, &tied).unwrap();
        assert!((w.p - SCIPY[4]).abs() < 1e-9, "{w:?}");
        assert!((mcnemar(3, 12).p - SCIPY[5]).abs() < 1e-12);
        assert_eq!(mcnemar(0, 0).p, 1.0);
    }

    const SCIPY: [f64; 6] =
        [0.865_755_385_520_178_3, 0.415_308_338_470_386_7, 12.0, 0.460_937_5, 0.479_500_122_186_953_37, 0.035_156_25];

    #[test]
    fn unpaired_lists_are_refused() {
        assert!(matches!(paired_t(&[1.0, 2.0], &[1.0]), Err(Error::Unpaired { .. })));
        assert_eq!(wilcoxon(&[1.0], &[1.0]).unwrap().p, 1.0);
    }
}
