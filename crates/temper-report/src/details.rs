//! What a command knows apart from subjects and findings.

use serde::Serialize;
use serde_json::Value;

use crate::evidence::{BoundsDetails, ModelDetails};
use crate::inventory::Inventory;

/// What a command knows apart from subjects and findings. It says which command ran.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Details {
    /// `temper check` knows nothing else.
    Check {},
    /// What `temper bounds` did.
    Bounds {
        /// Targets, runs, assertions, tests that were not judged, mutants.
        bounds: Box<BoundsDetails>,
    },
    /// What `temper model` did.
    Model {
        /// Surrogate, baseline, inputs, figures and leaves.
        model: ModelDetails,
    },
    /// Property tests know nothing else.
    Properties {},
    /// What `temper scan` read.
    Scan {
        /// The interpreter of the project.
        python: Option<PythonRow>,
        /// What there is to work on.
        inventory: Box<Inventory>,
    },
    /// What `temper config` shows.
    Config {
        /// Every setting with where it comes from.
        settings: Vec<SettingRow>,
    },
}

/// An interpreter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PythonRow {
    /// Its path.
    pub path: String,
    /// Its version, if it says one.
    pub version: Option<String>,
}

/// One setting in force.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingRow {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Where it comes from.
    pub origin: String,
}
