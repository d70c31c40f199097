//! Modules whose import is itself a subject.

use temper_worker::{Flow, Limits, Outcome, Piece, Report, Task, Value, Work};

use crate::finding::{Evidence, Finding, Kind, Subject, Verdict};
use crate::message;
use crate::module::Module;
use crate::run::{CheckError, Run};

impl Run<'_> {
    /// Modules that say that their import is to be tested.
    pub(crate) fn import_tests(&mut self) -> Result<(), CheckError> {
        let is_tested = |module: &Module| module.import_test.is_some() && self.is_wanted(&module.name, &module.shown);
        let tested: Vec<usize> = (0..self.modules.len()).filter(|&at| is_tested(&self.modules[at])).collect();
        let policy = self.options.policy(&[]);
        let tasks: Vec<Task> = tested
            .iter()
            .map(|&at| {
                let module = &self.modules[at];
                let work = Work::Import { module: module.name.clone() };
                let piece = Piece { work, seed: self.options.seed, limits: Limits::default() };
                Task { layer: module.import_layer(self.root, &policy), pieces: vec![piece] }
            })
            .collect();
        let mut reports: Vec<Report> = Vec::new();
        self.driver.run(tasks, |report| {
            reports.push(report);
            Flow::Continue
        })?;
        reports.sort_by_key(|report| report.task);
        for report in reports {
            self.take_import(tested[report.task], &report);
        }
        Ok(())
    }

    fn take_import(&mut self, at: usize, report: &Report) {
        let module = &self.modules[at];
        let subject = self.checked.subjects.len();
        let refused: Vec<Value> = report
            .containment
            .refused
            .iter()
            .map(|each| {
                Value::map([("kind", Value::from(each.kind.as_str())), ("detail", Value::from(each.detail.as_str()))])
            })
            .collect();
        let mut finding = None;
        let verdict = match &report.outcome {
            Outcome::Imported => Verdict::Clean,
            _ if report.is_refused() => {
                let (reason, hint) = message::refusal(&refused);
                Verdict::Undecided(reason, hint)
            }
            Outcome::Raised(exception) => {
                let line = message::line_in(exception, module).max(1);
                finding = Some((line, message::exception_text(exception)));
                Verdict::Found
            }
            other => {
                finding = Some((1, format!("the process {}", message::outcome_text(other))));
                Verdict::Found
            }
        };
        if let Some((line, text)) = finding {
            let import = format!("import {}", module.name);
            self.push_finding(Finding {
                id: String::new(),
                through: None,
                subject,
                kind: Kind::Import,
                path: module.shown.clone(),
                line,
                message: text,
                source: String::new(),
                call: import.clone(),
                import,
                check: String::new(),
                count: 1,
                tree: Vec::new(),
                omitted: Vec::new(),
                // A module is imported once in a process of its own already.
                recurs: Some(true),
            });
        }
        let line = module.import_test.unwrap_or(1);
        let (name, path) = (module.name.clone(), module.shown.clone());
        let evidence = Evidence { valid: 1, attempts: 1, ..Evidence::default() };
        self.checked.subjects.push(Subject { module: at, name, path, line, verdict, evidence });
        self.done += 1;
    }
}
