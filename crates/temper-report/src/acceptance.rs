//! Findings that somebody has accepted: they are shown and fail nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Why a finding is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptanceReason {
    /// The reason that was given.
    pub reason: String,
    /// The last day on which it counts, as in 2026-12-31.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Where it was accepted, as in `temper.accepted.toml` or `tests/test_x.py:12`.
    pub place: String,
}

/// Accepted findings, by their ids.
pub type Accepted = BTreeMap<String, AcceptanceReason>;
