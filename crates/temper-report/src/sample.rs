//! A document for the tests of the formats: one of everything, with texts that are hard to carry.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::details::Details;
use crate::document::Document;
use crate::evidence::{
    BoundSide, BoundsDetails, CallEvidence, CheckEvidence, FailureRate, FindingEvidence, LeafEvidence, SampleQuantiles,
    SeedsUsed, SiteEvidence, SiteFindingEvidence, SiteRow, SubjectEvidence,
};
use crate::finding::Finding;
use crate::kind::FindingKind;
use crate::report::{CombinedReport, ReportPart, ReportSurroundings};
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

/// A report of one record.
pub(crate) fn report<'d>(document: &'d Document, text: &str) -> CombinedReport<'d> {
    CombinedReport {
        parts: vec![ReportPart { document, text: text.to_owned() }],
        surroundings: ReportSurroundings::default(),
    }
}

/// The same run after a report that has its second finding.
pub(crate) fn document_with_known() -> Document {
    let mut document = document();
    document.findings[1] = known("c2c2c2", "g", ("old.py", 1));
    document
}

/// A run of `temper bounds`: two assertions with the same text, of which the first is flaky and has a verified patch.
pub(crate) fn flaky_document(line: u32) -> Document {
    let source = "assert x < 0.1";
    let name = |line: u32| format!("t.py::test_a {line}:5");
    let row = |line: u32| SiteRow {
        id: format!("B{line}"),
        subject: name(line),
        path: "t.py".into(),
        line,
        column: 5,
        source: source.into(),
        test: "t.py::test_a".into(),
        tests: 1,
        green_seed: None,
        said: vec!["proposal   < 0.31".into()],
        mutants: None,
    };
    let bounds = BoundsDetails {
        pass: 0.999,
        confidence: 0.95,
        most_runs: 100,
        seeds: SeedsUsed::Keep,
        runs_taken: 200,
        runs_of_patches: 500,
        runs_reused: 0,
        pooled: Vec::new(),
        recorded: Vec::new(),
        stopped: None,
        tests_judged: 1,
        sites: vec![row(line), row(line + 1)],
        not_judged: Vec::new(),
        left_out: BTreeMap::new(),
        mutants: None,
    };
    let mut document = Document::new(Details::Bounds { bounds: Box::new(bounds) });
    let evidence = |verdict: &str| SubjectEvidence::Site(Box::new(site_evidence(verdict)));
    let subject = |line: u32, verdict: Verdict, word: &str| Subject {
        name: name(line),
        path: "t.py".into(),
        line,
        verdict,
        evidence: evidence(word),
    };
    document.subjects = vec![subject(line, Verdict::Found, "flaky"), subject(line + 1, Verdict::clean(100), "sound")];
    // The `ä` before it has two bytes.
    let change = json!({ "path": "t.py", "edits": [{ "start": 30, "old": "0.1", "new": "0.31" }] });
    let proposal = json!({ "change": change, "remedy": { "kind": "bound", "bound": 0.31, "text": "0.31" } });
    let evidence = SiteFindingEvidence {
        site: site_evidence("flaky"),
        proposal: proposal.as_object().cloned(),
        passed_over: None,
        other_remedies: None,
        verification_begun: None,
    };
    document.findings = vec![Finding {
        kind: FindingKind::Flaky,
        message: format!("`{source}` is flaky: 10 of 100 runs failed"),
        evidence: FindingEvidence::Site(Box::new(evidence)),
        patch: Some(format!(".temper/patches/B{line}.patch")),
        ..finding(&format!("B{line}"), &name(line), ("t.py", line), "")
    }];
    document
}

fn site_evidence(verdict: &str) -> SiteEvidence {
    let failures = if verdict == "flaky" { 10 } else { 0 };
    let numbers: Vec<f64> = (0..100_u32).map(|run| f64::from(run) / 900.0).collect();
    let share = failures as f64 / 100.0;
    SiteEvidence {
        verdict: verdict.into(),
        form: "compare".into(),
        role: "value".into(),
        direction: BoundSide::Upper,
        is_strict: true,
        bound: Some(0.1),
        is_margin: false,
        judged_after: 100,
        judged_at: 0.999,
        runs: 100,
        reached: 100,
        failures,
        failure_rate: FailureRate { share: Some(share), low: Some(share / 2.0), high: Some(share * 2.0) },
        nan: 0,
        infinite: 0,
        unreadable: 0,
        errors: 0,
        quantiles: SampleQuantiles::default(),
        rests_on: Value::Null,
        worst_seeds: vec![99],
        seeds: (0..100).collect(),
        numbers,
        reason: None,
        secs: 2.5,
    }
}
