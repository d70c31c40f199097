//! A document for the tests of the formats: one of everything, with texts that are hard to carry.

use crate::details::Details;
use crate::document::Document;
use crate::evidence::{CallEvidence, CheckEvidence, FindingEvidence, LeafEvidence, SubjectEvidence};
use crate::finding::Finding;
use crate::kind::FindingKind;
use crate::subject::Subject;
use crate::verdict::{SubjectProblem, Verdict};

pub(crate) fn subject(name: &str, (path, line): (&str, u32), verdict: Verdict) -> Subject {
    let valid = if let Verdict::Clean(evaluations) = verdict { evaluations.count() } else { 0 };
    let evidence = SubjectEvidence::Check(CheckEvidence { valid, ..CheckEvidence::default() });
    Subject { name: name.into(), path: path.into(), line, verdict, evidence }
}

pub(crate) fn finding(id: &str, subject: &str, (path, line): (&str, u32), message: &str) -> Finding {
    let evidence = CallEvidence { count: 1, drawn: 9, recurs: Some(true), ..CallEvidence::default() };
    Finding {
        id: id.into(),
        kind: FindingKind::Crash,
        subject: subject.into(),
        path: path.into(),
        line,
        message: format!("`{subject}`: {message}"),
        evidence: FindingEvidence::Call(evidence),
        exception: None,
        call: None,
        seed: None,
        patch: None,
    }
}

/// A finding that an earlier report has already.
pub(crate) fn known(id: &str, subject: &str, place: (&str, u32)) -> Finding {
    let evidence = LeafEvidence {
        property: "p".into(),
        inputs: 10,
        failures: 5,
        pass_rate: [0.2, 0.5, 0.8],
        p_value: 0.01,
        known: true,
        closest: None,
    };
    Finding { evidence: FindingEvidence::Leaf(evidence), ..finding(id, subject, place, "known") }
}

pub(crate) fn document() -> Document {
    let odd = "ValueError: 100% <bad> & \"odd\" | \u{1b}[0m\nsecond";
    let mut document = Document::new(Details::Check {});
    document.subjects = vec![
        subject("f", ("a,b/c:d.py", 2), Verdict::Found),
        subject("g", ("old.py", 1), Verdict::Found),
        subject("u", ("u.py", 7), Verdict::undecided("too few draws")),
        subject(
            "w",
            ("w.py", 1),
            Verdict::Failed(SubjectProblem { line: 1, ..SubjectProblem::sentence("no module `w`") }),
        ),
        subject("ok", ("ok.py", 1), Verdict::clean(200)),
    ];
    document.findings = vec![
        Finding {
            exception: Some(odd.into()),
            call: Some("f('|', \"<\")".into()),
            ..finding("c1c1c1", "f", ("a,b/c:d.py", 3), odd)
        },
        finding("c2c2c2", "g", ("old.py", 1), "again"),
    ];
    document
}

/// The same run after a report that has its second finding.
pub(crate) fn document_with_known() -> Document {
    let mut document = document();
    document.findings[1] = known("c2c2c2", "g", ("old.py", 1));
    document
}
