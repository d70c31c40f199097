//! The evidence of `temper model` from regions in which something was measured: how far answers are off, what probabilities
//! promise, how frequent rows are.

use serde::{Deserialize, Serialize};

use super::model::{ClosestInput, MeasuredOn};

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelMeasure {
    /// How far answers are off, where the target is a quantity.
    Quantity,
    /// How often what a probability is given for is the case.
    Calibration,
    /// Which share of the rows of a newer table lies in a region.
    Drift,
}

/// The numbers behind a verdict from what was measured on all rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelMeasureEvidence {
    /// Rows that were measured.
    pub rows: usize,
    /// What was measured on all of them; for drift, the rows of the newer table.
    pub measured: f64,
    /// What it is compared with: of the reference, promised, of the older table.
    pub expected: f64,
    /// It may differ by this much before that counts.
    pub margin: f64,
}

/// A region of the rows in which what was measured is not as expected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredRegion {
    /// The region in words.
    pub condition: String,
    /// Share of all rows that lie in it.
    pub affected: f64,
    /// Rows in it that did not choose the region; the figures are of these.
    pub rows: usize,
    /// What was measured: low, estimate, high.
    pub measured: [f64; 3],
    /// What it is compared with there.
    pub expected: f64,
    /// What was measured outside; absent for all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<f64>,
    /// Whether it is more than expected.
    pub is_more: bool,
    /// The model's error there, for weak spots that are looked up in a newer table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// The corrected chance of figures like these if nothing were wrong.
    pub p_value: f64,
    /// A row that the model answers badly, next to one like it that it answers well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<ClosestInput>,
}

/// One run that measured something region by region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredModelRecord {
    /// What was measured.
    pub measure: ModelMeasure,
    /// The table; for drift the older one.
    pub data: String,
    /// The column that the model predicts; for drift without a model the newer table.
    pub target: String,
    /// What the figures are compared with, for people: the reference, what a probability is of, the newer table.
    pub reference: String,
    /// Which rows they were measured on; absent for drift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<MeasuredOn>,
    /// The columns, in their order, with the target at the end if it is a quantity.
    pub columns: Vec<String>,
    /// The difference on all rows: low, estimate, high.
    pub difference: [f64; 3],
    /// Tests that were corrected for.
    pub tests: usize,
    /// Regions for information: where a model is further off than elsewhere, or its weak spots in a newer table.
    pub weak_spots: Vec<MeasuredRegion>,
}
