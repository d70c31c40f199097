//! What was found about a model, as the record of a run.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use temper_report::{
    AgreementFigures, AnsweredBy, AverageFigures, BaselineFigures, ClosestInput, Details, Document, Finding,
    FindingEvidence, FindingKind, LeafCondition, LeafEvidence, LeafRow, MeasuredOn, ModelDetails, ModelEvidence,
    ModelRunRecord, ModelSuiteRecord, MutantFate, MutantFigures, NotCompared, Subject, SubjectEvidence,
    SuiteDifference, SuiteFigures, SurrogateFigures, TotalFigures, UntestedLeaves, Verdict,
};

use crate::assess::{Assessment, LeafFinding, leaf_id};
use crate::data::dataset::Dataset;
use crate::data::schema::{Cell, Column};
use crate::error::ModelError;
use crate::explain::closest::Closest;
use crate::explain::property_text::rule_in_words;
use crate::inputs::{InputSuite, Untested};
use crate::judge::baseline::{Baseline, BaselineOrigin};
use crate::judge::findings::LeafResult;
use crate::judge::metrics::{Averages, Metrics};
use crate::judge::suite_totals::{Totals, difference};
use crate::mutants::detection::Challenge;
use crate::tree::leaf::Leaf;

/// A model that was examined on one data set.
pub struct ExaminedModel {
    /// What was found.
    pub assessment: Assessment,
    /// The model's usual error.
    pub baseline: Baseline,
    /// Figures of the fold models, if there are some and the published experiment is wanted.
    pub totals: Option<Totals>,
    /// Figures of cross-validation.
    pub crossed: Option<Metrics>,
    /// The model as the user knows it.
    pub model: String,
    /// The seed of everything that was drawn.
    pub seed: u64,
    /// Whether leaves are judged: not when the surrogate imitates the model itself.
    pub is_judged: bool,
    /// The results of the mutants of the model, if they were asked for.
    pub mutants: Option<Challenge>,
    /// Whether findings are kept for `temper replay`: not those of a model in the caller's process.
    pub is_kept: bool,
}

/// An examined model with its data, and the name of the data in reports.
pub type ExaminedData<'e> = (&'e ExaminedModel, &'e Dataset, &'e str);

/// The record of one run.
pub fn run_document((found, data, path): ExaminedData<'_>, python: Option<&str>) -> Document {
    let run = ModelDetails::Run(Box::new(found.run(data, path)));
    with_findings(empty(run, found.seed, python), &[(found, data, path)])
}

/// The record of several runs, of `planned` ones. An interrupted suite compares nothing: what it has is no sample of the whole.
pub fn suite_document(runs: &[ExaminedData<'_>], planned: usize, seed: u64, python: Option<&str>) -> Document {
    let suite = runs.iter().map(|(found, data, path)| found.run(data, path)).collect();
    let is_whole = runs.len() == planned;
    let (differences, not_compared) = if is_whole { differences(runs) } else { Default::default() };
    let suite = ModelDetails::Suite(ModelSuiteRecord { suite, planned, differences, not_compared });
    let mut document = with_findings(empty(suite, seed, python), runs);
    document.is_interrupted |= !is_whole;
    document
}

fn empty(model: ModelDetails, seed: u64, python: Option<&str>) -> Document {
    let mut document = Document::new(Details::Model { model });
    document.seed = Some(seed);
    document.versions.extend(python.map(|version| ("python".to_owned(), version.to_owned())));
    document
}

fn with_findings(mut document: Document, runs: &[ExaminedData<'_>]) -> Document {
    for (found, data, path) in runs {
        document.is_interrupted |= found.assessment.is_interrupted;
        document.subjects.push(found.subject(path));
        let judged = found.assessment.findings.iter().filter(|_| found.is_judged);
        document.findings.extend(judged.map(|each| found.finding(each, data, path)));
    }
    document
}

impl ExaminedModel {
    /// The model as a subject.
    fn subject(&self, path: &str) -> Subject {
        let assessment = &self.assessment;
        let inputs = assessment.coverage.0.len() + assessment.boundary.0.len();
        let verdict = if !self.is_judged {
            Verdict::undecided("the tree imitates the model itself, so nothing was judged")
        } else if assessment.is_interrupted {
            Verdict::undecided("the run was interrupted")
        } else if assessment.leaves.is_empty() {
            Verdict::undecided("no leaf could be tested")
        } else if assessment.findings.is_empty() {
            Verdict::clean(inputs as u64)
        } else {
            Verdict::Found
        };
        let evidence = ModelEvidence { leaves_tested: assessment.leaves.len(), inputs };
        let (name, path) = (self.model.clone(), path.to_owned());
        Subject { name, path, line: 1, verdict, evidence: SubjectEvidence::Model(evidence) }
    }

    fn finding(&self, finding: &LeafFinding, data: &Dataset, path: &str) -> Finding {
        let LeafResult { inputs, failures, .. } = finding.result;
        Finding {
            id: finding.id.clone(),
            kind: FindingKind::Leaf,
            subject: self.model.clone(),
            path: path.to_owned(),
            line: 1,
            message: format!("{failures} of {inputs} inputs break `{}`", finding.property),
            evidence: FindingEvidence::Leaf(self.leaf_evidence(finding, data)),
            exception: None,
            call: None,
            seed: Some(self.seed),
            patch: None,
        }
    }

    fn leaf_evidence(&self, finding: &LeafFinding, data: &Dataset) -> LeafEvidence {
        let LeafResult { inputs, failures, pass_rate, p_value, .. } = &finding.result;
        LeafEvidence {
            property: finding.property.clone(),
            inputs: *inputs,
            failures: *failures,
            pass_rate: [pass_rate.low, pass_rate.share, pass_rate.high],
            p_value: *p_value,
            known: false,
            closest: finding.closest.as_ref().map(|closest| closest_input(closest, data)),
        }
    }

    /// Everything else about one run.
    fn run(&self, data: &Dataset, path: &str) -> ModelRunRecord {
        let assessment = &self.assessment;
        let fidelity = &assessment.fidelity;
        ModelRunRecord {
            data: path.to_owned(),
            target: data.target.clone(),
            rows: data.rows(),
            columns: data.schema.columns.iter().map(|column| column.name.clone()).collect(),
            classes: data.classes.iter().map(ToString::to_string).collect(),
            surrogate: SurrogateFigures {
                leaves: fidelity.leaves,
                tied_leaves: fidelity.tied_leaves,
                depth: fidelity.depth,
                training_accuracy: fidelity.training_accuracy,
                fidelity: fidelity.to_model,
            },
            baseline: BaselineFigures {
                origin: measured_on(self.baseline.origin),
                errors: self.baseline.errors,
                rows: self.baseline.rows,
            },
            coverage: suite(&assessment.coverage.0),
            boundary: suite(&assessment.boundary.0),
            untested: UntestedLeaves {
                tied: untested(assessment, Untested::Tied),
                no_consensus: untested(assessment, Untested::NoConsensus),
                empty: untested(assessment, Untested::Empty),
            },
            totals: self.total_figures(),
            cross_validation: self.crossed.as_ref().map(agreement),
            leaves: assessment.leaves.iter().map(|result| self.leaf_row(result, data)).collect(),
            judged: self.is_judged,
            replayable: self.is_kept,
            worst: assessment.worst.as_ref().map(|worst| self.leaf_evidence(worst, data)),
            interrupted: assessment.is_interrupted,
            mutants: self.mutants.as_ref().map(|mutants| mutant_figures(mutants, data)),
        }
    }

    fn total_figures(&self) -> TotalFigures {
        let (of, coverage, boundary) = match &self.totals {
            Some(totals) => (AnsweredBy::FoldModels, &totals.coverage, &totals.boundary),
            None => (AnsweredBy::Model, &self.assessment.coverage.1.metrics, &self.assessment.boundary.1.metrics),
        };
        TotalFigures { of, coverage: agreement(coverage), boundary: agreement(boundary) }
    }

    fn leaf_row(&self, result: &LeafResult, data: &Dataset) -> LeafRow {
        let leaf = &self.assessment.surrogate.leaves[result.leaf];
        LeafRow {
            id: leaf_id(leaf, data),
            property: rule_in_words(leaf, data),
            conditions: conditions(leaf, data),
            class: data.classes[leaf.class].to_string(),
            rows: leaf.rows(),
            rows_of_class: leaf.counts[leaf.class],
            inputs: result.inputs,
            failures: result.failures,
            pass_rate: result.pass_rate.share,
            pass_rate_low: result.pass_rate.low,
            pass_rate_high: result.pass_rate.high,
            p_value: result.p_value,
            is_finding: self.is_judged && result.is_finding,
        }
    }
}

/// Leaves without any input, for this reason.
fn untested(assessment: &Assessment, why: Untested) -> usize {
    let is_tested = |leaf: usize| assessment.leaves.iter().any(|result| result.leaf == leaf);
    let of = |suite: &InputSuite| -> Vec<usize> {
        suite.untested.iter().filter(|(leaf, reason)| *reason == why && !is_tested(*leaf)).map(|each| each.0).collect()
    };
    let leaves: BTreeSet<usize> = of(&assessment.coverage.0).into_iter().chain(of(&assessment.boundary.0)).collect();
    leaves.len()
}

pub(crate) fn measured_on(origin: BaselineOrigin) -> MeasuredOn {
    match origin {
        BaselineOrigin::CrossValidation => MeasuredOn::CrossValidation,
        BaselineOrigin::Holdout => MeasuredOn::Holdout,
        BaselineOrigin::Unseen => MeasuredOn::Unseen,
        BaselineOrigin::GivenRows => MeasuredOn::GivenRows,
    }
}

fn suite(suite: &InputSuite) -> SuiteFigures {
    SuiteFigures { inputs: suite.len(), different: suite.unique(), drawn: suite.drawn }
}

fn agreement(metrics: &Metrics) -> AgreementFigures {
    let averages = |of: &Averages| AverageFigures { precision: of.precision, recall: of.recall, f1: of.f1 };
    AgreementFigures {
        accuracy: metrics.accuracy,
        weighted: averages(&metrics.weighted),
        macro_average: averages(&metrics.macro_average),
    }
}

/// The intervals of a leaf, column by column; categories and missing cells as the codes that the tree compares.
fn conditions(leaf: &Leaf, data: &Dataset) -> Vec<LeafCondition> {
    let one = leaf.intervals.iter().map(|(feature, interval)| LeafCondition {
        column: data.schema.columns[*feature].name.clone(),
        above: interval.lo,
        up_to: interval.hi,
    });
    one.collect()
}

pub(crate) fn closest_input(closest: &Closest, data: &Dataset) -> ClosestInput {
    ClosestInput {
        input: cells(data, &closest.input),
        expected: data.classes[closest.expected].to_string(),
        predicted: data.classes[closest.predicted].to_string(),
        nearest_row: closest.row + 1,
        nearest: cells(data, data.features.row(closest.row)),
        differs: closest.differs.iter().map(|&at| data.schema.columns[at].name.clone()).collect(),
    }
}

/// The cells of a row by column.
pub fn cells(data: &Dataset, values: &[f64]) -> Map<String, Value> {
    let columns = data.schema.columns.iter().zip(values);
    columns.map(|(column, value)| (column.name.clone(), cell(column, *value))).collect()
}

/// A cell as JSON has it; a missing one is null.
pub fn cell(column: &Column, value: f64) -> Value {
    match column.cell(value) {
        Cell::Float(value) => json!(value),
        Cell::Integer(value) => json!(value),
        Cell::Boolean(value) => json!(value),
        Cell::Text(value) => json!(value.as_ref()),
        Cell::Missing => Value::Null,
    }
}

pub(crate) fn mutant_figures(challenge: &Challenge, data: &Dataset) -> MutantFigures {
    let fates = challenge.fates.iter().map(|fate| MutantFate {
        mutant: fate.mutant.in_words(&data.schema),
        killed_by_inputs: fate.killed_by_suite,
        killed_by_holdout: fate.killed_by_holdout,
    });
    MutantFigures {
        held_out: challenge.held_out,
        inputs: challenge.inputs,
        unviable: challenge.unviable.iter().map(|mutant| mutant.in_words(&data.schema)).collect(),
        fates: fates.collect(),
    }
}

/// How accuracy differs between ways of testing, over the data sets that have all of them.
fn differences(runs: &[ExaminedData<'_>]) -> (Vec<SuiteDifference>, Vec<NotCompared>) {
    let accuracies = runs.iter().filter_map(|(found, ..)| {
        let totals = found.total_figures();
        Some([totals.coverage.accuracy, totals.boundary.accuracy, found.crossed?.accuracy])
    });
    let accuracies: Vec<[f64; 3]> = accuracies.collect();
    let way = |at: usize| -> Vec<f64> { accuracies.iter().map(|row| row[at]).collect() };
    let (mut compared, mut not_compared) = (Vec::new(), Vec::new());
    for (between, first, second) in [
        ("covering leaves, compared with cross-validation", 0, 2),
        ("next to splits, compared with cross-validation", 1, 2),
        ("covering leaves, compared with next to splits", 0, 1),
    ] {
        match suite_difference(between, &way(first), &way(second)) {
            Ok(found) => compared.push(found),
            Err(error) => {
                let reason = error.to_string().lines().next().unwrap_or_default().to_owned();
                not_compared.push(NotCompared { between: between.to_owned(), reason });
            }
        }
    }
    (compared, not_compared)
}

fn suite_difference(between: &str, first: &[f64], second: &[f64]) -> Result<SuiteDifference, ModelError> {
    let found = difference(first, second)?;
    Ok(SuiteDifference {
        between: between.to_owned(),
        t: found.t.statistic,
        t_p: found.t.p,
        wilcoxon_p: found.wilcoxon.p,
        shapiro_p: [found.first.p, found.second.p],
    })
}
