//! Floats of one width inside exact bounds: half-open intervals are turned into closed ones by stepping one
//! representable value inwards, so that a bound is honoured to the last bit at every width.

use super::moves;
use super::spread::Spread;
use crate::rng::Rng;

/// The precision that a float must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// IEEE 754 half precision.
    F16,
    /// IEEE 754 single precision.
    F32,
    /// IEEE 754 double precision.
    F64,
}

impl Width {
    /// The largest finite value.
    pub fn max(self) -> f64 {
        match self {
            Width::F16 => 65504.0,
            Width::F32 => f64::from(f32::MAX),
            Width::F64 => f64::MAX,
        }
    }

    /// The value of this width nearest to `x`, ties to even; infinite if `x` is beyond the largest.
    #[inline]
    pub fn round(self, x: f64) -> f64 {
        match self {
            Width::F16 => round_to_half(x),
            Width::F32 => f64::from(x as f32),
            Width::F64 => x,
        }
    }

    /// The next value of this width above `x`, which must be of this width.
    pub fn next_up(self, x: f64) -> f64 {
        match self {
            Width::F16 if x == self.max() => f64::INFINITY,
            Width::F16 => x + half_step(if x < 0.0 { x + half_step(x) / 2.0 } else { x }),
            Width::F32 => f64::from((x as f32).next_up()),
            Width::F64 => x.next_up(),
        }
    }

    /// The next value of this width below `x`, which must be of this width.
    pub fn next_down(self, x: f64) -> f64 {
        -self.next_up(-x)
    }
}

/// The distance between neighbouring half-precision values around `x`.
fn half_step(x: f64) -> f64 {
    let exponent = if x == 0.0 { -14 } else { x.abs().log2().floor() as i32 };
    2f64.powi(exponent.max(-14) - 10)
}

fn round_to_half(x: f64) -> f64 {
    if !x.is_finite() || x == 0.0 {
        return x;
    }
    let step = half_step(x);
    let rounded = (x / step).round_ties_even() * step;
    if rounded.abs() > Width::F16.max() { f64::INFINITY.copysign(x) } else { rounded }
}

/// The bounds of a float request are empty, or not of the width asked for.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("no float of this width lies between {min:?} and {max:?}")]
pub struct EmptyBounds {
    /// The lower bound as given.
    pub min: f64,
    /// The upper bound as given.
    pub max: f64,
}

/// Which floats a request allows: a closed interval of one width, and perhaps NaN and the infinities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatBounds {
    min: f64,
    max: f64,
    width: Width,
    nan: bool,
    inf: bool,
    spread: Spread,
}

impl FloatBounds {
    /// All values of `width` from `min` to `max`; with `exclude_min` or `exclude_max` the end itself is left out.
    /// Bounds that are no values of this width are rounded inwards.
    ///
    /// # Errors
    /// When nothing is left between the bounds, or a bound is NaN.
    pub fn new(width: Width, min: f64, max: f64, exclude_min: bool, exclude_max: bool) -> Result<Self, EmptyBounds> {
        let empty = EmptyBounds { min, max };
        if min.is_nan() || max.is_nan() {
            return Err(empty);
        }
        let lo = inner_min(width, min, exclude_min);
        let hi = -inner_min(width, -max, exclude_max);
        if lo > hi || lo > width.max() || hi < -width.max() {
            return Err(empty);
        }
        // Adding zero turns -0.0 into 0.0, so that the simplest value of a range never prints a sign.
        Ok(FloatBounds { min: lo + 0.0, max: hi + 0.0, width, nan: false, inf: false, spread: Spread::Edges })
    }

    /// All finite values of `width`.
    pub fn finite(width: Width) -> Self {
        FloatBounds { min: -width.max(), max: width.max(), width, nan: false, inf: false, spread: Spread::Edges }
    }

    /// Allows NaN too.
    pub fn with_nan(self, nan: bool) -> Self {
        FloatBounds { nan, ..self }
    }

    /// Allows the infinities too.
    pub fn with_inf(self, inf: bool) -> Self {
        FloatBounds { inf, ..self }
    }

    /// Draws with this spread; [`Spread::Edges`] unless told otherwise.
    pub fn with_spread(self, spread: Spread) -> Self {
        FloatBounds { spread, ..self }
    }

    /// The smallest allowed finite value.
    pub fn min(&self) -> f64 {
        self.min
    }

    /// The largest allowed finite value.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// Whether `x` is allowed.
    pub fn contains(&self, x: f64) -> bool {
        if x.is_nan() {
            return self.nan;
        }
        if x.is_infinite() {
            return self.inf;
        }
        (self.min..=self.max).contains(&x) && self.width.round(x) == x
    }

    pub(crate) fn simplest(&self) -> f64 {
        0f64.clamp(self.min, self.max)
    }

    /// The allowed value that stands for a recorded `x`; `None` when only a fresh draw will do.
    pub(crate) fn fit(&self, x: f64) -> Option<f64> {
        if x.is_nan() || x.is_infinite() {
            return self.contains(x).then_some(x);
        }
        Some(self.inside(x))
    }

    #[inline]
    fn inside(&self, x: f64) -> f64 {
        self.width.round(x).clamp(self.min, self.max)
    }

    #[inline]
    pub(crate) fn fresh(&self, rng: &mut Rng) -> f64 {
        if self.spread == Spread::Uniform && !(self.nan || self.inf) {
            return self.uniform(rng);
        }
        match rng.below(32) {
            0 if self.nan => f64::NAN,
            1 if self.inf => [f64::INFINITY, f64::NEG_INFINITY][rng.index(2)],
            _ if self.spread == Spread::Uniform => self.uniform(rng),
            0..=2 => self.edge(rng),
            3..=5 => self.inside(rng.below(2001) as f64 - 1000.0),
            6..=9 => self.inside(rng.signed_unit() * (rng.signed_unit() * 60.0).exp2()),
            _ if self.max - self.min > 1e9 => self.inside(rng.signed_unit() * 10f64.powi(rng.below(10) as i32)),
            _ => self.uniform(rng),
        }
    }

    #[inline]
    fn uniform(&self, rng: &mut Rng) -> f64 {
        let width = self.max - self.min;
        if width.is_finite() {
            return self.inside(self.min + rng.unit() * width);
        }
        self.inside(rng.signed_unit() * self.max.max(-self.min))
    }

    fn edge(&self, rng: &mut Rng) -> f64 {
        let tiny = match self.width {
            Width::F16 => 2f64.powi(-24),
            Width::F32 => f64::from(f32::from_bits(1)),
            Width::F64 => f64::from_bits(1),
        };
        let up = self.width.next_up(self.min);
        let down = self.width.next_down(self.max);
        let edges = [self.min, self.max, up, down, 0.0, -0.0, 1.0, -1.0, 0.5, tiny, -tiny];
        let edge = edges[rng.index(edges.len())];
        if self.contains(edge) { edge } else { self.inside(edge) }
    }

    pub(crate) fn neighbour(&self, rng: &mut Rng, base: f64, temperature: f64) -> f64 {
        match self.fit(base) {
            Some(base) if base.is_finite() && !moves::is_redraw(rng, temperature) => {
                self.inside(moves::move_float(rng, base, self.min, self.max, temperature))
            }
            _ => self.fresh(rng),
        }
    }
}

/// The smallest value of `width` that is at least `min`, or above it when `exclude` is set.
fn inner_min(width: Width, min: f64, exclude: bool) -> f64 {
    let min = min.max(-width.max());
    let rounded = width.round(min);
    let inner = if rounded < min { width.next_up(rounded) } else { rounded };
    if exclude && inner == min { width.next_up(inner) } else { inner }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_matches_the_standard() {
        // Values from IEEE 754: largest, smallest normal, smallest subnormal, 1/3 rounded, and the step at 2048.
        for (x, expected) in [
            (65504.0, 65504.0),
            (65519.9, 65504.0),
            (65520.0, f64::INFINITY),
            (1.0 / 3.0, 0.333251953125),
            (2f64.powi(-24), 2f64.powi(-24)),
            (2f64.powi(-26), 0.0),
            (2049.0, 2048.0),
            (2051.0, 2052.0),
        ] {
            assert_eq!(Width::F16.round(x), expected, "{x}");
        }
        assert_eq!(Width::F16.next_up(1.0), 1.0 + 2f64.powi(-10));
        assert_eq!(Width::F16.next_down(1.0), 1.0 - 2f64.powi(-11));
        assert_eq!(Width::F16.next_up(0.0), 2f64.powi(-24));
        assert_eq!(Width::F16.next_down(0.0), -(2f64.powi(-24)));
    }

    #[test]
    fn half_open_intervals_are_exact() {
        for width in [Width::F16, Width::F32, Width::F64] {
            let bounds = FloatBounds::new(width, 0.0, 1.0, true, true).unwrap();
            assert_eq!(bounds.min(), width.next_up(0.0));
            assert_eq!(bounds.max(), width.next_down(1.0));
            assert!(FloatBounds::new(width, 1.0, 1.0, true, false).is_err());
            let one_value = FloatBounds::new(width, 1.0, width.next_up(1.0), true, false).unwrap();
            assert_eq!(one_value.min(), one_value.max());
        }
        // 0.1 is no single-precision value: the bound moves inwards, not to the nearest.
        let tenth = FloatBounds::new(Width::F32, 0.1, 0.5, false, false).unwrap();
        assert!(tenth.min() >= 0.1 && tenth.min() < 0.1 + 1e-8);
    }

    #[test]
    fn every_draw_and_move_is_allowed() {
        let mut rng = Rng::new(7);
        let all = |width| FloatBounds::finite(width).with_nan(true).with_inf(true);
        for bounds in [
            all(Width::F16),
            all(Width::F32),
            all(Width::F64),
            FloatBounds::new(Width::F16, -2.5, 1e-3, true, true).unwrap(),
            FloatBounds::new(Width::F32, 0.0, 1.0, false, true).unwrap(),
            FloatBounds::new(Width::F64, -1e300, 1e300, false, false).unwrap(),
        ] {
            for _ in 0..5000 {
                let draw = bounds.fresh(&mut rng);
                let neighbour = bounds.neighbour(&mut rng, draw, 1.0);
                assert!(bounds.contains(draw) && bounds.contains(neighbour), "{draw} {neighbour} {bounds:?}");
            }
        }
    }
}
