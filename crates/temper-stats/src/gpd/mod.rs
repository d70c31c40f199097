//! The generalised Pareto distribution (GPD): the limit law of what lies beyond a high threshold (Pickands 1975; FLEX
//! section 3). Location is 0 throughout: callers hand in excesses over their threshold.
//!
//! [`fit`](fn@fit) is the maximum-likelihood fit, [`fitness`] tests it, `posterior` bounds its far quantiles.
//! It is a limit law: below the limit it is only as good as the test of fit says, and beyond the data not even that.

pub mod fit;
pub mod fitness;
pub(crate) mod posterior;
pub(crate) mod profile;
mod table;

pub use fit::{Exponential, Fit, LikelihoodRatio, fit, fit_exponential, likelihood_ratio};
pub(crate) use profile::power_of_two_near;

use crate::Error;

/// Below this product of shape and standardised value, the exponential series is exact to double precision.
const SHAPE_ZERO: f64 = 1e-12;

/// A generalised Pareto distribution with location 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gpd {
    scale: f64,
    shape: f64,
}

impl Gpd {
    /// # Errors
    /// [`Error::OutOfRange`] unless the scale is positive and both are finite.
    pub fn new(scale: f64, shape: f64) -> Result<Self, Error> {
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(Error::OutOfRange { name: "GPD scale", value: scale, range: "positive and finite" });
        }
        if !shape.is_finite() {
            return Err(Error::OutOfRange { name: "GPD shape", value: shape, range: "finite" });
        }
        Ok(Self { scale, shape })
    }

    /// The scale, in the unit of the samples.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The shape: below 0 light, 0 exponential, above 0 heavy.
    pub fn shape(&self) -> f64 {
        self.shape
    }

    pub(crate) fn scaled(&self, unit: f64) -> Self {
        Self { scale: (self.scale * unit).clamp(f64::MIN_POSITIVE, f64::MAX), shape: self.shape }
    }

    /// Largest possible value: finite only for a light tail.
    pub fn endpoint(&self) -> f64 {
        if self.shape < 0.0 { -self.scale / self.shape } else { f64::INFINITY }
    }

    /// Minus the logarithm of the survival function: 0 at the threshold, infinite at the endpoint.
    fn cumulative_hazard(&self, x: f64) -> f64 {
        let z = x / self.scale;
        if z <= 0.0 {
            0.0
        } else if (self.shape * z).abs() < SHAPE_ZERO {
            z
        } else if 1.0 + self.shape * z <= 0.0 {
            f64::INFINITY
        } else {
            (self.shape * z).ln_1p() / self.shape
        }
    }

    /// Density at `x`; 0 outside the support.
    pub fn density(&self, x: f64) -> f64 {
        self.log_density(x).exp()
    }

    fn log_density(&self, x: f64) -> f64 {
        if x < 0.0 || x > self.endpoint() {
            return f64::NEG_INFINITY;
        }
        let hazard = self.cumulative_hazard(x);
        if hazard.is_infinite() {
            // At the endpoint only shape -1, the uniform law, has a finite positive density.
            return match self.shape.partial_cmp(&-1.0) {
                Some(std::cmp::Ordering::Equal) => -self.scale.ln(),
                Some(std::cmp::Ordering::Less) => f64::INFINITY,
                _ => f64::NEG_INFINITY,
            };
        }
        -self.scale.ln() - (1.0 + self.shape) * hazard
    }

    /// Probability of a value at most `x`.
    pub fn cdf(&self, x: f64) -> f64 {
        -(-self.cumulative_hazard(x)).exp_m1()
    }

    /// Probability of a value above `x`, accurate far out.
    pub fn survival(&self, x: f64) -> f64 {
        (-self.cumulative_hazard(x)).exp()
    }

    /// The value that is exceeded with probability `survival`, for `0 < survival <= 1`; 0 for larger ones.
    pub fn quantile_of_survival(&self, survival: f64) -> f64 {
        self.scale * growth(self.shape, survival)
    }

    /// The value below which a share `p` of the distribution lies, for `0 <= p <= 1`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when `p` is no probability.
    pub fn quantile(&self, p: f64) -> Result<f64, Error> {
        if !(0.0..=1.0).contains(&p) {
            return Err(Error::OutOfRange { name: "probability", value: p, range: "between 0 and 1" });
        }
        if p == 1.0 {
            return Ok(self.endpoint());
        }
        // expm1 and ln_1p keep the digits that 1 - p would lose near 0.
        let log_survival = (-p).ln_1p();
        Ok(self.scale * growth_of_log(self.shape, -log_survival))
    }

    /// Sum of log densities; minus infinity when an excess lies outside the support.
    pub fn log_likelihood(&self, excesses: &[f64]) -> f64 {
        excesses.iter().map(|&x| self.log_density(x)).sum()
    }
}

/// `(survival^-shape - 1) / shape`, and its limit `-ln survival` at shape 0: the quantile in units of the scale.
pub(crate) fn growth(shape: f64, survival: f64) -> f64 {
    if survival >= 1.0 { 0.0 } else { growth_of_log(shape, -survival.ln()) }
}

/// [`growth`] from the logarithm of one over the survival probability.
pub(crate) fn growth_of_log(shape: f64, depth: f64) -> f64 {
    if (shape * depth).abs() < SHAPE_ZERO { depth } else { (shape * depth).exp_m1() / shape }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_inverts_the_distribution() {
        for shape in [-1.0, -0.5, -1e-13, 0.0, 1e-9, 0.3, 2.0] {
            let gpd = Gpd::new(2.5, shape).unwrap();
            for p in [1e-12, 0.01, 0.5, 0.99, 0.999_999] {
                let x = gpd.quantile(p).unwrap();
                assert!((gpd.cdf(x) / p - 1.0).abs() < 1e-10, "{shape} {p}");
                assert!((gpd.survival(x) + gpd.cdf(x) - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn density_is_the_slope_of_the_distribution() {
        for shape in [-0.7, -0.2, 0.0, 0.4] {
            let gpd = Gpd::new(0.5, shape).unwrap();
            for x in [0.05, 0.2, 0.5] {
                let slope = (gpd.cdf(x + 1e-6) - gpd.cdf(x - 1e-6)) / 2e-6;
                assert!((gpd.density(x) / slope - 1.0).abs() < 1e-6, "{shape} {x}");
            }
            assert_eq!(gpd.density(-0.1), 0.0);
        }
    }

    #[test]
    fn uniform_law_is_shape_minus_one() {
        let gpd = Gpd::new(4.0, -1.0).unwrap();
        assert_eq!(gpd.endpoint(), 4.0);
        assert!((gpd.cdf(1.0) - 0.25).abs() < 1e-15);
        assert!((gpd.density(3.0) - 0.25).abs() < 1e-15);
        assert_eq!(gpd.density(5.0), 0.0);
    }
}
