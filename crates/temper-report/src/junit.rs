//! `--format junit`: the XML that CI servers show as a test report. A subject is a test case. Its name holds no line, so
//! that servers follow it when lines move.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::details::Details;
use crate::evidence::SubjectEvidence;
use crate::markup::escape;
use crate::report::CombinedReport;
use crate::{Document, Finding, Severity, Subject, Verdict};

/// The report: one suite a record.
pub fn render(report: &CombinedReport<'_>) -> String {
    let suites: Vec<Suite> = report.parts.iter().map(|part| Suite::of(part.document)).collect();
    let all = suites.iter().fold(SuiteCounts::default(), |sum, suite| sum.with(&suite.totals));
    let name = match suites.as_slice() {
        [suite] => suite.name.clone(),
        _ => "temper".to_owned(),
    };
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"{name}\" {}>", all.attributes());
    for suite in &suites {
        let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", suite.name, suite.totals.attributes());
        let _ = writeln!(out, "{}  </testsuite>", suite.cases);
    }
    out + "</testsuites>\n"
}

/// The test cases of one record.
struct Suite {
    name: String,
    totals: SuiteCounts,
    cases: String,
}

/// What servers show above a list of test cases.
#[derive(Default)]
struct SuiteCounts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    secs: f64,
}

impl SuiteCounts {
    fn with(&self, other: &SuiteCounts) -> SuiteCounts {
        SuiteCounts {
            tests: self.tests + other.tests,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
            secs: self.secs + other.secs,
        }
    }

    fn attributes(&self) -> String {
        let SuiteCounts { tests, failures, errors, skipped, secs } = self;
        format!(
            "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{secs:.3}\""
        )
    }
}

impl Suite {
    fn of(document: &Document) -> Suite {
        let totals = SuiteCounts {
            tests: document.subjects.len(),
            failures: document.subjects.iter().filter(|subject| fails(document, subject)).count(),
            errors: document.count("failed"),
            skipped: document.count("undecided"),
            secs: document
                .subjects
                .iter()
                .filter_map(|subject| subject.evidence.secs())
                .fold(0.0, |sum, secs| sum + secs),
        };
        let mut cases = String::new();
        let mut seen = BTreeMap::new();
        for subject in &document.subjects {
            let name = stable_name(document, subject);
            let turn: &mut usize = seen.entry((subject.path.as_str(), name.clone())).or_default();
            *turn += 1;
            let name = if *turn > 1 { format!("{name} ({turn})") } else { name };
            case(&mut cases, document, subject, &name);
        }
        Suite { name: format!("temper {}", document.command()), totals, cases }
    }
}

/// The name without a line: the test and the text of its assertion.
fn stable_name(document: &Document, subject: &Subject) -> String {
    let Details::Bounds { bounds } = &document.details else { return subject.name.clone() };
    let place = |line: u32, column: u32| format!(" {line}:{column}");
    let row = bounds.sites.iter().find(|row| {
        row.path == subject.path && row.line == subject.line && subject.name.ends_with(&place(row.line, row.column))
    });
    match row {
        Some(row) => {
            let test = subject.name.trim_end_matches(&place(row.line, row.column));
            format!("{test} {}", row.source)
        }
        None => subject.name.clone(),
    }
}

/// A subject whose findings are all known fails nothing.
fn fails(document: &Document, subject: &Subject) -> bool {
    let findings = document.findings_of(subject);
    let is_known = !findings.is_empty() && findings.iter().all(|each| document.severity(each) == Severity::Note);
    subject.verdict == Verdict::Found && !is_known
}

fn case(out: &mut String, document: &Document, subject: &Subject, name: &str) {
    let path = escape(&subject.path);
    let (name, line) = (escape(name), subject.line);
    let secs = subject.evidence.secs().unwrap_or_default();
    let _ = write!(
        out,
        "    <testcase classname=\"{path}\" name=\"{name}\" file=\"{path}\" line=\"{line}\" time=\"{secs:.3}\""
    );
    let findings = document.findings_of(subject);
    let inner = match &subject.verdict {
        Verdict::Undecided(doubt) => format!("<skipped message=\"undecided: {}\"/>", escape(&doubt.reason)),
        Verdict::Failed(problem) => format!("<error message=\"{}\"/>", escape(&problem.headline)),
        Verdict::Found if fails(document, subject) => failures("failure", &findings),
        // It fails nothing, and servers show that it failed at times.
        Verdict::Found => failures("flakyFailure", &findings),
        Verdict::Clean(_) => seen_failures(subject),
    };
    match inner.is_empty() {
        true => out.push_str("/>\n"),
        false => {
            let _ = writeln!(out, ">{inner}</testcase>");
        }
    }
}

/// Failures of an assertion that are as rare as asked.
fn seen_failures(subject: &Subject) -> String {
    match &subject.evidence {
        SubjectEvidence::Site(evidence) if evidence.failures > 0 => format!(
            "<flakyFailure type=\"{}\" message=\"{} of {} runs failed\"/>",
            escape(&evidence.verdict),
            evidence.failures,
            evidence.runs
        ),
        _ => String::new(),
    }
}

/// One element: most servers read only the first of several.
fn failures(element: &str, findings: &[&Finding]) -> String {
    let Some(first) = findings.first() else { return format!("<{element} message=\"found\"/>") };
    let mut body = String::new();
    for finding in findings {
        let _ = writeln!(body, "{}:{}: {} {}", finding.path, finding.line, finding.kind.word(), finding.id);
        let _ = writeln!(body, "{}", finding.message);
        if let Some(call) = &finding.call {
            let _ = writeln!(body, "call: {call}");
        }
        let _ = writeln!(body, "reproduce: temper replay {}", finding.id);
    }
    let (word, message) = (first.kind.word(), escape(&first.message));
    format!("<{element} type=\"{word}\" message=\"{message}\">{}</{element}>", escape(&body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_subject_is_a_case_with_what_became_of_it() {
        let document = sample::document_with_known();
        let text = render(&sample::report(&document, ""));
        let lines: Vec<&str> = text.lines().collect();
        let known = "<flakyFailure type=\"crash\" message=\"`g`: known\">old.py:1: crash c2c2c2&#10;`g`: known&#10;reproduce: temper replay c2c2c2&#10;</flakyFailure>";
        assert_eq!(
            lines,
            [
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
                "<testsuites name=\"temper check\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"0.000\">",
                "  <testsuite name=\"temper check\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"0.000\">",
                "    <testcase classname=\"a,b/c:d.py\" name=\"f\" file=\"a,b/c:d.py\" line=\"2\" time=\"0.000\"><failure type=\"crash\" message=\"`f`: ValueError: 100% &lt;bad&gt; &amp; &quot;odd&quot; | \u{fffd}[0m&#10;second\">a,b/c:d.py:3: crash c1c1c1&#10;`f`: ValueError: 100% &lt;bad&gt; &amp; &quot;odd&quot; | \u{fffd}[0m&#10;second&#10;call: f('|', &quot;&lt;&quot;)&#10;reproduce: temper replay c1c1c1&#10;</failure></testcase>",
                format!("    <testcase classname=\"old.py\" name=\"g\" file=\"old.py\" line=\"1\" time=\"0.000\">{known}</testcase>").as_str(),
                "    <testcase classname=\"u.py\" name=\"u\" file=\"u.py\" line=\"7\" time=\"0.000\"><skipped message=\"undecided: too few draws\"/></testcase>",
                "    <testcase classname=\"w.py\" name=\"w\" file=\"w.py\" line=\"1\" time=\"0.000\"><error message=\"no module `w`\"/></testcase>",
                "    <testcase classname=\"ok.py\" name=\"ok\" file=\"ok.py\" line=\"1\" time=\"0.000\"/>",
                "  </testsuite>",
                "</testsuites>",
            ]
        );
    }

    #[test]
    fn names_of_cases_have_no_line_and_equal_ones_are_told_apart() {
        let names = |line: u32| {
            let document = sample::flaky_document(line);
            let text = render(&sample::report(&document, ""));
            text.split(" name=\"").skip(3).map(|rest| rest.split('"').next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(12), ["t.py::test_a assert x &lt; 0.1", "t.py::test_a assert x &lt; 0.1 (2)"]);
        assert_eq!(names(12), names(40));
    }

    #[test]
    fn times_are_those_of_the_runs() {
        let document = sample::flaky_document(12);
        let text = render(&sample::report(&document, ""));
        assert!(text.contains("skipped=\"0\" time=\"5.000\""), "{text}");
        assert_eq!(text.matches("time=\"2.500\"").count(), 2, "{text}");
    }
}
