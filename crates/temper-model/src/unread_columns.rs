//! Columns that a model does not read: its answers stay the same when their cells are dealt out anew.
//!
//! A column that matters on few rows only can be missed; then no finding is about it, which loses words and no alarm.

use crate::data::dataset::Dataset;
use crate::data::matrix::Matrix;
use crate::error::PredictError;
use crate::seed::SeedStream;
use crate::subject::predictor::{Predictor, ask_in_batches, predict_in_batches};

/// Rows that are asked about for each column, if there are not too many columns.
const ROWS: usize = 400;

/// Rows that are asked about in all.
const MOST_ASKED: usize = 20_000;

/// The columns on which no answer depends. All of them may be needed to be asked at all, so none is left out there.
///
/// # Errors
/// When the model does not answer as a classifier must.
pub fn unread_columns(model: &mut dyn Predictor, data: &Dataset, seed: u64) -> Result<Vec<usize>, PredictError> {
    unread_by(data, seed, |batch| predict_in_batches(model, batch, &data.classes, &mut |_| {}))
}

/// The same of a model whose target is a quantity.
///
/// # Errors
/// When the model does not answer numbers.
pub fn unread_of_quantity(model: &mut dyn Predictor, data: &Dataset, seed: u64) -> Result<Vec<usize>, PredictError> {
    unread_by(data, seed, |batch| ask_in_batches(batch, |batch| model.quantities(batch), &mut |_| {}))
}

fn unread_by<T: PartialEq>(
    data: &Dataset,
    seed: u64,
    ask: impl FnOnce(&Matrix) -> Result<Vec<T>, PredictError>,
) -> Result<Vec<usize>, PredictError> {
    let columns = data.features.columns();
    let rows = ROWS.min(MOST_ASKED / (columns + 1)).min(data.rows());
    if rows < 20 {
        return Ok(Vec::new());
    }
    let mut random = SeedStream::new(&[seed, 0x756e_7265]);
    let chosen: Vec<usize> = (0..rows).map(|_| random.below(data.rows())).collect();
    let mut batch = Matrix::new(columns);
    chosen.iter().for_each(|&row| batch.push(data.features.row(row)));
    for column in 0..columns {
        for &row in &chosen {
            let mut dealt = data.features.row(row).to_vec();
            dealt[column] = data.features.row(random.below(data.rows()))[column];
            batch.push(&dealt);
        }
    }
    let answers = ask(&batch)?;
    let (as_they_are, dealt) = answers.split_at(rows);
    let is_unread = |column: &usize| &dealt[column * rows..(column + 1) * rows] == as_they_are;
    let unread: Vec<usize> = (0..columns).filter(is_unread).collect();
    // A model that answers one class only reads nothing, and is judged by all columns.
    Ok(if unread.len() == columns { Vec::new() } else { unread })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::label::Label;

    struct ReadsFirst;

    impl Predictor for ReadsFirst {
        fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
            Ok(batch.iter().map(|row| Label::Integer(i64::from(row[0] > 0.5))).collect())
        }
    }

    #[test]
    fn a_column_that_changes_no_answer_is_unread() {
        let mut rows = Matrix::new(2);
        (0..100).for_each(|at| rows.push(&[f64::from(at) / 100.0, f64::from(at % 7)]));
        let labels: Vec<Label> = (0..100).map(|at| Label::Integer(i64::from(at > 50))).collect();
        let data = Dataset::from_numbers(&["a", "b"], rows, "y", &labels).unwrap();
        assert_eq!(unread_columns(&mut ReadsFirst, &data, 0).unwrap(), [1]);
    }
}
