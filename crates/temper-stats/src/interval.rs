//! Confidence intervals for a share: how often does the assertion fail?
//!
//! Clopper-Pearson (1934) never covers less than it promises and is used for verdicts. Wilson (1927) is shorter and
//! covers its level on average only; it is for display.

use crate::special::{beta_quantile, normal_quantile};
use crate::{Confidence, Error};

/// A share with the interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareInterval {
    /// Count divided by total.
    pub share: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

fn checked(count: usize, total: usize) -> Result<(f64, f64), Error> {
    if total == 0 {
        return Err(Error::TooFew { needed: 1, got: 0 });
    }
    if count > total {
        return Err(Error::OutOfRange { name: "count", value: count as f64, range: "at most the total" });
    }
    Ok((count as f64, total as f64))
}

/// Two-sided exact interval.
///
/// # Errors
/// [`Error::TooFew`] for no runs, [`Error::OutOfRange`] for more hits than runs.
pub fn clopper_pearson(count: usize, total: usize, confidence: Confidence) -> Result<ShareInterval, Error> {
    let (k, n) = checked(count, total)?;
    let half = 0.5 * confidence.complement();
    Ok(ShareInterval { share: k / n, low: lower(k, n, half), high: upper(k, n, half) })
}

/// Exact one-sided lower limit: the share is at least this, with the asked confidence.
///
/// # Errors
/// As [`clopper_pearson`].
pub fn lower_limit(count: usize, total: usize, confidence: Confidence) -> Result<f64, Error> {
    let (k, n) = checked(count, total)?;
    Ok(lower(k, n, confidence.complement()))
}

/// Exact one-sided upper limit: the share is at most this, with the asked confidence.
///
/// # Errors
/// As [`clopper_pearson`].
pub fn upper_limit(count: usize, total: usize, confidence: Confidence) -> Result<f64, Error> {
    let (k, n) = checked(count, total)?;
    Ok(upper(k, n, confidence.complement()))
}

fn lower(k: f64, n: f64, miss: f64) -> f64 {
    if k == 0.0 { 0.0 } else { beta_quantile(k, n - k + 1.0, miss) }
}

fn upper(k: f64, n: f64, miss: f64) -> f64 {
    if k == n { 1.0 } else { beta_quantile(k + 1.0, n - k, 1.0 - miss) }
}

/// Two-sided Wilson score interval.
///
/// # Errors
/// As [`clopper_pearson`].
pub fn wilson(count: usize, total: usize, confidence: Confidence) -> Result<ShareInterval, Error> {
    let (k, n) = checked(count, total)?;
    let z = normal_quantile(1.0 - 0.5 * confidence.complement());
    let share = k / n;
    let centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    Ok(ShareInterval { share, low: (centre - half).max(0.0), high: (centre + half).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    // scipy.stats.binomtest(k, n).proportion_ci(0.95, method), 1.17.1.
    #[test]
    fn intervals_agree_with_scipy() {
        let table = [
            (0, 100, 0.0, 0.036_216_692_645_190_54, 0.0, 0.036_993_498_206_985_68),
            (
                3,
                100,
                0.006_229_971_538_306_227,
                0.085_176_052_974_280_28,
                0.010_254_524_024_038_925,
                0.084_519_364_290_527_62,
            ),
            (7, 7, 0.590_383_602_774_951_4, 1.0, 0.645_669_564_933_312_6, 1.0),
        ];
        for (k, n, low, high, wilson_low, wilson_high) in table {
            let exact = clopper_pearson(k, n, Confidence::STANDARD).unwrap();
            assert!((exact.low - low).abs() < 1e-10 && (exact.high - high).abs() < 1e-10, "{exact:?}");
            let score = wilson(k, n, Confidence::STANDARD).unwrap();
            assert!((score.low - wilson_low).abs() < 1e-10 && (score.high - wilson_high).abs() < 1e-10, "{score:?}");
        }
    }

    // scipy.stats.binomtest(k, n, alternative="greater" | "less").proportion_ci(0.95), 1.17.1.
    #[test]
    fn limits_spend_the_whole_error_on_one_side() {
        let table = [
            (0, 100, 0.0, 0.029_513_049_607_156_64),
            (3, 100, 0.008_225_829_107_865_2, 0.075_710_793_749_830_07),
            (25, 300, 0.058_599_107_399_605_02, 0.114_446_253_141_523_37),
            (7, 7, 0.651_836_344_868_839_2, 1.0),
        ];
        for (k, n, low, high) in table {
            assert!((lower_limit(k, n, Confidence::STANDARD).unwrap() - low).abs() < 1e-10, "{k} of {n}");
            assert!((upper_limit(k, n, Confidence::STANDARD).unwrap() - high).abs() < 1e-10, "{k} of {n}");
        }
    }

    #[test]
    fn wrong_counts_are_refused() {
        assert!(clopper_pearson(0, 0, Confidence::STANDARD).is_err());
        assert!(wilson(3, 2, Confidence::STANDARD).is_err());
    }
}
