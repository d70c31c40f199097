//! Probabilities and confidences, checked once at the border of the crate.

use crate::Error;

macro_rules! checked {
    ($(#[$doc:meta])* $name:ident, $label:literal, $range:literal, $test:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
        pub struct $name(f64);

        impl $name {
            /// Checks the range; NaN is refused like any other wrong value.
            ///
            /// # Errors
            /// [`Error::OutOfRange`] names the value and the range.
            pub fn new(value: f64) -> Result<Self, Error> {
                let is_inside: fn(f64) -> bool = $test;
                if is_inside(value) {
                    Ok(Self(value))
                } else {
                    Err(Error::OutOfRange { name: $label, value, range: $range })
                }
            }

            /// The number itself.
            pub const fn get(self) -> f64 {
                self.0
            }

            /// One minus the number: the share left over.
            pub fn complement(self) -> f64 {
                1.0 - self.0
            }
        }
    };
}

checked!(
    /// A probability, 0 and 1 included.
    Probability,
    "probability",
    "between 0 and 1",
    |v| (0.0..=1.0).contains(&v)
);
checked!(
    /// The pass probability that a bound must reach, strictly between 0 and 1.
    Target,
    "pass target",
    "strictly between 0 and 1",
    |v| v > 0.0 && v < 1.0
);
checked!(
    /// How sure a statement must be, strictly between 0 and 1.
    Confidence,
    "confidence",
    "strictly between 0 and 1",
    |v| v > 0.0 && v < 1.0
);

impl Target {
    /// At most one failure in a thousand runs: the default of the job.
    pub const THOUSANDTH: Self = Self(0.999);
    /// At most one failure in a hundred runs.
    pub const HUNDREDTH: Self = Self(0.99);
}

impl Confidence {
    /// 95 %: the default of the job.
    pub const STANDARD: Self = Self(0.95);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_the_range_are_a_probability_but_no_target() {
        assert!(Probability::new(0.0).is_ok() && Probability::new(1.0).is_ok());
        for bad in [0.0, 1.0, -0.1, 1.1, f64::NAN] {
            assert!(Target::new(bad).is_err(), "{bad}");
            assert!(Confidence::new(bad).is_err(), "{bad}");
        }
        assert!(Probability::new(f64::NAN).is_err());
    }
}
