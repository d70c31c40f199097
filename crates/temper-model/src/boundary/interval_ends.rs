//! The ends of a feature's interval in a leaf: filled in, rounded as the published tool does, and narrowed to a slice.
//!
//! Source: Durelli et al., section 4.3, tables 2 and 4. The clean form keeps boundaries as they are, so that every value is
//! inside the leaf. The paper's form rounds them inwards by a decimal unit, which loses the values next to a boundary and can
//! leave nothing at all in a narrow leaf.

use crate::boundary::decimal_rounding::{Decimal, decimals};
use crate::tree::leaf::LeafInterval;

/// Both ends of an interval, whether from a split or filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ends {
    /// Lower end; excluded when it is a boundary and nothing was rounded.
    pub lo: f64,
    /// Upper end; included.
    pub hi: f64,
}

/// Which end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntervalEnd {
    /// The lower one.
    Lower,
    /// The upper one.
    Upper,
}

impl Ends {
    /// The interval with absent ends filled in.
    pub fn filled(interval: LeafInterval, min: f64, max: f64) -> Ends {
        Ends { lo: interval.lo.unwrap_or(min), hi: interval.hi.unwrap_or(max) }
    }

    /// The part next to one end, `percent` of the whole.
    pub fn slice(self, end: IntervalEnd, percent: f64) -> Ends {
        let width = (self.hi - self.lo).abs() / 100.0 * percent;
        match end {
            IntervalEnd::Lower => Ends { lo: self.lo, hi: (self.lo + width).min(self.hi) },
            IntervalEnd::Upper => Ends { lo: (self.hi - width).max(self.lo), hi: self.hi },
        }
    }
}

/// How the published tool rounds a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperRounding {
    digits: u32,
}

impl PaperRounding {
    /// One digit more than the column's values have, at most six.
    pub fn new(column_decimals: u32) -> Self {
        PaperRounding { digits: if column_decimals < 6 { column_decimals + 1 } else { 6 } }
    }

    /// The ends that the published tool tests between. Only boundaries are moved: up to the next decimal and one more
    /// below, down and one more above.
    pub fn coverage(self, interval: LeafInterval, min: f64, max: f64) -> Ends {
        let lo = interval.lo.map_or(min, |lo| self.up(lo, 1));
        let hi = interval.hi.map_or(max, |hi| self.down(hi, 1));
        Ends { lo, hi }
    }

    /// The slice that the published tool tests between: next to the only boundary, or to `chosen` when there are two.
    pub fn boundary(self, interval: LeafInterval, coverage: Ends, chosen: IntervalEnd, percent: f64) -> Ends {
        let end = match (interval.lo, interval.hi) {
            (Some(_), Some(_)) => chosen,
            (Some(_), None) => IntervalEnd::Lower,
            _ => IntervalEnd::Upper,
        };
        let mut ends = coverage.slice(end, percent);
        match end {
            IntervalEnd::Lower if decimals(ends.hi) > self.digits => ends.hi = self.down(ends.hi, 0),
            IntervalEnd::Upper if decimals(ends.lo) > self.digits => ends.lo = self.up(ends.lo, 0),
            _ => {}
        }
        if ends.lo >= ends.hi { coverage } else { ends }
    }

    fn up(self, value: f64, units: i128) -> f64 {
        Decimal::ceil(value, self.digits).map_or(value, |decimal| decimal.plus(units).to_f64())
    }

    fn down(self, value: f64, units: i128) -> f64 {
        Decimal::floor(value, self.digits).map_or(value, |decimal| decimal.plus(-units).to_f64())
    }
}

/// Digits after the point in each column, as the published tool counts them: none when the whole table is whole numbers.
pub fn column_decimals(columns: &[impl AsRef<[f64]>], is_whole_table: bool) -> Vec<u32> {
    columns
        .iter()
        .map(
            |column| {
                if is_whole_table { 0 } else { column.as_ref().iter().map(|&value| decimals(value)).max().unwrap_or(1) }
            },
        )
        .collect()
}
