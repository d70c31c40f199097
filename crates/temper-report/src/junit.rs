//! `--format junit`: the XML that CI servers show as a test report. A subject is a test case.

use std::fmt::Write;

use crate::markup::escape;
use crate::{Document, Finding, Severity, Subject, Verdict};

/// The report of one run.
pub fn render(document: &Document) -> String {
    let failing = document.subjects.iter().filter(|subject| fails(document, subject)).count();
    let name = format!("temper {}", document.command());
    let totals = format!(
        "tests=\"{}\" failures=\"{failing}\" errors=\"{}\" skipped=\"{}\"",
        document.subjects.len(),
        document.count("failed"),
        document.count("undecided"),
    );
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"{name}\" {totals}>");
    let _ = writeln!(out, "  <testsuite name=\"{name}\" {totals}>");
    for subject in &document.subjects {
        case(&mut out, document, subject);
    }
    out + "  </testsuite>\n</testsuites>\n"
}

/// A subject whose findings are all known fails nothing.
fn fails(document: &Document, subject: &Subject) -> bool {
    let findings = document.findings_of(subject);
    let is_known = !findings.is_empty() && findings.iter().all(|finding| finding.severity() == Severity::Note);
    subject.verdict == Verdict::Found && !is_known
}

fn case(out: &mut String, document: &Document, subject: &Subject) {
    let path = escape(&subject.path);
    let (name, line) = (escape(&subject.name), subject.line);
    let _ = write!(out, "    <testcase classname=\"{path}\" name=\"{name}\" file=\"{path}\" line=\"{line}\"");
    let inner = match &subject.verdict {
        Verdict::Undecided(doubt) => format!("<skipped message=\"undecided: {}\"/>", escape(&doubt.reason)),
        Verdict::Failed(problem) => format!("<error message=\"{}\"/>", escape(&problem.headline)),
        Verdict::Found if fails(document, subject) => failures(&document.findings_of(subject)),
        Verdict::Found | Verdict::Clean(_) => String::new(),
    };
    match inner.is_empty() {
        true => out.push_str("/>\n"),
        false => {
            let _ = writeln!(out, ">{inner}</testcase>");
        }
    }
}

/// One element: most servers read only the first of several.
fn failures(findings: &[&Finding]) -> String {
    let Some(first) = findings.first() else { return "<failure message=\"found\"/>".to_owned() };
    let mut body = String::new();
    for finding in findings {
        let _ = writeln!(body, "{}:{}: {} {}", finding.path, finding.line, finding.kind.word(), finding.id);
        let _ = writeln!(body, "{}", finding.message);
        if let Some(call) = &finding.call {
            let _ = writeln!(body, "call: {call}");
        }
        let _ = writeln!(body, "reproduce: temper replay {}", finding.id);
    }
    format!(
        "<failure type=\"{}\" message=\"{}\">{}</failure>",
        first.kind.word(),
        escape(&first.message),
        escape(&body)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_subject_is_a_case_with_what_became_of_it() {
        let text = render(&sample::document_with_known());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
                "<testsuites name=\"temper check\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"1\">",
                "  <testsuite name=\"temper check\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"1\">",
                "    <testcase classname=\"a,b/c:d.py\" name=\"f\" file=\"a,b/c:d.py\" line=\"2\"><failure type=\"crash\" message=\"`f`: ValueError: 100% &lt;bad&gt; &amp; &quot;odd&quot; | \u{fffd}[0m&#10;second\">a,b/c:d.py:3: crash c1c1c1&#10;`f`: ValueError: 100% &lt;bad&gt; &amp; &quot;odd&quot; | \u{fffd}[0m&#10;second&#10;call: f('|', &quot;&lt;&quot;)&#10;reproduce: temper replay c1c1c1&#10;</failure></testcase>",
                "    <testcase classname=\"old.py\" name=\"g\" file=\"old.py\" line=\"1\"/>",
                "    <testcase classname=\"u.py\" name=\"u\" file=\"u.py\" line=\"7\"><skipped message=\"undecided: too few draws\"/></testcase>",
                "    <testcase classname=\"w.py\" name=\"w\" file=\"w.py\" line=\"1\"><error message=\"no module `w`\"/></testcase>",
                "    <testcase classname=\"ok.py\" name=\"ok\" file=\"ok.py\" line=\"1\"/>",
                "  </testsuite>",
                "</testsuites>",
            ]
        );
    }
}
