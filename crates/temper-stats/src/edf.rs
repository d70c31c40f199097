//! Distances between samples and a fitted distribution, from its distribution function at the ordered samples.
//!
//! Anderson-Darling A² weighs the tails, Cramér-von Mises W² does not (Stephens 1974). Both only measure; what a value
//! means depends on the family fitted and on what was estimated, see [`crate::gpd::fitness`].

use crate::Error;
use crate::error::check;
use crate::moments::Moments;
use crate::special::normal_cdf;

/// A² from logarithms of the distribution function and of its complement at the ordered samples.
pub(crate) fn anderson_darling(log_cdf: impl Fn(usize) -> f64, log_survival: impl Fn(usize) -> f64, n: usize) -> f64 {
    let sum: f64 = (0..n).map(|i| (2 * i + 1) as f64 * log_cdf(i) + (2 * (n - i) - 1) as f64 * log_survival(i)).sum();
    -(n as f64) - sum / n as f64
}

/// W² from the distribution function at the ordered samples.
pub(crate) fn cramer_von_mises(cdf: impl Fn(usize) -> f64, n: usize) -> f64 {
    let twice = 2.0 * n as f64;
    let sum: f64 = (0..n).map(|i| (cdf(i) - (2 * i + 1) as f64 / twice).powi(2)).sum();
    sum + 1.0 / (6.0 * twice)
}

/// A² against a normal distribution with mean and standard deviation estimated from the samples.
///
/// # Errors
/// [`Error::TooFew`] below two samples, [`Error::NotFinite`], [`Error::NoVariation`].
pub fn anderson_darling_normal(samples: &[f64]) -> Result<f64, Error> {
    check(samples, 2)?;
    let moments = Moments::of(samples);
    let deviation = moments.deviation();
    if deviation == 0.0 {
        return Err(Error::NoVariation { value: samples[0] });
    }
    let mut z: Vec<f64> = samples.iter().map(|x| (x - moments.mean) / deviation).collect();
    z.sort_unstable_by(f64::total_cmp);
    Ok(anderson_darling(|i| normal_cdf(z[i]).ln(), |i| normal_cdf(-z[i]).ln(), z.len()))
}

/// A² of positive samples against an exponential distribution with estimated scale.
///
/// # Errors
/// [`Error::TooFew`] for no samples, [`Error::NotFinite`], [`Error::OutOfRange`] for a sample that is not positive.
pub fn anderson_darling_exponential(samples: &[f64]) -> Result<f64, Error> {
    check(samples, 1)?;
    if let Some(&value) = samples.iter().find(|&&x| x <= 0.0) {
        return Err(Error::OutOfRange { name: "sample", value, range: "positive" });
    }
    let mean = Moments::of(samples).mean;
    let mut z: Vec<f64> = samples.iter().map(|x| x / mean).collect();
    z.sort_unstable_by(f64::total_cmp);
    Ok(anderson_darling(|i| (-(-z[i]).exp_m1()).ln(), |i| -z[i], z.len()))
}
