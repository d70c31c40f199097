//! How a run ends: the one function that decides an exit code.

use crate::details::Details;
use crate::document::Document;
use crate::evidence::ModelDetails;
use crate::exit::Exit;
use crate::kind::Severity;
use crate::verdict::Verdict;

impl Document {
    /// How the run ends. What was found comes before what could not be decided, and a run that decided nothing is never
    /// clean.
    pub fn exit(&self) -> Exit {
        if self.is_interrupted {
            return Exit::Interrupted;
        }
        if let Some(exit) = self.exit_without_verdicts() {
            return exit;
        }
        if self.has_failing_tests() {
            return Exit::TestsFail;
        }
        let fresh = self.findings.iter().filter(|finding| self.severity(finding) == Severity::Error);
        if let Some(exit) = fresh.map(|finding| finding.kind.exit()).max_by_key(|exit| exit.code()) {
            return exit;
        }
        if self.subjects.is_empty() {
            return Exit::Nothing;
        }
        let is_open = |verdict: &Verdict| verdict.open_reason().is_some();
        match self.subjects.iter().any(|subject| is_open(&subject.verdict)) {
            true => Exit::Inconclusive,
            false => Exit::Clean,
        }
    }

    /// How a run ends that was to show something and not to judge it.
    fn exit_without_verdicts(&self) -> Option<Exit> {
        match &self.details {
            Details::Check {} | Details::Bounds { .. } | Details::Properties {} => None,
            Details::Model { model } => match model {
                ModelDetails::Run(run) => (!run.judged).then_some(Exit::Clean),
                ModelDetails::Suite(suite) => suite.suite.iter().all(|run| !run.judged).then_some(Exit::Clean),
                ModelDetails::Judged(_) | ModelDetails::Measured(_) | ModelDetails::Properties(_) => None,
            },
            Details::Scan { inventory, .. } if inventory.files_read == 0 => Some(Exit::Inconclusive),
            Details::Scan { .. } | Details::Config { .. } => Some(Exit::Clean),
        }
    }

    /// Whether the project's own tests fail in every run or cannot be collected.
    fn has_failing_tests(&self) -> bool {
        match &self.details {
            Details::Bounds { bounds } => bounds.not_judged.iter().any(|test| test.reason.is_red()),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Finding;
    use crate::sample;
    use crate::verdict::SubjectProblem;

    fn exit(findings: Vec<Finding>, verdicts: Vec<Verdict>) -> Exit {
        let mut document = Document::new(Details::Check {});
        document.findings = findings;
        document.subjects = verdicts.into_iter().map(|verdict| sample::subject("f", ("a.py", 1), verdict)).collect();
        document.exit()
    }

    #[test]
    fn findings_come_before_what_is_undecided_and_nothing_is_not_green() {
        let found = || sample::finding("a1", "f", ("a.py", 1), "m");
        let failed = || Verdict::Failed(SubjectProblem::sentence("no"));
        assert_eq!(exit(vec![], vec![]), Exit::Nothing);
        assert_eq!(exit(vec![], vec![Verdict::clean(5)]), Exit::Clean);
        assert_eq!(exit(vec![], vec![Verdict::clean(0)]), Exit::Inconclusive);
        assert_eq!(exit(vec![], vec![Verdict::clean(5), failed()]), Exit::Inconclusive);
        assert_eq!(exit(vec![found()], vec![Verdict::Found, failed()]), Exit::Findings);
    }

    #[test]
    fn known_findings_fail_nothing_and_an_interrupt_comes_first() {
        let known = || sample::known("a1", "f", ("a.py", 1));
        assert_eq!(exit(vec![known()], vec![Verdict::Found]), Exit::Clean);
        let mut document = sample::document();
        document.is_interrupted = true;
        assert_eq!(document.exit(), Exit::Interrupted);
    }
}
