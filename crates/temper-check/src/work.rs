//! The pieces of work that workers are given: what is called, with which arguments, in which layer, under which limits.

use std::path::Path;
use std::time::Duration;

use temper_worker::{Call, Driver, Flow, Limits, Piece, Report, Task, Value, Work};

use crate::error::CheckError;
use crate::module::{Module, SERVER};
use crate::options::CheckOptions;

/// Most time for one script; one that trains for longer is undecided.
const SCRIPT_SECS: u64 = 60;
/// Most time for reading the annotations of one module.
const SURVEY_SECS: u64 = 120;
/// Most time for describing one draw, with shrinking.
const DESCRIBE_SECS: u64 = 60;
/// Most time for one recorded call.
const CONFIRM_SECS: u64 = 30;
/// Time that a check may take beyond its share: imports, shrinking, one slow call.
const SLACK_SECS: u64 = 45;

/// What every step of a check works with.
pub(crate) struct CheckedProject<'r> {
    pub driver: &'r mut Driver,
    pub modules: &'r [Module],
    pub root: &'r Path,
    pub options: &'r CheckOptions,
}

/// A subject that is still to be checked, or to be taken up again after it killed its worker.
pub(crate) struct Pending {
    pub subject: usize,
    pub module: usize,
    /// Seeds of draws that are known to kill.
    pub skip: Vec<u64>,
    pub kills: usize,
    pub with_search: bool,
}

impl CheckedProject<'_> {
    /// Does one piece of work.
    pub fn run_one(&mut self, task: Task) -> Result<Report, CheckError> {
        run_one(self.driver, task)
    }

    /// A path relative to the project if it lies in it.
    pub fn shown(&self, path: &str) -> String {
        shown_below(self.root, path)
    }

    /// Reads the annotations of a module.
    pub fn survey_task(&self, module: &Module) -> Task {
        let arguments = vec![Value::from(module.name.as_str()), Value::Map(self.options.entries(self.root, module))];
        self.module_task(module, call("survey", arguments, self.options, SURVEY_SECS))
    }

    /// Checks one subject for `secs` seconds. The draw under way is written to `draw_file`, which lies in `scratch`.
    pub fn check_task(&self, pending: &Pending, subject: &str, draw_file: &Path, scratch: &Path, secs: f64) -> Task {
        let module = &self.modules[pending.module];
        let more = [
            ("secs", Value::from(secs)),
            ("draws", Value::from(module.draws.unwrap_or(self.options.draws))),
            ("seed", Value::from(self.options.seed)),
            ("search", Value::from(pending.with_search)),
            ("memory", Value::from_path(draw_file)),
            ("skip", pending.skip.iter().copied().collect()),
            // An input that ends its process would come again in every enumeration.
            ("enumerate", Value::from(pending.kills == 0)),
        ];
        let arguments = subject_arguments(module, subject, self.root, self.options, more);
        let piece = call("check", arguments, self.options, secs.ceil() as u64 + SLACK_SECS);
        Task {
            layer: module.layer(self.root, self.options.policy(&[scratch]), &self.options.import_limits),
            pieces: vec![piece],
        }
    }

    /// Describes a draw without calling the subject, except to shrink.
    pub fn describe_task(&self, module: &Module, subject: &str, draw: Vec<(&str, Value)>) -> Task {
        let mut more = vec![("only_describe", Value::from(true)), ("omitted", Value::List(Vec::new()))];
        more.extend(draw);
        let arguments = subject_arguments(module, subject, self.root, self.options, more);
        self.module_task(module, call("confirm", arguments, self.options, DESCRIBE_SECS))
    }

    fn module_task(&self, module: &Module, piece: Piece) -> Task {
        Task {
            layer: module.layer(self.root, self.options.policy(&[]), &self.options.import_limits),
            pieces: vec![piece],
        }
    }
}

/// Makes a recorded call once.
pub(crate) fn recorded_call_task(
    module: &Module,
    (subject, tree, omitted): (&str, &[u8], &[u64]),
    root: &Path,
    options: &CheckOptions,
) -> Task {
    let more = [("tree", Value::Bytes(tree.to_vec())), ("omitted", omitted.iter().copied().collect())];
    let arguments = subject_arguments(module, subject, root, options, more);
    let piece = call("confirm", arguments, options, CONFIRM_SECS);
    Task { layer: module.layer(root, options.policy(&[]), &options.import_limits), pieces: vec![piece] }
}

/// Runs a module as a script.
pub(crate) fn script_task(module: &Module, root: &Path, options: &CheckOptions) -> Task {
    let arguments = vec![Value::from_path(&module.path), Value::from_path(root)];
    let piece = call("script", arguments, options, SCRIPT_SECS);
    Task { layer: module.import_layer(root, options.policy(&[]), &options.import_limits), pieces: vec![piece] }
}

/// Imports a module.
pub(crate) fn import_task(module: &Module, root: &Path, options: &CheckOptions) -> Task {
    let work = Work::Import { module: module.name.clone() };
    let piece = Piece::new(work, options.seed, options.import_limits.clone());
    Task { layer: module.import_layer(root, options.policy(&[]), &options.import_limits), pieces: vec![piece] }
}

/// Does one piece of work.
pub(crate) fn run_one(driver: &mut Driver, task: Task) -> Result<Report, CheckError> {
    let mut found = None;
    driver.run([task], |report| {
        found = Some(report);
        Flow::Continue
    })?;
    found.ok_or(CheckError::NoAnswer)
}

/// A path relative to the project if it lies in it.
pub(crate) fn shown_below(root: &Path, path: &str) -> String {
    Path::new(path).strip_prefix(root).map_or_else(|_| path.to_owned(), |below| below.display().to_string())
}

/// Module, subject, and what the worker is told about both.
fn subject_arguments<'v>(
    module: &Module,
    subject: &str,
    root: &Path,
    options: &CheckOptions,
    more: impl IntoIterator<Item = (&'v str, Value)>,
) -> Vec<Value> {
    let mut entries = options.entries(root, module);
    entries.extend(more.into_iter().map(|(name, value)| (Value::from(name), value)));
    vec![Value::from(module.name.as_str()), Value::from(subject), Value::Map(entries)]
}

/// One call of a function of our server.
fn call(function: &str, arguments: Vec<Value>, options: &CheckOptions, wall_secs: u64) -> Piece {
    let call = Call { arguments, keywords: Vec::new(), seed: options.seed };
    let limits = Limits {
        wall: Duration::from_secs(wall_secs),
        cpu: Duration::from_secs(wall_secs),
        memory_bytes: options.memory_bytes,
        ..Limits::default()
    };
    let work = Work::Calls { module: SERVER.to_owned(), function: function.to_owned(), calls: vec![call] };
    Piece::new(work, options.seed, limits)
}
