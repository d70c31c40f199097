//! Two-sample Kolmogorov-Smirnov test: do two sets of samples come from one distribution?
//!
//! Exact p-values count lattice paths (Hodges 1957), ties included as in scipy: with ties they are upper bounds. The
//! asymptotic ones use the law of the one-sample statistic at the harmonic mean of the sizes, as scipy does. The test
//! is weak in the tails: samples that differ only far out look alike to it.

use crate::Error;
use crate::error::check;
use crate::special::ln_gamma;

/// Largest distance between the two empirical distribution functions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smirnov {
    /// The distance.
    pub d: f64,
    /// Its p-value.
    pub p: f64,
}

/// Two-sided test with the exact p-value. Time grows with the product of the sizes unless they are equal.
///
/// # Errors
/// [`Error::TooFew`] when a side is empty, [`Error::NotFinite`].
pub fn exact(left: &[f64], right: &[f64]) -> Result<Smirnov, Error> {
    let (m, n) = (left.len(), right.len());
    let (steps, unit) = distance(left, right)?;
    let p = if steps == 0 {
        1.0
    } else if m == n {
        equal_sizes(n, steps)
    } else {
        paths_outside(m.max(n), m.min(n), steps)
    };
    Ok(Smirnov { d: steps as f64 / unit, p: p.clamp(0.0, 1.0) })
}

/// Two-sided test with the asymptotic p-value.
///
/// # Errors
/// As [`exact`].
pub fn asymptotic(left: &[f64], right: &[f64]) -> Result<Smirnov, Error> {
    let (steps, unit) = distance(left, right)?;
    let d = steps as f64 / unit;
    let (m, n) = (left.len() as f64, right.len() as f64);
    let size = (m * n / (m + n)).round_ties_even().max(1.0);
    Ok(Smirnov { d, p: one_sample_survival(size as usize, d) })
}

/// The distance as a whole number of steps of 1 / lcm(m, n), and that lcm.
fn distance(left: &[f64], right: &[f64]) -> Result<(u64, f64), Error> {
    let (above, below, unit) = steps(left, right)?;
    Ok((above.max(below), unit))
}

/// How far the left distribution function rises above the right one, and how far it falls below.
///
/// # Errors
/// As [`exact`].
pub fn one_sided_distances(left: &[f64], right: &[f64]) -> Result<(f64, f64), Error> {
    let (above, below, unit) = steps(left, right)?;
    Ok((above as f64 / unit, below as f64 / unit))
}

fn steps(left: &[f64], right: &[f64]) -> Result<(u64, u64, f64), Error> {
    check(left, 1)?;
    check(right, 1)?;
    let (mut a, mut b) = (left.to_vec(), right.to_vec());
    a.sort_unstable_by(f64::total_cmp);
    b.sort_unstable_by(f64::total_cmp);
    let (m, n) = (a.len() as u64, b.len() as u64);
    let divisor = gcd(m, n);
    let (rise, fall) = ((n / divisor) as i64, (m / divisor) as i64);
    let (mut i, mut j, mut height, mut above, mut below) = (0, 0, 0_i64, 0_i64, 0_i64);
    while i < a.len() && j < b.len() {
        let at = a[i].min(b[j]);
        while i < a.len() && a[i] == at {
            (i, height) = (i + 1, height + rise);
        }
        while j < b.len() && b[j] == at {
            (j, height) = (j + 1, height - fall);
        }
        (above, below) = (above.max(height), below.max(-height));
    }
    Ok((above.unsigned_abs(), below.unsigned_abs(), (m / divisor * n) as f64))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Equal sizes: the reflection principle gives an alternating sum, evaluated from its smallest term so that nothing
/// cancels.
fn equal_sizes(n: usize, steps: u64) -> f64 {
    let (n, h) = (n as i64, steps as i64);
    let mut p = 0.0;
    for k in (0..=n / h).rev() {
        let mut term = 1.0;
        for j in 0..h {
            term *= (n - k * h - j) as f64 / (n + k * h + j + 1) as f64;
        }
        p = term * (1.0 - p);
    }
    2.0 * p
}

/// Probability that a random path from (0, 0) to (m, n) leaves the band |i n - j m| < steps (in units of the gcd).
/// Only sums of positive terms: full relative accuracy down to the smallest double. `m` is at least `n`.
fn paths_outside(m: usize, n: usize, steps: u64) -> f64 {
    let divisor = gcd(m as u64, n as u64) as usize;
    let (mg, ng, h) = ((m / divisor) as i64, (n / divisor) as i64, steps as i64);
    let is_outside = |i: usize, j: usize| (i as i64 * ng - j as i64 * mg).abs() >= h;
    // outside[j]: share of paths to (i, j) that have left the band.
    let mut outside: Vec<f64> = Vec::with_capacity(n + 1);
    for j in 0..=n {
        let came = j > 0 && outside[j - 1] > 0.0;
        outside.push(if came || is_outside(0, j) { 1.0 } else { 0.0 });
    }
    // One division a path length instead of one a cell.
    let inverses: Vec<f64> = (0..=m + n).map(|total| 1.0 / total as f64).collect();
    for i in 1..=m {
        outside[0] = if outside[0] > 0.0 || is_outside(i, 0) { 1.0 } else { 0.0 };
        // Inside the band the share is a weighted mean of the two neighbours a path can come from.
        let low = (((i as i64 * ng - h) as f64 / mg as f64).floor() as i64 + 1).clamp(1, n as i64 + 1) as usize;
        let high = (((i as i64 * ng + h) as f64 / mg as f64).ceil() as i64).clamp(1, n as i64 + 1) as usize;
        outside[1..low.min(n + 1)].fill(1.0);
        for j in low..high.min(n + 1) {
            outside[j] = (i as f64 * outside[j] + j as f64 * outside[j - 1]) * inverses[i + j];
        }
        if high <= n {
            outside[high.max(1)..=n].fill(1.0);
        }
    }
    outside[n]
}

/// P(D_n >= d) of the one-sample statistic. Far out, twice the exact one-sided law (Birnbaum and Tingey 1951), which is
/// then exact to ten digits; else the matrix of Marsaglia, Tsang and Wang (2003), or for large sizes the limit law with
/// the first correction of Pelz and Good (1976).
fn one_sample_survival(n: usize, d: f64) -> f64 {
    if d >= 1.0 {
        return 0.0;
    }
    let size = n as f64;
    if d * size <= 0.5 {
        return 1.0;
    }
    if size * d * d >= 2.65 || d > 0.5 {
        return (2.0 * one_sided_survival(n, d)).min(1.0);
    }
    let k = (size * d).floor() as usize + 1;
    if k <= 60 {
        return 1.0 - band_probability(n, d, k);
    }
    1.0 - pelz_good(size, d)
}

fn one_sided_survival(n: usize, d: f64) -> f64 {
    let size = n as f64;
    let top = (size * (1.0 - d)).floor() as usize;
    let terms = (0..=top.min(n)).map(|j| {
        let x = d + j as f64 / size;
        if x >= 1.0 {
            return 0.0;
        }
        let k = j as f64;
        let log = ln_gamma(size + 1.0) - ln_gamma(k + 1.0) - ln_gamma(size - k + 1.0)
            + (size - k) * (-x).ln_1p()
            + (k - 1.0) * x.ln();
        log.exp()
    });
    d * terms.sum::<f64>()
}

/// P(D_n < d) as an entry of the n-th power of a banded matrix.
fn band_probability(n: usize, d: f64, k: usize) -> f64 {
    let m = 2 * k - 1;
    let h = k as f64 - n as f64 * d;
    let base: Vec<Vec<f64>> = (0..m).map(|i| (0..m).map(|j| band_cell(i, j, m, h)).collect()).collect();
    let (power, mut exponent) = matrix_power(&base, n);
    let mut value = power[k - 1][k - 1];
    for i in 1..=n {
        value *= i as f64 / n as f64;
        if value < 1e-140 {
            value *= 1e140;
            exponent -= 140;
        }
    }
    value * 10_f64.powi(exponent)
}

/// The matrix of Marsaglia, Tsang and Wang: 1/(i - j + 1)! on and below the first superdiagonal, with the first column
/// and the last row corrected for the fraction `h`.
fn band_cell(i: usize, j: usize, m: usize, h: f64) -> f64 {
    if i + 1 < j {
        return 0.0;
    }
    let mut cell = 1.0;
    if j == 0 {
        cell -= h.powi(i as i32 + 1);
    }
    if i == m - 1 {
        cell -= h.powi((m - j) as i32);
    }
    if j == 0 && i == m - 1 && 2.0 * h > 1.0 {
        cell += (2.0 * h - 1.0).powi(m as i32);
    }
    // Divided factor by factor, so that no factorial overflows.
    (1..=(i + 1 - j)).fold(cell, |value, g| value / g as f64)
}

fn matrix_power(base: &[Vec<f64>], n: usize) -> (Vec<Vec<f64>>, i32) {
    let m = base.len();
    if n == 1 {
        return (base.to_vec(), 0);
    }
    let (half, half_exponent) = matrix_power(base, n / 2);
    let mut result = multiply(&half, &half);
    if n % 2 == 1 {
        result = multiply(base, &result);
    }
    let mut exponent = 2 * half_exponent;
    if result[m / 2][m / 2] > 1e140 {
        result.iter_mut().flatten().for_each(|x| *x *= 1e-140);
        exponent += 140;
    }
    (result, exponent)
}

fn multiply(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let m = a.len();
    let mut product = vec![vec![0.0; m]; m];
    for (row, out) in a.iter().zip(&mut product) {
        for (x, other) in row.iter().zip(b) {
            for (cell, y) in out.iter_mut().zip(other) {
                *cell += x * y;
            }
        }
    }
    product
}

/// Limit law with corrections in 1/sqrt(n) and 1/n.
fn pelz_good(n: f64, d: f64) -> f64 {
    use std::f64::consts::PI;
    let z = n.sqrt() * d;
    let (z2, p2) = (z * z, PI * PI);
    let (mut k0, mut k1, mut k2, mut tail) = (0.0, 0.0, 0.0, 0.0);
    for k in 0..40 {
        let a = f64::from(2 * k + 1).powi(2) * p2 / 4.0;
        let e = (-a / (2.0 * z2)).exp();
        k0 += e;
        k1 += (a - z2) * e;
        let (z4, z6) = (z2 * z2, z2 * z2 * z2);
        k2 += (6.0 * z6 + 2.0 * z4 + (2.0 * z4 - 5.0 * z2) * a + (1.0 - 2.0 * z2) * a * a) * e;
        let b = f64::from(k).powi(2) * p2;
        tail += b * (-b / (2.0 * z2)).exp();
    }
    let root = (2.0 * PI).sqrt();
    let first = root / z * k0;
    let second = root / (6.0 * z.powi(4)) * k1;
    // The double sum over k of both signs counts k = 0 once.
    let third = root / (72.0 * z.powi(7)) * k2 - root / (36.0 * z.powi(3)) * tail;
    (first + second / n.sqrt() + third / n).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_paths_agrees_with_the_reflection_principle() {
        for (n, steps) in [(7, 3), (20, 9), (100, 23)] {
            let (a, b) = (equal_sizes(n, steps), paths_outside(n, n, steps));
            assert!((a / b - 1.0).abs() < 1e-11, "{n} {steps}: {a} {b}");
        }
    }

    #[test]
    fn small_cases_agree_with_all_arrangements_counted() {
        let (m, n) = (5, 3);
        for split in 1..=5_u64 {
            let mut counts = (0, 0);
            for mask in 0..(1_u32 << (m + n)) {
                if mask.count_ones() as usize != m {
                    continue;
                }
                let (mut i, mut j, mut worst) = (0_i64, 0_i64, 0_i64);
                for bit in 0..(m + n) {
                    if mask >> bit & 1 == 1 {
                        i += 1
                    } else {
                        j += 1
                    }
                    worst = worst.max((i * n as i64 - j * m as i64).abs());
                }
                counts.1 += 1;
                counts.0 += i32::from(worst >= 3 * split as i64);
            }
            let expected = f64::from(counts.0) / f64::from(counts.1);
            assert!((paths_outside(m, n, 3 * split) - expected).abs() < 1e-14, "{split}");
        }
    }

    #[test]
    fn identical_samples_have_distance_zero() {
        let samples = [1.0, 2.0, 2.0, 5.0];
        assert_eq!(exact(&samples, &samples).unwrap(), Smirnov { d: 0.0, p: 1.0 });
        assert_eq!(asymptotic(&samples, &samples).unwrap().p, 1.0);
    }

    #[test]
    fn the_three_forms_of_the_asymptotic_law_meet() {
        // Each pair of neighbouring forms at one place where both are valid.
        for n in [400_usize, 900] {
            let d = 1.2 / (n as f64).sqrt();
            let k = (n as f64 * d).floor() as usize + 1;
            assert!((band_probability(n, d, k) - pelz_good(n as f64, d)).abs() < 2e-4, "{n}");
            let far = 1.7 / (n as f64).sqrt();
            let k = (n as f64 * far).floor() as usize + 1;
            assert!((1.0 - band_probability(n, far, k) - 2.0 * one_sided_survival(n, far)).abs() < 1e-6, "{n}");
        }
    }
}
