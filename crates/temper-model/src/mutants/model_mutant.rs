//! Model mutants: small changes to the data on either side of training, and whether a suite notices them.
//!
//! A mutant is trained on changed rows (noisy labels, fewer rows, a part of the input space never seen) or asked about changed
//! inputs (two features swapped, one lost, one in another unit), the ways in which data pipelines break. It is *killed* by a
//! suite when a leaf becomes a finding that is none for the unmutated model, and by a hold-out when its error there is
//! significantly above the baseline. A mutant that answers as the model does on everything cannot be killed by either.

use crate::data::dataset::Dataset;
use crate::data::label::Label;
use crate::data::matrix::Matrix;
use crate::data::schema::Schema;
use crate::error::{ModelError, PredictError};
use crate::judge::baseline::Baseline;
use crate::judge::findings::LeafResult;
use crate::seed::mixed;
use crate::subject::predictor::{Predictor, Trainer};
use temper::Choices;

/// One change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ModelMutant {
    /// This share of the labels is replaced by another class.
    LabelNoise(f64),
    /// Only this share of the rows is used.
    LessData(f64),
    /// Rows above the median of a feature are left out of training.
    DroppedRegion(usize),
    /// Two features change places in the inputs.
    SwappedFeatures(usize, usize),
    /// A feature is 0 in all inputs.
    ZeroedFeature(usize),
    /// A feature arrives in another unit, this many times as large.
    WrongUnit(usize, f64),
}

impl ModelMutant {
    /// What it does, with the names of the columns.
    pub fn in_words(&self, schema: &Schema) -> String {
        let name = |feature: &usize| format!("`{}`", schema.columns[*feature].name);
        match self {
            ModelMutant::LabelNoise(share) => format!("{:.0} % of the labels wrong", share * 100.0),
            ModelMutant::LessData(share) => format!("{:.0} % of the rows", share * 100.0),
            ModelMutant::DroppedRegion(feature) => format!("upper half of {} not seen", name(feature)),
            ModelMutant::SwappedFeatures(a, b) => format!("{} and {} swapped", name(a), name(b)),
            ModelMutant::ZeroedFeature(feature) => format!("{} zero", name(feature)),
            ModelMutant::WrongUnit(feature, factor) => format!("{} times {factor}", name(feature)),
        }
    }
}

/// One mutant of every kind for every feature that varies; neighbours are swapped.
pub fn all_mutants(data: &Dataset) -> Vec<ModelMutant> {
    let mut mutants = vec![
        ModelMutant::LabelNoise(0.1),
        ModelMutant::LabelNoise(0.3),
        ModelMutant::LessData(0.3),
        ModelMutant::LessData(0.1),
    ];
    let varies = |column: &&crate::data::schema::Column| column.lowest() < column.max;
    let features: Vec<usize> = (0..data.schema.columns.len())
        .filter(|&feature| Some(&data.schema.columns[feature]).filter(varies).is_some())
        .collect();
    for (index, &feature) in features.iter().enumerate() {
        mutants.push(ModelMutant::DroppedRegion(feature));
        mutants.push(ModelMutant::ZeroedFeature(feature));
        if data.schema.columns[feature].is_numeric() {
            mutants.push(ModelMutant::WrongUnit(feature, 10.0));
        }
        if let Some(&next) = features.get(index + 1) {
            mutants.push(ModelMutant::SwappedFeatures(feature, next));
        }
    }
    mutants
}

impl ModelMutant {
    /// The rows that the mutant is trained on. Each class keeps at least two rows, so that any classifier can be trained.
    pub fn training_rows(&self, data: &Dataset, seed: u64) -> Dataset {
        let mut choices = Choices::random(0);
        choices.start_random(mixed(&[seed, 1]), false);
        match *self {
            ModelMutant::LabelNoise(share) => {
                let mut noisy = data.clone();
                for label in &mut noisy.labels {
                    if choices.flag(share) {
                        *label = (*label + 1 + choices.index(data.classes.len() - 1)) % data.classes.len();
                    }
                }
                noisy
            }
            ModelMutant::LessData(share) => keep(data, |_| choices.flag(share)),
            ModelMutant::DroppedRegion(feature) => {
                let mut values: Vec<f64> = data.features.column(feature).collect();
                values.sort_by(f64::total_cmp);
                let median = values[values.len() / 2];
                keep(data, |row| data.features.row(row)[feature] < median)
            }
            ModelMutant::SwappedFeatures(..) | ModelMutant::ZeroedFeature(_) | ModelMutant::WrongUnit(..) => {
                data.clone()
            }
        }
    }

    /// What the mutant sees when it is asked about an input.
    pub fn change_input(&self, row: &mut [f64]) {
        match *self {
            ModelMutant::SwappedFeatures(a, b) => row.swap(a, b),
            ModelMutant::ZeroedFeature(feature) => row[feature] = 0.0,
            ModelMutant::WrongUnit(feature, factor) => row[feature] *= factor,
            ModelMutant::LabelNoise(_) | ModelMutant::LessData(_) | ModelMutant::DroppedRegion(_) => {}
        }
    }

    /// Trains the mutant.
    ///
    /// # Errors
    /// When training raises.
    pub fn train(self, trainer: &mut dyn Trainer, data: &Dataset, seed: u64) -> Result<MutantModel, PredictError> {
        let model = trainer.train(&self.training_rows(data, seed))?;
        Ok(MutantModel { mutant: self, model })
    }
}

/// The rows for which `keep` holds, and the first two of every class.
fn keep(data: &Dataset, mut keep: impl FnMut(usize) -> bool) -> Dataset {
    let mut seen = vec![0; data.classes.len()];
    let rows: Vec<usize> = (0..data.rows())
        .filter(|&row| {
            let seen = &mut seen[data.labels[row]];
            *seen += 1;
            keep(row) || *seen <= 2
        })
        .collect();
    data.select(&rows)
}

/// A trained mutant.
pub struct MutantModel {
    mutant: ModelMutant,
    model: Box<dyn Predictor>,
}

impl Predictor for MutantModel {
    fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
        let mut changed = batch.clone();
        for row in 0..changed.rows() {
            self.mutant.change_input(changed.row_mut(row));
        }
        self.model.predict(&changed)
    }
}

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fate {
    /// The mutant.
    pub mutant: ModelMutant,
    /// Whether the suite killed it.
    pub killed_by_suite: bool,
    /// Whether the hold-out killed it.
    pub killed_by_holdout: bool,
}

/// Whether a leaf is a finding for the mutant and none for the unmutated model.
pub fn is_killed_by_suite(mutant: &[LeafResult], original: &[LeafResult]) -> bool {
    let found =
        |results: &[LeafResult], leaf: usize| results.iter().any(|result| result.leaf == leaf && result.is_finding);
    mutant.iter().any(|result| result.is_finding && !found(original, result.leaf))
}

/// Whether the mutant's errors on a hold-out are significantly more than the baseline's.
pub fn is_killed_by_holdout(labels: &[usize], predicted: &[usize], baseline: &Baseline, level: f64) -> bool {
    let errors = labels.iter().zip(predicted).filter(|(label, predicted)| label != predicted).count();
    baseline.p_value(errors, labels.len()) <= level
}

/// Share of mutants that one of the two kills, as (suite, hold-out).
///
/// # Errors
/// When there are no mutants.
pub fn kill_rates(fates: &[Fate]) -> Result<(f64, f64), ModelError> {
    if fates.is_empty() {
        return Err(ModelError::Setting { setting: "mutants", value: "0".into(), wanted: "at least 1" });
    }
    let share =
        |killed: fn(&Fate) -> bool| fates.iter().filter(|fate| killed(fate)).count() as f64 / fates.len() as f64;
    Ok((share(|fate| fate.killed_by_suite), share(|fate| fate.killed_by_holdout)))
}
