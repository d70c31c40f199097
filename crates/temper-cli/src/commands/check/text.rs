//! How the results of `temper check` read as text.

use temper_check::{Checked, Finding, Problem, Subject, Verdict};
use temper_report::FindingKind;

use crate::message::Message;
use crate::terminal::{BOLD, DIM};

/// Problems as errors and other names of parameters as warnings, for standard error.
pub fn messages(checked: &Checked) -> Vec<Message> {
    let mut messages = Vec::new();
    for subject in &checked.subjects {
        if let Verdict::Failed(problem) = &subject.verdict {
            messages.push(error(problem));
        }
    }
    for (path, line, text) in &checked.hints {
        messages.push(Message::warning(text.clone()).at(format!("{path}:{line}")));
    }
    messages
}

fn error(problem: &Problem) -> Message {
    let mut message = Message::error(problem.headline.clone());
    message = match problem.line {
        0 => message.at(problem.path.clone()),
        line => message.at(format!("{}:{line}", problem.path)),
    };
    for fact in &problem.facts {
        message = message.fact(fact.clone());
    }
    match &problem.hint {
        Some(hint) => message.hint(hint.clone()),
        None => message,
    }
}

/// Findings, undecided subjects, and one line that sums up.
pub fn render(checked: &Checked, is_verbose: bool) -> String {
    let mut text = String::new();
    for (at, finding) in checked.findings.iter().enumerate() {
        text.push_str(&one_finding(at + 1, finding, &checked.subjects[finding.subject]));
    }
    for subject in &checked.subjects {
        if let Verdict::Undecided(reason, hint) = &subject.verdict {
            text.push_str(&format!("{}:{}   {}   undecided: {reason}\n", subject.path, subject.line, subject.name));
            text.push_str(&hint.as_ref().map(|hint| format!("  hint: {hint}\n")).unwrap_or_default());
        }
    }
    for subject in &checked.subjects {
        let is_shown = is_verbose && !matches!(subject.verdict, Verdict::Failed(_));
        if is_shown {
            text.push_str(&evidence(subject));
        }
        for note in subject.evidence.notes.iter().filter(|_| !matches!(subject.verdict, Verdict::Failed(_))) {
            text.push_str(&format!("{}:{}   {}   note: {note}\n", subject.path, subject.line, subject.name));
        }
    }
    text.push_str(&summary(checked));
    text
}

fn one_finding(number: usize, finding: &Finding, subject: &Subject) -> String {
    let Finding { path, line, message, call, source, .. } = finding;
    let mut text = format!(
        "{BOLD}{path}:{line}{BOLD:#}   {}   {message}   {BOLD}{}  C{number}{BOLD:#}\n",
        subject.name,
        finding.kind.word()
    );
    text.push_str(&format!("  call       {call}\n"));
    if !source.is_empty() {
        text.push_str(&format!("  line       {source}\n"));
    }
    if let Some(through) = &finding.through {
        text.push_str(&format!("  through    {through}\n"));
    }
    match finding.recurs {
        Some(true) => {}
        Some(false) => {
            text.push_str("  it did not happen again in a fresh process: it depends on the calls before it\n");
        }
        None => text.push_str("  not confirmed: the run ended before that\n"),
    }
    let counts = match finding.kind {
        FindingKind::Import | FindingKind::Script => String::new(),
        _ => format!("{} · {} here · ", drawn(subject), ended(finding)),
    };
    text.push_str(&format!("  {DIM}{counts}reproduce: temper replay C{number}{DIM:#}\n"));
    text
}

fn drawn(subject: &Subject) -> String {
    let evidence = &subject.evidence;
    let rejected = evidence.attempts.saturating_sub(evidence.valid);
    let rejected = if rejected == 0 { "none".to_owned() } else { rejected.to_string() };
    format!("{} valid inputs drawn, {rejected} rejected", evidence.valid)
}

fn ended(finding: &Finding) -> String {
    let verb = match finding.kind {
        FindingKind::Crash | FindingKind::Import | FindingKind::Script => "crash",
        FindingKind::Postcondition => "break the postcondition",
        FindingKind::Timeout => "take too long",
        FindingKind::Killed => "end the process",
        FindingKind::Nan => "end in results that are not finite",
        FindingKind::Regression => "give another result",
        _ => "are findings",
    };
    format!("{} of them {verb}", finding.count)
}

/// One line with the numbers behind a verdict.
fn evidence(subject: &Subject) -> String {
    let evidence = &subject.evidence;
    let mut parts = Vec::new();
    if evidence.lines.is_some() || evidence.attempts > 1 {
        parts.push(drawn(subject));
    }
    let pair = |what: &str, pair: Option<(u64, u64)>| pair.map(|(seen, all)| format!("{seen} of {all} {what}"));
    parts.extend(pair("lines", evidence.lines));
    parts.extend(pair("branch outcomes", evidence.branches));
    if evidence.search_calls > 0 {
        parts.push(format!("{} calls of the search", evidence.search_calls));
    }
    let word = match &subject.verdict {
        Verdict::Clean => "clean",
        Verdict::Found => "found",
        Verdict::Undecided(..) => "undecided",
        Verdict::Failed(_) => "failed",
    };
    format!("{}:{}   {}   {word}   {DIM}{}{DIM:#}\n", subject.path, subject.line, subject.name, parts.join(" · "))
}

fn summary(checked: &Checked) -> String {
    let count = |test: fn(&Verdict) -> bool| checked.subjects.iter().filter(|subject| test(&subject.verdict)).count();
    let found = count(|verdict| *verdict == Verdict::Found);
    let clean = count(|verdict| *verdict == Verdict::Clean);
    let undecided = count(|verdict| matches!(verdict, Verdict::Undecided(..)));
    let failed = count(|verdict| matches!(verdict, Verdict::Failed(_)));
    let mut parts = vec![format!("{clean} clean")];
    if undecided > 0 {
        parts.push(format!("{undecided} undecided"));
    }
    if failed > 0 {
        parts.push(format!("{failed} could not be checked"));
    }
    let findings = checked.findings.len();
    let what = match findings {
        0 => "no findings".to_owned(),
        1 => "1 finding in 1 of them".to_owned(),
        _ => format!("{findings} findings in {found} of them"),
    };
    let subjects = checked.subjects.len();
    let noun = if subjects == 1 { "subject" } else { "subjects" };
    let stopped = if checked.is_interrupted { " · interrupted" } else { "" };
    format!("{subjects} {noun}: {what} · {}{stopped}\n", parts.join(" · "))
}
