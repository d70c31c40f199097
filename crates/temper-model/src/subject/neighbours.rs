//! A nearest-neighbour classifier, for reproducing published figures and as a subject of our own tests.
//!
//! Distances are Euclidean on raw features; of classes with one number of votes the lowest wins. Which of several rows at one
//! distance count as near is decided as in scikit-learn's `KNeighborsClassifier`, by the order in which its k-d tree meets
//! them: on tables of whole numbers such ties are frequent enough to move a published second digit. (scikit-learn itself
//! searches all rows when there are more than 15 features; ties then fall otherwise.) The tree saves little where many
//! features matter equally.

mod search;
mod select;

use crate::data::dataset::Dataset;
use crate::data::label::Label;
use crate::data::matrix::Matrix;
use crate::error::PredictError;
use crate::subject::predictor::{Predictor, Trainer};
use search::SearchTree;

/// A k-nearest-neighbours classifier.
pub struct NearestNeighbours {
    neighbours: usize,
    tree: SearchTree,
    labels: Vec<usize>,
    classes: Vec<Label>,
}

/// Trains nearest-neighbour classifiers.
pub struct NeighboursTrainer {
    /// How many neighbours vote.
    pub neighbours: usize,
}

impl Trainer for NeighboursTrainer {
    fn train(&mut self, rows: &Dataset) -> Result<Box<dyn Predictor>, PredictError> {
        Ok(Box::new(NearestNeighbours::new(rows, self.neighbours)))
    }
}

impl NearestNeighbours {
    /// A classifier that asks this many neighbours, or all rows when there are fewer.
    pub fn new(data: &Dataset, neighbours: usize) -> Self {
        NearestNeighbours {
            neighbours: neighbours.clamp(1, data.rows().max(1)),
            tree: SearchTree::new(data.features.clone()),
            labels: data.labels.clone(),
            classes: data.classes.clone(),
        }
    }

    /// The class that most neighbours of a row have.
    pub fn class_of(&self, row: &[f64]) -> usize {
        let mut votes = vec![0; self.classes.len()];
        for neighbour in self.tree.nearest(row, self.neighbours) {
            votes[self.labels[neighbour]] += 1;
        }
        let most = votes.iter().max().copied().unwrap_or(0);
        votes.iter().position(|&count| count == most).unwrap_or(0)
    }
}

impl Predictor for NearestNeighbours {
    fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
        Ok(batch.iter().map(|row| self.classes[self.class_of(row)].clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 300 rows on a 5 by 4 grid, so that nearly all distances are tied: sklearn.neighbors.KNeighborsClassifier(5) 1.9.1
    // trained on rows i < 300 and asked about every point of the grid, x0 first.
    #[test]
    fn ties_fall_as_in_the_oracle_of_scikit_learn() {
        let mut rows = Matrix::new(2);
        let mut labels = Vec::new();
        for i in 0..300i64 {
            rows.push(&[(i * 7 % 5) as f64, (i * i / 3 % 4) as f64]);
            labels.push(Label::Integer(i * i * i / 5 % 3));
        }
        let data = Dataset::from_numbers(&["a", "b"], rows, "y", &labels).unwrap();
        let model = NearestNeighbours::new(&data, 5);
        let found: Vec<usize> = (0..20).map(|i| model.class_of(&[(i / 4) as f64, (i % 4) as f64])).collect();
        assert_eq!(found, [0, 1, 1, 0, 1, 0, 0, 2, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0]);
    }
}
