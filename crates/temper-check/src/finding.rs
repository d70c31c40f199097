//! Subjects with their verdicts, and findings.

use sha2::{Digest, Sha256};
use temper_report::FindingKind;

use crate::problem::Problem;

/// One thing worth the user's time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable as long as subject, kind and source line are the same.
    pub id: String,
    /// The subject's number in the report.
    pub subject: usize,
    /// What it is.
    pub kind: FindingKind,
    /// The file of the innermost line of the project, as reports show it.
    pub path: String,
    /// That line.
    pub line: u32,
    /// The exception as Python prints it, or what was broken.
    pub message: String,
    /// The text of the line.
    pub source: String,
    /// Where the subject's own file was left on the way there, with the text of that line; nothing where it was not.
    pub through: Option<String>,
    /// The call, as exact source; empty for an import.
    pub call: String,
    /// The statement that makes the names of the call known.
    pub import: String,
    /// Statements that fail as long as the finding is there; empty for an import and for what ends the process.
    pub check: String,
    /// How many inputs ended here.
    pub count: u64,
    /// Whether it recurred in a fresh process; not known when the run was interrupted.
    pub recurs: Option<bool>,
    /// The recorded choices of the call.
    pub tree: Vec<u8>,
    /// Arguments that are left at their defaults, by place.
    pub omitted: Vec<u64>,
}

/// A short text that names a finding as long as it stays the same.
pub(crate) fn stable_id(parts: &[&str], taken: &[String]) -> String {
    for turn in 0u32.. {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        hash.update(turn.to_le_bytes());
        let id: String = hash.finalize().iter().take(3).map(|byte| format!("{byte:02x}")).collect();
        if !taken.contains(&id) {
            return id;
        }
    }
    String::new()
}

/// The answer for one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Checked, and nothing found.
    Clean,
    /// There are findings.
    Found,
    /// Not decided, for this reason; the second text says what would decide it.
    Undecided(String, Option<String>),
    /// It could not be checked.
    Failed(Problem),
}

/// The numbers behind a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Inputs that met the annotations and were used.
    pub valid: u64,
    /// Inputs that were drawn.
    pub attempts: u64,
    /// Calls that ended in a documented exception.
    pub documented: u64,
    /// Calls that the search made.
    pub search_calls: u64,
    /// Lines of the subject that ran, and how many it has.
    pub lines: Option<(u64, u64)>,
    /// Branch outcomes that were taken, and how many there are.
    pub branches: Option<(u64, u64)>,
    /// What the user should know besides the verdict.
    pub notes: Vec<String>,
    /// A property test of the subject as source text, where one was asked for.
    pub property: Option<String>,
}

/// One function, method or module that was examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The number of its module.
    pub module: usize,
    /// Its qualified name.
    pub name: String,
    /// Its file, as reports show it.
    pub path: String,
    /// The line of its definition.
    pub line: u32,
    /// The answer.
    pub verdict: Verdict,
    /// The numbers behind it.
    pub evidence: Evidence,
}
