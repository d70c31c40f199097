//! `--format md`: for a pull request or the summary of a CI job.

use std::fmt::Write;

use crate::report::ReportPart;
use crate::{Document, Finding, FindingEvidence, text};

/// Findings as a table, what has no answer as a list, and the text as printed.
pub fn render(part: &ReportPart<'_>) -> String {
    let (document, text) = (part.document, part.plain_text());
    let count = document.findings.len();
    let s = if count == 1 { "" } else { "s" };
    let mut out = String::new();
    match document.subjects.is_empty() {
        true => {
            let _ = writeln!(out, "## temper {}\n", document.command());
        }
        false => {
            let _ = writeln!(out, "## temper {}: {count} finding{s}\n\n{}\n", document.command(), document.counts());
        }
    }
    if count > 0 {
        out.push_str("| finding | what | where | |\n| --- | --- | --- | --- |\n");
        for finding in &document.findings {
            let place = code(&format!("{}:{}", finding.path, finding.line));
            let message = finding.call.as_ref().map_or(cell(&finding.message), |call| {
                // The call says which function it is.
                let said = finding.exception.as_ref().unwrap_or(&finding.message);
                format!("{} {}", code(call), cell(said))
            });
            let known = document.known_word(finding).map(|word| format!(" ({word})")).unwrap_or_default();
            let _ = writeln!(out, "| {} | {}{known} | {place} | {message} |", code(&finding.id), finding.kind.word());
        }
        out.push('\n');
        document.findings.iter().for_each(|finding| distribution(&mut out, document, finding));
    }
    for (subject, reason) in document.without_answer() {
        let _ = writeln!(out, "- {} is {}: {}", code(&subject.name), subject.verdict.word(), cell(reason));
    }
    if document.without_answer().next().is_some() {
        out.push('\n');
    }
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    let _ = write!(out, "<details><summary>As printed</summary>\n\n{fence}text\n{text}{fence}\n\n</details>\n");
    out
}

/// What a person decides by about an assertion: its values, the bound, and what is proposed.
fn distribution(out: &mut String, document: &Document, finding: &Finding) {
    let (FindingEvidence::Site(_), Some(row)) = (&finding.evidence, document.site_row(finding)) else { return };
    let text = text::without_colour(&text::site_text(document, row));
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    let _ = writeln!(out, "{fence}text\n{text}{fence}\n");
}

/// A text for a cell: one line, in which nothing ends the cell or starts markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars() {
        match char {
            '\n' => out.push_str("<br>"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '|' | '*' | '_' | '[' | ']' | '\\' | '~' => out.extend(['\\', char]),
            char if char.is_control() => out.push('\u{fffd}'),
            char => out.push(char),
        }
    }
    out
}

/// A text as code; a table ends its cells at `|` even there.
fn code(text: &str) -> String {
    // The lines of a life are statements.
    let text = text.replace('\n', "; ");
    let text: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    let text = text.replace('|', "\\|");
    let marks = "`".repeat(longest_run(&text) + 1);
    let space = if marks.len() > 1 { " " } else { "" };
    format!("{marks}{space}{text}{space}{marks}")
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn cells_hold_what_would_end_them_and_the_fence_is_longer_than_any_in_the_text() {
        let document = sample::document_with_known();
        let text = render(&sample::report(&document, "```\n").parts[0]);
        assert_eq!(
            text,
            "## temper check: 2 findings\n\n5 examined: 2 found · 1 failed · 1 undecided · 1 clean\n\n\
             | finding | what | where | |\n| --- | --- | --- | --- |\n\
             | `c1c1c1` | crash | `a,b/c:d.py:3` | `f('\\|', \"<\")` ValueError: 100% &lt;bad&gt; &amp; \"odd\" \\| \u{fffd}\\[0m<br>second |\n\
             | `c2c2c2` | crash (known) | `old.py:1` | `g`: known |\n\n\
             - `u` is undecided: too few draws\n- `w` is failed: no module `w`\n\n\
             <details><summary>As printed</summary>\n\n````text\n```\n````\n\n</details>\n"
        );
    }
}
