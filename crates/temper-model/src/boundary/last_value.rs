//! The last value on either side of a boundary, in the type that the model reads.
//!
//! The surrogate compares values as `f32`, so a double next to a boundary can be on one side by its own value and on the
//! other as the surrogate sees it. The values given here are on the same side by both.

use crate::data::schema::Column;
use temper::choices::Width;

/// The largest value that goes left.
pub(crate) fn below(threshold: f64, column: &Column, width: Width) -> f64 {
    let single = narrow_down(threshold);
    // Values up to half-way to the next `f32` round to `single`; half-way itself goes to the even one of the two.
    let mut double = halfway(single, single.next_up());
    if f64::from(double as f32) > threshold {
        double = double.next_down();
    }
    let double = double.min(threshold);
    match width {
        _ if column.is_whole() => double.floor(),
        Width::F64 => double,
        Width::F32 | Width::F16 => f64::from(single),
    }
}

/// The smallest value that goes right.
pub(crate) fn above(threshold: f64, column: &Column, width: Width) -> f64 {
    let single = narrow_down(threshold).next_up();
    let mut double = halfway(single.next_down(), single);
    if f64::from(double as f32) <= threshold {
        double = double.next_up();
    }
    let double = double.max(threshold.next_up());
    match width {
        _ if column.is_whole() => double.ceil(),
        Width::F64 => double,
        Width::F32 | Width::F16 => f64::from(single),
    }
}

/// The largest `f32` that is not above a value.
fn narrow_down(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) <= value { near } else { near.next_down() }
}

fn halfway(a: f32, b: f32) -> f64 {
    f64::midpoint(f64::from(a), f64::from(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::schema::ColumnKind;

    fn column(kind: ColumnKind) -> Column {
        Column { kind, ..Column::float("x", [0.0, 1.0].into_iter()) }
    }

    #[test]
    fn values_next_to_a_boundary_are_on_their_sides_as_double_and_as_single() {
        let next = 0.1f32.next_up();
        let thresholds = [2.449999988079071, 0.8, 1e-30, -3.5, 0.0, 16_777_216.5, 1e30, halfway(0.1, next)];
        for threshold in thresholds.into_iter().chain([halfway(next, next.next_up()), -halfway(0.1, next)]) {
            for kind in [ColumnKind::Float, ColumnKind::Integer] {
                for width in [Width::F32, Width::F64] {
                    let column = column(kind.clone());
                    let (low, high) = (below(threshold, &column, width), above(threshold, &column, width));
                    assert!(low <= threshold && f64::from(low as f32) <= threshold, "{low} {threshold}");
                    assert!(high > threshold && f64::from(high as f32) > threshold, "{high} {threshold}");
                    if width == Width::F32 && !column.is_whole() {
                        assert_eq!((low as f32).next_up(), high as f32);
                    }
                }
            }
        }
    }

    #[test]
    fn no_double_lies_between_a_boundary_and_the_value_on_its_left_unless_it_changes_sides() {
        for threshold in [2.449999988079071, halfway(0.1, 0.1f32.next_up())] {
            let low = below(threshold, &column(ColumnKind::Float), Width::F64);
            let next = low.next_up();
            assert!(next > threshold || f64::from(next as f32) > threshold);
        }
    }
}
