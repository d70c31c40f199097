//! How property tests read as text.

use std::fmt::Write;

use super::numbers::thousands;
use super::style::{BOLD, verdict_style};
use crate::document::Document;
use crate::evidence::{FindingEvidence, SubjectEvidence};

/// What broke with what the test said, then the counts; `is_verbose` names also those that hold.
pub fn render(document: &Document, is_verbose: bool) -> String {
    let mut out = String::new();
    let red = verdict_style("found");
    for finding in &document.findings {
        let FindingEvidence::Counterexample(evidence) = &finding.evidence else { continue };
        let (path, line, word) = (&finding.path, finding.line, finding.kind.word());
        let _ = writeln!(out, "{BOLD}{path}:{line}{BOLD:#}   {}   {red}{word}{red:#}  {}", finding.subject, finding.id);
        for said in &evidence.said {
            let _ = writeln!(out, "  {}", said.trim_start());
        }
    }
    for subject in document.subjects.iter().filter(|_| is_verbose) {
        let SubjectEvidence::Search(evidence) = &subject.evidence else { continue };
        if document.findings_of(subject).is_empty() {
            let holds = if evidence.exhausted { "holds for all inputs" } else { "holds" };
            let _ = writeln!(
                out,
                "{}:{}   {}   {holds}, {} tests",
                subject.path,
                subject.line,
                subject.name,
                thousands(evidence.tests as usize)
            );
        }
    }
    let _ = writeln!(out, "{}", document.counts());
    out
}
