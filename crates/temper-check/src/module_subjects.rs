//! Modules that are subjects as a whole: by their import, or by their `if __name__ == "__main__":` block, which is run as
//! the command line would run it. Each runs once, in a separate process.

use temper_report::{CallEvidence, CheckEvidence, Doubt, FindingKind, Verdict};
use temper_worker::{Flow, Outcome, Report, Task};

use crate::error::CheckError;
use crate::findings::{Checked, CheckedSubject, FoundCall};
use crate::message;
use crate::module::Module;
use crate::protocol::{FoundPlace, ScriptEnd, ScriptReply, WorkerAnswer};
use crate::work::{CheckedProject, import_task, script_task, shown_below};

/// Tests the imports of the modules that ask for it.
pub(crate) fn test_imports(project: &mut CheckedProject<'_>, checked: &mut Checked) -> Result<usize, CheckError> {
    let (root, options) = (project.root, project.options);
    let is_chosen = |module: &Module| module.import_test.is_some();
    let reports = run_each(project, is_chosen, |module| import_task(module, root, options))?;
    for (at, report) in &reports {
        let module = &project.modules[*at];
        let (verdict, found) = judge_import(module, report);
        let line = module.import_test.unwrap_or(1);
        take(checked, *at, (module.name.clone(), module.shown.clone(), line), verdict, found);
    }
    Ok(reports.len())
}

/// Runs the modules that are to be run as scripts.
pub(crate) fn run_scripts(project: &mut CheckedProject<'_>, checked: &mut Checked) -> Result<usize, CheckError> {
    let (root, options) = (project.root, project.options);
    let is_chosen = |module: &Module| module.script.is_some();
    let reports = run_each(project, is_chosen, |module| script_task(module, root, options))?;
    for (at, report) in &reports {
        let module = &project.modules[*at];
        let (verdict, found) = judge_script(module, WorkerAnswer::of(report), |path| shown_below(root, path));
        let line = module.script.unwrap_or(1);
        take(checked, *at, ("__main__".to_owned(), module.shown.clone(), line), verdict, found);
    }
    Ok(reports.len())
}

/// Does one task for each of the chosen modules that the user wants; the reports, in the modules' order.
fn run_each(
    project: &mut CheckedProject<'_>,
    is_chosen: impl Fn(&Module) -> bool,
    task: impl Fn(&Module) -> Task,
) -> Result<Vec<(usize, Report)>, CheckError> {
    let (modules, options) = (project.modules, project.options);
    let is_run = |module: &Module| is_chosen(module) && options.is_wanted(&module.name, &module.shown);
    let chosen: Vec<usize> = (0..modules.len()).filter(|&at| is_run(&modules[at])).collect();
    let tasks: Vec<Task> = chosen.iter().map(|&at| task(&modules[at])).collect();
    let mut reports: Vec<(usize, Report)> = Vec::new();
    project.driver.run(tasks, |report| {
        reports.push((chosen[report.task], report));
        Flow::Continue
    })?;
    reports.sort_by_key(|(at, _)| *at);
    Ok(reports)
}

/// Takes down a module as a subject, with what was found.
fn take(
    checked: &mut Checked,
    module: usize,
    (name, path, line): (String, String, u32),
    verdict: Verdict,
    found: Option<FoundCall>,
) {
    let evidence = CheckEvidence { valid: 1, ..CheckEvidence::default() };
    let subject = CheckedSubject { evidence, ..CheckedSubject::new(module, name, path, line) };
    let at = checked.subjects.len();
    checked.subjects.push(CheckedSubject { verdict: Some(verdict), ..subject });
    if let Some(found) = found {
        checked.add_finding(FoundCall { subject: at, ..found });
    }
}

fn judge_import(module: &Module, report: &Report) -> (Verdict, Option<FoundCall>) {
    let found = |line: u32, message: String| {
        let place = FoundPlace { message, path: module.shown.clone(), line, source: String::new() };
        let call = format!("import {}", module.name);
        (Verdict::Found, Some(found_in_module(FindingKind::Import, place, call, module.import_line())))
    };
    match &report.outcome {
        Outcome::Imported => (Verdict::clean(1), None),
        _ if report.is_refused() => (Verdict::Undecided(message::refusal(&report.containment.refused)), None),
        Outcome::Raised(exception) => {
            found(message::line_in(exception, module).max(1), message::exception_text(exception))
        }
        other => found(1, format!("the process {}", message::outcome_text(other))),
    }
}

fn judge_script(
    module: &Module,
    answer: WorkerAnswer<ScriptReply>,
    shown: impl Fn(&str) -> String,
) -> (Verdict, Option<FoundCall>) {
    let failed = |said: String| Verdict::Failed(message::harness(&module.name, &module.shown, 1, said));
    let verdict = match answer {
        WorkerAnswer::Returned(ScriptReply { kind: ScriptEnd::Raised, place: Some(place), .. }) => {
            let place = FoundPlace { path: shown(&place.path), ..place };
            let call = format!("runpy.run_path({:?}, run_name=\"__main__\")", module.shown);
            let import = module.with_annotest("import runpy");
            return (Verdict::Found, Some(found_in_module(FindingKind::Script, place, call, import)));
        }
        WorkerAnswer::Returned(ScriptReply { kind, refused, .. }) => match kind {
            ScriptEnd::Passed => Verdict::clean(1),
            ScriptEnd::Refused => Verdict::Undecided(message::refusal(&refused)),
            ScriptEnd::WantsArguments => Verdict::Undecided(Doubt {
                reason: "it wants command-line arguments".to_owned(),
                hint: Some("give them defaults, or put the work into an annotated function".to_owned()),
            }),
            ScriptEnd::Raised => failed("the worker names no place for the exception".to_owned()),
        },
        WorkerAnswer::Unreadable(error) => failed(error.to_string()),
        WorkerAnswer::Raised(exception) => failed(message::exception_text(&exception)),
        WorkerAnswer::Ended(outcome) => Verdict::undecided(format!("the process {}", message::outcome_text(&outcome))),
        WorkerAnswer::NotLoaded(failure) => Verdict::Failed(message::not_imported(module, &failure)),
    };
    (verdict, None)
}

fn found_in_module(kind: FindingKind, place: FoundPlace, call: String, import: String) -> FoundCall {
    let FoundPlace { message, path, line, source } = place;
    FoundCall {
        id: String::new(),
        subject: 0,
        kind,
        path,
        line,
        message,
        call,
        check: String::new(),
        tree: Vec::new(),
        omitted: Vec::new(),
        // It ran in a separate process already.
        evidence: CallEvidence { count: 1, recurs: Some(true), import, source, ..CallEvidence::default() },
    }
}
