//! The kinds of values.

pub mod cells;
pub mod shapes;
