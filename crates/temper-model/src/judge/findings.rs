//! Running a suite against a model, and judging leaf by leaf.
//!
//! A leaf is a finding when the model fails on its inputs significantly more often than on real rows it has not seen: one-sided
//! exact binomial test, Holm's correction over leaves (Holm 1979). The test takes inputs for independent; inputs drawn around
//! few rows are not quite, so a leaf of one or two rows is found more easily than the level says.

use crate::data::label::Label;
use crate::data::matrix::Matrix;
use crate::error::PredictError;
use crate::inputs::InputSuite;
use crate::judge::baseline::Baseline;
use crate::judge::metrics::Metrics;
use crate::subject::predictor::{BATCH, Predictor, predict_classes};
use temper_stats::interval::{ShareInterval, wilson};
use temper_stats::multiple::holm;
use temper_stats::{Confidence, Error as StatsError};

/// What the model answered to a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteRun {
    /// One class per input; fewer when the user stopped the run.
    pub predicted: Vec<usize>,
    /// Agreement with what was expected, where it was asked.
    pub metrics: Metrics,
}

/// How a leaf fared.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafResult {
    /// Position in the surrogate's list.
    pub leaf: usize,
    /// Inputs that tested it.
    pub inputs: usize,
    /// Inputs on which the model answered another class.
    pub failures: usize,
    /// Share of inputs that passed, with a 95 % Wilson interval.
    pub pass_rate: ShareInterval,
    /// Chance of that many failures among drawn inputs at the baseline's rate, corrected for the number of leaves. Points exactly
    /// next to a split do not count ([`crate::inputs::InputSource::is_point`]).
    pub p_value: f64,
    /// Whether that chance is below the level asked for.
    pub is_finding: bool,
    /// The inputs that failed, as (suite, position in it).
    pub failing: Vec<(usize, usize)>,
}

/// Asks the model about every input of a suite, in batches.
///
/// # Errors
/// When the model does not answer as a classifier must.
pub fn run(suite: &InputSuite, model: &mut dyn Predictor, classes: &[Label]) -> Result<SuiteRun, PredictError> {
    run_watched(suite, model, classes, &mut |_| {})
}

/// Asks as [`run`] does and says after each batch how many inputs it had. When the user stops it, what was answered until
/// then is the result.
///
/// # Errors
/// When the model does not answer as a classifier must.
pub fn run_watched(
    suite: &InputSuite,
    model: &mut dyn Predictor,
    classes: &[Label],
    on_batch: &mut dyn FnMut(usize),
) -> Result<SuiteRun, PredictError> {
    let mut predicted = Vec::with_capacity(suite.len());
    let columns = suite.rows.columns();
    for batch in suite.rows.values().chunks(BATCH * columns.max(1)) {
        let batch = Matrix::from_values(columns, batch.to_vec());
        match predict_classes(model, &batch, classes) {
            Err(PredictError::Interrupted) => break,
            answers => predicted.extend(answers?),
        }
        on_batch(batch.rows());
    }
    let metrics = Metrics::of(&suite.expected[..predicted.len()], &predicted, classes.len());
    Ok(SuiteRun { predicted, metrics })
}

/// Judges every leaf that has inputs, over all suites together. Results are in leaf order.
///
/// # Errors
/// When a figure is out of its range, which would be an error of ours.
pub fn judge(
    suites: &[(&InputSuite, &SuiteRun)],
    baseline: &Baseline,
    level: f64,
) -> Result<Vec<LeafResult>, StatsError> {
    let tallies = tally(suites);
    let is_point = |&(suite, position): &(usize, usize)| suites[suite].0.source[position].is_point();
    let drawn = |(_, inputs, failing): &LabelTally| {
        let failures = failing.iter().filter(|each| !is_point(each)).count();
        (failures, inputs.iter().filter(|each| !is_point(each)).count())
    };
    let p_values: Vec<f64> = tallies
        .iter()
        .map(|tally| {
            let (failures, inputs) = drawn(tally);
            baseline.p_value(failures, inputs)
        })
        .collect();
    let corrected = holm(&p_values);
    tallies
        .into_iter()
        .zip(corrected)
        .map(|((leaf, inputs, failing), p_value)| {
            let (inputs, failures) = (inputs.len(), failing.len());
            let pass_rate = wilson(inputs - failures, inputs, Confidence::STANDARD)?;
            let is_finding = p_value <= level;
            Ok(LeafResult { leaf, inputs, failures, pass_rate, p_value, is_finding, failing })
        })
        .collect()
}

/// A leaf, its inputs, and those that failed, each as (suite, position in it).
type LabelTally = (usize, Vec<(usize, usize)>, Vec<(usize, usize)>);

fn tally(suites: &[(&InputSuite, &SuiteRun)]) -> Vec<LabelTally> {
    let mut leaves: std::collections::BTreeMap<usize, LabelTally> = std::collections::BTreeMap::new();
    for (number, (suite, run)) in suites.iter().enumerate() {
        for (position, (&leaf, &predicted)) in suite.leaf.iter().zip(&run.predicted).enumerate() {
            let (_, inputs, failing) = leaves.entry(leaf).or_insert((leaf, Vec::new(), Vec::new()));
            inputs.push((number, position));
            if predicted != suite.expected[position] {
                failing.push((number, position));
            }
        }
    }
    leaves.into_values().collect()
}
