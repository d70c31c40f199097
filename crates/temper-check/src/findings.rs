//! What a check has found so far, and the record of it.

use std::path::Path;

use temper_report::{
    CallEvidence, CheckEvidence, Details, Document, Doubt, Finding, FindingEvidence, FindingKind, Reached, StoppedBy,
    Subject, SubjectEvidence, Verdict, stable_id,
};

use crate::message;
use crate::module::Module;
use crate::protocol::{CheckReply, FoundReply};
use crate::work::shown_below;

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// In the order of files and lines.
    pub subjects: Vec<CheckedSubject>,
    /// In the order of subjects.
    pub findings: Vec<FoundCall>,
    /// What subjects with `@regression` return today, as JSON, by module and name; only those not recorded before.
    pub regressions: Vec<(String, String)>,
    /// Other names of parameters that annotations use, with file and line.
    pub hints: Vec<(String, u32, String)>,
    /// Whether the user stopped the run before its end.
    pub is_interrupted: bool,
}

/// One function, method or module that is examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedSubject {
    /// The number of its module.
    pub module: usize,
    /// Its qualified name.
    pub name: String,
    /// Its file, as reports show it.
    pub path: String,
    /// The line of its definition.
    pub line: u32,
    /// The answer; none as long as it is not examined to the end.
    pub verdict: Option<Verdict>,
    /// The numbers behind it.
    pub evidence: CheckEvidence,
    /// A property test of the subject as source text, if one was asked for.
    pub property: Option<String>,
}

/// One finding, with what makes its call again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundCall {
    /// Stable as long as subject, kind and source line are the same.
    pub id: String,
    /// The subject's number.
    pub subject: usize,
    /// What it is.
    pub kind: FindingKind,
    /// The file of the innermost line of the project, as reports show it.
    pub path: String,
    /// That line.
    pub line: u32,
    /// The exception as Python prints it, or what was broken.
    pub message: String,
    /// The call, as exact source.
    pub call: String,
    /// Statements that fail as long as the finding is there; empty for a module and for what ends the process.
    pub check: String,
    /// The recorded choices of the call.
    pub tree: Vec<u8>,
    /// Arguments that are left at their defaults, by place.
    pub omitted: Vec<u64>,
    /// The numbers behind it.
    pub evidence: CallEvidence,
}

impl CheckedSubject {
    /// A subject that nothing is known of yet.
    pub(crate) fn new(module: usize, name: String, path: String, line: u32) -> CheckedSubject {
        CheckedSubject { module, name, path, line, verdict: None, evidence: CheckEvidence::default(), property: None }
    }
}

impl Checked {
    /// Adds a finding and gives it its id. Its subject's verdict is that something was found.
    pub(crate) fn add_finding(&mut self, found: FoundCall) {
        let subject = self.subjects.get_mut(found.subject);
        let name = subject.as_ref().map(|subject| subject.name.clone()).unwrap_or_default();
        if let Some(subject) = subject {
            subject.verdict = Some(Verdict::Found);
        }
        let error = found.message.split(':').next().unwrap_or_default();
        let parts = [found.path.as_str(), &name, found.kind.word(), error, &found.evidence.source];
        let taken: Vec<&str> = self.findings.iter().map(|finding| finding.id.as_str()).collect();
        let id = stable_id(&parts, &taken);
        self.findings.push(FoundCall { id, ..found });
    }

    /// Adds a call that ended its process. Calls of one subject that end it in the same way are one finding.
    pub(crate) fn add_killed(&mut self, killed: FoundCall) {
        let already = self.findings.iter_mut().find(|finding| {
            finding.subject == killed.subject && finding.kind == killed.kind && finding.message == killed.message
        });
        match already {
            None => self.add_finding(killed),
            Some(finding) => {
                finding.evidence.count += killed.evidence.count;
                // The shorter call is the easier one to look at.
                if killed.call.len() < finding.call.len() {
                    (finding.call, finding.tree) = (killed.call, killed.tree);
                }
            }
        }
    }

    /// Takes down why a subject is not decided, unless there is an answer already.
    pub(crate) fn undecide(&mut self, subject: usize, doubt: Doubt) {
        self.subjects[subject].verdict.get_or_insert(Verdict::Undecided(doubt));
    }

    /// Takes down what the worker says about a subject of `module`.
    pub(crate) fn take_reply(&mut self, at: usize, module: &Module, mut reply: CheckReply, root: &Path) {
        let subject = &mut self.subjects[at];
        let evidence = &mut subject.evidence;
        evidence.valid += reply.valid;
        evidence.rejected += reply.attempts.saturating_sub(reply.valid);
        evidence.documented += reply.documented;
        evidence.search_calls += reply.search_calls;
        if reply.is_cut {
            evidence.ended_by = Some(StoppedBy::Budget);
        }
        evidence.lines = reached(reply.lines);
        evidence.branches = reached(reply.branches);
        evidence.notes.extend(message::notes(&reply));
        evidence.notes.append(&mut reply.notes);
        subject.property = reply.property.take();
        if let Some(records) = reply.regression.take() {
            self.regressions.push((format!("{}::{}", module.name, subject.name), records));
        }
        for found in std::mem::take(&mut reply.findings) {
            self.add_finding(found_call(at, found, root));
        }
        let subject = &mut self.subjects[at];
        if subject.verdict.is_none() {
            subject.verdict = Some(without_findings(subject, &reply));
        }
    }

    /// Findings in the order of their subjects.
    pub(crate) fn order(&mut self) {
        self.findings.sort_by_key(|finding| finding.subject);
    }

    /// The record of the run.
    pub fn document(&self, seed: u64, python_version: Option<&str>) -> Document {
        let mut document = Document::new(Details::Check {});
        document.seed = Some(seed);
        document.versions.extend(python_version.map(|version| ("python".to_owned(), version.to_owned())));
        document.is_interrupted = self.is_interrupted;
        document.subjects = self.subjects.iter().map(CheckedSubject::record).collect();
        document.findings = self.findings.iter().map(|each| each.record(&self.subjects[each.subject], seed)).collect();
        document
    }
}

impl CheckedSubject {
    fn record(&self) -> Subject {
        let CheckedSubject { name, path, line, verdict, evidence, .. } = self.clone();
        let verdict = verdict.unwrap_or_else(|| Verdict::undecided("the run ended before it"));
        Subject { name, path, line: line.max(1), verdict, evidence: SubjectEvidence::Check(evidence) }
    }
}

impl FoundCall {
    fn record(&self, subject: &CheckedSubject, seed: u64) -> Finding {
        let FoundCall { id, kind, path, line, message, call, evidence, .. } = self.clone();
        let CheckEvidence { valid: drawn, rejected, .. } = subject.evidence;
        Finding {
            id,
            kind,
            subject: subject.name.clone(),
            path,
            line: line.max(1),
            message: format!("`{}`: {message}", subject.name),
            evidence: FindingEvidence::Call(CallEvidence { drawn, rejected, ..evidence }),
            exception: Some(message),
            call: Some(call),
            seed: Some(seed),
            patch: None,
        }
    }
}

fn reached(pair: Option<(u64, u64)>) -> Option<Reached> {
    pair.filter(|(_, all)| *all > 0).map(|(reached, all)| Reached { reached, all })
}

fn found_call(subject: usize, found: FoundReply, root: &Path) -> FoundCall {
    let through = found.through.map(|through| {
        let path = shown_below(root, &through.path);
        format!("{path}:{}   {}", through.line, through.source)
    });
    let (count, import, source) = (found.count, found.imports, found.place.source);
    FoundCall {
        id: String::new(),
        subject,
        kind: found.kind,
        path: shown_below(root, &found.place.path),
        line: found.place.line,
        message: found.place.message,
        call: found.call,
        check: found.check,
        tree: found.tree.0,
        omitted: found.omitted,
        evidence: CallEvidence { count, import, source, through, ..CallEvidence::default() },
    }
}

/// The verdict on a subject in which nothing was found.
fn without_findings(subject: &CheckedSubject, reply: &CheckReply) -> Verdict {
    if !reply.refused.is_empty() {
        return Verdict::Undecided(message::refusal(&reply.refused));
    }
    if reply.slow > 0 {
        return Verdict::Undecided(message::slow(reply));
    }
    let CheckedSubject { name, path, line, evidence, .. } = subject;
    if evidence.valid == 0 {
        return Verdict::Failed(match &reply.build_error {
            Some(error) => message::nothing_built(name, path, *line, error),
            None => message::nothing_drawn(name, path, *line, reply),
        });
    }
    Verdict::clean(evidence.valid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{FoundPlace, RecordedChoices};

    fn checked() -> Checked {
        let subject = |name: &str, line| CheckedSubject::new(0, name.into(), "a.py".into(), line);
        Checked { subjects: vec![subject("f", 3), subject("g", 9)], ..Checked::default() }
    }

    fn found(subject: usize, call: &str) -> FoundCall {
        FoundCall {
            id: String::new(),
            subject,
            kind: FindingKind::Killed,
            path: "a.py".into(),
            line: 3,
            message: "the process was killed by signal 11".into(),
            call: call.into(),
            check: String::new(),
            tree: call.as_bytes().to_vec(),
            omitted: Vec::new(),
            evidence: CallEvidence { count: 1, ..CallEvidence::default() },
        }
    }

    fn reply() -> CheckReply {
        CheckReply {
            valid: 0,
            attempts: 0,
            documented: 0,
            slow: 0,
            build_failures: 0,
            search_calls: 0,
            is_cut: false,
            findings: Vec::new(),
            refused: Vec::new(),
            preconditions: Vec::new(),
            lines: None,
            branches: None,
            slow_call: None,
            build_error: None,
            filter_error: None,
            regression: None,
            property: None,
            notes: Vec::new(),
        }
    }

    fn verdict_after(reply: CheckReply) -> &'static str {
        let mut checked = checked();
        checked.take_reply(0, &Module::default(), reply, Path::new("/p"));
        checked.document(0, None).subjects[0].verdict.word()
    }

    #[test]
    fn calls_that_end_the_process_in_the_same_way_are_one_finding_with_the_shortest_call() {
        let mut checked = checked();
        for call in ["f(100)", "f(1)", "f(10)"] {
            checked.add_killed(found(0, call));
        }
        checked
            .add_killed(FoundCall { message: "the process exited by itself with code 1".into(), ..found(0, "f(2)") });
        checked.add_killed(found(1, "g(1)"));
        let counts: Vec<(u64, &str)> =
            checked.findings.iter().map(|each| (each.evidence.count, each.call.as_str())).collect();
        assert_eq!(counts, [(3, "f(1)"), (1, "f(2)"), (1, "g(1)")]);
        assert_eq!(checked.findings[0].tree, b"f(1)", "the choices are those of the call that is shown");
    }

    #[test]
    fn no_two_findings_share_an_id_and_ids_do_not_depend_on_the_line() {
        let mut checked = checked();
        checked.add_finding(found(0, "f(1)"));
        checked.add_finding(FoundCall { line: 4, ..found(0, "f(2)") });
        checked.add_finding(found(1, "g(1)"));
        let ids: std::collections::BTreeSet<&str> = checked.findings.iter().map(|each| each.id.as_str()).collect();
        assert_eq!(ids.len(), 3);
        let mut moved = self::checked();
        moved.add_finding(FoundCall { line: 40, ..found(0, "f(1)") });
        assert_eq!(moved.findings[0].id, checked.findings[0].id);
    }

    #[test]
    fn the_record_names_each_finding_by_its_own_id() {
        let mut checked = checked();
        checked.add_finding(found(0, "f(1)"));
        checked.add_finding(found(1, "g(1)"));
        let document = checked.document(7, Some("3.11"));
        let ids: Vec<&str> = document.findings.iter().map(|each| each.id.as_str()).collect();
        assert_eq!(ids, checked.findings.iter().map(|each| each.id.as_str()).collect::<Vec<_>>());
        assert_ne!(ids[0], ids[1]);
        assert_eq!(document.findings[1].subject, "g");
    }

    #[test]
    fn verdicts_follow_from_what_the_worker_says() {
        let refused = vec![temper_worker::Refusal { kind: "net".into(), detail: "example.org".into() }];
        assert_eq!(verdict_after(CheckReply { valid: 20, attempts: 20, ..reply() }), "clean");
        assert_eq!(verdict_after(CheckReply { attempts: 10_000, ..reply() }), "failed");
        assert_eq!(verdict_after(CheckReply { valid: 3, attempts: 3, slow: 2, ..reply() }), "undecided");
        assert_eq!(verdict_after(CheckReply { valid: 3, attempts: 3, refused, ..reply() }), "undecided");
    }

    #[test]
    fn a_subject_that_was_not_reached_is_not_clean() {
        let document = checked().document(0, None);
        assert!(document.subjects.iter().all(|subject| subject.verdict.word() == "undecided"));
    }

    #[test]
    fn a_finding_has_its_place_in_the_project_and_the_draws_of_its_subject() {
        let place =
            FoundPlace { message: "ValueError: no".into(), path: "/p/b.py".into(), line: 5, source: "raise".into() };
        let found = FoundReply {
            kind: FindingKind::Crash,
            place,
            through: None,
            count: 4,
            tree: RecordedChoices(vec![1]),
            omitted: Vec::new(),
            call: "f(0)".into(),
            check: "f(0)".into(),
            imports: "from a import f".into(),
        };
        let mut checked = checked();
        let reply = CheckReply { valid: 20, attempts: 25, findings: vec![found], ..reply() };
        checked.take_reply(0, &Module::default(), reply, Path::new("/p"));
        let document = checked.document(0, None);
        let finding = &document.findings[0];
        assert_eq!((finding.path.as_str(), finding.line), ("b.py", 5));
        let FindingEvidence::Call(evidence) = &finding.evidence else { panic!("evidence of another job") };
        assert_eq!((evidence.count, evidence.drawn, evidence.rejected), (4, 20, 5));
        assert_eq!(document.subjects[0].verdict, Verdict::Found);
    }
}
