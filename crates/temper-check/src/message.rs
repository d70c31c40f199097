//! The words for what can go wrong with a subject, each in one place.

use std::path::Path;

use temper_report::{Doubt, SubjectProblem};
use temper_worker::{Exception, LoadFailure, Outcome, Refusal};

use crate::module::Module;
use crate::protocol::{AnnotationProblem, CheckReply};

/// An annotation is wrong.
pub fn annotation(problem: &AnnotationProblem, path: &str) -> SubjectProblem {
    SubjectProblem {
        headline: problem.headline.clone(),
        path: path.to_owned(),
        line: problem.line,
        facts: problem.fact.iter().cloned().collect(),
        hint: problem.hint.clone(),
    }
}

/// Why something could not be loaded.
pub fn load_failure_text(failure: &LoadFailure) -> String {
    match failure {
        LoadFailure::Import(exception) => exception_text(exception),
        LoadFailure::Collection { exception, .. } => exception.as_ref().map(exception_text).unwrap_or_default(),
        LoadFailure::Ended { end, .. } => format!("the process {}", end.words()),
    }
}

/// A module cannot be imported.
pub fn not_imported(module: &Module, failure: &LoadFailure) -> SubjectProblem {
    let fact = load_failure_text(failure);
    let line = match failure {
        LoadFailure::Import(exception) => line_in(exception, module),
        LoadFailure::Collection { .. } | LoadFailure::Ended { .. } => 0,
    };
    SubjectProblem {
        headline: format!("the worker could not import `{}`", module.name),
        path: module.shown.clone(),
        line,
        hint: match failure {
            LoadFailure::Ended { end, .. } if end.is_at_limit() => Some(SLOW_IMPORT.to_owned()),
            _ => import_hint(&fact),
        },
        facts: vec![fact],
    }
}

const SLOW_IMPORT: &str = "give it longer with `--time-limit 5m`, or do the work of the import in a function";

fn import_hint(fact: &str) -> Option<String> {
    if fact.starts_with("ModuleNotFoundError") {
        return Some("install it there, or choose another interpreter with `--python`".to_owned());
    }
    let refused = ["refused by temper", "Permission denied", "Operation not permitted", "Read-only file system"];
    if refused.iter().any(|words| fact.contains(words)) {
        return Some(
            "allow what the module does on import with `--allow-write PATH`, `--allow-net` or `--allow-subprocess`"
                .to_owned(),
        );
    }
    None
}

/// The exception as Python prints its last line.
pub fn exception_text(exception: &Exception) -> String {
    let name = exception.type_name.rsplit('.').next().unwrap_or(&exception.type_name);
    match exception.message.lines().next().unwrap_or_default() {
        "" => name.to_owned(),
        first => format!("{name}: {first}"),
    }
}

/// The innermost line of the module that an exception passed.
pub fn line_in(exception: &Exception, module: &Module) -> u32 {
    let file = module.path.to_string_lossy();
    exception.frames.iter().rev().find(|(path, _, _)| *path == file).map_or(0, |(_, line, _)| *line)
}

/// How a piece of work ended that gave no answer, to follow "the process".
pub fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ended(end) => end.words(),
        Outcome::MemoryLimit(exception) => format!("ran out of memory ({})", exception_text(exception)),
        Outcome::FileLimit(exception) => format!("wrote too much ({})", exception_text(exception)),
        Outcome::Raised(exception) => format!("raised {}", exception_text(exception)),
        _ => "gave no answer".to_owned(),
    }
}

/// No draw met the preconditions.
pub fn nothing_drawn(name: &str, path: &str, line: u32, reply: &CheckReply) -> SubjectProblem {
    let attempts = thousands(reply.attempts);
    let filters = &reply.preconditions;
    let (at, shown) = match filters.first() {
        Some((at, text)) => (*at, format!(" met `@require({text})`")),
        None => (line, " gave a value".to_owned()),
    };
    let mut facts = Vec::new();
    if filters.len() > 1 {
        facts.push(format!("together with {} more preconditions", filters.len() - 1));
    }
    if let Some(error) = &reply.filter_error {
        facts.push(format!("it raised {error}"));
    }
    SubjectProblem {
        headline: format!("no inputs found for `{name}`: 0 of {attempts} draws{shown}"),
        path: path.to_owned(),
        line: at,
        facts,
        hint: Some(
            "draw one argument from the other in a `@generator`, so that the precondition holds by construction"
                .to_owned(),
        ),
    }
}

/// No draw gave arguments because a generator or constructor always raises.
pub fn nothing_built(name: &str, path: &str, line: u32, error: &str) -> SubjectProblem {
    SubjectProblem {
        headline: format!("no inputs found for `{name}`: what builds them raised every time"),
        path: path.to_owned(),
        line,
        facts: vec![error.to_owned()],
        hint: Some(
            "correct the generator or the constructor's annotations, or give a working example with `@cc_example`"
                .to_owned(),
        ),
    }
}

/// A failure of ours, not of the subject.
pub fn harness(name: &str, path: &str, line: u32, what: String) -> SubjectProblem {
    SubjectProblem {
        headline: format!("`{name}` could not be checked"),
        path: path.to_owned(),
        line,
        facts: vec![what],
        hint: Some("this is a bug in Temper; please report it with these lines".to_owned()),
    }
}

/// What containment refused, and which option allows it.
pub fn refusal(refused: &[Refusal]) -> Doubt {
    let Some(Refusal { kind, detail }) = refused.first() else { return Doubt { reason: String::new(), hint: None } };
    let named = |words: &str| if detail.is_empty() { words.to_owned() } else { format!("{words} {detail}") };
    let (what, option) = match kind.as_str() {
        "net" if detail.is_empty() => ("a connection".to_owned(), Some("--allow-net".to_owned())),
        "net" => (format!("a connection to {detail}"), Some("--allow-net".to_owned())),
        "subprocess" | "signal" => ("a subprocess".to_owned(), Some("--allow-subprocess".to_owned())),
        "write" if is_shared_memory(detail) => {
            ("memory shared with other processes".to_owned(), Some("--allow-subprocess".to_owned()))
        }
        "write" => (what_at("a write", detail), Some(format!("--allow-write {}", folder_of(detail)))),
        "metadata" => (what_at("a change of mode, owner, times or attributes", detail), Some(writing(detail))),
        "read" => (what_at("reading", detail), Some(format!("--allow-read {}", place_of(detail)))),
        "process" => (named("an act on another process"), None),
        "memory" => ("memory or a queue that outlives its process".to_owned(), None),
        _ => ("a call of the system that functions have no use for".to_owned(), None),
    };
    match option {
        Some(option) => Doubt {
            reason: format!("needs `{option}`: {what} was refused"),
            hint: Some(format!("if the function may do that, add `{option}`")),
        },
        None => Doubt { reason: format!("{what} was refused"), hint: Some("no option allows that".to_owned()) },
    }
}

fn what_at(what: &str, path: &str) -> String {
    match (path.is_empty(), what) {
        (true, _) => what.to_owned(),
        (false, "a write") => format!("a write to {path}"),
        (false, "reading") => format!("reading {path}"),
        _ => format!("{what} of {path}"),
    }
}

fn writing(path: &str) -> String {
    format!("--allow-write {}", place_of(path))
}

/// What to name in an option: the path, if it is one.
fn place_of(path: &str) -> String {
    if path.starts_with('/') && path != "/" { path.to_owned() } else { "PATH".to_owned() }
}

/// Named memory is a file there; where the C library tells its name alone, it looks like a file in the root.
fn is_shared_memory(path: &str) -> bool {
    path.starts_with("/dev/shm/") || (path.rfind('/') == Some(0) && path.len() > 1 && !Path::new(path).exists())
}

/// Calls were given up because they took too long.
pub fn slow(reply: &CheckReply) -> Doubt {
    let call = reply.slow_call.as_ref().map(|call| format!(", such as {call}")).unwrap_or_default();
    let calls = if reply.slow == 1 { "call" } else { "calls" };
    Doubt {
        reason: format!("{} {calls} took longer than 10 s{call}", reply.slow),
        hint: Some("say how long a call may take with `@timeout(seconds)`".to_owned()),
    }
}

/// What else the user should know: preconditions that reject much, generators that raise.
pub fn notes(reply: &CheckReply) -> Vec<String> {
    let mut notes = Vec::new();
    let CheckReply { valid, attempts, preconditions, build_failures, .. } = reply;
    if *valid > 0 && valid * 2 < *attempts {
        let share = 100.0 * *valid as f64 / *attempts as f64;
        let first = preconditions.first().map(|(_, text)| format!("`@require({text})`"));
        let text = first.unwrap_or_else(|| "the annotations".to_owned());
        let more = if preconditions.len() > 1 { " and its other preconditions" } else { "" };
        notes.push(format!("{text}{more} accepted {valid} of {} draws ({share:.0} %)", thousands(*attempts)));
    }
    if let Some(error) = reply.build_error.as_ref().filter(|_| *build_failures > 0) {
        notes.push(format!("{build_failures} draws were lost because what builds the inputs raised {error}"));
    }
    notes
}

/// The folder of a path, which holds what comes next to it too; the path itself where that would be everything.
fn folder_of(path: &str) -> String {
    let folder = Path::new(path).parent().filter(|folder| folder.parent().is_some());
    place_of(&folder.map_or_else(|| path.to_owned(), |folder| folder.display().to_string()))
}

/// `12345` as `12,345`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_name_the_place_or_the_right_option_and_never_the_root() {
        let check = |kind: &str, detail: &str, expected: &str| {
            let doubt = refusal(&[Refusal { kind: kind.to_owned(), detail: detail.to_owned() }]);
            assert_eq!(doubt.hint.as_deref(), Some(expected), "{kind} {detail}");
        };
        check("write", "/home/ana/data/new.csv", "if the function may do that, add `--allow-write /home/ana/data`");
        check("write", "/", "if the function may do that, add `--allow-write PATH`");
        check("write", "/etc", "if the function may do that, add `--allow-write /etc`");
        check("write", "[Errno 13] Permission denied", "if the function may do that, add `--allow-write PATH`");
        check("write", "", "if the function may do that, add `--allow-write PATH`");
        check("write", "/dev/shm/psm_1", "if the function may do that, add `--allow-subprocess`");
        check("write", "/psm_no_such_file", "if the function may do that, add `--allow-subprocess`");
        check("metadata", "/home/ana/kept", "if the function may do that, add `--allow-write /home/ana/kept`");
        check("read", "/home/ana/.ssh/id", "if the function may do that, add `--allow-read /home/ana/.ssh/id`");
        check("net", "", "if the function may do that, add `--allow-net`");
        check("process", "12", "no option allows that");
        check("system", "", "no option allows that");
    }

    #[test]
    fn thousands_are_separated() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), expected);
        }
    }
}
