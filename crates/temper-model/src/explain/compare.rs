//! Where two models differ, as leaves of a surrogate of their disagreement.
//!
//! Both models are asked about the rows and about draws around them; a tree is grown on "same answer" against "different
//! answers", and its leaves where they mostly differ say where. It explains only what a few splits can: a difference scattered
//! over the rows shows as many small leaves, and [`ModelComparison::differing`] then says more than the leaves do.

use crate::data::dataset::Dataset;
use crate::data::label::Label;
use crate::data::matrix::Matrix;
use crate::error::ModelError;
use crate::inputs::cell::near;
use crate::seed::mixed;
use crate::subject::predictor::{Predictor, predict_classes};
use crate::tree::leaf::{Leaf, leaves};
use crate::tree::{Growth, Ranked, grow};
use temper::Choices;
use temper::choices::Width;

/// How far neighbours of a row are, in standard deviations: wide enough that two models which agree on all rows can differ
/// between them, and still among the rows.
const MOVE: f64 = 0.25;

/// The disagreement of two models.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelComparison {
    /// Rows and draws that both were asked about.
    pub asked: usize,
    /// How many got different answers.
    pub differing: usize,
    /// Differing answers as (first model's class, second model's class, how often), most frequent first.
    pub changes: Vec<(usize, usize, usize)>,
    /// Leaves in which most answers differ, those with most differing answers first. Class 1 of a leaf is "differs".
    pub leaves: Vec<Leaf>,
}

/// Asks both models about every row and `draws` neighbours of each.
///
/// # Errors
/// When a model does not answer as a classifier must.
pub fn compare(
    first: &mut dyn Predictor,
    second: &mut dyn Predictor,
    data: &Dataset,
    draws: usize,
    growth: Growth,
    seed: u64,
) -> Result<ModelComparison, ModelError> {
    let inputs = surroundings(data, draws, seed);
    let before = predict_classes(first, &inputs, &data.classes)?;
    let after = predict_classes(second, &inputs, &data.classes)?;
    let differs: Vec<usize> = before.iter().zip(&after).map(|(a, b)| usize::from(a != b)).collect();
    let ranked = Ranked::new(&data.schema.splittable(&inputs), &differs, 2)?;
    let tree = grow(&ranked, (0..inputs.rows() as u32).collect(), growth);
    let mut found: Vec<Leaf> = leaves(&tree).into_iter().filter(|leaf| leaf.class == 1).collect();
    found.sort_by_key(|leaf| std::cmp::Reverse(leaf.counts[1]));
    Ok(ModelComparison {
        asked: inputs.rows(),
        differing: differs.iter().sum(),
        changes: changes(&before, &after, &data.classes),
        leaves: found,
    })
}

fn changes(before: &[usize], after: &[usize], classes: &[Label]) -> Vec<(usize, usize, usize)> {
    let mut counts = vec![0; classes.len() * classes.len()];
    for (a, b) in before.iter().zip(after).filter(|(a, b)| a != b) {
        counts[a * classes.len() + b] += 1;
    }
    let mut found: Vec<(usize, usize, usize)> = (0..counts.len())
        .filter(|&pair| counts[pair] > 0)
        .map(|pair| (pair / classes.len(), pair % classes.len(), counts[pair]))
        .collect();
    found.sort_by_key(|change| std::cmp::Reverse(change.2));
    found
}

/// The rows, each followed by so many neighbours.
fn surroundings(data: &Dataset, draws: usize, seed: u64) -> Matrix {
    let mut inputs = Matrix::new(data.features.columns());
    let mut choices = Choices::random(0);
    for (index, row) in data.features.iter().enumerate() {
        inputs.push(row);
        choices.start_random(mixed(&[seed, index as u64]), false);
        for _ in 0..draws {
            let cells = data.schema.columns.iter().zip(row);
            let moved: Vec<f64> = cells
                .map(|(column, &value)| near(column, value, MOVE, (column.min, column.max), Width::F64, &mut choices))
                .collect();
            inputs.push(&moved);
        }
    }
    inputs
}
