//! The evidence of `temper check`.

use serde::{Deserialize, Serialize};

use super::bounds::StoppedBy;

/// The numbers behind the verdict on a checked function or module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckEvidence {
    /// Inputs that met the annotations and were used.
    pub valid: u64,
    /// Inputs that were drawn and did not meet them.
    pub rejected: u64,
    /// Calls that ended in a documented exception.
    pub documented: u64,
    /// Calls that the search made.
    pub search_calls: u64,
    /// What ended the work on it before its number of calls: then another run may come further.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<StoppedBy>,
    /// Lines of the subject that ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Reached>,
    /// Branch outcomes that were taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branches: Option<Reached>,
    /// What else the user should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How many of something were reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// Those that were.
    pub reached: u64,
    /// All there are.
    pub all: u64,
}

/// The numbers behind a finding of `temper check`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallEvidence {
    /// How many inputs ended here.
    pub count: u64,
    /// How many valid inputs were drawn for its subject.
    pub drawn: u64,
    /// How many drawn inputs of its subject were rejected.
    pub rejected: u64,
    /// Whether it recurred in a fresh process; not known if the run was interrupted.
    pub recurs: Option<bool>,
    /// The statement that makes the names of the call known.
    pub import: String,
    /// The text of the line.
    pub source: String,
    /// Where the subject's own file was left on the way there, with the text of that line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
}
