//! Rows as a challenger reads them.
//!
//! Categories are put in the order of their labels' mean, and that order comes from the rows that the challenger learns from and from
//! no others: an order that knows the labels of the rows to be answered would give them away.

use crate::data::dataset::Dataset;
use crate::data::matrix::Matrix;
use crate::data::schema::ColumnKind;

/// Rows of a category that count as much as the mean of all rows.
const PRIOR_ROWS: f64 = 5.0;

/// How the categories of each column become numbers.
pub struct CategoryOrder {
    /// For each column of categories, the number of each code.
    numbers: Vec<Option<Vec<f64>>>,
}

impl CategoryOrder {
    /// The order that these rows of the data show.
    pub fn learn(data: &Dataset, rows: &[u32]) -> CategoryOrder {
        let mean_label =
            rows.iter().map(|&row| data.labels[row as usize] as f64).sum::<f64>() / rows.len().max(1) as f64;
        let columns = data.schema.columns.iter().enumerate().map(|(index, column)| {
            let ColumnKind::Category(names) = &column.kind else { return None };
            let mut sums = vec![(PRIOR_ROWS * mean_label, PRIOR_ROWS); names.len()];
            for &row in rows {
                let code = data.features.row(row as usize)[index];
                if Some(code) != column.missing
                    && let Some(sum) = sums.get_mut(code as usize)
                {
                    sum.0 += data.labels[row as usize] as f64;
                    sum.1 += 1.0;
                }
            }
            Some(sums.into_iter().map(|(sum, count)| sum / count).collect())
        });
        CategoryOrder { numbers: columns.collect() }
    }

    /// The rows with categories as numbers; other cells, and missing ones, as they are.
    pub fn apply(&self, features: &Matrix) -> Matrix {
        let mut encoded = features.clone();
        for (column, numbers) in self.numbers.iter().enumerate() {
            let Some(numbers) = numbers else { continue };
            for row in 0..encoded.rows() {
                let cell = &mut encoded.row_mut(row)[column];
                if *cell >= 0.0 {
                    *cell = numbers.get(*cell as usize).copied().unwrap_or(-1.0);
                }
            }
        }
        encoded
    }

    /// Whether any column is changed.
    pub fn is_needed(&self) -> bool {
        self.numbers.iter().any(Option::is_some)
    }
}
