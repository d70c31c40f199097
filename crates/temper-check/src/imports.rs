//! Modules whose import is itself a subject.

use temper_report::FindingKind;
use temper_worker::{Limits, Outcome, Piece, Report, Work};

use crate::checker::{CheckError, Run};
use crate::finding::Verdict;
use crate::message;
use crate::module_subjects::Whole;

impl Run<'_> {
    /// Modules that say that their import is to be tested.
    pub(crate) fn import_tests(&mut self) -> Result<(), CheckError> {
        let seed = self.options.seed;
        let reports = self.run_whole(
            |module| module.import_test.is_some(),
            |module| Piece { work: Work::Import { module: module.name.clone() }, seed, limits: Limits::default() },
        )?;
        for (at, report) in reports {
            self.take_import(at, &report);
        }
        Ok(())
    }

    fn take_import(&mut self, at: usize, report: &Report) {
        let module = &self.modules[at];
        let found = |line: u32, message: String| Whole {
            kind: FindingKind::Import,
            path: module.shown.clone(),
            line,
            message,
            source: String::new(),
            call: format!("import {}", module.name),
            import: module.import_line(),
        };
        let (verdict, found) = match &report.outcome {
            Outcome::Imported => (Verdict::Clean, None),
            _ if report.is_refused() => {
                let (reason, hint) = message::refusal(&report.containment.refused);
                (Verdict::Undecided(reason, hint), None)
            }
            Outcome::Raised(exception) => {
                let line = message::line_in(exception, module).max(1);
                (Verdict::Found, Some(found(line, message::exception_text(exception))))
            }
            other => (Verdict::Found, Some(found(1, format!("the process {}", message::outcome_text(other))))),
        };
        let (name, line) = (module.name.clone(), module.import_test.unwrap_or(1));
        self.take_whole(at, name, line, verdict, found);
    }
}
