//! Box-Cox power transform with the exponent by maximum likelihood (Box and Cox 1964; FLEX section 3).
//!
//! Positive samples only. All-negative samples use y = -BC(-x), so that the upper tail stays the upper tail; mixed
//! signs are refused. It makes samples more normal, not always its tail lighter, and it is not invariant under shifts:
//! a transformed analysis of `x + 5` is another analysis.

use crate::Error;
use crate::error::check;

/// A fitted transform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxCox {
    /// The exponent.
    pub lambda: f64,
    /// Whether the samples are negative, and so are turned before and after.
    pub is_negated: bool,
    /// Log-likelihood at the exponent.
    pub log_likelihood: f64,
}

/// Logarithms of the samples around their mean, which is all the likelihood needs.
struct Logs {
    centred: Vec<f64>,
    sum: f64,
}

impl Logs {
    fn new(samples: &[f64], sign: f64) -> Self {
        let logs: Vec<f64> = samples.iter().map(|x| (sign * x).ln()).collect();
        let sum: f64 = logs.iter().sum();
        let mean = sum / logs.len() as f64;
        Self { centred: logs.into_iter().map(|l| l - mean).collect(), sum }
    }

    /// With samples in units of their geometric mean, the Jacobian's part cancels: -sum ln x - n/2 ln variance.
    fn log_likelihood(&self, lambda: f64) -> f64 {
        let n = self.centred.len() as f64;
        let (mut sum, mut squares) = (0.0, 0.0);
        for &z in &self.centred {
            let y = if lambda.abs() < 1e-9 { z + 0.5 * lambda * z * z } else { (lambda * z).exp_m1() / lambda };
            sum += y;
            squares += y * y;
        }
        let variance = squares / n - (sum / n).powi(2);
        -self.sum - 0.5 * n * variance.max(f64::MIN_POSITIVE).ln()
    }
}

fn logs_of(samples: &[f64]) -> Result<(Logs, bool), Error> {
    check(samples, 2)?;
    let is_negated = samples[0] < 0.0;
    let sign = if is_negated { -1.0 } else { 1.0 };
    if let Some(&value) = samples.iter().find(|x| sign * **x <= 0.0) {
        return Err(Error::OutOfRange { name: "sample", value, range: "of one sign and not zero" });
    }
    if samples.iter().all(|x| *x == samples[0]) {
        return Err(Error::NoVariation { value: samples[0] });
    }
    Ok((Logs::new(samples, sign), is_negated))
}

/// Log-likelihood of an exponent.
///
/// # Errors
/// As [`fit`].
pub fn log_likelihood(samples: &[f64], lambda: f64) -> Result<f64, Error> {
    Ok(logs_of(samples)?.0.log_likelihood(lambda))
}

/// The exponent with the largest likelihood.
///
/// # Errors
/// [`Error::OutOfRange`] for mixed signs or zeros, [`Error::NoVariation`], [`Error::TooFew`], [`Error::NotFinite`].
pub fn fit(samples: &[f64]) -> Result<BoxCox, Error> {
    let (logs, is_negated) = logs_of(samples)?;
    let spread = logs.centred.iter().fold(0.0_f64, |m, z| m.max(z.abs()));
    // |lambda z| stays below 300, so no power overflows.
    let limit = (300.0 / spread).min(1e12);
    let lambda = maximum(&|lambda| logs.log_likelihood(lambda), limit);
    Ok(BoxCox { lambda, is_negated, log_likelihood: logs.log_likelihood(lambda) })
}

/// Golden section with parabolic steps after the maximum is bracketed by doubling from 0.
fn maximum(value: &dyn Fn(f64) -> f64, limit: f64) -> f64 {
    let (mut left, mut middle, mut right) = (-1.0_f64.min(limit), 0.0, 1.0_f64.min(limit));
    let (mut at_left, mut at_middle, mut at_right) = (value(left), value(middle), value(right));
    while at_right > at_middle && right < limit {
        (left, at_left) = (middle, at_middle);
        (middle, at_middle) = (right, at_right);
        right = (right * 2.0).min(limit);
        at_right = value(right);
    }
    while at_left > at_middle && left > -limit {
        (right, at_right) = (middle, at_middle);
        (middle, at_middle) = (left, at_left);
        left = (left * 2.0).max(-limit);
        at_left = value(left);
    }
    refine([(left, at_left), (middle, at_middle), (right, at_right)], value)
}

/// Brent's choice between a parabola through three points and the golden section of the longer side.
fn refine(bracket: [(f64, f64); 3], value: &dyn Fn(f64) -> f64) -> f64 {
    let [mut left, mut middle, mut right] = bracket;
    for round in 0..80 {
        let width = right.0 - left.0;
        if width <= 1e-9 * (1.0 + middle.0.abs()) {
            break;
        }
        let golden = if right.0 - middle.0 > middle.0 - left.0 {
            middle.0 + 0.381_966 * (right.0 - middle.0)
        } else {
            middle.0 - 0.381_966 * (middle.0 - left.0)
        };
        let parabola = vertex(left, middle, right);
        let is_usable =
            parabola > left.0 && parabola < right.0 && (parabola - middle.0).abs() > 1e-11 * (1.0 + middle.0.abs());
        let x = if is_usable && round % 3 != 2 { parabola } else { golden };
        let next = (x, value(x));
        if next.1 >= middle.1 {
            if x > middle.0 {
                left = middle
            } else {
                right = middle
            }
            middle = next;
        } else if x > middle.0 {
            right = next;
        } else {
            left = next;
        }
    }
    middle.0
}

fn vertex(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> f64 {
    let (p, q) = ((b.0 - a.0) * (b.1 - c.1), (b.0 - c.0) * (b.1 - a.1));
    b.0 - 0.5 * ((b.0 - a.0) * p - (b.0 - c.0) * q) / (p - q)
}

impl BoxCox {
    /// The transformed value of a sample with the sign the fit was made for.
    pub fn forward(&self, x: f64) -> f64 {
        let sign = if self.is_negated { -1.0 } else { 1.0 };
        let log = (sign * x).ln();
        sign * if self.lambda == 0.0 { log } else { (self.lambda * log).exp_m1() / self.lambda }
    }

    /// The value that [`forward`](Self::forward) maps to `y`; `None` when no number is.
    pub fn inverse(&self, y: f64) -> Option<f64> {
        let sign = if self.is_negated { -1.0 } else { 1.0 };
        let log = if self.lambda == 0.0 { sign * y } else { (self.lambda * sign * y).ln_1p() / self.lambda };
        let x = sign * log.exp();
        x.is_finite().then_some(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_undoes_forward() {
        for lambda in [-2.0, 0.0, 0.3, 5.0] {
            for x in [0.2, 1.0, 7.5] {
                let plain = BoxCox { lambda, is_negated: false, log_likelihood: 0.0 };
                assert!((plain.inverse(plain.forward(x)).unwrap() / x - 1.0).abs() < 1e-9);
                let turned = BoxCox { is_negated: true, ..plain };
                assert!((turned.inverse(turned.forward(-x)).unwrap() / -x - 1.0).abs() < 1e-9);
                assert!(turned.forward(-x) < turned.forward(-x / 2.0));
            }
        }
    }

    #[test]
    fn mixed_signs_and_constants_are_refused() {
        assert!(matches!(fit(&[1.0, -1.0]), Err(Error::OutOfRange { .. })));
        assert!(matches!(fit(&[1.0, 0.0]), Err(Error::OutOfRange { .. })));
        assert!(matches!(fit(&[2.0, 2.0]), Err(Error::NoVariation { .. })));
    }
}
