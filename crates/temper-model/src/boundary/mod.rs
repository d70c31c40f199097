//! The numbers at a boundary: the ends of an interval, the last value on either side, and exact decimal rounding.

pub(crate) mod decimal_rounding;
pub mod interval_ends;
pub(crate) mod last_value;
