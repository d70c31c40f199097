//! The evidence of `temper model`, and what it did: surrogate, baseline, inputs, figures and leaves.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The numbers behind the verdict on a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelEvidence {
    /// Leaves that had inputs.
    pub leaves_tested: usize,
    /// Inputs that the model was asked about.
    pub inputs: usize,
}

/// The numbers behind a leaf that the model contradicts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeafEvidence {
    /// The property that the model breaks, in words.
    pub property: String,
    /// Inputs that tested it.
    pub inputs: usize,
    /// Inputs on which the model answered another class.
    pub failures: usize,
    /// The share that passed: low, estimate, high.
    pub pass_rate: [f64; 3],
    /// The chance of that many failures at the model's usual error.
    pub p_value: f64,
    /// Whether an earlier report has it and it is no worse.
    pub known: bool,
    /// The failing input that is closest to a real row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closest: Option<ClosestInput>,
}

/// A failing input next to the real row that it was moved towards. Cells are by column; a missing one is null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClosestInput {
    /// The input.
    pub input: Map<String, Value>,
    /// The class that the property wants.
    pub expected: String,
    /// The class that the model answers.
    pub predicted: String,
    /// The number of the row, from 1.
    pub nearest_row: usize,
    /// The row.
    pub nearest: Map<String, Value>,
    /// The columns in which they differ.
    pub differs: Vec<String>,
}

/// One run on one data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRunRecord {
    /// The table.
    pub data: String,
    /// The column that the model predicts.
    pub target: String,
    /// Rows of the table.
    pub rows: usize,
    /// The columns that the model sees, in their order.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The classes.
    pub classes: Vec<String>,
    /// The tree.
    pub surrogate: SurrogateFigures,
    /// The model's usual error.
    pub baseline: BaselineFigures,
    /// Inputs that cover leaves.
    pub coverage: SuiteFigures,
    /// Inputs next to splits.
    pub boundary: SuiteFigures,
    /// Leaves without inputs.
    #[serde(default)]
    pub untested: UntestedLeaves,
    /// Agreement on both suites.
    pub totals: TotalFigures,
    /// Agreement in cross-validation.
    pub cross_validation: Option<AgreementFigures>,
    /// Every leaf that had inputs.
    pub leaves: Vec<LeafRow>,
    /// Whether leaves were judged: not if the tree imitates the model itself.
    #[serde(default = "is_true")]
    pub judged: bool,
    /// Whether `temper replay` knows the findings.
    #[serde(default = "is_true")]
    pub replayable: bool,
    /// The worst leaf if none is a finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<LeafEvidence>,
    /// Whether the user stopped it before all inputs were asked.
    pub interrupted: bool,
    /// The results of the mutants of the model.
    pub mutants: Option<MutantFigures>,
}

fn is_true() -> bool {
    true
}

/// The tree that imitates the data or the model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurrogateFigures {
    /// Its leaves.
    pub leaves: usize,
    /// Leaves without a majority.
    pub tied_leaves: usize,
    /// Its depth.
    pub depth: usize,
    /// Share of rows that it gives their label.
    pub training_accuracy: f64,
    /// Share of rows that it gives the model's answer.
    pub fidelity: f64,
}

/// The model's usual error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaselineFigures {
    /// Which rows it was measured on.
    pub origin: MeasuredOn,
    /// Rows that the model gets wrong.
    pub errors: usize,
    /// All of them.
    pub rows: usize,
}

impl BaselineFigures {
    /// The share of rows that the model gets wrong.
    pub(crate) fn share(&self) -> f64 {
        self.errors as f64 / self.rows.max(1) as f64
    }
}

/// Which rows the usual error was measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeasuredOn {
    /// Rows left out in cross-validation.
    #[serde(rename = "cross-validation")]
    CrossValidation,
    /// Rows that the model has never seen.
    #[serde(rename = "holdout")]
    Holdout,
    /// The rows given, which the model has not seen, as the user says.
    #[serde(rename = "unseen rows")]
    Unseen,
    /// The rows given, which the model may have been trained on.
    #[serde(rename = "given rows")]
    GivenRows,
}

/// The inputs of one suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteFigures {
    /// How many there are.
    pub inputs: usize,
    /// How many of them differ.
    pub different: usize,
    /// How many were drawn to get them.
    pub drawn: usize,
}

/// Leaves without inputs, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UntestedLeaves {
    /// They have no majority.
    pub tied: usize,
    /// The forest is not sure of them.
    pub no_consensus: usize,
    /// They are empty after rounding.
    pub empty: usize,
}

/// Agreement on both suites.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TotalFigures {
    /// Whose answers they are about.
    pub of: AnsweredBy,
    /// On the inputs that cover leaves.
    pub coverage: AgreementFigures,
    /// On the inputs next to splits.
    pub boundary: AgreementFigures,
}

/// Whose answers figures are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnsweredBy {
    /// The models of the folds, on average.
    #[serde(rename = "fold models")]
    FoldModels,
    /// The model itself.
    #[serde(rename = "model")]
    Model,
}

/// How well predictions agree with expectations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgreementFigures {
    /// Share of predictions that are as expected.
    pub accuracy: f64,
    /// Averages weighted by how often a class is expected.
    pub weighted: AverageFigures,
    /// Plain averages over classes.
    #[serde(rename = "macro")]
    pub macro_average: AverageFigures,
}

/// Precision, recall and F1 averaged in one way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AverageFigures {
    /// Of the predictions of a class, the share that was expected.
    pub precision: f64,
    /// Of the expectations of a class, the share that was predicted.
    pub recall: f64,
    /// Harmonic mean of both.
    pub f1: f64,
}

/// One leaf that had inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeafRow {
    /// Names it as long as its property stays the same.
    pub id: String,
    /// Its condition and its class, in words.
    pub property: String,
    /// Its condition, column by column.
    pub conditions: Vec<LeafCondition>,
    /// Its class.
    pub class: String,
    /// Rows in it.
    pub rows: u32,
    /// Rows in it that are of its class.
    pub rows_of_class: u32,
    /// Inputs that tested it.
    pub inputs: usize,
    /// Inputs on which the model answered another class.
    pub failures: usize,
    /// Share of inputs that passed.
    pub pass_rate: f64,
    /// The low end of its interval.
    pub pass_rate_low: f64,
    /// The high end.
    pub pass_rate_high: f64,
    /// The chance of that many failures at the model's usual error.
    pub p_value: f64,
    /// Whether it is a finding.
    pub is_finding: bool,
}

/// The interval of one column; categories and missing cells are the codes that the tree compares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeafCondition {
    /// The column.
    pub column: String,
    /// The value must be greater.
    pub above: Option<f64>,
    /// The value must not be greater.
    pub up_to: Option<f64>,
}

/// The results of the mutants of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutantFigures {
    /// Rows held out.
    pub held_out: usize,
    /// Inputs that were used.
    pub inputs: usize,
    /// Mutants that could not be trained or asked.
    pub unviable: Vec<String>,
    /// The others.
    pub fates: Vec<MutantFate>,
}

/// The result of one mutant of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutantFate {
    /// The mutant in words.
    pub mutant: String,
    /// Whether the inputs noticed it.
    pub killed_by_inputs: bool,
    /// Whether the rows held out noticed it.
    pub killed_by_holdout: bool,
}

/// Several data sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSuiteRecord {
    /// One run each.
    pub suite: Vec<ModelRunRecord>,
    /// Data sets that were to be run; those after an interrupt were not.
    pub planned: usize,
    /// How accuracy differs between ways of testing.
    pub differences: Vec<SuiteDifference>,
    /// Ways of testing that could not be compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_compared: Vec<NotCompared>,
}

/// How accuracy differs between two ways of testing, over the data sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteDifference {
    /// The two ways.
    pub between: String,
    /// Statistic of the paired t test.
    pub t: f64,
    /// Its chance.
    pub t_p: f64,
    /// The chance of Wilcoxon's signed-rank test.
    pub wilcoxon_p: f64,
    /// The chances of Shapiro and Wilk's test of both ways.
    pub shapiro_p: [f64; 2],
}

/// Two ways of testing that could not be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotCompared {
    /// The two ways.
    pub between: String,
    /// Why.
    pub reason: String,
}
