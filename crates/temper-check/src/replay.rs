//! `temper replay`: a saved finding is tried again in a fresh process.

use std::path::Path;

use temper_report::FindingKind;
use temper_worker::{Driver, Outcome, Report};

use crate::confirm::{Replayed, no_reply, replayed};
use crate::error::CheckError;
use crate::message;
use crate::module::Module;
use crate::options::CheckOptions;
use crate::protocol::{ScriptEnd, ScriptReply, WorkerAnswer};
use crate::saved::SavedFinding;
use crate::work::{import_task, recorded_call_task, run_one, script_task, shown_below};

/// Makes the call of a saved finding again, in a fresh process.
///
/// # Errors
/// When the workers themselves fail.
pub fn replay(
    driver: &mut Driver,
    module: &Module,
    finding: &SavedFinding,
    root: &Path,
    options: &CheckOptions,
) -> Result<Replayed, CheckError> {
    let shown = |path: &str| shown_below(root, path);
    match finding.kind {
        FindingKind::Import => Ok(imported(&run_one(driver, import_task(module, root, options))?, module)),
        FindingKind::Script => {
            let report = run_one(driver, script_task(module, root, options))?;
            Ok(script_ended(&WorkerAnswer::of(&report), module, shown))
        }
        _ => {
            let tree = finding.tree_bytes();
            let task = recorded_call_task(module, (&finding.subject, &tree, &finding.omitted), root, options);
            Ok(replayed(&WorkerAnswer::of(&run_one(driver, task)?), module, shown))
        }
    }
}

fn imported(report: &Report, module: &Module) -> Replayed {
    let passed = Replayed::nothing(module, String::new());
    match &report.outcome {
        Outcome::Raised(exception) => Replayed {
            kind: Some(FindingKind::Import),
            message: message::exception_text(exception),
            line: message::line_in(exception, module),
            ..passed
        },
        _ => passed,
    }
}

fn script_ended(answer: &WorkerAnswer<ScriptReply>, module: &Module, shown: impl Fn(&str) -> String) -> Replayed {
    match answer {
        WorkerAnswer::Returned(ScriptReply { kind: ScriptEnd::Raised, place: Some(place), .. }) => {
            Replayed::found(FindingKind::Script, place, shown)
        }
        other => no_reply(other, module),
    }
}
