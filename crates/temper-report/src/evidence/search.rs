//! The evidence of property tests: how inputs were searched for, and the simplest one that breaks the property.

use serde::{Deserialize, Serialize};

/// The numbers behind the verdict on a property.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchEvidence {
    /// Inputs that were tested.
    pub tests: u64,
    /// Those of them that the property refused.
    #[serde(default)]
    pub rejected: u64,
    /// Tests at which the best utility improved, with its values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub climb: Vec<(u64, f64)>,
    /// Whether every input of the domains was tested.
    #[serde(default)]
    pub exhausted: bool,
}

/// The numbers behind an input that breaks a property, or a witness that was not found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CounterexampleEvidence {
    /// How it was searched for.
    #[serde(flatten)]
    pub search: SearchEvidence,
    /// Its utility.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utility: Option<f64>,
    /// What the test said, line by line.
    pub said: Vec<String>,
    /// The command that shows it again.
    pub reproduce: String,
}
