//! The record of one run: what was examined, what was found, and what else the command knows. Everything that is
//! printed is a function of it, and it is saved so that it can be printed later.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::acceptance::Accepted;
use crate::details::Details;
use crate::evidence::{BoundsDetails, FindingEvidence, ModelDetails, SiteRow, SubjectEvidence};
use crate::finding::{Finding, WrittenFinding};
use crate::record_error::{RecordError, SCHEMA_VERSION};
use crate::subject::{Subject, WrittenSubject};
use crate::verdict::Verdict;

/// The record of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Versions of Temper and of what it ran with.
    pub versions: BTreeMap<String, String>,
    /// The seed of the run, if something was drawn.
    pub seed: Option<u64>,
    /// What was examined.
    pub subjects: Vec<Subject>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// Findings that somebody has accepted.
    pub accepted: Accepted,
    /// Whether the user stopped the run before its end.
    pub is_interrupted: bool,
    /// What else the command knows.
    pub details: Details,
}

/// A document in JSON, as it is written.
#[derive(Serialize)]
struct WrittenDocument<'d> {
    schema_version: u32,
    command: &'static str,
    versions: &'d BTreeMap<String, String>,
    seed: Option<u64>,
    subjects: &'d [Subject],
    findings: &'d [Finding],
    #[serde(skip_serializing_if = "Accepted::is_empty")]
    accepted: &'d Accepted,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
    #[serde(flatten)]
    details: &'d Details,
}

/// A document in JSON, as it is read.
#[derive(Deserialize)]
struct ReadDocument {
    schema_version: u32,
    command: String,
    versions: BTreeMap<String, String>,
    seed: Option<u64>,
    subjects: Vec<WrittenSubject>,
    findings: Vec<WrittenFinding>,
    #[serde(default)]
    accepted: Accepted,
    #[serde(default)]
    interrupted: bool,
    bounds: Option<Box<BoundsDetails>>,
    model: Option<ModelDetails>,
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WrittenDocument {
            schema_version: SCHEMA_VERSION,
            command: self.command(),
            versions: &self.versions,
            seed: self.seed,
            subjects: &self.subjects,
            findings: &self.findings,
            accepted: &self.accepted,
            interrupted: self.is_interrupted,
            details: &self.details,
        }
        .serialize(serializer)
    }
}

impl Document {
    /// A document without subjects, findings and seed.
    pub fn new(details: Details) -> Document {
        let versions = BTreeMap::from([("temper".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]);
        let (subjects, findings) = (Vec::new(), Vec::new());
        Document { versions, seed: None, subjects, findings, accepted: Accepted::new(), is_interrupted: false, details }
    }

    /// The command that ran.
    pub fn command(&self) -> &'static str {
        match self.details {
            Details::Check {} => "check",
            Details::Bounds { .. } => "bounds",
            Details::Model { .. } => "model",
            Details::Properties {} => "properties",
            Details::Scan { .. } => "scan",
            Details::Config { .. } => "config",
        }
    }

    /// The JSON form.
    ///
    /// # Errors
    /// When a part has no JSON form, which only a mistake of ours can cause.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// A record that was saved by a run.
    ///
    /// # Errors
    /// When the text is not a record of this version.
    pub fn from_json(text: &str) -> Result<Document, RecordError> {
        let read: ReadDocument = serde_json::from_str(text)?;
        if read.schema_version != SCHEMA_VERSION {
            return Err(RecordError::Version(read.schema_version));
        }
        let ReadDocument { command, versions, seed, accepted, interrupted, bounds, model, .. } = read;
        let details = match (command.as_str(), bounds, model) {
            ("check", ..) => Details::Check {},
            ("properties", ..) => Details::Properties {},
            ("bounds", Some(bounds), _) => Details::Bounds { bounds },
            ("model", _, Some(model)) => Details::Model { model },
            _ => return Err(RecordError::Command(command)),
        };
        let subjects = read.subjects.into_iter().map(|each| each.read(|members| details.subject_evidence(members)));
        let findings = read.findings.into_iter().map(|each| each.read(|members| details.finding_evidence(members)));
        let (subjects, findings) = (subjects.collect::<Result<_, _>>()?, findings.collect::<Result<_, _>>()?);
        Ok(Document { versions, seed, subjects, findings, accepted, is_interrupted: interrupted, details })
    }

    /// The findings of a subject: its own, or those at its place if one finding stands for several subjects.
    pub(crate) fn findings_of(&self, subject: &Subject) -> Vec<&Finding> {
        let own: Vec<&Finding> = self.findings.iter().filter(|finding| finding.subject == subject.name).collect();
        if !own.is_empty() || subject.verdict != Verdict::Found {
            return own;
        }
        let is_here = |finding: &&Finding| finding.path == subject.path && finding.line == subject.line;
        self.findings.iter().filter(is_here).collect()
    }

    /// The record of two machines that each did a part of the work: subjects and findings of both, each once, in the order
    /// of their places.
    pub fn joined(mut self, other: Document) -> Document {
        for subject in other.subjects {
            let is_same = |each: &Subject| each.name == subject.name && each.path == subject.path;
            if !self.subjects.iter().any(is_same) {
                self.subjects.push(subject);
            }
        }
        for finding in other.findings {
            if !self.findings.iter().any(|each| each.id == finding.id) {
                self.findings.push(finding);
            }
        }
        self.accepted.extend(other.accepted);
        self.versions.extend(other.versions);
        self.is_interrupted |= other.is_interrupted;
        self.subjects.sort_by(|a, b| (&a.path, a.line, &a.name).cmp(&(&b.path, b.line, &b.name)));
        self.findings.sort_by(|a, b| (&a.path, a.line, &a.id).cmp(&(&b.path, b.line, &b.id)));
        self
    }

    /// The record as it reads from a folder above the project: `folder` comes before every path.
    pub fn below(mut self, folder: &str) -> Document {
        let prefix = |path: &mut String| path.insert_str(0, &format!("{folder}/"));
        self.subjects.iter_mut().for_each(|subject| prefix(&mut subject.path));
        for finding in &mut self.findings {
            prefix(&mut finding.path);
            finding.patch.as_mut().into_iter().for_each(prefix);
            if let FindingEvidence::Site(evidence) = &mut finding.evidence
                && let Some(Value::String(path)) =
                    evidence.proposal.as_mut().and_then(|proposal| proposal.get_mut("change")?.get_mut("path"))
            {
                prefix(path);
            }
        }
        if let Details::Bounds { bounds } = &mut self.details {
            bounds.sites.iter_mut().for_each(|row| prefix(&mut row.path));
            for mutant in bounds.mutants.iter_mut().flat_map(|mutants| &mut mutants.mutants) {
                if let Some(Value::String(path)) = mutant.get_mut("path") {
                    prefix(path);
                }
            }
        }
        self
    }

    /// The assertion behind a finding of `temper bounds`.
    pub(crate) fn site_row(&self, finding: &Finding) -> Option<&SiteRow> {
        match &self.details {
            Details::Bounds { bounds } => bounds.sites.iter().find(|row| row.id == finding.id),
            _ => None,
        }
    }

    /// Subjects without an answer, each with the reason.
    pub(crate) fn without_answer(&self) -> impl Iterator<Item = (&Subject, &str)> {
        self.subjects.iter().filter_map(|subject| Some((subject, subject.verdict.open_reason()?)))
    }

    /// How many subjects have a verdict with this word.
    pub(crate) fn count(&self, word: &str) -> usize {
        self.subjects.iter().filter(|subject| subject.verdict.word() == word).count()
    }

    /// `6 examined: 2 found · 1 undecided · 3 clean`.
    pub(crate) fn counts(&self) -> String {
        let parts = ["found", "failed", "undecided", "clean"].into_iter().filter_map(|word| {
            let count = self.count(word);
            (count > 0).then(|| format!("{count} {word}"))
        });
        let parts: Vec<String> = parts.collect();
        format!("{} examined{}{}", self.subjects.len(), if parts.is_empty() { "" } else { ": " }, parts.join(" · "))
    }
}

impl Details {
    fn subject_evidence(&self, members: Map<String, Value>) -> Result<SubjectEvidence, serde_json::Error> {
        match self {
            Details::Check {} => serde_json::from_value(Value::Object(members)).map(SubjectEvidence::Check),
            Details::Model { model: ModelDetails::Judged(_) } => {
                serde_json::from_value(Value::Object(members)).map(SubjectEvidence::ModelRows)
            }
            Details::Model { model: ModelDetails::Measured(_) } => {
                serde_json::from_value(Value::Object(members)).map(SubjectEvidence::ModelMeasure)
            }
            Details::Model { model: ModelDetails::Properties(_) } => {
                serde_json::from_value(Value::Object(members)).map(SubjectEvidence::ModelProperties)
            }
            Details::Model { .. } => serde_json::from_value(Value::Object(members)).map(SubjectEvidence::Model),
            Details::Bounds { .. } if members.is_empty() => Ok(SubjectEvidence::Nothing {}),
            Details::Bounds { .. } => serde_json::from_value(Value::Object(members)).map(SubjectEvidence::Site),
            Details::Properties {} => serde_json::from_value(Value::Object(members)).map(SubjectEvidence::Search),
            Details::Scan { .. } | Details::Config { .. } => Ok(SubjectEvidence::Nothing {}),
        }
    }

    fn finding_evidence(&self, members: Map<String, Value>) -> Result<FindingEvidence, serde_json::Error> {
        match self {
            Details::Check {} => serde_json::from_value(Value::Object(members)).map(FindingEvidence::Call),
            Details::Model { model: ModelDetails::Judged(_) } => {
                serde_json::from_value(Value::Object(members)).map(FindingEvidence::Region)
            }
            Details::Model { model: ModelDetails::Measured(_) } => {
                serde_json::from_value(Value::Object(members)).map(FindingEvidence::Measured)
            }
            Details::Model { model: ModelDetails::Properties(_) } => {
                serde_json::from_value(Value::Object(members)).map(FindingEvidence::Property)
            }
            Details::Model { .. } => serde_json::from_value(Value::Object(members)).map(FindingEvidence::Leaf),
            Details::Properties {} => {
                serde_json::from_value(Value::Object(members)).map(FindingEvidence::Counterexample)
            }
            _ if members.contains_key("form") => {
                serde_json::from_value(Value::Object(members)).map(FindingEvidence::Site)
            }
            _ => serde_json::from_value(Value::Object(members)).map(FindingEvidence::Test),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn members_stand_in_the_order_of_the_schema_and_absent_ones_are_left_out() {
        let mut document = Document::new(Details::Check {});
        document
            .findings
            .push(Finding { call: Some("f(1)".into()), ..sample::finding("d4e5f6", "f", ("a.py", 3), "m") });
        let text = serde_json::to_string(&document).unwrap().replace(env!("CARGO_PKG_VERSION"), "V");
        assert_eq!(
            text,
            r#"{"schema_version":1,"command":"check","versions":{"temper":"V"},"seed":null,"subjects":[],"findings":[{"id":"d4e5f6","kind":"crash","subject":"f","path":"a.py","line":3,"message":"`f`: m","evidence":{"count":1,"drawn":9,"import":"","recurs":true,"rejected":0,"source":""},"call":"f(1)"}]}"#
        );
    }

    #[test]
    fn a_saved_record_is_read_as_it_was_written() {
        let document = sample::document();
        assert_eq!(Document::from_json(&document.to_json().unwrap()).unwrap(), document);
        let interrupted = Document { is_interrupted: true, ..document };
        assert_eq!(Document::from_json(&interrupted.to_json().unwrap()).unwrap(), interrupted);
    }

    #[test]
    fn a_saved_clean_verdict_without_evaluations_is_read_as_undecided() {
        let text = sample::document().to_json().unwrap().replace("\"valid\": 200", "\"valid\": 0");
        let read = Document::from_json(&text).unwrap();
        assert_eq!(read.count("clean"), 0);
    }

    #[test]
    fn a_record_read_from_above_has_all_its_paths_below_the_folder() {
        let text = sample::flaky_document(2).below("kit").to_json().unwrap();
        assert!(!text.contains("\"path\": \"t.py\"") && !text.contains("\": \".temper/"), "{text}");
        assert_eq!(text.matches("\"kit/t.py\"").count(), 6, "two subjects, a finding, its change, two rows");
    }

    #[test]
    fn a_record_of_another_version_or_command_is_refused() {
        let text = sample::document().to_json().unwrap();
        let other = text.replace("\"schema_version\": 1", "\"schema_version\": 9");
        assert!(matches!(Document::from_json(&other), Err(RecordError::Version(9))));
        let other = text.replace("\"command\": \"check\"", "\"command\": \"chess\"");
        assert!(matches!(Document::from_json(&other), Err(RecordError::Command(_))));
    }
}
