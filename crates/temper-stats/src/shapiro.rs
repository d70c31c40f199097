//! Shapiro-Wilk test of normality for 3 to 5,000 samples (Royston 1995, AS R94).
//!
//! The p-value comes from a normal approximation whose polynomials Royston fitted; above 5,000 samples they were never
//! checked, so larger sets are refused. With many samples the test finds departures that no bound would notice.

use crate::Error;
use crate::error::check;
use crate::special::{normal_quantile, normal_sf};

/// W near 1 for normal samples, and how often chance makes it as small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapiroWilk {
    /// The statistic.
    pub w: f64,
    /// Its p-value.
    pub p: f64,
}

fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Tests whether the samples are normal. Samples that are all equal give W = 1 and p = 1, as in scipy.
///
/// # Errors
/// [`Error::TooFew`] below 3, [`Error::TooMany`] above 5,000, [`Error::NotFinite`].
pub fn shapiro_wilk(samples: &[f64]) -> Result<ShapiroWilk, Error> {
    check(samples, 3)?;
    let n = samples.len();
    if n > 5_000 {
        return Err(Error::TooMany { most: 5_000, got: n });
    }
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let unit = crate::gpd::power_of_two_near(sorted[0].abs().max(sorted[n - 1].abs()).max(f64::MIN_POSITIVE)) * 2.0;
    let middle = sorted[n / 2] / unit;
    sorted.iter_mut().for_each(|x| *x = *x / unit - middle);
    let range = sorted[n - 1] - sorted[0];
    if range < 1e-19 {
        return Ok(ShapiroWilk { w: 1.0, p: 1.0 });
    }
    let missing = one_minus_w(&sorted, &weights(n), range);
    Ok(ShapiroWilk { w: 1.0 - missing, p: p_value(missing, n) })
}

/// Weights of the upper half, largest sample first; those of the lower half have the other sign.
fn weights(n: usize) -> Vec<f64> {
    const FIRST: [f64; 6] = [0.0, 0.221_157, -0.147_981, -2.071_190, 4.434_685, -2.706_056];
    const SECOND: [f64; 6] = [0.0, 0.042_981, -0.293_762, -1.752_461, 5.682_633, -3.582_633];
    let half = n / 2;
    if n == 3 {
        return vec![std::f64::consts::FRAC_1_SQRT_2];
    }
    let expected: Vec<f64> = (1..=half).map(|i| -normal_quantile((i as f64 - 0.375) / (n as f64 + 0.25))).collect();
    let squares = 2.0 * expected.iter().map(|m| m * m).sum::<f64>();
    let root = squares.sqrt();
    let small = 1.0 / (n as f64).sqrt();
    let first = polynomial(&FIRST, small) + expected[0] / root;
    let mut weights = vec![first];
    let (start, scale) = if n > 5 {
        let second = expected[1] / root + polynomial(&SECOND, small);
        weights.push(second);
        let rest = squares - 2.0 * expected[0].powi(2) - 2.0 * expected[1].powi(2);
        (2, (rest / (1.0 - 2.0 * first * first - 2.0 * second * second)).sqrt())
    } else {
        (1, ((squares - 2.0 * expected[0].powi(2)) / (1.0 - 2.0 * first * first)).sqrt())
    };
    weights.extend(expected[start..].iter().map(|m| m / scale));
    weights
}

/// 1 - W, computed so that W near 1 keeps its digits.
fn one_minus_w(sorted: &[f64], weights: &[f64], range: f64) -> f64 {
    let n = sorted.len();
    let scaled: Vec<f64> = sorted.iter().map(|x| x / range).collect();
    let mean = scaled.iter().sum::<f64>() / n as f64;
    let weight = |i: usize| {
        if i < n / 2 {
            -weights[i]
        } else if n - 1 - i < n / 2 {
            weights[n - 1 - i]
        } else {
            0.0
        }
    };
    let (mut aa, mut xx, mut ax) = (0.0, 0.0, 0.0);
    for (i, x) in scaled.iter().enumerate() {
        let (a, d) = (weight(i), x - mean);
        aa += a * a;
        xx += d * d;
        ax += a * d;
    }
    let root = (aa * xx).sqrt();
    ((root - ax) * (root + ax) / (aa * xx)).max(0.0)
}

fn p_value(missing: f64, n: usize) -> f64 {
    const SMALL_MEAN: [f64; 4] = [0.544, -0.399_78, 0.025_054, -6.714e-4];
    const SMALL_SPREAD: [f64; 4] = [1.3822, -0.778_57, 0.062_767, -0.002_032_2];
    const LARGE_MEAN: [f64; 4] = [-1.5861, -0.310_82, -0.083_751, 0.003_891_5];
    const LARGE_SPREAD: [f64; 3] = [-0.4803, -0.082_676, 0.003_030_2];
    let size = n as f64;
    if n == 3 {
        let w = 1.0 - missing;
        let p = 6.0 / std::f64::consts::PI * (w.sqrt().asin() - 0.75_f64.sqrt().asin());
        return p.clamp(0.0, 1.0);
    }
    let y = missing.max(f64::MIN_POSITIVE).ln();
    if n <= 11 {
        let gamma = -2.273 + 0.459 * size;
        if y >= gamma {
            return 1e-99;
        }
        let y = -(gamma - y).ln();
        let (mean, spread) = (polynomial(&SMALL_MEAN, size), polynomial(&SMALL_SPREAD, size).exp());
        return normal_sf((y - mean) / spread);
    }
    let log = size.ln();
    normal_sf((y - polynomial(&LARGE_MEAN, log)) / polynomial(&LARGE_SPREAD, log).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_and_scale_do_not_matter() {
        let samples: Vec<f64> = (0..50).map(|i| (f64::from(i) * 0.7).sin() + 0.01 * f64::from(i)).collect();
        let plain = shapiro_wilk(&samples).unwrap();
        for (a, b) in [(3.0, 10.0), (1e-200, 0.0), (1e300, 0.0), (-2.0, 5.0)] {
            let moved: Vec<f64> = samples.iter().map(|x| a * x + b).collect();
            assert!((shapiro_wilk(&moved).unwrap().w - plain.w).abs() < 1e-9, "{a} {b}");
        }
    }

    #[test]
    fn sizes_outside_the_range_are_refused() {
        assert!(matches!(shapiro_wilk(&[1.0, 2.0]), Err(Error::TooFew { .. })));
        assert!(matches!(shapiro_wilk(&vec![1.0; 5_001]), Err(Error::TooMany { .. })));
        assert_eq!(shapiro_wilk(&[2.0; 9]).unwrap(), ShapiroWilk { w: 1.0, p: 1.0 });
    }
}
