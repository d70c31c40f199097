//! Data and models with known errors.

use temper_model::subject::neighbours::NearestNeighbours;
use temper_model::subject::predictor::{Predictor, Trainer};
use temper_model::{Dataset, Label, Matrix, PredictError};

/// 400 rows on a grid: class 1 where `a > 0.5` and `b > 0.5`; `c` does not matter.
pub fn corner() -> Dataset {
    let mut rows = Matrix::new(3);
    let mut labels = Vec::new();
    for index in 0..400 {
        let (a, b) = ((index % 20) as f64 / 20.0 + 0.025, (index / 20) as f64 / 20.0 + 0.025);
        rows.push(&[a, b, (index * 7 % 13) as f64]);
        labels.push(Label::Integer(i64::from(truth(a, b))));
    }
    Dataset::from_numbers(&["a", "b", "c"], rows, "y", &labels).unwrap()
}

pub fn truth(a: f64, b: f64) -> bool {
    a > 0.5 && b > 0.5
}

/// A model that is a function of the row.
pub struct Rule(pub fn(&[f64]) -> bool);

impl Predictor for Rule {
    fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
        Ok(batch.iter().map(|row| Label::Integer(i64::from((self.0)(row)))).collect())
    }
}

/// Trains a nearest-neighbour model.
pub struct Neighbours;

impl Trainer for Neighbours {
    fn train(&mut self, rows: &Dataset) -> Result<Box<dyn Predictor>, PredictError> {
        Ok(Box::new(NearestNeighbours::new(rows, 3)))
    }
}
