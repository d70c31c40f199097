//! Modules that are subjects as a whole, by their import or as scripts: each runs once, in a process of its own.

use temper_report::FindingKind;
use temper_worker::{Flow, Piece, Report, Task};

use crate::checker::{CheckError, Run};
use crate::finding::{Evidence, Finding, Subject, Verdict};
use crate::module::Module;

/// A finding about a whole module.
pub(crate) struct Whole {
    pub kind: FindingKind,
    pub path: String,
    pub line: u32,
    pub message: String,
    pub source: String,
    pub call: String,
    pub import: String,
}

impl Run<'_> {
    /// Runs a piece of work for each of the chosen modules that the user wants; the reports, in the modules' order.
    pub(crate) fn run_whole(
        &mut self,
        is_chosen: impl Fn(&Module) -> bool,
        piece: impl Fn(&Module) -> Piece,
    ) -> Result<Vec<(usize, Report)>, CheckError> {
        let is_run = |module: &Module| is_chosen(module) && self.is_wanted(&module.name, &module.shown);
        let chosen: Vec<usize> = (0..self.modules.len()).filter(|&at| is_run(&self.modules[at])).collect();
        let policy = self.options.policy(&[]);
        let task =
            |module: &Module| Task { layer: module.import_layer(self.root, &policy), pieces: vec![piece(module)] };
        let tasks: Vec<Task> = chosen.iter().map(|&at| task(&self.modules[at])).collect();
        let mut reports: Vec<(usize, Report)> = Vec::new();
        self.driver.run(tasks, |report| {
            reports.push((chosen[report.task], report));
            Flow::Continue
        })?;
        reports.sort_by_key(|(at, _)| *at);
        Ok(reports)
    }

    /// Takes down a module as a subject, with what was found.
    pub(crate) fn take_whole(&mut self, at: usize, name: String, line: u32, verdict: Verdict, found: Option<Whole>) {
        if let Some(Whole { kind, path, line, message, source, call, import }) = found {
            self.push_finding(Finding {
                id: String::new(),
                through: None,
                subject: self.checked.subjects.len(),
                kind,
                path,
                line,
                message,
                source,
                call,
                import,
                check: String::new(),
                count: 1,
                tree: Vec::new(),
                omitted: Vec::new(),
                // It ran in a process of its own already.
                recurs: Some(true),
            });
        }
        let path = self.modules[at].shown.clone();
        let evidence = Evidence { valid: 1, attempts: 1, ..Evidence::default() };
        self.checked.subjects.push(Subject { module: at, name, path, line, verdict, evidence });
        self.done += 1;
    }
}
