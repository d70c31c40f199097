//! The evidence of `temper model` from real rows: how often the model errs, how often its reference does, and where.

use serde::{Deserialize, Serialize};

use super::model::{BaselineFigures, ClosestInput, MutantFigures};

/// The numbers behind a verdict on real rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRowsEvidence {
    /// Rows that the model was judged on.
    pub rows: usize,
    /// Rows that it gets wrong.
    pub errors: usize,
    /// Rows that the reference gets wrong; of other rows, as many as its rate gives here.
    pub reference_errors: usize,
    /// The error may be greater than the reference's by this share before that counts.
    pub margin: f64,
}

/// A region of the rows in which a model errs: more often than its reference, or than elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegionEvidence {
    /// The region in words.
    pub condition: String,
    /// Share of all rows that lie in it.
    pub affected: f64,
    /// Rows in it that did not choose the region; the counts are of these.
    pub rows: usize,
    /// Rows that the model gets wrong.
    pub errors: usize,
    /// Rows that the reference gets wrong.
    pub reference_errors: usize,
    /// The model's error in the region: low, estimate, high.
    pub error: [f64; 3],
    /// The model's error outside; absent for all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<f64>,
    /// The corrected chance of counts like these if nothing were wrong.
    pub p_value: f64,
    /// A row that the model gets wrong, next to one like it that it gets right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<ClosestInput>,
    /// Errors in the region and around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<ErrorMapRecord>,
}

/// Errors by parts of two columns. The lists of lists have one list for each part down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorMapRecord {
    /// The columns: across and down.
    pub columns: [String; 2],
    /// The parts of the first.
    pub across: Vec<String>,
    /// The parts of the second.
    pub down: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<usize>>,
    /// Rows that the model gets wrong.
    pub errors: Vec<Vec<usize>>,
    /// Rows that the reference gets wrong; absent if it is known on other rows only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_errors: Option<Vec<Vec<usize>>>,
}

/// A node of the tree that tells rows that are wrong, or worse than the reference, from the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorNodeRecord {
    /// Splits on the way to it.
    pub depth: usize,
    /// Its condition in words.
    pub condition: String,
    /// Rows.
    pub rows: usize,
    /// Rows that the model gets wrong.
    pub errors: usize,
    /// Rows that the reference gets wrong; absent if it is known on other rows only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_errors: Option<usize>,
}

/// What the model was compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferenceRecord {
    /// What it is.
    pub kind: ReferenceKind,
    /// Its name, for people.
    pub name: String,
}

/// What a model is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReferenceKind {
    /// An earlier model, on the same rows.
    #[serde(rename = "model")]
    Model,
    /// An earlier report, on the same rows.
    #[serde(rename = "report on the same rows")]
    SameRows,
    /// An earlier report, on other rows.
    #[serde(rename = "report on other rows")]
    OtherRows,
    /// A plain model that was trained here on other rows.
    #[serde(rename = "challenger")]
    Challenger,
}

/// One run that judged a model on real rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedModelRecord {
    /// The table.
    pub data: String,
    /// The column that the model predicts.
    pub target: String,
    /// Rows of the table.
    pub rows: usize,
    /// The columns that the model sees, in their order.
    pub columns: Vec<String>,
    /// The classes.
    pub classes: Vec<String>,
    /// The model's error on the rows that it was judged on.
    pub judged_on: BaselineFigures,
    /// What it was compared with.
    pub reference: ReferenceRecord,
    /// The model's error minus the reference's: low, estimate, high.
    pub difference: [f64; 3],
    /// Tests that were corrected for.
    pub tests: usize,
    /// Regions in which the model errs more often than elsewhere, for information.
    pub weak_spots: Vec<RegionEvidence>,
    /// How rows that are wrong, or worse than the reference, are told from the others: all rows first, each node before its
    /// parts. For information.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<ErrorNodeRecord>,
    /// What a later run compares with.
    pub kept: KeptErrors,
    /// What generated inputs showed, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspicions: Option<SuspicionsRecord>,
    /// The results of the mutants of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutants: Option<MutantFigures>,
    /// Whether `temper replay` knows the findings.
    pub replayable: bool,
}

/// What a report keeps of a model's errors, so that a later run can be compared with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptErrors {
    /// Of the judged rows.
    pub digest: String,
    /// One bit a row in hexadecimal: whether the model got it wrong.
    pub wrong: String,
    /// Errors by parts of each column.
    pub cells: Vec<KeptCell>,
}

/// Errors in one part of the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptCell {
    /// The column.
    pub column: String,
    /// Values above this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// Values up to this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<f64>,
    /// Or rows of this category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Rows.
    pub rows: usize,
    /// Rows that the model got wrong.
    pub errors: usize,
}

/// What generated inputs showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuspicionsRecord {
    /// Inputs that the model was asked about.
    pub inputs: usize,
    /// Leaves that had inputs.
    pub leaves: usize,
    /// Leaves in which the model contradicts the data around real rows.
    pub found: Vec<SuspicionRecord>,
}

/// A leaf in which generated inputs contradict the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuspicionRecord {
    /// The property that the model breaks, in words.
    pub property: String,
    /// Rows around which inputs were made.
    pub sources: usize,
    /// Rows around which most inputs fail.
    pub failing_sources: usize,
    /// Inputs.
    pub inputs: usize,
    /// Inputs that fail.
    pub failures: usize,
    /// The chance of this many failing rows at the error of model and surrogate together, corrected.
    pub p_value: f64,
    /// The failing input that is closest to a real row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closest: Option<ClosestInput>,
}
