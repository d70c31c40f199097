//! Exact decimal rounding of binary numbers, for `--paper`.
//!
//! The published tool rounds boundaries with exact decimals. A product with a power of ten in `f64` would round twice and move
//! some ends by a unit, so the value's binary form is multiplied in whole numbers.

/// A number of units of `10^-digits`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decimal {
    units: i128,
    digits: u32,
}

impl Decimal {
    /// The largest decimal with `digits` places that is not above `value`; `None` when it has too many digits to hold, in
    /// which case `f64` has no digits after the point.
    pub fn floor(value: f64, digits: u32) -> Option<Decimal> {
        let (mantissa, exponent) = parts(value);
        let scaled = mantissa * 10i128.pow(digits);
        let units = match exponent {
            0..=40 => scaled << exponent,
            -126..0 => scaled >> -exponent,
            ..-126 => scaled.signum().min(0),
            _ => return None,
        };
        Some(Decimal { units, digits })
    }

    /// The smallest decimal with `digits` places that is not below `value`.
    pub fn ceil(value: f64, digits: u32) -> Option<Decimal> {
        let negated = Decimal::floor(-value, digits)?;
        Some(Decimal { units: -negated.units, digits })
    }

    /// This number of units more.
    pub fn plus(self, units: i128) -> Decimal {
        Decimal { units: self.units + units, ..self }
    }

    /// The nearest `f64`.
    pub fn to_f64(self) -> f64 {
        // Both sides of the division are exact, so its result is rounded once.
        if self.units.unsigned_abs() < 1 << 53 {
            return self.units as f64 / 10f64.powi(self.digits as i32);
        }
        let scale = 10i128.pow(self.digits);
        let text =
            format!("{}.{:0width$}", self.units / scale, (self.units % scale).abs(), width = self.digits as usize);
        text.parse().unwrap_or(f64::NAN)
    }
}

/// A finite number as `mantissa * 2^exponent`.
fn parts(value: f64) -> (i128, i32) {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, i128::from(bits & ((1 << 52) - 1)));
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    (if value.is_sign_negative() { -mantissa } else { mantissa }, exponent)
}

/// Digits after the point in the shortest text that reads back as `value`, at least one, as Python writes floats.
pub(crate) fn decimals(value: f64) -> u32 {
    let text = value.to_string();
    text.split_once('.').map_or(1, |(_, fraction)| fraction.len() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: f64, digits: u32, floor: f64, ceil: f64) {
        assert_eq!(Decimal::floor(value, digits).unwrap().to_f64(), floor, "floor of {value}");
        assert_eq!(Decimal::ceil(value, digits).unwrap().to_f64(), ceil, "ceil of {value}");
    }

    // Expected values follow from the exact binary expansions, e.g. 2.45 as f32 is 2.4500000476837158203125 rounded down.
    #[test]
    fn rounding_uses_the_exact_binary_value() {
        check(2.449999988079071, 2, 2.44, 2.45);
        check(4.950000047683716, 2, 4.95, 4.96);
        check(1.75, 2, 1.75, 1.75);
        check(-1.75, 1, -1.8, -1.7);
        check(0.1, 1, 0.1, 0.2);
        check(0.3, 1, 0.2, 0.3);
        check(5e-324, 6, 0.0, 1e-6);
        check(-5e-324, 6, -1e-6, 0.0);
        check(0.0, 3, 0.0, 0.0);
        check(9_007_199_254_740_993e3, 6, 9_007_199_254_740_993e3, 9_007_199_254_740_993e3);
    }

    #[test]
    fn huge_numbers_have_no_decimals_to_round() {
        assert_eq!(Decimal::floor(1e300, 6), None);
    }

    #[test]
    fn decimals_are_counted_as_python_prints_them() {
        for (value, expected) in [(5.0, 1), (0.25, 2), (-1.125, 3), (1e-5, 5), (0.1 + 0.2, 17), (123456.0, 1)] {
            assert_eq!(decimals(value), expected, "{value}");
        }
    }
}
