//! The `if __name__ == "__main__":` blocks of modules, run as the command line would run them.

use temper_worker::{Flow, Piece, Report, Task, Value};

use crate::confirm;
use crate::finding::{Evidence, Finding, Kind, Subject, Verdict};
use crate::message;
use crate::module::Module;
use crate::reply::{self, Answer};
use crate::run::{CheckError, Options, Run};
use std::path::Path;

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
        let is_run = |module: &Module| module.script.is_some() && self.is_wanted(&module.name, &module.shown);
        let run: Vec<usize> = (0..self.modules.len()).filter(|&at| is_run(&self.modules[at])).collect();
        let policy = self.options.policy(&[]);
        let tasks = run.iter().map(|&at| {
            let module = &self.modules[at];
            Task {
                layer: module.import_layer(self.root, &policy),
                pieces: vec![piece(module, self.root, self.options)],
            }
        });
        let tasks: Vec<Task> = tasks.collect();
        let mut reports: Vec<Report> = Vec::new();
        self.driver.run(tasks, |report| {
            reports.push(report);
            Flow::Continue
        })?;
        reports.sort_by_key(|report| report.task);
        for report in reports {
            self.take_script(run[report.task], &report);
        }
        Ok(())
    }

    fn take_script(&mut self, at: usize, report: &Report) {
        let module = &self.modules[at];
        let subject = self.checked.subjects.len();
        let mut draft = None;
        let verdict = match reply::answer(report) {
            Answer::Returned(value) => match reply::text(&value, "kind").as_str() {
                "script" => {
                    draft = Some(value);
                    Verdict::Found
                }
                "refused" => {
                    let (reason, hint) = message::refusal(reply::list(&value, "refused"));
                    Verdict::Undecided(reason, hint)
                }
                "usage" => Verdict::Undecided(
                    "it wants command-line arguments".to_owned(),
                    Some("give them defaults, or put the work into an annotated function".to_owned()),
                ),
                _ => Verdict::Clean,
            },
            Answer::Ended(outcome) => {
                Verdict::Undecided(format!("the process {}", message::outcome_text(&outcome)), None)
            }
            Answer::Raised(exception) => {
                Verdict::Failed(message::harness(&module.name, &module.shown, 1, message::exception_text(&exception)))
            }
            Answer::NotLoaded(failure) => Verdict::Failed(message::not_imported(module, &failure)),
        };
        if let Some(value) = draft {
            let call = format!("runpy.run_path({:?}, run_name=\"__main__\")", module.shown);
            self.push_finding(Finding {
                id: String::new(),
                through: None,
                subject,
                kind: Kind::Script,
                path: confirm::shown_below(self.root, &reply::text(&value, "path")),
                line: reply::number(&value, "line") as u32,
                message: reply::text(&value, "message"),
                source: reply::text(&value, "source"),
                call,
                import: "import runpy".to_owned(),
                check: String::new(),
                count: 1,
                tree: Vec::new(),
                omitted: Vec::new(),
                // A script runs once in a process of its own already.
                recurs: Some(true),
            });
        }
        let (path, line) = (module.shown.clone(), module.script.unwrap_or(1));
        let evidence = Evidence { valid: 1, attempts: 1, ..Evidence::default() };
        self.checked.subjects.push(Subject { module: at, name: "__main__".to_owned(), path, line, verdict, evidence });
        self.done += 1;
    }
}
