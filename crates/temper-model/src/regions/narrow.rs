//! The smallest box that holds what is wrong in a region.
//!
//! A tree cuts where it gains most, which leaves regions open at one end: a defect from 4.2 to 4.8 is found as "up to 4.95".
//! Here each interval of a region is drawn in to the rows that are wrong, plus one mean gap between them on each side: the ends of
//! a uniform sample lie that far inside on average. A side is drawn in only if that leaves out a fair share of the rows.

use crate::data::bins::boundary_between;
use crate::data::matrix::Matrix;
use crate::data::schema::{Column, Schema};
use crate::regions::region::{Region, RegionCondition};

/// A side is drawn in if it leaves out at least this share of the region's rows.
const WORTH: f64 = 0.1;

/// Fewest wrong rows from which ends are estimated.
const FEWEST_WRONG: usize = 6;

/// Draws a region in to its wrong rows. `rows` are those in the region from which it was chosen.
pub fn narrow(
    region: &Region,
    features: &Matrix,
    schema: &Schema,
    rows: &[u32],
    is_wrong: impl Fn(u32) -> bool,
) -> Region {
    let wrong: Vec<u32> = rows.iter().copied().filter(|&row| is_wrong(row)).collect();
    let mut drawn = region.clone();
    if wrong.len() < FEWEST_WRONG {
        return drawn;
    }
    for (column, condition) in &mut drawn.conditions {
        let RegionCondition::Between(interval) = condition else { continue };
        let own: &Column = &schema.columns[*column];
        let missing = own.missing;
        let value = |row: u32| features.row(row as usize)[*column];
        if wrong.iter().any(|&row| Some(value(row)) == missing) || !schema.columns[*column].is_ordered() {
            continue;
        }
        let (low, high) = range(wrong.iter().map(|&row| value(row)));
        let gap = (high - low) / (wrong.len() - 1) as f64;
        let below = rows.iter().filter(|&&row| value(row) < low - gap).count();
        let above = rows.iter().filter(|&&row| value(row) > high + gap).count();
        let is_worth = |count: usize| count as f64 >= WORTH * rows.len() as f64;
        if is_worth(below) {
            let outside = rows.iter().map(|&row| value(row)).filter(|&value| value < low - gap);
            let inside = rows.iter().map(|&row| value(row)).filter(|&value| value >= low - gap);
            interval.lo = Some(boundary_between(own, range(outside).1, range(inside).0));
        }
        if is_worth(above) {
            let outside = rows.iter().map(|&row| value(row)).filter(|&value| value > high + gap);
            let inside = rows.iter().map(|&row| value(row)).filter(|&value| value <= high + gap);
            interval.hi = Some(boundary_between(own, range(inside).1, range(outside).0));
        }
    }
    drawn
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::schema::Column;
    use crate::tree::leaf::LeafInterval;

    #[test]
    fn a_region_that_is_open_at_one_end_is_drawn_in_to_its_wrong_rows() {
        let values: Vec<f64> = (0..200).map(|at| f64::from(at) * 0.05).collect();
        let features = Matrix::from_values(1, values.clone());
        let schema = Schema { columns: vec![Column::float("a", values.iter().copied())] };
        let interval = LeafInterval { lo: None, hi: Some(4.95) };
        let region = Region { conditions: vec![(0, RegionCondition::Between(interval))] };
        let rows: Vec<u32> = (0..200).filter(|&row| interval.contains(values[row as usize])).collect();
        let drawn = narrow(&region, &features, &schema, &rows, |row| (4.2..=4.8).contains(&values[row as usize]));
        let [(_, RegionCondition::Between(found))] = drawn.conditions.as_slice() else { panic!("{drawn:?}") };
        let low = found.lo.unwrap();
        assert!((4.0..4.2).contains(&low), "{found:?}");
        assert_eq!(found.hi, Some(4.95), "only a tenth of the rows lies beyond 4.8");
    }
}
