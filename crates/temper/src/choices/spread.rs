//! How numbers are drawn from a range.

use crate::rng::Rng;

/// How numbers are drawn from a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Every value equally likely.
    Uniform,
    /// Mostly uniform, with more of the ends of the range, of small magnitudes and of zero.
    Edges,
}

/// The integer of `lo..=hi` nearest to zero.
#[inline]
pub(crate) fn simplest_signed(lo: i64, hi: i64) -> i64 {
    0i64.clamp(lo, hi)
}

/// Whether a fresh integer in a range of this width is one [`scaled`] output.
#[inline(always)]
pub(crate) fn is_scaled(width: u64, spread: Spread) -> bool {
    width < 128 || (spread == Spread::Uniform && width < u64::from(u32::MAX))
}

/// A number in `0..=width`, for a width below `u32::MAX`: what [`Rng::up_to`] gives.
#[inline(always)]
pub(crate) fn scaled(rng: &mut Rng, width: u64) -> u64 {
    ((u128::from(rng.bits()) * u128::from(width + 1)) >> 64) as u64
}

#[inline]
pub(crate) fn fresh_signed(rng: &mut Rng, lo: i64, hi: i64, spread: Spread) -> i64 {
    let width = hi.wrapping_sub(lo) as u64;
    // A uniform draw meets the ends of a narrow range often enough by itself.
    if spread == Spread::Uniform || width < 128 {
        return lo.wrapping_add(rng.up_to(width) as i64);
    }
    biased_signed(rng, lo, hi, width)
}

/// One output decides the kind of draw with its low bits and, mostly, the value with its high ones. The small values are
/// made by a shift that is mostly 0 instead of by a branch, which the processor would mispredict.
#[inline(always)]
fn biased_signed(rng: &mut Rng, lo: i64, hi: i64, width: u64) -> i64 {
    let roll = rng.bits();
    if roll & 15 == 0 {
        return signed_edge(roll, lo, hi);
    }
    let origin = simplest_signed(lo, hi);
    let value = lo.wrapping_add(scale(rng, roll, width) as i64);
    origin + ((value - origin) >> small_shift(roll, width))
}

/// Out of line, so that the common draw is small enough to be inlined.
#[cold]
fn signed_edge(roll: u64, lo: i64, hi: i64) -> i64 {
    let origin = simplest_signed(lo, hi);
    let edges = [lo, hi, lo + 1, hi - 1, origin, origin.saturating_add(1), origin.saturating_sub(1)];
    // Where the origin is an end itself, naming it again would only take from the other end.
    let count = if origin == lo || origin == hi { 4 } else { edges.len() };
    edges[(roll >> 32) as usize % count].clamp(lo, hi)
}

/// By how many bits to shorten a value: 0 for four draws out of five, else uniform up to all its bits.
#[inline]
fn small_shift(roll: u64, width: u64) -> u32 {
    let is_small = u64::from(roll & 15 < 4).wrapping_neg();
    let bits = u64::from(u64::BITS - width.leading_zeros());
    (((((roll >> 4) & 63) * bits) >> 6) & is_small) as u32
}

#[inline]
pub(crate) fn fresh_unsigned(rng: &mut Rng, lo: u64, hi: u64, spread: Spread) -> u64 {
    let width = hi - lo;
    if spread == Spread::Uniform || width < 128 {
        return lo + rng.up_to(width);
    }
    let roll = rng.bits();
    if roll & 15 == 0 {
        return [lo, hi, lo + 1, hi - 1][(roll >> 32) as usize % 4];
    }
    lo + (scale(rng, roll, width) >> small_shift(roll, width))
}

/// A number in `0..=width` from the high bits of `roll`; from a new output if the range needs all bits of one.
#[inline]
fn scale(rng: &mut Rng, roll: u64, width: u64) -> u64 {
    if width < 1 << 48 { ((u128::from(roll) * u128::from(width + 1)) >> 64) as u64 } else { scale_wide(rng, width) }
}

#[inline(never)]
fn scale_wide(rng: &mut Rng, width: u64) -> u64 {
    rng.up_to(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_ranges_meet_their_ends_and_small_values() {
        let mut rng = Rng::new(5);
        let draws: Vec<i64> = (0..4000).map(|_| fresh_signed(&mut rng, i64::MIN, i64::MAX, Spread::Edges)).collect();
        for wanted in [i64::MIN, i64::MAX, 0] {
            assert!(draws.contains(&wanted), "{wanted} is never drawn");
        }
        // One in eight draws has at most 32 bits, 495 of 4000; 380 is five standard deviations below.
        assert!(draws.iter().filter(|v| v.unsigned_abs() < 1 << 32).count() > 380);
    }
}
