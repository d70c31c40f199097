//! Models of different kinds to be tested: near, coarse and smooth.

use temper_model::subject::neighbours::NearestNeighbours;
use temper_model::subject::predictor::Predictor;
use temper_model::tree::{DecisionTree, Growth, Ranked, grow};
use temper_model::{Dataset, Label, Matrix, PredictError};

/// Trains a model.
pub type Train = fn(&Dataset) -> Box<dyn Predictor>;

pub const MODELS: [(&str, Train); 3] = [
    ("5-nn", |data| Box::new(NearestNeighbours::new(data, 5))),
    ("shallow tree", |data| Box::new(ShallowTree::new(data))),
    ("naive Bayes", |data| Box::new(NaiveBayes::new(data))),
];

/// A tree of depth three.
struct ShallowTree {
    tree: Option<DecisionTree>,
    classes: Vec<Label>,
}

impl ShallowTree {
    fn new(data: &Dataset) -> Self {
        let ranked = Ranked::new(&data.features, &data.labels, data.classes.len());
        let growth = Growth { max_depth: Some(3), seed: 7, ..Growth::default() };
        let tree = ranked.ok().map(|ranked| grow(&ranked, (0..data.rows() as u32).collect(), growth));
        ShallowTree { tree, classes: data.classes.clone() }
    }
}

impl Predictor for ShallowTree {
    fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
        let class = |row: &[f64]| self.tree.as_ref().map_or(0, |tree| tree.predict(row));
        Ok(batch.iter().map(|row| self.classes[class(row)].clone()).collect())
    }
}

/// Gaussian naive Bayes.
struct NaiveBayes {
    classes: Vec<Label>,
    /// For each class its log share, and mean and variance of each feature.
    parts: Vec<(f64, Vec<(f64, f64)>)>,
}

impl NaiveBayes {
    fn new(data: &Dataset) -> Self {
        let part = |class: usize| {
            let rows: Vec<&[f64]> = data
                .features
                .iter()
                .zip(&data.labels)
                .filter(|(_, label)| **label == class)
                .map(|(row, _)| row)
                .collect();
            let count = rows.len() as f64;
            let figures = (0..data.features.columns()).map(|feature| {
                let mean = rows.iter().map(|row| row[feature]).sum::<f64>() / count;
                let variance = rows.iter().map(|row| (row[feature] - mean).powi(2)).sum::<f64>() / count;
                (mean, variance + 1e-9)
            });
            ((count / data.rows() as f64).ln(), figures.collect())
        };
        NaiveBayes { classes: data.classes.clone(), parts: (0..data.classes.len()).map(part).collect() }
    }

    fn class_of(&self, row: &[f64]) -> usize {
        let score = |(prior, figures): &(f64, Vec<(f64, f64)>)| {
            let likelihood = figures
                .iter()
                .zip(row)
                .map(|((mean, variance), value)| -0.5 * variance.ln() - 0.5 * (value - mean).powi(2) / variance);
            prior + likelihood.sum::<f64>()
        };
        let scores: Vec<f64> = self.parts.iter().map(score).collect();
        (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0)
    }
}

impl Predictor for NaiveBayes {
    fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
        Ok(batch.iter().map(|row| self.classes[self.class_of(row)].clone()).collect())
    }
}
