//! What a recorded call did when it was made again, and whether that is the finding it belongs to.

use temper_report::FindingKind;
use temper_worker::{End, Outcome};

use crate::findings::FoundCall;
use crate::message;
use crate::module::Module;
use crate::protocol::{CallEnd, ConfirmReply, FoundPlace, WorkerAnswer};

/// What a recorded call did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The kind of finding, or none if the call passed.
    pub kind: Option<FindingKind>,
    /// What happened, as for a finding.
    pub message: String,
    /// Where; the subject's file and line 0 if nothing is known.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The call as it is drawn today; empty if the annotations have changed too much.
    pub call: String,
}

impl Replayed {
    /// Nothing was found; the message says what happened instead.
    pub(crate) fn nothing(module: &Module, message: String) -> Replayed {
        Replayed { kind: None, message, path: module.shown.clone(), line: 0, call: String::new() }
    }

    /// Something was found at a place.
    pub(crate) fn found(kind: FindingKind, place: &FoundPlace, shown: impl Fn(&str) -> String) -> Replayed {
        let FoundPlace { message, path, line, .. } = place;
        Replayed { kind: Some(kind), message: message.clone(), path: shown(path), line: *line, call: String::new() }
    }

    /// Whether this is the finding: of its kind, and at its place. What ends the process has no place, and where memory ends
    /// depends on what was there before.
    pub(crate) fn confirms(&self, finding: &FoundCall) -> bool {
        if self.kind.is_some() && is_lack_of_memory(&self.message) && is_lack_of_memory(&finding.message) {
            return true;
        }
        let is_same_place = self.path == finding.path && self.line == finding.line;
        self.kind == Some(finding.kind) && (finding.kind == FindingKind::Killed || is_same_place)
    }
}

/// Whether a message says that there was no memory left: as an exception, or as the end of a process.
fn is_lack_of_memory(message: &str) -> bool {
    message.starts_with("MemoryError") || message.starts_with("the process ran out of memory")
}

/// Reads what a recorded call did.
pub(crate) fn replayed(
    answer: &WorkerAnswer<ConfirmReply>,
    module: &Module,
    shown: impl Fn(&str) -> String,
) -> Replayed {
    match answer {
        WorkerAnswer::Returned(ConfirmReply { kind, call, place }) => {
            let call = call.clone().unwrap_or_default();
            let ended = match (kind, place) {
                (CallEnd::Found(kind), Some(place)) => Replayed::found(*kind, place, shown),
                _ => Replayed::nothing(module, String::new()),
            };
            Replayed { call, ..ended }
        }
        other => no_reply(other, module),
    }
}

/// What happened to a call or a script that gave no reply.
pub(crate) fn no_reply<R>(answer: &WorkerAnswer<R>, module: &Module) -> Replayed {
    match answer {
        WorkerAnswer::Returned(_) => Replayed::nothing(module, String::new()),
        WorkerAnswer::Unreadable(error) => Replayed::nothing(module, error.to_string()),
        WorkerAnswer::Ended(outcome) => {
            let ended = Replayed::nothing(module, format!("the process {}", message::outcome_text(outcome)));
            Replayed { kind: is_kill(outcome).then_some(FindingKind::Killed), ..ended }
        }
        WorkerAnswer::Raised(exception) => Replayed::nothing(module, message::exception_text(exception)),
        WorkerAnswer::NotLoaded(failure) => {
            let problem = message::not_imported(module, failure);
            Replayed::nothing(module, problem.facts.first().cloned().unwrap_or_default())
        }
    }
}

/// Whether the subject ended its process, which no valid input may do.
pub(crate) fn is_kill(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Ended(End::Signal(_) | End::Exited(_)) | Outcome::MemoryLimit(_))
}

#[cfg(test)]
mod tests {
    use temper_report::CallEvidence;

    use super::*;

    fn finding(kind: FindingKind) -> FoundCall {
        FoundCall {
            id: "a1b2c3".into(),
            subject: 0,
            kind,
            path: "a.py".into(),
            line: 5,
            message: "ValueError: no".into(),
            call: "f(1)".into(),
            check: String::new(),
            tree: Vec::new(),
            omitted: Vec::new(),
            evidence: CallEvidence::default(),
        }
    }

    fn again(kind: CallEnd, path: &str, line: u32) -> Replayed {
        let place = FoundPlace { message: "ValueError: no".into(), path: path.into(), line, source: String::new() };
        let reply = ConfirmReply { kind, call: Some("f(1)".into()), place: Some(place) };
        let shown = |path: &str| path.trim_start_matches("/p/").to_owned();
        replayed(&WorkerAnswer::Returned(reply), &Module::default(), shown)
    }

    #[test]
    fn a_lack_of_memory_is_confirmed_wherever_memory_ends() {
        let of = |message: &str| FoundCall { message: message.into(), ..finding(FindingKind::Crash) };
        let ended = |message: &str| Replayed {
            kind: Some(FindingKind::Killed),
            message: message.into(),
            ..Replayed::nothing(&Module::default(), String::new())
        };
        assert!(ended("the process ran out of memory (abort)").confirms(&of("MemoryError")));
        assert!(!ended("the process was killed by signal 6 (abort)").confirms(&of("MemoryError")));
        assert!(!ended("the process ran out of memory (abort)").confirms(&of("ValueError: no")));
    }

    #[test]
    fn a_finding_is_confirmed_by_its_kind_at_its_line_and_by_nothing_else() {
        let crash = finding(FindingKind::Crash);
        let ended = CallEnd::Found(FindingKind::Crash);
        assert!(again(ended, "/p/a.py", 5).confirms(&crash));
        assert!(!again(ended, "/p/a.py", 6).confirms(&crash), "another line");
        assert!(!again(ended, "/p/b.py", 5).confirms(&crash), "another file");
        assert!(!again(CallEnd::Found(FindingKind::Nan), "/p/a.py", 5).confirms(&crash), "another kind");
        assert!(!again(CallEnd::NothingFound, "/p/a.py", 5).confirms(&crash), "it passed");
    }

    #[test]
    fn what_ends_the_process_is_confirmed_wherever_that_happens() {
        let killed =
            no_reply::<ConfirmReply>(&WorkerAnswer::Ended(Outcome::Ended(End::Signal(11))), &Module::default());
        assert!(killed.confirms(&finding(FindingKind::Killed)));
        assert!(!killed.confirms(&finding(FindingKind::Crash)));
        let late = no_reply::<ConfirmReply>(&WorkerAnswer::Ended(Outcome::Ended(End::WallLimit)), &Module::default());
        assert!(!late.confirms(&finding(FindingKind::Killed)), "a time limit is no kill");
    }
}
