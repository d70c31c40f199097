//! `--format github`: workflow commands, which GitHub shows at the lines of a pull request, then the text for the log.

use std::fmt::Write;

use crate::{Document, Finding, Severity, Verdict};

/// The commands, one line each, then the text.
pub fn render(document: &Document, text: &str) -> String {
    let mut out = String::new();
    for finding in &document.findings {
        let level = match finding.severity() {
            Severity::Error => "error",
            Severity::Note => "notice",
        };
        let title = format!("temper {}: {} {}", document.command(), finding.kind.word(), finding.id);
        command(&mut out, level, (&finding.path, finding.line), &title, &message(finding));
    }
    for (subject, reason) in document.without_answer() {
        let level = if matches!(subject.verdict, Verdict::Failed(_)) { "error" } else { "warning" };
        let title = format!("temper {}: {}", document.command(), subject.verdict.word());
        command(&mut out, level, (&subject.path, subject.line), &title, &format!("{}: {reason}", subject.name));
    }
    out + text
}

fn message(finding: &Finding) -> String {
    let mut said = finding.message.clone();
    if let Some(call) = &finding.call {
        let _ = write!(said, "\n{call}");
    }
    let _ = write!(said, "\ntemper replay {}", finding.id);
    said
}

fn command(out: &mut String, level: &str, (path, line): (&str, u32), title: &str, message: &str) {
    let (path, title) = (property(path), property(title));
    let _ = writeln!(out, "::{level} file={path},line={line},title={title}::{}", data(message));
}

/// What would end the command is written as GitHub's runner reads it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_finding_is_one_line_with_its_place_and_escapes() {
        let text = render(&sample::document_with_known(), "the text\n");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "::error file=a%2Cb/c%3Ad.py,line=3,title=temper check%3A crash c1c1c1::`f`: ValueError: 100%25 <bad> & \"odd\" | \u{1b}[0m%0Asecond%0Af('|', \"<\")%0Atemper replay c1c1c1",
                "::notice file=old.py,line=1,title=temper check%3A crash c2c2c2::`g`: known%0Atemper replay c2c2c2",
                "::warning file=u.py,line=7,title=temper check%3A undecided::u: too few draws",
                "::error file=w.py,line=1,title=temper check%3A failed::w: no module `w`",
                "the text",
            ]
        );
    }
}
