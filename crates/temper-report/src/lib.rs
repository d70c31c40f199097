//! Internal: what every job reports: subjects with their verdicts, findings with their evidence, the document that
//! carries them, and its forms (`--format`; the JSON one is described by docs/reference/report.schema.json). Jobs fill
//! these types; the command line prints them. How a finding reads as text belongs to the command that prints it.

mod exit;
mod format;
mod github;
mod histogram;
mod html;
mod junit;
mod kind;
mod markdown;
mod markup;
#[cfg(test)]
mod sample;
mod sarif;

use std::collections::BTreeMap;

pub use exit::Exit;
pub use format::Format;
pub use kind::{FindingKind, Severity};

use serde::Serialize;
use serde_json::{Map, Value};

/// Raised when a member changes its meaning or goes away; new members do not raise it.
pub const SCHEMA_VERSION: u32 = 1;

/// The answer for one subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Judged, and nothing found.
    Clean,
    /// There is at least one finding.
    Found,
    /// The evidence does not decide; the reason is in it.
    Undecided,
    /// It could not be examined; the error is in the evidence.
    Failed,
}

/// One function, test, assertion site or model that was examined.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    pub evidence: Map<String, Value>,
}

/// One thing worth the user's time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Stable as long as the finding is the same; names it to `temper replay` and `temper apply`.
    pub id: String,
    /// For example `crash` or `flaky`.
    pub kind: String,
    /// The name of its subject.
    pub subject: String,
    /// The file, relative to the project.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// What was found, in one line.
    pub message: String,
    /// The numbers behind it.
    pub evidence: Map<String, Value>,
    /// The exception, as Python prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// The call that shows it, as exact Python source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The seed of the run that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The path of its patch, relative to the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
}

/// The document of one run. `Own` is what the command has beyond subjects and findings; it must serialise to an object.
#[derive(Clone, Debug, Serialize)]
pub struct Document<Own> {
    schema_version: u32,
    /// The command that ran.
    pub command: &'static str,
    /// Versions of Temper and of what it ran with.
    pub versions: BTreeMap<String, String>,
    /// The seed of the run, where something was drawn.
    pub seed: Option<u64>,
    /// What was examined.
    pub subjects: Vec<Subject>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What the command has of its own.
    #[serde(flatten)]
    pub own: Own,
}

impl<Own: Serialize> Document<Own> {
    /// A document without subjects, findings and seed.
    pub fn new(command: &'static str, own: Own) -> Document<Own> {
        let versions = BTreeMap::from([("temper".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]);
        let (subjects, findings) = (Vec::new(), Vec::new());
        Document { schema_version: SCHEMA_VERSION, command, versions, seed: None, subjects, findings, own }
    }

    /// The document in one of its forms. `text` is how the command says the same to a person, without colour.
    ///
    /// # Errors
    /// When a part of `Own` has no JSON form, for instance a map whose keys are not texts.
    pub fn render(&self, format: Format, text: &str) -> Result<String, serde_json::Error> {
        Ok(match format {
            Format::Text => text.to_owned(),
            Format::Json => serde_json::to_string_pretty(self)? + "\n",
            Format::Md => markdown::render(self, text),
            Format::Github => github::render(self, text),
            Format::Sarif => serde_json::to_string_pretty(&sarif::render(self))? + "\n",
            Format::Junit => junit::render(self),
            Format::Html => html::render(self, text),
        })
    }
}

impl<Own> Document<Own> {
    /// The findings of a subject: its own, or those at its place, where one finding stands for several subjects.
    fn findings_of(&self, subject: &Subject) -> Vec<&Finding> {
        let own: Vec<&Finding> = self.findings.iter().filter(|finding| finding.subject == subject.name).collect();
        if !own.is_empty() || subject.verdict != Verdict::Found {
            return own;
        }
        let is_here = |finding: &&Finding| finding.path == subject.path && finding.line == subject.line;
        self.findings.iter().filter(is_here).collect()
    }

    /// Subjects without an answer, each with the reason.
    fn without_answer(&self) -> impl Iterator<Item = (&Subject, String)> {
        let is_open = |subject: &&Subject| matches!(subject.verdict, Verdict::Undecided | Verdict::Failed);
        self.subjects.iter().filter(is_open).map(|subject| (subject, subject.reason()))
    }

    /// `6 examined: 2 found · 1 undecided · 3 clean`.
    fn counts(&self) -> String {
        let order = [Verdict::Found, Verdict::Failed, Verdict::Undecided, Verdict::Clean];
        let parts = order.iter().filter_map(|verdict| {
            let count = self.subjects.iter().filter(|subject| subject.verdict == *verdict).count();
            (count > 0).then(|| format!("{count} {}", verdict.word()))
        });
        let parts: Vec<String> = parts.collect();
        format!("{} examined{}{}", self.subjects.len(), if parts.is_empty() { "" } else { ": " }, parts.join(" · "))
    }
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Clean => "clean",
            Verdict::Found => "found",
            Verdict::Undecided => "undecided",
            Verdict::Failed => "failed",
        }
    }
}

impl Subject {
    /// Why it has no answer.
    fn reason(&self) -> String {
        let said = self.evidence.get("reason").or_else(|| self.evidence.get("error"));
        let said = said.and_then(|said| said.as_str().or_else(|| said.get("message")?.as_str()));
        said.unwrap_or(if self.verdict == Verdict::Failed { "could not be examined" } else { "not decided" }).to_owned()
    }
}

impl Finding {
    /// True where an earlier report has it too, so that it fails nothing.
    fn is_known(&self) -> bool {
        self.evidence.get("known").and_then(Value::as_bool) == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_in_the_order_of_the_schema_and_absent_ones_are_left_out() {
        let mut document = Document::new("check", BTreeMap::from([("extra", 1)]));
        document.findings.push(Finding {
            id: "C1".into(),
            kind: "crash".into(),
            subject: "f".into(),
            path: "a.py".into(),
            line: 3,
            message: "m".into(),
            evidence: Map::new(),
            exception: None,
            call: Some("f(1)".into()),
            seed: None,
            patch: None,
        });
        let text = serde_json::to_string(&document).unwrap().replace(env!("CARGO_PKG_VERSION"), "V");
        assert_eq!(
            text,
            r#"{"schema_version":1,"command":"check","versions":{"temper":"V"},"seed":null,"subjects":[],"findings":[{"id":"C1","kind":"crash","subject":"f","path":"a.py","line":3,"message":"m","evidence":{},"call":"f(1)"}],"extra":1}"#
        );
    }
}
