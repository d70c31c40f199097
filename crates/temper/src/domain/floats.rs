//! Floats of every width, with exact bounds.

use super::{Domain, Encoder};
use crate::choices::tree::NodeKind;
use crate::choices::{Choices, FloatBounds, Rejected, Spread, Unchanged, Width};
use crate::rng::Rng;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

/// The float types that one answer holds.
pub trait Float: Copy + Debug {
    /// The precision of the type.
    const WIDTH: Width;
    /// The value of this type nearest to `x`.
    fn narrow(x: f64) -> Self;
    /// The same value in double precision.
    fn widen(self) -> f64;
}

impl Float for f64 {
    const WIDTH: Width = Width::F64;

    #[inline]
    fn narrow(x: f64) -> f64 {
        x
    }

    #[inline]
    fn widen(self) -> f64 {
        self
    }
}

impl Float for f32 {
    const WIDTH: Width = Width::F32;

    #[inline]
    fn narrow(x: f64) -> f32 {
        x as f32
    }

    #[inline]
    fn widen(self) -> f64 {
        f64::from(self)
    }
}

/// Floats within bounds; see [`floats`].
#[derive(Clone, Copy, Debug)]
pub struct Floats<T> {
    bounds: FloatBounds,
    value: PhantomData<T>,
}

/// The finite doubles of a range. Half-open ranges are exact to the last bit: `floats(0.0..1.0)` never gives 1. An open
/// side of the range means every finite value on that side.
///
/// # Panics
/// When the range holds no float.
pub fn floats(range: impl RangeBounds<f64>) -> Floats<f64> {
    of_range(range)
}

/// The finite single-precision floats of a range; see [`floats`].
///
/// # Panics
/// When the range holds no float.
pub fn floats32(range: impl RangeBounds<f32>) -> Floats<f32> {
    of_range(range)
}

/// The doubles that `bounds` allows, which may be of another width.
pub fn floats_within(bounds: FloatBounds) -> Floats<f64> {
    Floats { bounds, value: PhantomData }
}

fn of_range<T: Float>(range: impl RangeBounds<T>) -> Floats<T> {
    let end = |bound: Bound<&T>, open: f64| match bound {
        Bound::Included(x) => (x.widen(), false),
        Bound::Excluded(x) => (x.widen(), true),
        Bound::Unbounded => (open, false),
    };
    let (min, exclude_min) = end(range.start_bound(), -T::WIDTH.max());
    let (max, exclude_max) = end(range.end_bound(), T::WIDTH.max());
    match FloatBounds::new(T::WIDTH, min, max, exclude_min, exclude_max) {
        Ok(bounds) => Floats { bounds, value: PhantomData },
        Err(error) => panic!("`floats` needs a range with at least one value: {error}"),
    }
}

impl<T: Float> Floats<T> {
    /// Draws NaN too.
    pub fn nan(self) -> Self {
        Floats { bounds: self.bounds.with_nan(true), ..self }
    }

    /// Draws the infinities too.
    pub fn inf(self) -> Self {
        Floats { bounds: self.bounds.with_inf(true), ..self }
    }

    /// Draws uniformly, without more of the ends and of round values.
    pub fn uniform(self) -> Self {
        Floats { bounds: self.bounds.with_spread(Spread::Uniform), ..self }
    }
}

impl<T: Float> Floats<T> {
    pub(crate) fn fresh(&self, rng: &mut Rng) -> T {
        T::narrow(self.bounds.fresh(rng))
    }

    pub(crate) fn simplest(&self) -> T {
        T::narrow(self.bounds.simplest())
    }
}

impl<T: Float> Domain for Floats<T> {
    type Value = T;

    #[inline]
    fn draw(&self, choices: &mut Choices) -> Result<T, Rejected> {
        Ok(T::narrow(choices.float(&self.bounds)))
    }

    #[inline(always)]
    fn answers(&self) -> usize {
        1
    }

    #[inline]
    fn draw_fresh(&self, choices: &mut Choices) -> Result<T, Rejected> {
        Ok(T::narrow(choices.fresh_float(&self.bounds)))
    }

    #[inline]
    fn unchanged(&self, answers: &mut Unchanged<'_>) -> Option<T> {
        let bits = answers.answer(NodeKind::Float)?;
        self.bounds.fit(f64::from_bits(bits)).filter(|fitting| fitting.to_bits() == bits).map(T::narrow)
    }

    fn is_bare(&self) -> bool {
        true
    }

    fn encode(&self, value: &T, out: &mut Encoder) -> bool {
        out.float(value.widen());
        self.bounds.contains(value.widen())
    }
}
