//! The `if __name__ == "__main__":` blocks of modules, run as the command line would run them.

use std::path::Path;

use temper_report::FindingKind;
use temper_worker::{Piece, Report, Value};

use crate::checker::{CheckError, Options, Run};
use crate::confirm;
use crate::finding::Verdict;
use crate::message;
use crate::module::Module;
use crate::module_subjects::Whole;
use crate::protocol::{Answer, FoundPlace, ScriptEnd, ScriptReply};

/// Most time for one script; what trains for longer is undecided.
const SCRIPT_SECS: u64 = 60;

/// The piece of work that runs a module as a script.
pub(crate) fn piece(module: &Module, root: &Path, options: &Options) -> Piece {
    let arguments = vec![Value::from_path(&module.path), Value::from_path(root)];
    confirm::call_piece("script", arguments, options, SCRIPT_SECS)
}

impl Run<'_> {
    /// Modules that are to be run as scripts.
    pub(crate) fn scripts(&mut self) -> Result<(), CheckError> {
        let (root, options) = (self.root, self.options);
        let reports = self.run_whole(|module| module.script.is_some(), |module| piece(module, root, options))?;
        for (at, report) in reports {
            self.take_script(at, &report);
        }
        Ok(())
    }

    fn take_script(&mut self, at: usize, report: &Report) {
        let module = &self.modules[at];
        let mut found = None;
        let verdict = match Answer::of(report) {
            Answer::Returned(ScriptReply { kind, refused, place }) => match kind {
                ScriptEnd::Raised => {
                    found = place.map(|place| self.found_in_script(module, place));
                    Verdict::Found
                }
                ScriptEnd::Refused => {
                    let (reason, hint) = message::refusal(&refused);
                    Verdict::Undecided(reason, hint)
                }
                ScriptEnd::WantsArguments => Verdict::Undecided(
                    "it wants command-line arguments".to_owned(),
                    Some("give them defaults, or put the work into an annotated function".to_owned()),
                ),
                ScriptEnd::Passed => Verdict::Clean,
            },
            Answer::Unreadable(error) => {
                Verdict::Failed(message::harness(&module.name, &module.shown, 1, error.to_string()))
            }
            Answer::Ended(outcome) => {
                Verdict::Undecided(format!("the process {}", message::outcome_text(&outcome)), None)
            }
            Answer::Raised(exception) => {
                Verdict::Failed(message::harness(&module.name, &module.shown, 1, message::exception_text(&exception)))
            }
            Answer::NotLoaded(failure) => Verdict::Failed(message::not_imported(module, &failure)),
        };
        let line = module.script.unwrap_or(1);
        self.take_whole(at, "__main__".to_owned(), line, verdict, found);
    }

    fn found_in_script(&self, module: &Module, place: FoundPlace) -> Whole {
        Whole {
            kind: FindingKind::Script,
            path: confirm::shown_below(self.root, &place.path),
            line: place.line,
            message: place.message,
            source: place.source,
            call: format!("runpy.run_path({:?}, run_name=\"__main__\")", module.shown),
            import: module.with_annotest("import runpy"),
        }
    }
}
