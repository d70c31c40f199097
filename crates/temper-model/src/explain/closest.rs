//! The failing input that differs least from a real row: what a person can read and believe.
//!
//! From a failing input, cells are put back to those of the nearest training row that the model gets right, one at a time, as
//! long as the input still fails (greedy, farthest cell first); what remains is moved towards the row by bisection, and then
//! written with as few digits as still fail. Every step asks the model; the steps of one round go in one batch. The result is minimal, not smallest: no single cell can be put back,
//! but another set of cells might be smaller.

use crate::data::dataset::Dataset;
use crate::data::matrix::Matrix;
use crate::error::PredictError;
use crate::inputs::InputSuite;
use crate::subject::predictor::{Predictor, predict_classes};
use crate::tree::surrogate::Surrogate;

/// Points tried between a failing and a passing value in one round of bisection.
const CUTS: usize = 15;

/// Rounds of bisection: 16 to the fifth is about a million parts of the way.
const ROUNDS: usize = 5;

/// A failing input beside a real row.
#[derive(Clone, Debug, PartialEq)]
pub struct Closest {
    /// An input on which the model fails.
    pub input: Vec<f64>,
    /// What the surrogate expects of it.
    pub expected: usize,
    /// What the model answers.
    pub predicted: usize,
    /// The training row it was moved towards, which the model gets right.
    pub row: usize,
    /// The features in which they differ.
    pub differs: Vec<usize>,
}

/// Looks among the failing inputs of a leaf for the one nearest to a training row of its class that the model gets right, in
/// that leaf if there is one, and moves it nearer still. `correct` says which training rows the model gets right. `None` when
/// it gets none of the class right, or when no given input fails.
///
/// # Errors
/// When the model does not answer as a classifier must.
pub fn closest_failure(
    surrogate: &Surrogate,
    data: &Dataset,
    model: &mut dyn Predictor,
    correct: &[bool],
    leaf: usize,
    failing: &[(&InputSuite, usize)],
) -> Result<Option<Closest>, PredictError> {
    let class = surrogate.leaves[leaf].class;
    let right = (0..data.rows()).filter(|&row| correct[row] && surrogate.class_of_row[row] == class);
    let (inside, outside): (Vec<usize>, Vec<usize>) = right.partition(|&row| surrogate.leaf_of_row[row] == leaf);
    let rows = if inside.is_empty() { outside } else { inside };
    let scale = scales(data);
    let pairs = failing.iter().flat_map(|(suite, position)| {
        let input = suite.rows.row(*position);
        let scale = &scale;
        rows.iter().map(move |&row| (distance(input, data.features.row(row), scale), input, row))
    });
    let Some((_, input, row)) = pairs.min_by(|a, b| a.0.total_cmp(&b.0)) else { return Ok(None) };
    let mut walk = ClosestWalk { surrogate, data, model, leaf, scale: &scale, target: data.features.row(row) };
    let mut input = input.to_vec();
    walk.put_back(&mut input)?;
    walk.bisect(&mut input)?;
    walk.shorten(&mut input)?;
    let differs = walk.differing(&input);
    let predicted = walk.answers(&[input.clone()])?[0];
    Ok(Some(Closest { input, expected: class, predicted, row, differs }))
}

struct ClosestWalk<'a> {
    surrogate: &'a Surrogate,
    data: &'a Dataset,
    model: &'a mut dyn Predictor,
    leaf: usize,
    scale: &'a [f64],
    target: &'a [f64],
}

impl ClosestWalk<'_> {
    fn answers(&mut self, inputs: &[Vec<f64>]) -> Result<Vec<usize>, PredictError> {
        let mut batch = Matrix::new(self.target.len());
        for input in inputs {
            batch.push(input);
        }
        predict_classes(self.model, &batch, &self.data.classes)
    }

    /// Which inputs still break the leaf's property: the model answers another class, and the surrogate may be trusted.
    fn fails(&mut self, inputs: &[Vec<f64>]) -> Result<Vec<bool>, PredictError> {
        let class = self.surrogate.leaves[self.leaf].class;
        let answers = self.answers(inputs)?;
        let is_failure = |(input, answer): (&Vec<f64>, usize)| {
            answer != class && self.surrogate.leaf_of(input) == self.leaf && self.surrogate.is_trusted(input, self.leaf)
        };
        Ok(inputs.iter().zip(answers).map(is_failure).collect())
    }

    fn differing(&self, input: &[f64]) -> Vec<usize> {
        (0..input.len()).filter(|&feature| input[feature] != self.target[feature]).collect()
    }

    fn put_back(&mut self, input: &mut Vec<f64>) -> Result<(), PredictError> {
        loop {
            let mut features = self.differing(input);
            let gap = |feature: usize| (input[feature] - self.target[feature]).abs() / self.scale[feature];
            features.sort_by(|&a, &b| gap(b).total_cmp(&gap(a)));
            let changed = |&feature: &usize| {
                let mut changed = input.clone();
                changed[feature] = self.target[feature];
                changed
            };
            let candidates: Vec<Vec<f64>> = features.iter().map(changed).collect();
            let fails = self.fails(&candidates)?;
            let Some(first) = fails.iter().position(|&fails| fails) else { return Ok(()) };
            *input = candidates[first].clone();
        }
    }

    fn bisect(&mut self, input: &mut [f64]) -> Result<(), PredictError> {
        for feature in self.differing(input) {
            let column = &self.data.schema.columns[feature];
            if !column.is_numeric()
                || [input[feature], self.target[feature]].contains(&column.missing.unwrap_or(f64::NAN))
            {
                continue;
            }
            let mut passing = self.target[feature];
            for _ in 0..ROUNDS {
                let failing = input[feature];
                let at = |cut: usize| {
                    let value = passing + (failing - passing) * cut as f64 / (CUTS + 1) as f64;
                    if column.is_whole() { value.round() } else { value }
                };
                let candidates: Vec<Vec<f64>> = (1..=CUTS).map(|cut| with(input, feature, at(cut))).collect();
                let fails = self.fails(&candidates)?;
                // The nearest failing value beyond the last passing one before it.
                let Some(first) = fails.iter().position(|&fails| fails) else {
                    passing = at(CUTS);
                    continue;
                };
                if first > 0 {
                    passing = at(first);
                }
                input[feature] = candidates[first][feature];
            }
        }
        Ok(())
    }
}

impl ClosestWalk<'_> {
    /// Puts the shortest numbers that still fail in place of those with many digits.
    fn shorten(&mut self, input: &mut [f64]) -> Result<(), PredictError> {
        for feature in self.differing(input) {
            let column = &self.data.schema.columns[feature];
            if column.is_whole() || Some(input[feature]) == column.missing {
                continue;
            }
            let shorter = (0..12).flat_map(|digits| rounded(input[feature], digits, self.target[feature]));
            // A tenth of the way at most: what is gained in digits must not be lost in nearness.
            let reach = (input[feature] - self.target[feature]).abs() / 10.0;
            let candidates: Vec<Vec<f64>> = shorter
                .filter(|short| (short - input[feature]).abs() <= reach && *short != self.target[feature])
                .map(|short| with(input, feature, short))
                .collect();
            let fails = self.fails(&candidates)?;
            if let Some(first) = fails.iter().position(|&fails| fails) {
                input[feature] = candidates[first][feature];
            }
        }
        Ok(())
    }
}

/// A number with so many digits after the first: the nearest one, and the next one away from `from`.
fn rounded(value: f64, digits: usize, from: f64) -> [f64; 2] {
    let short = format!("{value:.digits$e}").parse().unwrap_or(value);
    let step = 10f64.powi(value.abs().log10().floor() as i32 - digits as i32) * (value - from).signum();
    let next = format!("{:.digits$e}", short + step).parse().unwrap_or(value);
    [short, next]
}

fn with(input: &[f64], feature: usize, value: f64) -> Vec<f64> {
    let mut changed = input.to_vec();
    changed[feature] = value;
    changed
}

/// What counts as far in each feature: its standard deviation.
fn scales(data: &Dataset) -> Vec<f64> {
    data.schema.columns.iter().map(|column| if column.deviation > 0.0 { column.deviation } else { 1.0 }).collect()
}

/// Squared distance in standard deviations.
fn distance(a: &[f64], b: &[f64], scale: &[f64]) -> f64 {
    a.iter().zip(b).zip(scale).map(|((a, b), scale)| ((a - b) / scale).powi(2)).sum()
}
