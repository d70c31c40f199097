//! Draws the skeleton and the unknowns of one function: the first two phases of a draw.

use temper::{Choices, Rejected, Spread};

use super::interval::{Interval, Number};
use super::linear::{Variable, propagate};
use super::skeletons::{Branch, Case};

/// Chooses among the feasible skeletons.
pub fn skeleton<'p>(mut branch: &'p Branch, choices: &mut Choices) -> &'p Case {
    loop {
        match branch {
            Branch::Leaf(case) => return case,
            Branch::Choice(alternatives) => branch = &alternatives[choices.index(alternatives.len())],
        }
    }
}

/// Draws the unknowns of a skeleton, one after the other; those that are not part of it stay 0.
///
/// # Errors
/// At a dead end, which only relations other than differences have.
pub fn unknowns(case: &Case, choices: &mut Choices) -> Result<Vec<Number>, Rejected> {
    let mut numbers = vec![Number::Int(0); case.ranges.len()];
    if case.ranges.is_empty() {
        return Ok(numbers);
    }
    let mut ranges = case.ranges.clone();
    draw(case, &case.always, &mut ranges, &mut numbers, choices)?;
    if !case.own.is_empty() {
        choices.open("unknowns of the alternatives");
        let drawn = draw(case, &case.own, &mut ranges, &mut numbers, choices);
        choices.close();
        drawn?;
    }
    Ok(numbers)
}

fn draw(
    case: &Case,
    variables: &[Variable],
    ranges: &mut [Interval],
    numbers: &mut [Number],
    choices: &mut Choices,
) -> Result<(), Rejected> {
    for &variable in variables {
        numbers[variable] = match &ranges[variable] {
            Interval::Int(min, max) if min == max => Number::Int(*min),
            Interval::Int(min, max) => Number::Int(choices.integer(*min, *max, Spread::Edges)),
            Interval::Float(range) => Number::Float(choices.float(&range.bounds().map_err(|_| Rejected)?)),
        };
        if case.is_related[variable] {
            ranges[variable] = Interval::of(numbers[variable]);
            if !propagate(&case.relations, ranges) {
                return Err(Rejected);
            }
        }
    }
    Ok(())
}
