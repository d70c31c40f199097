//! Rows as small numbers: each column cut into at most 255 bins, so that a split is found by counting and not by sorting.
//!
//! Columns of at most 255 values lose nothing. The cut points of larger ones are quantiles, of a sample when there are many rows.
//! Columns that are not to be used have one bin.

use crate::data::matrix::Matrix;
use crate::data::schema::{Column, ColumnKind, Schema};

/// Most bins of a column.
pub const MOST_BINS: usize = 255;

/// Rows from which cut points are taken.
const SAMPLED_ROWS: usize = 20_000;

/// The bins of every column.
pub struct Bins {
    /// For each column, the boundaries in ascending order: bin `k` holds the values above boundary `k - 1` and up to `k`.
    boundaries: Vec<Vec<f64>>,
}

/// Rows, column by column, as bins.
pub struct BinnedRows {
    /// For each column, one bin a row.
    pub columns: Vec<Vec<u8>>,
    /// Number of rows.
    pub rows: usize,
}

impl Bins {
    /// Bins for rows of this meaning; columns that are not used have one.
    pub fn new(rows: &Matrix, schema: &Schema, is_used: impl Fn(&Column) -> bool) -> Bins {
        let step = rows.rows().div_ceil(SAMPLED_ROWS).max(1);
        let boundaries = schema.columns.iter().enumerate().map(|(index, column)| {
            if !is_used(column) {
                return Vec::new();
            }
            let mut values: Vec<f64> = (0..rows.rows()).step_by(step).map(|row| rows.row(row)[index]).collect();
            values.sort_by(f64::total_cmp);
            boundaries(&values, column)
        });
        Bins { boundaries: boundaries.collect() }
    }

    /// Number of bins of a column.
    pub fn count(&self, column: usize) -> usize {
        self.boundaries[column].len() + 1
    }

    /// The boundary above a bin; none above the last.
    pub fn above(&self, column: usize, bin: usize) -> Option<f64> {
        self.boundaries[column].get(bin).copied()
    }

    /// The bin of a value.
    pub fn of(&self, column: usize, value: f64) -> u8 {
        self.boundaries[column].partition_point(|&boundary| boundary < value) as u8
    }

    /// The rows as bins.
    pub fn rows(&self, rows: &Matrix) -> BinnedRows {
        let columns = (0..self.boundaries.len()).map(|column| {
            if self.boundaries[column].is_empty() {
                return vec![0; rows.rows()];
            }
            rows.column(column).map(|value| self.of(column, value)).collect()
        });
        BinnedRows { columns: columns.collect(), rows: rows.rows() }
    }
}

/// Boundaries between sorted values: between any two if they are few, else at quantiles.
fn boundaries(values: &[f64], column: &Column) -> Vec<f64> {
    let distinct = 1 + values.windows(2).filter(|pair| pair[0] < pair[1]).count();
    let share = if distinct <= MOST_BINS { 0 } else { values.len() / MOST_BINS };
    let mut found = Vec::new();
    let mut last = 0;
    for (at, pair) in values.windows(2).enumerate() {
        let is_cut = pair[0] < pair[1] && at + 1 - last > share && found.len() + 1 < MOST_BINS;
        if is_cut {
            found.push(boundary_between(column, pair[0], pair[1]));
            last = at + 1;
        }
    }
    found
}

/// A boundary from `low` up to, and without, `high`, in as few digits as there are.
pub fn boundary_between(column: &Column, low: f64, high: f64) -> f64 {
    if matches!(column.kind, ColumnKind::Category(_) | ColumnKind::Boolean) || Some(low) == column.missing {
        return low + 0.5 * (high - low);
    }
    if matches!(column.kind, ColumnKind::Moment(_)) {
        return low;
    }
    shortest_between(low, high)
}

/// The number in `low..high` that has the fewest digits, nearest to the middle.
pub fn shortest_between(low: f64, high: f64) -> f64 {
    let middle = low + 0.5 * (high - low);
    if low < 0.0 && high > 0.0 {
        return 0.0;
    }
    let short = (0..17).filter_map(|digits| format!("{middle:.digits$e}").parse::<f64>().ok());
    let mut inside = short.filter(|&short| short >= low && short < high);
    inside.next().unwrap_or(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(values: &[f64]) -> Schema {
        Schema { columns: vec![Column::float("a", values.iter().copied())] }
    }

    #[test]
    fn few_values_have_a_bin_each_and_readable_boundaries() {
        let values = [1.61, 0.2, 1.7, 0.2];
        let bins = Bins::new(&Matrix::from_values(1, values.to_vec()), &schema(&values), |_| true);
        assert_eq!(values.map(|value| bins.of(0, value)), [1, 0, 2, 0]);
        assert_eq!([bins.above(0, 0), bins.above(0, 1), bins.above(0, 2)], [Some(0.9), Some(1.66), None]);
    }

    #[test]
    fn many_values_share_bins_evenly() {
        let values: Vec<f64> = (0..10_000).map(|value| f64::from(value) * 0.37).collect();
        let bins = Bins::new(&Matrix::from_values(1, values.clone()), &schema(&values), |_| true);
        let rows = bins.rows(&Matrix::from_values(1, values));
        let mut counts = vec![0; bins.count(0)];
        rows.columns[0].iter().for_each(|&bin| counts[bin as usize] += 1);
        assert!(counts.len() > 200 && counts.len() <= MOST_BINS, "{}", counts.len());
        assert!(counts.iter().all(|&count| (1..=60).contains(&count)), "{counts:?}");
    }

    #[test]
    fn boundaries_have_as_few_digits_as_there_are() {
        assert_eq!(shortest_between(4.9, 5.0), 4.95);
        assert_eq!(shortest_between(0.8, 1.9), 1.0);
        assert_eq!(shortest_between(-0.3, 0.9), 0.0);
        assert_eq!(shortest_between(1234.51, 1234.6), 1234.55);
    }
}
