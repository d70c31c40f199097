//! What `temper check` says on standard error: what kept subjects from being checked, and names that have another spelling.

use temper_check::Checked;
use temper_report::{Document, SubjectProblem, Verdict};

use crate::message::Message;

/// Problems as errors, and other names of parameters as warnings.
pub fn of(document: &Document, checked: &Checked) -> Vec<Message> {
    let problems = document.subjects.iter().filter_map(|subject| match &subject.verdict {
        Verdict::Failed(problem) => Some(error(problem)),
        _ => None,
    });
    let hints = checked.hints.iter().map(|(path, line, text)| Message::warning(text).at(format!("{path}:{line}")));
    problems.chain(hints).collect()
}

fn error(problem: &SubjectProblem) -> Message {
    let place = match problem.line {
        0 => problem.path.clone(),
        line => format!("{}:{line}", problem.path),
    };
    let message = Message::error(&problem.headline).at(place);
    let message = problem.facts.iter().fold(message, |message, fact| message.fact(fact));
    match &problem.hint {
        Some(hint) => message.hint(hint),
        None => message,
    }
}
