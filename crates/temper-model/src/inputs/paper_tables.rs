//! What the published tool reads off the whole table.

use crate::boundary::interval_ends::{PaperRounding, column_decimals};
use crate::data::dataset::Dataset;
use crate::data::schema::ColumnKind;

/// What the whole table says about rounding and free values.
pub(super) struct PaperTables {
    pub(super) rounding: Vec<PaperRounding>,
    /// Distinct values of each class and feature, ascending.
    pub(super) values: Vec<Vec<Vec<f64>>>,
}

impl PaperTables {
    pub fn new(data: &Dataset, rows_of_class: &[Vec<usize>]) -> Self {
        let features = data.features.columns();
        let columns: Vec<Vec<f64>> = (0..features).map(|feature| data.features.column(feature).collect()).collect();
        let is_whole = data.schema.columns.iter().all(|column| column.kind == ColumnKind::Integer);
        let distinct = |rows: &Vec<usize>, feature: usize| {
            let mut values: Vec<f64> = rows.iter().map(|&row| columns[feature][row]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            values
        };
        let values = rows_of_class.iter().map(|rows| (0..features).map(|feature| distinct(rows, feature)).collect());
        let values = values.collect();
        PaperTables {
            rounding: column_decimals(&columns, is_whole).into_iter().map(PaperRounding::new).collect(),
            values,
        }
    }
}
