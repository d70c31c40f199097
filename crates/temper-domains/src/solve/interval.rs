//! Ranges of unknowns: whole numbers with both ends included, or floats whose ends may be left out.

use temper::choices::{EmptyBounds, FloatBounds, Width};

/// The values that an unknown may still take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interval {
    /// Whole numbers from the first to the second.
    Int(i64, i64),
    /// Floats.
    Float(FloatRange),
}

/// Floats between two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatRange {
    pub min: f64,
    pub max: f64,
    pub exclude_min: bool,
    pub exclude_max: bool,
    pub width: u32,
}

/// A value that an unknown has taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    pub fn int(self) -> i64 {
        match self {
            Number::Int(value) => value,
            Number::Float(value) => value as i64,
        }
    }

    pub fn float(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
        }
    }
}

impl FloatRange {
    pub fn all(width: u32) -> FloatRange {
        let max = width_of(width).max();
        FloatRange { min: -max, max, exclude_min: false, exclude_max: false, width }
    }

    pub fn bounds(&self) -> Result<FloatBounds, EmptyBounds> {
        FloatBounds::new(width_of(self.width), self.min, self.max, self.exclude_min, self.exclude_max)
    }
}

pub fn width_of(bits: u32) -> Width {
    match bits {
        16 => Width::F16,
        32 => Width::F32,
        _ => Width::F64,
    }
}

impl Interval {
    pub fn is_empty(&self) -> bool {
        match self {
            Interval::Int(min, max) => min > max,
            Interval::Float(range) => range.bounds().is_err(),
        }
    }

    pub fn of(value: Number) -> Interval {
        match value {
            Number::Int(value) => Interval::Int(value, value),
            Number::Float(value) => Interval::Float(FloatRange {
                min: value,
                max: value,
                exclude_min: false,
                exclude_max: false,
                width: 64,
            }),
        }
    }

    pub fn is_float(&self) -> bool {
        matches!(self, Interval::Float(_))
    }

    /// The least value and whether it is left out, as floats.
    pub fn low(&self) -> (f64, bool) {
        match self {
            Interval::Int(min, _) => (*min as f64, false),
            Interval::Float(range) => (range.min, range.exclude_min),
        }
    }

    /// The greatest value and whether it is left out, as floats.
    pub fn high(&self) -> (f64, bool) {
        match self {
            Interval::Int(_, max) => (*max as f64, false),
            Interval::Float(range) => (range.max, range.exclude_max),
        }
    }

    /// Leaves only values up to `limit`, or below it when it is excluded; says whether anything changed.
    pub fn lower_max(&mut self, limit: f64, excluded: bool) -> bool {
        let before = *self;
        match self {
            Interval::Int(_, max) => {
                let floor = limit.floor();
                let whole = if excluded && floor == limit { floor - 1.0 } else { floor };
                *max = (*max).min(whole as i64);
            }
            Interval::Float(range) => {
                if limit < range.max || (limit == range.max && excluded) {
                    range.max = limit;
                    range.exclude_max = excluded;
                }
            }
        }
        *self != before
    }

    /// Leaves only values from `limit`, or above it when it is excluded; says whether anything changed.
    pub fn raise_min(&mut self, limit: f64, excluded: bool) -> bool {
        let before = *self;
        match self {
            Interval::Int(min, _) => {
                let ceil = limit.ceil();
                let whole = if excluded && ceil == limit { ceil + 1.0 } else { ceil };
                *min = (*min).max(whole as i64);
            }
            Interval::Float(range) => {
                if limit > range.min || (limit == range.min && excluded) {
                    range.min = limit;
                    range.exclude_min = excluded;
                }
            }
        }
        *self != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(min: f64, max: f64) -> Interval {
        Interval::Float(FloatRange { min, max, exclude_min: false, exclude_max: false, width: 64 })
    }

    #[test]
    fn whole_ranges_end_at_whole_numbers_inside_the_limit() {
        for (limit, excluded, expected) in [(7.0, false, 7), (7.0, true, 6), (7.5, false, 7), (7.5, true, 7)] {
            let mut range = Interval::Int(0, 9);
            assert!(range.lower_max(limit, excluded));
            assert_eq!(range, Interval::Int(0, expected), "{limit} {excluded}");
        }
        for (limit, excluded, expected) in [(2.0, false, 2), (2.0, true, 3), (1.5, false, 2), (1.5, true, 2)] {
            let mut range = Interval::Int(0, 9);
            assert!(range.raise_min(limit, excluded));
            assert_eq!(range, Interval::Int(expected, 9), "{limit} {excluded}");
        }
    }

    #[test]
    fn a_limit_outside_the_range_changes_nothing() {
        for mut range in [Interval::Int(0, 9), floats(0.0, 9.0)] {
            assert!(!range.lower_max(9.0, false) && !range.raise_min(-1.0, true));
        }
    }

    #[test]
    fn an_excluded_limit_of_floats_leaves_the_end_out() {
        let mut range = floats(0.0, 1.0);
        assert!(range.lower_max(1.0, true) && range.raise_min(0.0, true));
        assert_eq!((range.low(), range.high()), ((0.0, true), (1.0, true)));
        assert!(!range.is_empty());
        assert!(range.lower_max(0.0, false));
        assert!(range.is_empty());
    }
}
