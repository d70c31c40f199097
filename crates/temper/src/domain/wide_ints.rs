//! Integers of 128 bits: a sign and two answers of 64 bits, the high one first, so that shrinking meets the order of
//! magnitude before the digits.

use super::{Domain, Encoder};
use crate::choices::{Choices, Rejected, Spread};

/// The integers of 128 bits in a range; see [`wide_ints`].
#[derive(Clone, Copy, Debug)]
pub struct WideInts {
    lo: i128,
    hi: i128,
}

/// The integers from `lo` to `hi`, both included.
///
/// # Panics
/// When `lo` is above `hi`.
pub fn wide_ints(lo: i128, hi: i128) -> WideInts {
    assert!(lo <= hi, "`wide_ints` needs a range with at least one value, not {lo} to {hi}");
    WideInts { lo, hi }
}

impl WideInts {
    /// Whether to draw below zero, and the magnitudes allowed there.
    fn side(&self, is_negative: bool) -> (u128, u128) {
        if is_negative {
            (self.hi.min(-1).unsigned_abs(), self.lo.unsigned_abs())
        } else {
            (self.lo.max(0).unsigned_abs(), self.hi.unsigned_abs())
        }
    }
}

impl Domain for WideInts {
    type Value = i128;

    fn draw(&self, choices: &mut Choices) -> Result<i128, Rejected> {
        let is_negative = if self.lo < 0 && self.hi >= 0 { choices.flag(0.5) } else { self.lo < 0 };
        let (least, most) = self.side(is_negative);
        let (least_high, most_high) = ((least >> 64) as u64, (most >> 64) as u64);
        let high = choices.unsigned(least_high, most_high, Spread::Edges);
        let lo = if high == least_high { least as u64 } else { 0 };
        let hi = if high == most_high { most as u64 } else { u64::MAX };
        let magnitude = (u128::from(high) << 64) | u128::from(choices.unsigned(lo, hi, Spread::Edges));
        Ok(if is_negative { (magnitude as i128).wrapping_neg() } else { magnitude as i128 })
    }

    fn encode(&self, value: &i128, out: &mut Encoder) -> bool {
        if self.lo < 0 && self.hi >= 0 {
            out.flag(*value < 0);
        }
        out.unsigned((value.unsigned_abs() >> 64) as u64);
        out.unsigned(value.unsigned_abs() as u64);
        (self.lo..=self.hi).contains(value)
    }
}
