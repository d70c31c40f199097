//! The evidence of `temper model --property`: pairs of inputs that break a statement about a model.

use serde::{Deserialize, Serialize};

use super::model::ClosestInput;

/// The numbers behind the verdict on a model's properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelPropertiesEvidence {
    /// Pairs of inputs that the model was asked about.
    pub pairs: usize,
}

/// The numbers behind a property that does not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PropertyEvidence {
    /// The property in words.
    pub property: String,
    /// Pairs that the model was asked about.
    pub pairs: usize,
    /// Pairs that break it.
    pub broken: usize,
    /// The closest pair that breaks it: `input` and `nearest`, and the answers `predicted` and `expected`.
    pub example: ClosestInput,
}

/// One run that checked properties.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelPropertiesRecord {
    /// The table.
    pub data: String,
    /// The columns that the model sees, in their order.
    pub columns: Vec<String>,
    /// Every property.
    pub properties: Vec<PropertyFigures>,
    /// Whether they were proposed, because they hold on the rows given.
    #[serde(default)]
    pub suggested: bool,
}

/// How one property fared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyFigures {
    /// The property in words.
    pub property: String,
    /// Pairs that the model was asked about.
    pub pairs: usize,
    /// Pairs that break it.
    pub broken: usize,
    /// As `--property` takes it.
    #[serde(default)]
    pub written: String,
}
