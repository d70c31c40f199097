//! A dense table of numbers: what the learner reads and what a model is asked about.

/// Rows of equal length, stored row after row. Categories and missing values are codes; the [`crate::Schema`] translates.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// An empty matrix with the given number of columns.
    pub fn new(columns: usize) -> Self {
        Matrix { columns, values: Vec::new() }
    }

    /// A matrix from values stored row after row.
    ///
    /// # Panics
    /// When the values do not fill whole rows.
    pub fn from_values(columns: usize, values: Vec<f64>) -> Self {
        assert!(columns > 0 && values.len().is_multiple_of(columns), "values must fill whole rows");
        Matrix { columns, values }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All values, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// One row.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.values[index * self.columns..(index + 1) * self.columns]
    }

    /// One row, to be changed.
    pub fn row_mut(&mut self, index: usize) -> &mut [f64] {
        &mut self.values[index * self.columns..(index + 1) * self.columns]
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> + Clone {
        self.values.chunks_exact(self.columns.max(1))
    }

    /// One column in row order.
    pub fn column(&self, column: usize) -> impl Iterator<Item = f64> + Clone + '_ {
        self.iter().map(move |row| row[column])
    }

    /// Adds one row at the end.
    ///
    /// # Panics
    /// When the row has another length than the matrix has columns.
    pub fn push(&mut self, row: &[f64]) {
        assert_eq!(row.len(), self.columns, "a row has one value per column");
        self.values.extend_from_slice(row);
    }

    /// The named rows, in the order of the list.
    pub fn select(&self, rows: &[usize]) -> Matrix {
        let mut chosen = Matrix { columns: self.columns, values: Vec::with_capacity(rows.len() * self.columns) };
        for &row in rows {
            chosen.push(self.row(row));
        }
        chosen
    }
}
