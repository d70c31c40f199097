//! How the results of `temper check` read as text.

use std::fmt::Write;

use super::style::{BOLD, DIM, verdict_style};
use crate::document::Document;
use crate::evidence::{CallEvidence, CheckEvidence, FindingEvidence, Reached, StoppedBy, SubjectEvidence};
use crate::finding::Finding;
use crate::kind::FindingKind;
use crate::subject::Subject;
use crate::verdict::Verdict;

/// Findings, undecided subjects, notes, and one line that sums up.
pub fn render(document: &Document, is_verbose: bool) -> String {
    let mut out = String::new();
    for finding in &document.findings {
        one_finding(&mut out, finding);
    }
    for subject in &document.subjects {
        if let Verdict::Undecided(doubt) = &subject.verdict {
            let _ = writeln!(out, "{}   undecided: {}", place(subject), doubt.reason);
            if let Some(hint) = &doubt.hint {
                let _ = writeln!(out, "  hint: {hint}");
            }
        }
    }
    let examined = document.subjects.iter().filter(|subject| !matches!(subject.verdict, Verdict::Failed(_)));
    for subject in examined {
        let SubjectEvidence::Check(evidence) = &subject.evidence else { continue };
        if is_verbose {
            let parts = evidence_parts(evidence).join(" · ");
            let _ = writeln!(out, "{}   {}   {DIM}{parts}{DIM:#}", place(subject), subject.verdict.word());
        }
        if !is_verbose && is_thin(document, subject) {
            let reached = evidence.branches.map(|pair| format!("{} of {}", pair.reached, pair.all)).unwrap_or_default();
            let _ = writeln!(out, "{}   clean, {reached} branch outcomes reached", place(subject));
        }
        for note in &evidence.notes {
            let _ = writeln!(out, "{}   note: {note}", place(subject));
        }
    }
    out + &summary(document)
}

/// Whether nothing was found in a subject of which less than half was seen: more draws or wider annotations may find
/// something. Methods are also seen in the life of their class, which is a subject by itself.
fn is_thin(document: &Document, subject: &Subject) -> bool {
    let SubjectEvidence::Check(evidence) = &subject.evidence else { return false };
    let is_little = evidence.branches.is_some_and(|pair| 2 * pair.reached < pair.all);
    let class = subject.name.rsplit_once('.').map(|(class, _)| class);
    let has_life =
        || document.subjects.iter().any(|each| Some(each.name.as_str()) == class && each.path == subject.path);
    is_little && subject.verdict.word() == "clean" && !has_life()
}

/// `nets/dense.py:18   DenseNet`.
fn place(subject: &Subject) -> String {
    format!("{}:{}   {}", subject.path, subject.line, subject.name)
}

fn one_finding(out: &mut String, finding: &Finding) {
    let Finding { id, kind, subject, path, line, .. } = finding;
    let FindingEvidence::Call(evidence) = &finding.evidence else { return };
    let said = finding.exception.as_ref().unwrap_or(&finding.message);
    let colour = verdict_style(kind.word());
    let _ = writeln!(
        out,
        "{BOLD}{path}:{line}{BOLD:#}   {subject}   {said}   {colour}{}{colour:#}  {BOLD}{id}{BOLD:#}",
        kind.word()
    );
    out.extend(finding.call.as_deref().map(call_lines));
    if !evidence.source.is_empty() {
        let _ = writeln!(out, "  line       {}", evidence.source);
    }
    if let Some(through) = &evidence.through {
        let _ = writeln!(out, "  through    {through}");
    }
    match evidence.recurs {
        Some(true) => {}
        Some(false) => {
            out.push_str("  it did not happen again in a fresh process: it depends on the calls before it\n");
        }
        None => out.push_str("  not confirmed: the run ended before that\n"),
    }
    let _ = writeln!(out, "  {DIM}{}reproduce: temper replay {id}{DIM:#}", counts(finding.kind, evidence));
}

/// The call of a finding; a life of several calls has a line for each, to be copied as they stand.
pub fn call_lines(call: &str) -> String {
    format!("  call       {}\n", call.replace('\n', "\n             "))
}

/// How many inputs were drawn and how many of them ended here.
fn counts(kind: FindingKind, evidence: &CallEvidence) -> String {
    let verb = match kind {
        FindingKind::Crash => "crash",
        FindingKind::Postcondition => "break the postcondition",
        FindingKind::Timeout => "take too long",
        FindingKind::Killed => "end the process",
        FindingKind::Nan => "end in results that are not finite",
        FindingKind::Regression => "give another result",
        // These are about a module, for which nothing is drawn; the others are of other commands.
        FindingKind::Import
        | FindingKind::Script
        | FindingKind::Flaky
        | FindingKind::Suspect
        | FindingKind::Loose
        | FindingKind::Region
        | FindingKind::Distance
        | FindingKind::Calibration
        | FindingKind::Drift
        | FindingKind::Property
        | FindingKind::Leaf
        | FindingKind::Counterexample => return String::new(),
    };
    format!("{} · {} of them {verb} here · ", drawn(evidence.drawn, evidence.rejected), evidence.count)
}

fn drawn(valid: u64, rejected: u64) -> String {
    let rejected = if rejected == 0 { "none".to_owned() } else { rejected.to_string() };
    format!("{valid} valid inputs drawn, {rejected} rejected")
}

/// The numbers behind a verdict.
fn evidence_parts(evidence: &CheckEvidence) -> Vec<String> {
    let mut parts = Vec::new();
    // A module is run once, which is no draw.
    if evidence.lines.is_some() || evidence.valid + evidence.rejected > 1 {
        parts.push(drawn(evidence.valid, evidence.rejected));
    }
    let of = |what: &str, pair: Option<Reached>| pair.map(|pair| format!("{} of {} {what}", pair.reached, pair.all));
    parts.extend(of("lines", evidence.lines));
    parts.extend(of("branch outcomes", evidence.branches));
    if evidence.search_calls > 0 {
        parts.push(format!("{} calls of the search", evidence.search_calls));
    }
    if evidence.ended_by == Some(StoppedBy::Budget) {
        parts.push("the time ended it, not the number of calls".to_owned());
    }
    parts
}

fn summary(document: &Document) -> String {
    let thin = document.subjects.iter().filter(|subject| is_thin(document, subject)).count();
    let thinly =
        if thin > 0 { format!(" ({thin} thinly: less than half of the branches reached)") } else { String::new() };
    let mut parts = vec![format!("{} clean{thinly}", document.count("clean"))];
    for (word, said) in [("undecided", "undecided"), ("failed", "could not be checked")] {
        let count = document.count(word);
        if count > 0 {
            parts.push(format!("{count} {said}"));
        }
    }
    let what = match document.findings.len() {
        0 => "no findings".to_owned(),
        1 => "1 finding in 1 of them".to_owned(),
        findings => format!("{findings} findings in {} of them", document.count("found")),
    };
    let subjects = document.subjects.len();
    let noun = if subjects == 1 { "subject" } else { "subjects" };
    let stopped = if document.is_interrupted { " · interrupted" } else { "" };
    format!("{subjects} {noun}: {what} · {}{stopped}\n", parts.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::super::without_colour;
    use crate::sample;

    #[test]
    fn the_text_names_findings_by_the_id_that_every_other_form_has() {
        let mut document = sample::document();
        document.findings.truncate(1);
        document.findings[0].exception = Some("ValueError: no".into());
        let text = without_colour(&document.text(true));
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [
                "a,b/c:d.py:3   f   ValueError: no   crash  c1c1c1",
                "  call       f('|', \"<\")",
                "  9 valid inputs drawn, none rejected · 1 of them crash here · reproduce: temper replay c1c1c1",
                "u.py:7   u   undecided: too few draws",
                "a,b/c:d.py:2   f   found   ",
                "old.py:1   g   found   ",
                "u.py:7   u   undecided   ",
                "ok.py:1   ok   clean   200 valid inputs drawn, none rejected",
                "5 subjects: 1 finding in 1 of them · 1 clean · 1 undecided · 1 could not be checked",
            ]
        );
    }

    #[test]
    fn a_saved_record_reads_as_the_run_did() {
        let document = sample::document();
        let saved = crate::Document::from_json(&document.to_json().unwrap()).unwrap();
        assert_eq!(saved.text(true), document.text(true));
    }
}
