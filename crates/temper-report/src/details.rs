//! What a command knows besides subjects and findings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a command knows besides subjects and findings. It says which command ran.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Details {
    /// `temper check` knows nothing else.
    Check {},
    /// What `temper bounds` did.
    Bounds {
        /// Targets, runs, tests that were not judged, mutants.
        bounds: Box<BoundsDetails>,
    },
    /// What `temper model` did.
    Model {
        /// Surrogate, baseline, inputs, figures and leaves.
        model: Value,
    },
    /// The inventory of `temper scan`.
    Scan(Map<String, Value>),
    /// The settings of `temper config`.
    Config(Map<String, Value>),
}

/// What `temper bounds` did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundsDetails {
    /// The pass probability that was asked for.
    pub pass: f64,
    /// How sure a verdict had to be.
    pub confidence: f64,
    /// Most runs of a test.
    pub most_runs: usize,
    /// Whether fixed seeds were kept or varied.
    pub seeds: SeedsUsed,
    /// Runs that were taken.
    pub runs_taken: usize,
    /// Runs that were taken to try patches.
    pub runs_of_patches: usize,
    /// Runs that came from the store.
    pub runs_reused: usize,
    /// What ended the run early.
    pub stopped: Option<StoppedBy>,
    /// Tests that were not judged.
    pub not_judged: Vec<NotJudged>,
    /// Assertions that were left out, by reason.
    pub left_out: BTreeMap<String, usize>,
    /// What mutants showed, if some were run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutants: Option<Value>,
}

/// What happened to fixed seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeedsUsed {
    /// They stayed.
    Keep,
    /// Each run got its own in their place.
    Vary,
}

/// What ended a run early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoppedBy {
    /// The budget was spent.
    Budget,
    /// The user stopped it.
    Interrupt,
}

/// A test that was not judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotJudged {
    /// Its node id.
    pub test: String,
    /// Why.
    pub reason: NotJudgedReason,
    /// What pytest said.
    pub message: String,
}

/// Why a test was not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotJudgedReason {
    /// pytest cannot collect it.
    #[serde(rename = "cannot be collected")]
    NotCollected,
    /// It fails in every run.
    #[serde(rename = "fails always")]
    FailsAlways,
    /// It fails with most seeds but its own.
    #[serde(rename = "fails with other seeds")]
    OwnSeed,
    /// Most runs raise.
    #[serde(rename = "errors")]
    Errors,
    /// It is skipped or expected to fail.
    #[serde(rename = "skipped")]
    Skipped,
    /// It reaches no approximate assertion.
    #[serde(rename = "no site reached")]
    NoSite,
    /// No run came to an end.
    #[serde(rename = "not run")]
    NotRun,
}

impl NotJudgedReason {
    /// Whether the user's own test is red before anything is judged.
    pub fn is_red(self) -> bool {
        matches!(self, NotJudgedReason::NotCollected | NotJudgedReason::FailsAlways)
    }
}
