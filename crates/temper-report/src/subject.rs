//! What was examined.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::evidence::SubjectEvidence;
use crate::record_error::RecordError;
use crate::verdict::{Doubt, SubjectProblem, Verdict};

/// One function, test, assertion site or model that was examined.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Its name, unique together with path and line.
    pub name: String,
    /// The file, relative to the project.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The answer.
    pub verdict: Verdict,
    /// The numbers behind the answer.
    pub evidence: SubjectEvidence,
}

/// A subject in JSON. What a verdict says stands with the evidence.
#[derive(Serialize, Deserialize)]
pub(crate) struct WrittenSubject {
    name: String,
    path: String,
    line: u32,
    verdict: String,
    evidence: Map<String, Value>,
}

impl Serialize for Subject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WrittenSubject {
            name: self.name.clone(),
            path: self.path.clone(),
            line: self.line,
            verdict: self.verdict.word().to_owned(),
            evidence: self.members(),
        }
        .serialize(serializer)
    }
}

impl Subject {
    /// The evidence with what the verdict says, as reports list it.
    pub fn members(&self) -> Map<String, Value> {
        let mut members = self.evidence.members();
        match &self.verdict {
            Verdict::Clean(_) | Verdict::Found => {}
            Verdict::Undecided(Doubt { reason, hint }) => {
                members.insert("reason".to_owned(), json!(reason));
                members.extend(hint.as_ref().map(|hint| ("hint".to_owned(), json!(hint))));
            }
            Verdict::Failed(problem) => {
                members.insert("error".to_owned(), json!(problem));
            }
        }
        members
    }
}

impl WrittenSubject {
    /// The subject, whose evidence `read` reads.
    pub(crate) fn read(
        self,
        read: impl Fn(Map<String, Value>) -> Result<SubjectEvidence, serde_json::Error>,
    ) -> Result<Subject, RecordError> {
        let WrittenSubject { name, path, line, verdict, evidence: mut members } = self;
        let said = match verdict.as_str() {
            "undecided" => Some(Verdict::Undecided(Doubt {
                reason: taken(&mut members, "reason")?.unwrap_or_default(),
                hint: taken(&mut members, "hint")?,
            })),
            "failed" => {
                let problem = taken(&mut members, "error")?;
                Some(Verdict::Failed(problem.unwrap_or_else(|| SubjectProblem::sentence("could not be examined"))))
            }
            "found" => Some(Verdict::Found),
            "clean" => None,
            _ => return Err(RecordError::Verdict(verdict)),
        };
        let evidence = read(members)?;
        let verdict = said.unwrap_or_else(|| Verdict::clean(evidence.evaluations()));
        Ok(Subject { name, path, line, verdict, evidence })
    }
}

/// A member that is taken out of the evidence.
fn taken<T: for<'de> Deserialize<'de>>(members: &mut Map<String, Value>, key: &str) -> Result<Option<T>, RecordError> {
    Ok(members.remove(key).map(serde_json::from_value).transpose()?)
}
