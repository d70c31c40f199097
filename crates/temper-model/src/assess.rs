//! The whole job on one table and one model: surrogate, inputs, answers, findings.
//!
//! ```
//! use temper_model::assess::{ModelOptions, assess};
//! use temper_model::judge::baseline::{Baseline, BaselineOrigin};
//! use temper_model::judge::cross_validation::cross_validate;
//! use temper_model::judge::folds::stratified_folds;
//! use temper_model::subject::neighbours::NeighboursTrainer;
//! use temper_model::subject::predictor::Trainer;
//! use temper_model::read_csv;
//!
//! # fn main() -> Result<(), temper_model::ModelError> {
//! let rows: String = (0..200).map(|i| format!("{},{},{}\n", i % 20, i / 20, if i % 20 > 9 { "late" } else { "early" })).collect();
//! let data = read_csv(format!("hour,day,when\n{rows}").as_bytes(), "visits.csv", "when")?;
//! let mut trainer = NeighboursTrainer { neighbours: 5 };
//! let folds = stratified_folds(&data.labels, 10, 42)?;
//! let crossed = cross_validate(&mut trainer, &data, &folds)?;
//! let baseline = Baseline::of(&data.labels, &crossed.predicted, BaselineOrigin::CrossValidation);
//! let mut model = trainer.train(&data)?;
//! let assessment = assess(&data, model.as_mut(), &baseline, &ModelOptions::default(), &mut |_| {})?;
//! assert_eq!(assessment.surrogate.leaves.len(), 2);
//! assert!(assessment.findings.is_empty());
//! # Ok(())
//! # }
//! ```

use crate::data::dataset::Dataset;
use crate::error::ModelError;
use crate::explain::closest::{Closest, closest_failure};
use crate::explain::property_text::{property_in_words, rule_in_words};
use crate::inputs::{Criterion, InputSettings, InputSuite, Inputs};
use crate::judge::baseline::Baseline;
use crate::judge::findings::{LeafResult, SuiteRun, judge, run_watched};
use crate::subject::predictor::{Predictor, predict_classes};
use crate::tree::Growth;
use crate::tree::leaf::Leaf;
use crate::tree::surrogate::{Fidelity, Surrogate, SurrogateKind};
use sha2::{Digest, Sha256};

/// What a surrogate imitates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrownOn {
    /// The labels: disagreement says that the model, or the surrogate, is wrong.
    #[default]
    Labels,
    /// The model's own answers: the leaves explain the model, and disagreement says nothing about who is right.
    Predictions,
}

/// What an assessment is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelOptions {
    /// What the leaves are taken from.
    pub surrogate: SurrogateKind,
    /// What the surrogate imitates.
    pub grown_on: GrownOn,
    /// How far the tree is grown.
    pub growth: Growth,
    /// How inputs are drawn; its seed is also the forest's.
    pub inputs: InputSettings,
    /// Chance of any false finding that is accepted.
    pub level: f64,
    /// Findings for which the closest failing input is looked for, worst first: each asks the model dozens of times.
    pub explained: usize,
}

impl Default for ModelOptions {
    fn default() -> Self {
        ModelOptions {
            surrogate: SurrogateKind::default(),
            grown_on: GrownOn::Labels,
            growth: Growth::default(),
            inputs: InputSettings::default(),
            level: 0.05,
            explained: 5,
        }
    }
}

/// A leaf on whose inputs the model fails too often.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafFinding {
    /// Names it as long as the property stays the same, whatever the model does.
    pub id: String,
    /// How the leaf fared.
    pub result: LeafResult,
    /// The property that the model breaks, in words.
    pub property: String,
    /// The failing input nearest to a row that the model gets right; absent when it gets none of the class right, and for
    /// findings beyond those that are explained.
    pub closest: Option<Closest>,
}

/// How far an assessment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelProgress {
    /// Inputs that the model has answered.
    pub done: usize,
    /// Inputs that it will be asked.
    pub total: usize,
}

/// What an assessment found.
pub struct Assessment {
    /// The surrogate.
    pub surrogate: Surrogate,
    /// How good it is.
    pub fidelity: Fidelity,
    /// Inputs that cover leaves, and the answers.
    pub coverage: (InputSuite, SuiteRun),
    /// Inputs next to splits, and the answers.
    pub boundary: (InputSuite, SuiteRun),
    /// Every leaf that has inputs.
    pub leaves: Vec<LeafResult>,
    /// The leaves that are findings, worst first.
    pub findings: Vec<LeafFinding>,
    /// The worst leaf with failures when none is a finding.
    pub worst: Option<LeafFinding>,
    /// The model's classes for the training rows.
    pub predicted: Vec<usize>,
    /// Whether the user stopped it before all inputs were asked.
    pub is_interrupted: bool,
}

/// Assesses a model. The same data, model, options and seed give the same assessment.
///
/// # Errors
/// When the data give no surrogate, a setting makes no sense, or the model does not answer as a classifier must.
pub fn assess(
    data: &Dataset,
    model: &mut dyn Predictor,
    baseline: &Baseline,
    options: &ModelOptions,
    on_progress: &mut dyn FnMut(ModelProgress),
) -> Result<Assessment, ModelError> {
    let predicted = predict_classes(model, &data.features, &data.classes)?;
    let classes = match options.grown_on {
        GrownOn::Labels => &data.labels,
        GrownOn::Predictions => &predicted,
    };
    let surrogate = Surrogate::grow(data, classes, options.surrogate, options.growth, options.inputs.seed)?;
    let inputs = Inputs::new(&surrogate, data, &options.inputs)?;
    let suites = [Criterion::Coverage, Criterion::Boundary].map(|criterion| inputs.suite(criterion));
    let mut now = ModelProgress { done: 0, total: suites[0].len() + suites[1].len() };
    on_progress(now);
    let mut watched = |suite: &InputSuite| {
        run_watched(suite, model, &data.classes, &mut |rows| {
            now.done += rows;
            on_progress(now);
        })
    };
    let (coverage, boundary) = (watched(&suites[0])?, watched(&suites[1])?);
    let leaves = judge(&[(&suites[0], &coverage), (&suites[1], &boundary)], baseline, options.level)?;
    let is_interrupted = coverage.predicted.len() + boundary.predicted.len() < now.total;
    let correct: Vec<bool> = predicted.iter().zip(classes).map(|(predicted, class)| predicted == class).collect();
    let mut explain = Explain {
        data,
        model,
        surrogate: &surrogate,
        suites: &suites,
        correct: &correct,
        explained: options.explained,
        is_interrupted,
    };
    let (findings, worst) = explain.findings(&leaves)?;
    let is_interrupted = explain.is_interrupted;
    let fidelity = surrogate.fidelity(data, &predicted);
    let [covering, bounding] = suites;
    let (coverage, boundary) = ((covering, coverage), (bounding, boundary));
    Ok(Assessment { surrogate, fidelity, coverage, boundary, leaves, findings, worst, predicted, is_interrupted })
}

/// What findings are explained from.
struct Explain<'a> {
    data: &'a Dataset,
    model: &'a mut dyn Predictor,
    surrogate: &'a Surrogate,
    suites: &'a [InputSuite; 2],
    correct: &'a [bool],
    explained: usize,
    is_interrupted: bool,
}

impl Explain<'_> {
    /// The findings, worst first; when there is none, the worst leaf that has failures.
    fn findings(&mut self, leaves: &[LeafResult]) -> Result<(Vec<LeafFinding>, Option<LeafFinding>), ModelError> {
        let mut failing: Vec<&LeafResult> = leaves.iter().filter(|result| result.failures > 0).collect();
        failing.sort_by(|a, b| a.pass_rate.share.total_cmp(&b.pass_rate.share));
        let found: Vec<&LeafResult> = failing.iter().filter(|result| result.is_finding).copied().collect();
        let worst = failing.first().filter(|_| found.is_empty()).map(|result| self.finding(result, 0)).transpose()?;
        let findings = found.into_iter().enumerate().map(|(at, result)| self.finding(result, at));
        Ok((findings.collect::<Result<_, _>>()?, worst))
    }

    fn finding(&mut self, result: &LeafResult, position: usize) -> Result<LeafFinding, ModelError> {
        let leaf = &self.surrogate.leaves[result.leaf];
        let property = property_in_words(leaf, self.data);
        let id = leaf_id(leaf, self.data);
        let mut finding = LeafFinding { id, result: result.clone(), property, closest: None };
        if position < self.explained && !self.is_interrupted {
            let failing: Vec<(&InputSuite, usize)> =
                result.failing.iter().map(|&(suite, position)| (&self.suites[suite], position)).collect();
            let Explain { data, model, surrogate, correct, .. } = self;
            match closest_failure(surrogate, data, *model, correct, result.leaf, &failing) {
                Err(crate::error::PredictError::Interrupted) => self.is_interrupted = true,
                closest => finding.closest = closest?,
            }
        }
        Ok(finding)
    }
}

/// A short name of a leaf that is the same in every run that gives the same property.
pub fn leaf_id(leaf: &Leaf, data: &Dataset) -> String {
    let mut hash = Sha256::new();
    for part in [&data.target, &rule_in_words(leaf, data)] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    // 32 bits: two of a thousand leaves have one name with a chance of one in ten thousand.
    hash.finalize().iter().take(4).fold("M".to_owned(), |id, byte| id + &format!("{byte:02x}"))
}

impl Assessment {
    /// Share of the leaves that have inputs.
    pub fn leaves_covered(&self) -> f64 {
        self.leaves.len() as f64 / self.surrogate.leaves.len() as f64
    }
}
