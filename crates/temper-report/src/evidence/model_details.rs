//! What `temper model` did, in one of its ways.

use serde::{Deserialize, Serialize};

use super::model::{ModelRunRecord, ModelSuiteRecord};
use super::model_measured::MeasuredModelRecord;
use super::model_properties::ModelPropertiesRecord;
use super::model_rows::JudgedModelRecord;

/// What `temper model` did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ModelDetails {
    /// Several data sets.
    Suite(ModelSuiteRecord),
    /// One data set and one model, judged on real rows.
    Judged(Box<JudgedModelRecord>),
    /// What was measured region by region: distances of answers, probabilities, rows of two tables.
    Measured(Box<MeasuredModelRecord>),
    /// The properties of a model.
    Properties(ModelPropertiesRecord),
    /// One data set and one model, leaf by leaf of a surrogate.
    Run(Box<ModelRunRecord>),
}
