//! The whole job on one table and one model: surrogate, inputs, answers, findings.

use crate::baseline::Baseline;
use crate::closest::{Closest, closest_failure};
use crate::dataset::Dataset;
use crate::error::ModelError;
use crate::findings::{LeafResult, Run, judge, run};
use crate::inputs::{Criterion, Inputs, Settings, Suite};
use crate::predictor::{Predictor, predict_classes};
use crate::surrogate::{Fidelity, Kind, Surrogate};
use crate::tree::Growth;
use crate::words::property_in_words;

/// What an assessment is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// What the leaves are taken from.
    pub surrogate: Kind,
    /// How far the tree is grown.
    pub growth: Growth,
    /// How inputs are drawn; its seed is also the forest's.
    pub inputs: Settings,
    /// Chance of any false finding that is accepted.
    pub level: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options { surrogate: Kind::default(), growth: Growth::default(), inputs: Settings::default(), level: 0.05 }
    }
}

/// A leaf on whose inputs the model fails too often.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How the leaf fared.
    pub result: LeafResult,
    /// The property that the model breaks, in words.
    pub property: String,
    /// The failing input nearest to a row that the model gets right; absent when it gets none of the leaf right.
    pub closest: Option<Closest>,
}

/// What an assessment found.
pub struct Assessment {
    /// The surrogate.
    pub surrogate: Surrogate,
    /// How good it is.
    pub fidelity: Fidelity,
    /// Inputs that cover leaves, and the answers.
    pub coverage: (Suite, Run),
    /// Inputs next to splits, and the answers.
    pub boundary: (Suite, Run),
    /// Every leaf that has inputs.
    pub leaves: Vec<LeafResult>,
    /// The leaves that are findings, worst first.
    pub findings: Vec<Finding>,
}

/// Assesses a model. The same data, model, options and seed give the same assessment.
///
/// # Errors
/// When the data give no surrogate, a setting makes no sense, or the model does not answer as a classifier must.
pub fn assess(
    data: &Dataset,
    model: &mut dyn Predictor,
    baseline: &Baseline,
    options: &Options,
) -> Result<Assessment, ModelError> {
    let predicted = predict_classes(model, &data.features, &data.classes)?;
    let surrogate = Surrogate::grow(data, &data.labels, options.surrogate, options.growth, options.inputs.seed)?;
    let inputs = Inputs::new(&surrogate, data, &options.inputs)?;
    let suites = [Criterion::Coverage, Criterion::Boundary].map(|criterion| inputs.suite(criterion));
    let coverage = run(&suites[0], model, &data.classes)?;
    let boundary = run(&suites[1], model, &data.classes)?;
    let leaves = judge(&[(&suites[0], &coverage), (&suites[1], &boundary)], baseline, options.level)?;
    let correct: Vec<bool> = predicted.iter().zip(&data.labels).map(|(predicted, label)| predicted == label).collect();
    let mut found: Vec<&LeafResult> = leaves.iter().filter(|result| result.is_finding).collect();
    found.sort_by(|a, b| a.pass_rate.share.total_cmp(&b.pass_rate.share));
    let mut findings = Vec::new();
    for result in found {
        let failing: Vec<(&Suite, usize)> =
            result.failing.iter().map(|&(suite, position)| (&suites[suite], position)).collect();
        let closest = closest_failure(&surrogate, data, model, &correct, result.leaf, &failing)?;
        let property = property_in_words(&surrogate.leaves[result.leaf], data);
        findings.push(Finding { result: result.clone(), property, closest });
    }
    let fidelity = surrogate.fidelity(data, &predicted);
    let [covering, bounding] = suites;
    let (coverage, boundary) = ((covering, coverage), (bounding, boundary));
    Ok(Assessment { surrogate, fidelity, coverage, boundary, leaves, findings })
}

impl Assessment {
    /// Share of the leaves that have inputs.
    pub fn leaves_covered(&self) -> f64 {
        self.leaves.len() as f64 / self.surrogate.leaves.len() as f64
    }
}
