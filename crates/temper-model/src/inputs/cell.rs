//! Drawing one cell: between limits, or near a value that was observed.

use crate::data::schema::Column;
use temper::choices::{FloatBounds, Width};
use temper::{Choices, Spread};

/// A number between closed limits, every one equally likely; whole where the column is.
pub(crate) fn between(column: &Column, lo: f64, hi: f64, reads: Width, choices: &mut Choices) -> f64 {
    if column.is_whole() {
        let (least, most) = (lo.ceil() as i64, hi.floor() as i64);
        // No whole number between rounded ends: the nearest stands for them.
        return if least > most { hi.round() } else { choices.integer(least, most, Spread::Uniform) as f64 };
    }
    real_between(lo, hi, reads, choices)
}

/// A real number between closed limits, every one equally likely.
pub(crate) fn real_between(lo: f64, hi: f64, reads: Width, choices: &mut Choices) -> f64 {
    let bounds = FloatBounds::new(reads, lo, hi, false, false);
    // Nothing of this width between the limits: the lower one, rounded, is as near as it gets.
    bounds.map_or(reads.round(lo), |bounds| choices.float(&bounds.with_spread(Spread::Uniform)))
}

/// A cell near an observed one: a number is moved within the limits, anything else is kept. Moves are uniform with the given
/// standard deviation, in standard deviations of the column.
pub(crate) fn near(
    column: &Column,
    value: f64,
    deviations: f64,
    (lo, hi): (f64, f64),
    reads: Width,
    choices: &mut Choices,
) -> f64 {
    if !column.is_numeric() || Some(value) == column.missing {
        return value;
    }
    // A uniform move by up to sqrt(3) times a number has that number as its standard deviation.
    let reach = 3f64.sqrt() * deviations * column.deviation;
    between(column, lo.max(value - reach), hi.min(value + reach), reads, choices)
}
