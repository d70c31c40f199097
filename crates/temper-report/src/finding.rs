//! What was found.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::evidence::FindingEvidence;
use crate::kind::FindingKind;
use crate::record_error::RecordError;

/// One thing worth the user's time.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Stable as long as the finding is the same; names it to `temper replay` and `temper apply`.
    pub id: String,
    /// What it is.
    pub kind: FindingKind,
    /// The name of its subject.
    pub subject: String,
    /// The file, relative to the project.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// What was found, in one line.
    pub message: String,
    /// The numbers behind it.
    pub evidence: FindingEvidence,
    /// The exception, as Python prints it.
    pub exception: Option<String>,
    /// The call that shows it, as exact Python source.
    pub call: Option<String>,
    /// The seed of the run that shows it.
    pub seed: Option<u64>,
    /// The path of its patch, relative to the project.
    pub patch: Option<String>,
}

/// A finding in JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct WrittenFinding {
    id: String,
    kind: FindingKind,
    subject: String,
    path: String,
    line: u32,
    message: String,
    evidence: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exception: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Finding { id, kind, subject, path, line, message, evidence, exception, call, seed, patch } = self.clone();
        let evidence = evidence.members();
        WrittenFinding { id, kind, subject, path, line, message, evidence, exception, call, seed, patch }
            .serialize(serializer)
    }
}

impl WrittenFinding {
    /// The finding, whose evidence `read` reads.
    pub(crate) fn read(
        self,
        read: impl Fn(Map<String, Value>) -> Result<FindingEvidence, serde_json::Error>,
    ) -> Result<Finding, RecordError> {
        let WrittenFinding { id, kind, subject, path, line, message, evidence, exception, call, seed, patch } = self;
        let evidence = read(evidence)?;
        Ok(Finding { id, kind, subject, path, line, message, evidence, exception, call, seed, patch })
    }
}

/// A short text that names a finding as long as `parts` stay the same, different from those that are `taken`.
pub fn stable_id(parts: &[&str], taken: &[&str]) -> String {
    let mut turn = 0_u32;
    loop {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        hash.update(turn.to_le_bytes());
        let id: String = hash.finalize().iter().take(3).map(|byte| format!("{byte:02x}")).collect();
        if !taken.contains(&id.as_str()) {
            return id;
        }
        turn += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stay_the_same_and_are_never_given_twice() {
        let parts = ["a.py", "f", "crash"];
        let first = stable_id(&parts, &[]);
        assert_eq!(first, stable_id(&parts, &[]));
        let second = stable_id(&parts, &[&first]);
        assert_ne!(first, second);
        assert_eq!(second, stable_id(&parts, &[&first]), "the second of two is stable too");
        // Where one part ends and the next begins is part of the name.
        assert_ne!(stable_id(&["ab", "c"], &[]), stable_id(&["a", "bc"], &[]));
    }
}
