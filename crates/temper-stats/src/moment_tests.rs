//! Tests of normality from one moment: kurtosis (Anscombe and Glynn 1983), skewness (D'Agostino 1970), and both
//! together (D'Agostino and Pearson 1973).
//!
//! FASER takes the one-sided kurtosis test for "no heavier than normal" (section III-A). Not rejecting is no proof:
//! with a hundred samples a t distribution with five degrees of freedom often passes. They need at least 8 samples, the
//! kurtosis test 5, and about 20 for p-values to mean much.

use crate::Error;
use crate::error::check;
use crate::moments::Moments;
use crate::special::normal_sf;

/// A normal test statistic with its p-values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MomentTest {
    /// Approximately standard normal when the samples are normal.
    pub z: f64,
    /// Chance of a value at least as far from 0.
    pub two_sided: f64,
    /// Chance of a value at most this: small when the moment is significantly low.
    pub less: f64,
    /// Chance of a value at least this: small when the moment is significantly high.
    pub greater: f64,
}

impl MomentTest {
    fn of(z: f64) -> Self {
        Self { z, two_sided: 2.0 * normal_sf(z.abs()), less: normal_sf(-z), greater: normal_sf(z) }
    }
}

fn moments_of(samples: &[f64], needed: usize) -> Result<(Moments, f64), Error> {
    check(samples, needed)?;
    let moments = Moments::of(samples);
    if moments.deviation() == 0.0 {
        return Err(Error::NoVariation { value: samples[0] });
    }
    Ok((moments, samples.len() as f64))
}

/// Is the kurtosis that of a normal distribution?
///
/// # Errors
/// [`Error::TooFew`] below 5 samples, [`Error::NotFinite`], [`Error::NoVariation`].
pub fn kurtosis_test(samples: &[f64]) -> Result<MomentTest, Error> {
    let (moments, n) = moments_of(samples, 5)?;
    let expected = 3.0 * (n - 1.0) / (n + 1.0);
    let variance = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0).powi(2) * (n + 3.0) * (n + 5.0));
    let x = (moments.kurtosis_excess + 3.0 - expected) / variance.sqrt();
    let skew = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0))
        * (6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0))).sqrt();
    let a = 6.0 + 8.0 / skew * (2.0 / skew + (1.0 + 4.0 / (skew * skew)).sqrt());
    let base = 1.0 - 2.0 / (9.0 * a);
    let denominator = 1.0 + x * (2.0 / (a - 4.0)).sqrt();
    let root = denominator.signum() * ((1.0 - 2.0 / a) / denominator.abs()).cbrt();
    Ok(MomentTest::of((base - root) / (2.0 / (9.0 * a)).sqrt()))
}

/// Is the skewness that of a normal distribution?
///
/// # Errors
/// [`Error::TooFew`] below 8 samples, [`Error::NotFinite`], [`Error::NoVariation`].
pub fn skewness_test(samples: &[f64]) -> Result<MomentTest, Error> {
    let (moments, n) = moments_of(samples, 8)?;
    let y = moments.skewness * ((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0))).sqrt();
    let beta =
        3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0) / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0));
    let w2 = (2.0 * (beta - 1.0)).sqrt() - 1.0;
    let delta = 1.0 / (0.5 * w2.ln()).sqrt();
    let alpha = (2.0 / (w2 - 1.0)).sqrt();
    Ok(MomentTest::of(delta * (y / alpha).asinh()))
}

/// Sum of the squares of both statistics, with its chi-square p-value (2 degrees of freedom).
///
/// # Errors
/// As [`skewness_test`].
pub fn omnibus_test(samples: &[f64]) -> Result<(f64, f64), Error> {
    let (skewness, kurtosis) = (skewness_test(samples)?, kurtosis_test(samples)?);
    let k2 = skewness.z * skewness.z + kurtosis.z * kurtosis.z;
    Ok((k2, (-0.5 * k2).exp()))
}
