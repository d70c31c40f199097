//! Integers and booleans.

use super::{Domain, Encoder};
use crate::choices::tree::NodeKind;
use crate::choices::{Choices, Rejected, Spread, Unchanged, spread};
use crate::rng::Rng;
use std::fmt::Debug;
use std::ops::{Bound, RangeBounds};

/// The integer types that one answer holds.
pub trait Integer: Copy + Ord + Debug {
    /// The smallest value.
    const MIN: Self;
    /// The largest value.
    const MAX: Self;
    /// The next larger value, if there is one.
    fn next(self) -> Option<Self>;
    /// The next smaller value, if there is one.
    fn previous(self) -> Option<Self>;
    /// Asks for a value in `lo..=hi`.
    fn ask(choices: &mut Choices, lo: Self, hi: Self, spread: Spread) -> Self;
    /// Asks for a value in `lo..=hi` where every answer is random; see [`Domain::draw_fresh`].
    fn ask_fresh(choices: &mut Choices, lo: Self, hi: Self, spread: Spread) -> Self;
    /// The next recorded answer, if it is a value in `lo..=hi`.
    fn unchanged(answers: &mut Unchanged<'_>, lo: Self, hi: Self) -> Option<Self>;
    /// A random value in `lo..=hi`, not recorded.
    fn fresh(rng: &mut Rng, lo: Self, hi: Self, spread: Spread) -> Self;
    /// The value of `lo..=hi` nearest to zero.
    fn simplest(lo: Self, hi: Self) -> Self;
    /// Writes the answer that gives this value.
    fn note(self, out: &mut Encoder);
}

macro_rules! integer {
    ($ask:ident as $wide:ty, $kind:ident, $fresh:ident, $ask_fresh:ident: $($int:ty),*) => {$(
        impl Integer for $int {
            const MIN: Self = <$int>::MIN;
            const MAX: Self = <$int>::MAX;

            fn next(self) -> Option<Self> {
                self.checked_add(1)
            }

            fn previous(self) -> Option<Self> {
                self.checked_sub(1)
            }

            #[inline(always)]
            fn ask(choices: &mut Choices, lo: Self, hi: Self, spread: Spread) -> Self {
                choices.$ask(lo as $wide, hi as $wide, spread) as $int
            }

            #[inline(always)]
            fn ask_fresh(choices: &mut Choices, lo: Self, hi: Self, spread: Spread) -> Self {
                choices.$ask_fresh(lo as $wide, hi as $wide, spread) as $int
            }

            #[inline(always)]
            fn unchanged(answers: &mut Unchanged<'_>, lo: Self, hi: Self) -> Option<Self> {
                let value = answers.answer(NodeKind::$kind)? as $wide;
                // One comparison for both ends.
                let is_inside = value.wrapping_sub(lo as $wide) as u64 <= (hi as $wide).wrapping_sub(lo as $wide) as u64;
                is_inside.then_some(value as $int)
            }

            #[inline]
            fn fresh(rng: &mut Rng, lo: Self, hi: Self, spread: Spread) -> Self {
                spread::$fresh(rng, lo as $wide, hi as $wide, spread) as $int
            }

            fn simplest(lo: Self, hi: Self) -> Self {
                0.clamp(lo, hi)
            }

            fn note(self, out: &mut Encoder) {
                out.$ask(self as $wide);
            }
        }
    )*};
}
integer!(integer as i64, Signed, fresh_signed, fresh_integer: i8, i16, i32, i64, isize, u8, u16, u32);
integer!(unsigned as u64, Unsigned, fresh_unsigned, fresh_natural: u64, usize);

/// Integers of a range; see [`ints`].
#[derive(Clone, Copy, Debug)]
pub struct Ints<T> {
    lo: T,
    hi: T,
    spread: Spread,
}

/// The integers of a range. Wide ranges give more of their ends and of small values than chance would; the value nearest
/// to zero is the simplest.
///
/// ```
/// use temper::prelude::*;
/// let digits = ints(0..=9);
/// let any_byte = ints::<u8>(..);
/// # let _ = (digits, any_byte);
/// ```
///
/// # Panics
/// When the range is empty.
pub fn ints<T: Integer>(range: impl RangeBounds<T>) -> Ints<T> {
    let lo = match range.start_bound() {
        Bound::Included(&lo) => Some(lo),
        Bound::Excluded(&lo) => lo.next(),
        Bound::Unbounded => Some(T::MIN),
    };
    let hi = match range.end_bound() {
        Bound::Included(&hi) => Some(hi),
        Bound::Excluded(&hi) => hi.previous(),
        Bound::Unbounded => Some(T::MAX),
    };
    match (lo, hi) {
        (Some(lo), Some(hi)) if lo <= hi => Ints { lo, hi, spread: Spread::Edges },
        _ => panic!(
            "`ints` needs a range with at least one value, not {:?} to {:?}",
            range.start_bound(),
            range.end_bound()
        ),
    }
}

impl<T> Ints<T> {
    /// Draws every value of the range with the same probability.
    pub fn uniform(self) -> Self {
        Ints { spread: Spread::Uniform, ..self }
    }
}

impl<T: Integer> Ints<T> {
    pub(crate) fn fresh(&self, rng: &mut Rng) -> T {
        T::fresh(rng, self.lo, self.hi, self.spread)
    }

    pub(crate) fn simplest(&self) -> T {
        T::simplest(self.lo, self.hi)
    }
}

impl<T: Integer> Domain for Ints<T> {
    type Value = T;

    // Into lists and tuples: a replayed number costs less than a call.
    #[inline(always)]
    fn draw(&self, choices: &mut Choices) -> Result<T, Rejected> {
        Ok(T::ask(choices, self.lo, self.hi, self.spread))
    }

    #[inline(always)]
    fn answers(&self) -> usize {
        1
    }

    #[inline(always)]
    fn draw_fresh(&self, choices: &mut Choices) -> Result<T, Rejected> {
        Ok(T::ask_fresh(choices, self.lo, self.hi, self.spread))
    }

    #[inline(always)]
    fn unchanged(&self, answers: &mut Unchanged<'_>) -> Option<T> {
        T::unchanged(answers, self.lo, self.hi)
    }

    fn is_bare(&self) -> bool {
        true
    }

    fn encode(&self, value: &T, out: &mut Encoder) -> bool {
        value.note(out);
        (self.lo..=self.hi).contains(value)
    }
}

/// `false` and `true`; see [`bools`].
#[derive(Clone, Copy, Debug)]
pub struct Bools {
    p: f64,
}

/// `false` and `true`, equally likely; `false` is the simpler one.
pub fn bools() -> Bools {
    Bools { p: 0.5 }
}

impl Bools {
    /// Draws `true` with probability `p`.
    pub fn p(self, p: f64) -> Self {
        Bools { p }
    }
}

impl Domain for Bools {
    type Value = bool;

    fn draw(&self, choices: &mut Choices) -> Result<bool, Rejected> {
        Ok(choices.flag(self.p))
    }

    #[inline(always)]
    fn answers(&self) -> usize {
        1
    }

    #[inline(always)]
    fn draw_fresh(&self, choices: &mut Choices) -> Result<bool, Rejected> {
        Ok(choices.fresh_bool(self.p))
    }

    #[inline(always)]
    fn unchanged(&self, answers: &mut Unchanged<'_>) -> Option<bool> {
        answers.answer(NodeKind::Flag).filter(|&value| value <= 1).map(|value| value == 1)
    }

    fn is_bare(&self) -> bool {
        true
    }

    fn encode(&self, value: &bool, out: &mut Encoder) -> bool {
        out.flag(*value);
        true
    }
}
