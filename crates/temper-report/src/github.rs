//! `--format github`: workflow commands, which GitHub shows at the lines of a pull request, then the text for the log.

use std::fmt::Write;

use crate::report::CombinedReport;
use crate::{Document, Finding, Severity, Verdict};

/// GitHub shows no more than this of one step.
const MOST: usize = 10;

/// One mark at a line, and how much it matters: less is more.
struct LineMark {
    rank: u8,
    command: String,
}

/// The commands, one line each, what matters most first; then the text.
pub fn render(report: &CombinedReport<'_>) -> String {
    let mut marks: Vec<LineMark> = report.parts.iter().flat_map(|part| marks(part.document)).collect();
    marks.sort_by_key(|mark| mark.rank);
    let left = marks.len().saturating_sub(MOST);
    let mut out: String = marks.into_iter().take(MOST).map(|mark| mark.command).collect();
    report.parts.iter().for_each(|part| out += &part.plain_text());
    if left > 0 {
        let _ = writeln!(out, "GitHub shows {MOST} marks of a step: {left} more are in the text only");
    }
    out
}

fn marks(document: &Document) -> Vec<LineMark> {
    let findings = document.findings.iter().map(|finding| {
        let (rank, level) = match document.severity(finding) {
            Severity::Error => (0, "error"),
            Severity::Note => (3, "notice"),
        };
        let title = format!("temper {}: {} {}", document.command(), finding.kind.word(), finding.id);
        LineMark { rank, command: command(level, (&finding.path, finding.line), &title, &message(finding)) }
    });
    let open = document.without_answer().map(|(subject, reason)| {
        let (rank, level) = if matches!(subject.verdict, Verdict::Failed(_)) { (1, "error") } else { (2, "warning") };
        let title = format!("temper {}: {}", document.command(), subject.verdict.word());
        let said = format!("{}: {reason}", subject.name);
        LineMark { rank, command: command(level, (&subject.path, subject.line), &title, &said) }
    });
    findings.chain(open).collect()
}

fn message(finding: &Finding) -> String {
    let mut said = finding.message.clone();
    if let Some(call) = &finding.call {
        let _ = write!(said, "\n{call}");
    }
    let _ = write!(said, "\ntemper replay {}", finding.id);
    said
}

fn command(level: &str, (path, line): (&str, u32), title: &str, message: &str) -> String {
    let (path, title) = (property(path), property(title));
    format!("::{level} file={path},line={line},title={title}::{}\n", data(message))
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
        let document = sample::document_with_known();
        let text = render(&sample::report(&document, "the text\n"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "::error file=a%2Cb/c%3Ad.py,line=3,title=temper check%3A crash c1c1c1::`f`: ValueError: 100%25 <bad> & \"odd\" | \u{1b}[0m%0Asecond%0Af('|', \"<\")%0Atemper replay c1c1c1",
                "::error file=w.py,line=1,title=temper check%3A failed::w: no module `w`",
                "::warning file=u.py,line=7,title=temper check%3A undecided::u: too few draws",
                "::notice file=old.py,line=1,title=temper check%3A crash c2c2c2::`g`: known%0Atemper replay c2c2c2",
                "the text",
            ]
        );
    }

    #[test]
    fn ten_marks_at_most_and_findings_before_what_is_open() {
        let mut document = sample::document();
        let open = || sample::subject("u", ("u.py", 7), Verdict::undecided("too few draws"));
        document.subjects = (0..30).map(|_| open()).collect();
        let text = render(&sample::report(&document, "the text\n"));
        let marks: Vec<&str> = text.lines().filter(|line| line.starts_with("::")).collect();
        assert_eq!(marks.len(), 10);
        assert!(marks[..2].iter().all(|mark| mark.starts_with("::error")), "{marks:?}");
        assert!(text.ends_with("the text\nGitHub shows 10 marks of a step: 22 more are in the text only\n"), "{text}");
    }
}
