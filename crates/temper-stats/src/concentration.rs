//! Pass probabilities from mean and variance alone (FASER section III-A).
//!
//! Dasgupta's one-sided inequality for normal samples, and Tolhurst's form of Cantelli's inequality with estimated
//! moments for any. Both are very cautious (at pass probability 0.99 the first asks for 4.1 standard deviations where
//! the normal quantile is 2.3), and the first is no bound at all for skewed or heavy samples that pass for normal.

use crate::Error;
use crate::error::check;
use crate::moment_tests::kurtosis_test;
use crate::moments::Moments;
use crate::shapiro::shapiro_wilk;

/// Which inequality applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inequality {
    /// Normal or no heavier than normal.
    Dasgupta,
    /// Anything else.
    Cantelli,
}

/// How the paper's "sub-Gaussian unless the kurtosis test says otherwise" is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The text: not sub-Gaussian when significantly heavier than normal.
    Paper,
    /// The published program, which tests the other direction.
    Code,
}

/// Why an inequality was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Shapiro-Wilk W.
    pub shapiro_w: f64,
    /// Its p-value; at least 0.01 counts as normal.
    pub shapiro_p: f64,
    /// One-sided p-value of the kurtosis test in the direction read; at least 0.05 counts as sub-Gaussian.
    pub kurtosis_p: f64,
    /// The inequality that follows.
    pub inequality: Inequality,
}

/// Least p-value of Shapiro-Wilk that counts as normal (FASER's program).
pub const NORMAL_P: f64 = 0.01;
/// Least p-value of the kurtosis test that counts as sub-Gaussian (FASER's program).
pub const SUBGAUSSIAN_P: f64 = 0.05;

/// Chooses the inequality as FASER's algorithm 1 does.
///
/// # Errors
/// [`Error::TooFew`] below 5 samples, [`Error::TooMany`] above 5,000, [`Error::NoVariation`], [`Error::NotFinite`].
pub fn choose(samples: &[f64], reading: Reading) -> Result<Choice, Error> {
    check(samples, 5)?;
    let kurtosis = kurtosis_test(samples)?;
    let shapiro = shapiro_wilk(samples)?;
    let kurtosis_p = match reading {
        Reading::Paper => kurtosis.greater,
        Reading::Code => kurtosis.less,
    };
    let is_dasgupta = shapiro.p >= NORMAL_P || kurtosis_p >= SUBGAUSSIAN_P;
    let inequality = if is_dasgupta { Inequality::Dasgupta } else { Inequality::Cantelli };
    Ok(Choice { shapiro_w: shapiro.w, shapiro_p: shapiro.p, kurtosis_p, inequality })
}

/// Lower bound on the pass probability of a normal variable at `k` standard deviations above the mean: 1 - 1/(6 k²).
pub fn dasgupta(k: f64) -> f64 {
    if k <= 0.0 { 0.0 } else { (1.0 - 1.0 / (6.0 * k * k)).clamp(0.0, 1.0) }
}

/// Lower bound on the pass probability of any variable, `k` being the distance from the mean in units of
/// Q = S sqrt((n + 1) / n). Valid for k > 1; 0 below.
pub fn cantelli(k: f64, n: usize) -> f64 {
    if k <= 1.0 || n < 2 {
        return 0.0;
    }
    let n = n as f64;
    let g2 = n * k * k / (n - 1.0 + k * k);
    (1.0 - ((n + 1.0) / (g2 + 1.0)).floor() / (n + 1.0)).clamp(0.0, 1.0)
}

/// Estimated pass probability of `x < bound`, from mean and standard deviation (upper bounds; turn the signs for
/// lower). Without variation it is 1 above the value and 0 at or below it.
pub fn pass_probability(inequality: Inequality, moments: &Moments, deviation: f64, bound: f64) -> f64 {
    if deviation == 0.0 {
        return if bound > moments.mean { 1.0 } else { 0.0 };
    }
    match inequality {
        Inequality::Dasgupta => dasgupta((bound - moments.mean) / deviation),
        Inequality::Cantelli => {
            let n = moments.n as f64;
            cantelli((bound - moments.mean) / (deviation * ((n + 1.0) / n).sqrt()), moments.n)
        }
    }
}

/// The smallest bound whose estimated pass probability is above `target`; `None` when no bound reaches it (Cantelli
/// with few samples never exceeds n / (n + 1)).
pub fn bound_for(inequality: Inequality, moments: &Moments, deviation: f64, target: f64) -> Option<f64> {
    let passes = |k: f64| pass_probability(inequality, moments, deviation, moments.mean + k * deviation) > target;
    if deviation == 0.0 {
        return Some(moments.mean);
    }
    let mut high = 2.0;
    while !passes(high) {
        high *= 2.0;
        if high > 1e9 {
            return None;
        }
    }
    let mut low = 0.0;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if passes(middle) { high = middle } else { low = middle }
    }
    Some(moments.mean + high * deviation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_where_the_formulas_put_them() {
        let samples: Vec<f64> = (0..100).map(|i| f64::from(i) / 10.0).collect();
        let moments = Moments::of(&samples);
        let s = moments.deviation();
        let bound = bound_for(Inequality::Dasgupta, &moments, s, 0.99).unwrap();
        assert!((bound - (moments.mean + s / 0.06_f64.sqrt())).abs() < 1e-9);
        // Cantelli's bound with estimated moments never exceeds n / (n + 1).
        assert_eq!(bound_for(Inequality::Cantelli, &moments, s, 0.9999), None);
        assert!(bound_for(Inequality::Cantelli, &moments, s, 0.98).unwrap() > moments.mean + 6.0 * s);
    }
}
