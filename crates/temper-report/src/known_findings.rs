//! Which findings fail nothing: those that are accepted, and those that an earlier report has already.

use crate::document::Document;
use crate::finding::Finding;
use crate::kind::Severity;

impl Document {
    /// Whether a finding fails nothing: it is accepted, or an earlier report has it already.
    pub fn is_known(&self, finding: &Finding) -> bool {
        self.accepted.contains_key(&finding.id) || finding.evidence.is_known()
    }

    /// How much a finding matters.
    pub fn severity(&self, finding: &Finding) -> Severity {
        if self.is_known(finding) { Severity::Note } else { finding.kind.severity() }
    }

    /// `accepted` or `known`, in the words of reports; nothing of a fresh finding.
    pub(crate) fn known_word(&self, finding: &Finding) -> Option<&'static str> {
        match self.accepted.contains_key(&finding.id) {
            true => Some("accepted"),
            false => finding.evidence.is_known().then_some("known"),
        }
    }
}
