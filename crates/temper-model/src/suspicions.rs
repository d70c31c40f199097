//! Suspicions: inputs made around real rows, on which a model contradicts what other rows say.
//!
//! Rows show only what lies on them. Here inputs are made a little away from rows that the model gets right, and a forest that has
//! not seen the row says what they should be. It is believed only where nine in ten of its votes agree, and its error there
//! is not assumed but measured: on the rows of the same leaf, each by a forest that has not seen it. The inputs around one
//! row are one piece of evidence, a row around which most of them fail. A leaf is suspicious when it has more such rows than
//! the errors of forest and model together explain. It still is no proof: the forest can be wrong between rows more often than
//! on them. So suspicions are shown apart and decide nothing.

use temper::Choices;
use temper::choices::Width;
use temper_stats::multiple::holm;

use crate::challenger::OutsideForests;
use crate::data::dataset::Dataset;
use crate::data::matrix::Matrix;
use crate::error::ModelError;
use crate::inputs::cell::near;
use crate::judge::baseline::Baseline;
use crate::judge::exact_tests::binomial_at_least;
use crate::seed::{SeedStream, mixed};
use crate::subject::predictor::{Predictor, predict_in_batches};
use crate::tree::leaf::{Leaf, leaves};
use crate::tree::{Growth, Ranked, grow};

/// How far inputs are from their row, in standard deviations of each column.
const MOVE: f64 = 0.25;
/// Inputs around one row.
const INPUTS: usize = 8;
/// Rows of a leaf around which inputs are made.
const SOURCES: usize = 60;
/// The share of votes from which a forest is believed.
const CONSENSUS: f32 = 0.9;
/// Chance of any false suspicion that is accepted.
const LEVEL: f64 = 0.05;
/// Fewest failing rows of a suspicion.
const FEWEST: usize = 3;
/// Leaves are boxes of at most this many conditions, with at least so many rows.
const GROWTH: Growth = Growth { max_depth: Some(4), min_leaf: 15, seed: 0 };

/// A leaf in which the model contradicts the data near rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspicion {
    /// The leaf.
    pub leaf: Leaf,
    /// Rows around which inputs were made.
    pub sources: usize,
    /// Rows around which most inputs fail.
    pub failing_sources: usize,
    /// Inputs.
    pub inputs: usize,
    /// Inputs that fail.
    pub failures: usize,
    /// The corrected chance of so many failing rows at the error of forest and model together.
    pub p_value: f64,
    /// A failing input, what it should be and is, and its row.
    pub example: SuspectInput,
}

/// A failing input next to the row that it was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct SuspectInput {
    /// The input.
    pub input: Vec<f64>,
    /// The class that the forest and the row's label give.
    pub expected: usize,
    /// The class that the model gives.
    pub predicted: usize,
    /// The row, which the model gets right.
    pub row: usize,
}

/// What was looked at and found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suspicions {
    /// Inputs that the model was asked about.
    pub inputs: usize,
    /// Leaves that had inputs.
    pub leaves: usize,
    /// The suspicious ones, clearest first.
    pub found: Vec<Suspicion>,
}

/// The inputs around one row that a forest vouches for.
struct Source {
    leaf: usize,
    row: usize,
    inputs: std::ops::Range<usize>,
}

/// Looks for suspicions. `usual` is the model's error on real rows.
///
/// # Errors
/// When the rows are too few, or the model does not answer as a classifier must.
pub fn find_suspicions(
    data: &Dataset,
    model: &mut dyn Predictor,
    usual: &Baseline,
    seed: u64,
) -> Result<Suspicions, ModelError> {
    let forests = OutsideForests::grow(data, seed)?;
    let ranked = Ranked::new(&data.schema.splittable(&data.features), &data.labels, data.classes.len())?;
    let tree = grow(&ranked, (0..data.rows() as u32).collect(), GROWTH);
    let found_leaves = leaves(&tree);
    let own = predict_in_batches(model, &data.features, &data.classes, &mut |_| {})?;
    let mut made =
        MadeInputs { data, forests: &forests, batch: Matrix::new(data.features.columns()), sources: Vec::new() };
    let mut rates = Vec::new();
    for (at, leaf) in found_leaves.iter().enumerate() {
        let rows: Vec<usize> =
            (0..data.rows()).filter(|&row| tree.leaf_of(data.features.row(row)) == leaf.id).collect();
        rates.push(made.make(at, &rows, &own, seed));
    }
    let answers = predict_in_batches(model, &made.batch, &data.classes, &mut |_| {})?;
    Ok(judge(&made, &found_leaves, &rates, &answers, usual))
}

/// Inputs as they are made.
struct MadeInputs<'a> {
    data: &'a Dataset,
    forests: &'a OutsideForests,
    batch: Matrix,
    sources: Vec<Source>,
}

impl MadeInputs<'_> {
    /// Makes the inputs of a leaf, and measures how often forests that are believed are wrong on its rows.
    fn make(&mut self, leaf: usize, rows: &[usize], own: &[usize], seed: u64) -> f64 {
        let (mut believed, mut wrong) = (0, 0);
        let mut order = rows.to_vec();
        SeedStream::new(&[seed, leaf as u64]).shuffle(&mut order);
        let mut left = SOURCES;
        for row in order {
            let values = self.data.features.row(row);
            let vote = self.forests.votes(row, &Matrix::from_values(values.len(), values.to_vec()))[0];
            if vote.share < CONSENSUS {
                continue;
            }
            believed += 1;
            if vote.class != self.data.labels[row] {
                wrong += 1;
            } else if own[row] == vote.class && left > 0 && self.surround(leaf, row, seed) {
                left -= 1;
            }
        }
        (wrong + 1) as f64 / (believed + 2) as f64
    }

    /// Makes inputs around a row; whether a forest vouches for enough of them.
    fn surround(&mut self, leaf: usize, row: usize, seed: u64) -> bool {
        let values = self.data.features.row(row);
        let mut choices = Choices::random(0);
        choices.start_random(mixed(&[seed, row as u64]), false);
        let mut tried = Matrix::new(values.len());
        for _ in 0..INPUTS {
            let cells = self.data.schema.columns.iter().zip(values);
            let moved: Vec<f64> = cells
                .map(|(column, &value)| near(column, value, MOVE, (column.min, column.max), Width::F64, &mut choices))
                .collect();
            tried.push(&moved);
        }
        let votes = self.forests.votes(row, &tried);
        let is_vouched = |at: &usize| votes[*at].share >= CONSENSUS && votes[*at].class == self.data.labels[row];
        let vouched: Vec<usize> = (0..INPUTS).filter(is_vouched).collect();
        if 2 * vouched.len() < INPUTS {
            return false;
        }
        let start = self.batch.rows();
        vouched.iter().for_each(|&at| self.batch.push(tried.row(at)));
        self.sources.push(Source { leaf, row, inputs: start..self.batch.rows() });
        true
    }
}

fn judge(made: &MadeInputs<'_>, leaves: &[Leaf], rates: &[f64], answers: &[usize], usual: &Baseline) -> Suspicions {
    let labels = &made.data.labels;
    let failures = |source: &Source| source.inputs.clone().filter(|&at| answers[at] != labels[source.row]).count();
    let mut tested = Vec::new();
    for (at, leaf) in leaves.iter().enumerate() {
        let own: Vec<&Source> = made.sources.iter().filter(|source| source.leaf == at).collect();
        let is_failing = |source: &&&Source| 2 * failures(source) > source.inputs.len();
        let failing: Vec<&&Source> = own.iter().filter(is_failing).collect();
        let Some(example) = failing.first().and_then(|source| example(made, source, answers)) else {
            if !own.is_empty() {
                tested.push((1.0, None));
            }
            continue;
        };
        let p_value = binomial_at_least(failing.len(), own.len(), (rates[at] + usual.rate()).min(1.0));
        let suspicion = Suspicion {
            leaf: leaf.clone(),
            sources: own.len(),
            failing_sources: failing.len(),
            inputs: own.iter().map(|source| source.inputs.len()).sum(),
            failures: own.iter().map(|source| failures(source)).sum(),
            p_value,
            example,
        };
        tested.push((p_value, Some(suspicion)));
    }
    let p_values: Vec<f64> = tested.iter().map(|(p_value, _)| *p_value).collect();
    let corrected = holm(&p_values);
    let leaves = tested.len();
    let suspicious = tested.into_iter().zip(corrected).filter_map(|((_, suspicion), p_value)| {
        let suspicion = suspicion?;
        let is_found = p_value <= LEVEL && suspicion.failing_sources >= FEWEST;
        is_found.then_some(Suspicion { p_value, ..suspicion })
    });
    let mut found: Vec<Suspicion> = suspicious.collect();
    found.sort_by(|a, b| a.p_value.total_cmp(&b.p_value));
    Suspicions { inputs: made.batch.rows(), leaves, found }
}

fn example(made: &MadeInputs<'_>, source: &Source, answers: &[usize]) -> Option<SuspectInput> {
    let expected = made.data.labels[source.row];
    let at = source.inputs.clone().find(|&at| answers[at] != expected)?;
    Some(SuspectInput { input: made.batch.row(at).to_vec(), expected, predicted: answers[at], row: source.row })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::label::Label;
    use crate::error::PredictError;
    use crate::judge::baseline::BaselineOrigin;

    /// Right on every row of a grid, and wrong between them above 0.6 if it is broken.
    struct OnGrid {
        is_broken: bool,
    }

    impl Predictor for OnGrid {
        fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
            let answer = |row: &[f64]| {
                let is_row = row.iter().all(|value| (value * 30.0 - (value * 30.0).round()).abs() < 1e-9);
                let truth = row[0] > 0.5;
                if self.is_broken && !is_row && row[1] > 0.6 { !truth } else { truth }
            };
            Ok(batch.iter().map(|row| Label::Integer(i64::from(answer(row)))).collect())
        }
    }

    fn found(is_broken: bool) -> Suspicions {
        let mut rows = Matrix::new(2);
        (0..900).for_each(|at| rows.push(&[f64::from(at % 30) / 30.0, f64::from(at / 30) / 30.0]));
        let labels: Vec<Label> = rows.iter().map(|row| Label::Integer(i64::from(row[0] > 0.5))).collect();
        let data = Dataset::from_numbers(&["a", "b"], rows, "y", &labels).unwrap();
        let usual = Baseline { errors: 0, rows: 900, origin: BaselineOrigin::Unseen };
        find_suspicions(&data, &mut OnGrid { is_broken }, &usual, 0).unwrap()
    }

    #[test]
    fn what_fails_only_between_rows_is_suspected_and_a_right_model_is_not() {
        let broken = found(true);
        assert!(!broken.found.is_empty(), "{broken:?}");
        let SuspectInput { expected, predicted, .. } = broken.found[0].example;
        assert_ne!(expected, predicted);
        let right = found(false);
        assert!(right.inputs > 100);
        assert!(right.found.is_empty(), "{:?}", right.found);
    }

    const USUAL: Baseline = Baseline { errors: 0, rows: 60, origin: BaselineOrigin::Unseen };

    /// The verdict on one leaf of twenty rows with eight inputs around each, all of which fail around the first `failing` rows.
    fn judged(failing: usize) -> Suspicions {
        let mut rows = Matrix::new(2);
        (0..60).for_each(|at| rows.push(&[f64::from(at) / 60.0, f64::from(at % 7)]));
        let labels: Vec<Label> = rows.iter().map(|row| Label::Integer(i64::from(row[0] > 0.5))).collect();
        let data = Dataset::from_numbers(&["a", "b"], rows, "y", &labels).unwrap();
        let forests = OutsideForests::grow(&data, 0).unwrap();
        let mut batch = Matrix::new(2);
        (0..20).for_each(|row| (0..8).for_each(|_| batch.push(data.features.row(row))));
        let sources = (0..20).map(|row| Source { leaf: 0, row, inputs: 8 * row..8 * row + 8 }).collect();
        let made = MadeInputs { data: &data, forests: &forests, batch, sources };
        let leaf = Leaf { id: 0, class: 0, is_tied: false, counts: vec![20, 0], intervals: Vec::new() };
        let answers: Vec<usize> = (0..160).map(|at| usize::from(at < 8 * failing)).collect();
        judge(&made, &[leaf], &[0.01], &answers, &USUAL)
    }

    #[test]
    fn the_inputs_around_one_row_count_as_one() {
        assert!(judged(2).found.is_empty(), "sixteen failing inputs, but around two rows only");
        let found = &judged(3).found[0];
        assert_eq!((found.sources, found.failing_sources, found.inputs, found.failures), (20, 3, 160, 24));
        let of_both = 0.01 + USUAL.rate();
        assert_eq!(found.p_value, binomial_at_least(3, 20, of_both), "rows are counted, and not inputs");
    }
}
