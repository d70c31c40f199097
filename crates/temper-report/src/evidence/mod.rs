//! The numbers behind verdicts and findings, typed for each job.

mod check;

pub use check::{CallEvidence, CheckEvidence, Reached};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The numbers behind the verdict on a subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SubjectEvidence {
    /// A function or module of `temper check`.
    Check(CheckEvidence),
    /// Anything else.
    Plain(Map<String, Value>),
}

/// The numbers behind a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FindingEvidence {
    /// A call of `temper check`.
    Call(CallEvidence),
    /// Anything else.
    Plain(Map<String, Value>),
}

impl SubjectEvidence {
    /// How many evaluations it counts.
    pub fn evaluations(&self) -> u64 {
        match self {
            SubjectEvidence::Check(evidence) => evidence.valid,
            SubjectEvidence::Plain(map) => map.get("runs").and_then(Value::as_u64).unwrap_or(0),
        }
    }

    /// As the members of a JSON object.
    pub fn members(&self) -> Map<String, Value> {
        members(self)
    }
}

impl FindingEvidence {
    /// Whether an earlier report has the finding already, so that it fails nothing.
    pub fn is_known(&self) -> bool {
        match self {
            FindingEvidence::Call(_) => false,
            FindingEvidence::Plain(map) => map.get("known") == Some(&Value::Bool(true)),
        }
    }

    /// As the members of a JSON object.
    pub fn members(&self) -> Map<String, Value> {
        members(self)
    }
}

fn members(evidence: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(evidence) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}
