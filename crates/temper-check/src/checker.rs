//! The check: survey every module, check every subject, confirm every finding.

use std::collections::HashMap;
use std::path::Path;

use temper_files::Folder;
use temper_report::{Doubt, Verdict};
use temper_worker::{Driver, Flow, Subjects, Task, WorkerError};

use crate::confirm;
use crate::draw_under_way::DrawFile;
use crate::error::CheckError;
use crate::findings::{Checked, CheckedSubject, FoundCall};
use crate::killed_workers::take_kill;
use crate::message;
use crate::module::Module;
use crate::module_subjects::{run_scripts, test_imports};
use crate::options::CheckOptions;
use crate::protocol::{CheckReply, SurveyReply, SurveyedSubject, WorkerAnswer};
use crate::work::{CheckedProject, Pending, recorded_call_task, shown_below};

/// Seconds that a subject gets at least: several times what its calls take on an idle machine.
const LEAST_SHARE_SECS: f64 = 10.0;

/// How far a check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckProgress {
    /// Subjects that are done.
    pub done: usize,
    /// Subjects that are known.
    pub total: usize,
    /// Findings so far, not yet confirmed.
    pub findings: usize,
}

/// Checks the modules.
///
/// `scratch` is a folder of ours that the caller removes.
///
/// # Errors
/// When the workers fail. What is wrong with the user's code is in the result.
pub fn check(
    driver: &mut Driver,
    modules: &[Module],
    root: &Path,
    scratch: &Folder,
    options: &CheckOptions,
    on_progress: &mut dyn FnMut(CheckProgress),
) -> Result<Checked, CheckError> {
    let project = CheckedProject { driver, modules, root, options };
    let mut checker = Checker {
        project,
        scratch,
        on_progress,
        checked: Checked::default(),
        pending: Vec::new(),
        done: 0,
        draw_files: 0,
        is_surveyed: false,
    };
    match checker.run() {
        Err(CheckError::Worker(WorkerError::Cancelled)) => {
            checker.checked.is_interrupted = true;
            checker.undecide_unread();
        }
        Err(error) => return Err(error),
        Ok(()) => {}
    }
    checker.checked.order();
    Ok(checker.checked)
}

struct Checker<'r> {
    project: CheckedProject<'r>,
    scratch: &'r Folder,
    on_progress: &'r mut dyn FnMut(CheckProgress),
    checked: Checked,
    pending: Vec<Pending>,
    done: usize,
    draw_files: usize,
    /// Whether the annotations of all modules were read.
    is_surveyed: bool,
}

impl Checker<'_> {
    fn run(&mut self) -> Result<(), CheckError> {
        self.warm()?;
        self.survey()?;
        self.done += test_imports(&mut self.project, &mut self.checked)?;
        self.done += run_scripts(&mut self.project, &mut self.checked)?;
        let secs = self.share_secs();
        while !self.pending.is_empty() {
            self.round(secs)?;
        }
        self.confirm()
    }

    /// Puts numpy into the base layer, so that it is imported once; a project without it loses nothing.
    fn warm(&mut self) -> Result<(), CheckError> {
        let CheckedProject { driver, modules, root, options } = &mut self.project;
        if let Some(module) = modules.first().filter(|_| modules.len() > 1) {
            let mut spec = (*module.import_layer(root, options.policy(&[]), &options.import_limits)).clone();
            spec.subjects = Subjects::Modules(vec!["numpy".to_owned()]);
            // The inner error is that there is no numpy.
            let _ = driver.warm(&std::sync::Arc::new(spec))?;
        }
        Ok(())
    }

    /// Every subject gets the same share of the time. Most end by their number of calls long before; what a busy machine
    /// takes from them is no reason to stop, so the share is not small.
    fn share_secs(&self) -> f64 {
        let options = self.project.options;
        let subjects = self.pending.len().max(1) as f64;
        let budget = options.budget.as_secs_f64();
        (budget * options.slots as f64 / subjects).max(LEAST_SHARE_SECS).min(budget)
    }

    fn survey(&mut self) -> Result<(), CheckError> {
        let tasks: Vec<Task> = self.project.modules.iter().map(|module| self.project.survey_task(module)).collect();
        let mut answers: Vec<(usize, WorkerAnswer<SurveyReply>)> = Vec::new();
        self.project.driver.run(tasks, |report| {
            answers.push((report.task, WorkerAnswer::of(&report)));
            Flow::Continue
        })?;
        answers.sort_by_key(|(task, _)| *task);
        for (module, answer) in answers {
            self.take_survey(module, answer);
        }
        self.is_surveyed = true;
        Ok(())
    }

    /// Modules that the run ended before, when nobody knew yet what is in them.
    fn undecide_unread(&mut self) {
        if self.is_surveyed {
            return;
        }
        for (at, module) in self.project.modules.iter().enumerate() {
            let doubt = Doubt { reason: "the run ended before it was imported".to_owned(), hint: None };
            let subject = CheckedSubject::new(at, module.name.clone(), module.shown.clone(), 1);
            self.checked.subjects.push(CheckedSubject { verdict: Some(Verdict::Undecided(doubt)), ..subject });
        }
    }

    fn take_survey(&mut self, at: usize, answer: WorkerAnswer<SurveyReply>) {
        let module = &self.project.modules[at];
        let harness = |said: String| message::harness(&module.name, &module.shown, 1, said);
        let problem = match answer {
            WorkerAnswer::Returned(reply) => {
                return reply.subjects.into_iter().for_each(|each| self.take_subject(at, each));
            }
            // A module whose import is the subject is reported by that test.
            WorkerAnswer::NotLoaded(_) if module.import_test.is_some() => return,
            WorkerAnswer::NotLoaded(failure) => message::not_imported(module, &failure),
            WorkerAnswer::Unreadable(error) => harness(error.to_string()),
            WorkerAnswer::Raised(exception) => harness(message::exception_text(&exception)),
            WorkerAnswer::Ended(outcome) => {
                harness(format!("while its annotations were read, the process {}", message::outcome_text(&outcome)))
            }
        };
        let subject = CheckedSubject::new(at, module.name.clone(), module.shown.clone(), problem.line.max(1));
        self.checked.subjects.push(CheckedSubject { verdict: Some(Verdict::Failed(problem)), ..subject });
        self.done += 1;
    }

    fn take_subject(&mut self, at: usize, surveyed: SurveyedSubject) {
        let module_path = &self.project.modules[at].shown;
        if !self.project.options.is_wanted(&surveyed.name, module_path) {
            return;
        }
        let hints = surveyed.hints.into_iter().map(|(line, text)| (module_path.clone(), line, text));
        self.checked.hints.extend(hints);
        let shown = |path: Option<&String>| path.map_or_else(|| module_path.clone(), |path| self.project.shown(path));
        let problem = surveyed.problem.map(|problem| message::annotation(&problem, &shown(problem.path.as_ref())));
        let path = shown(surveyed.path.as_ref());
        let subject = CheckedSubject::new(at, surveyed.name, path, surveyed.line);
        match &problem {
            Some(_) => self.done += 1,
            None => {
                let with_search = self.project.options.with_search;
                let number = self.checked.subjects.len();
                self.pending.push(Pending { subject: number, module: at, skip: Vec::new(), kills: 0, with_search });
            }
        }
        self.checked.subjects.push(CheckedSubject { verdict: problem.map(Verdict::Failed), ..subject });
    }

    /// Checks all pending subjects once; those that killed their workers become pending again.
    fn round(&mut self, secs: f64) -> Result<(), CheckError> {
        let pending = std::mem::take(&mut self.pending);
        let numbers = self.draw_files..self.draw_files + pending.len();
        self.draw_files = numbers.end;
        let files: Vec<DrawFile> = numbers.map(|number| DrawFile::numbered(self.scratch, number)).collect();
        let task = |(each, file): (&Pending, &DrawFile)| {
            let subject = &self.checked.subjects[each.subject].name;
            self.project.check_task(each, subject, file.path(), self.scratch.path(), secs)
        };
        let tasks: Vec<Task> = pending.iter().zip(&files).map(task).collect();
        let (mut answers, result) = self.answers(tasks);
        for (at, (each, file)) in pending.into_iter().zip(&files).enumerate() {
            // What was done before an interrupt is reported all the same.
            match answers.remove(&at) {
                Some(answer) => self.take_answer(each, answer, file)?,
                None if result.is_err() => {
                    let doubt = Doubt { reason: "the run ended before it".to_owned(), hint: None };
                    self.checked.undecide(each.subject, doubt);
                }
                None => return Err(CheckError::NoAnswer),
            }
        }
        let (done, total) = (self.done, self.checked.subjects.len());
        (self.on_progress)(CheckProgress { done, total, findings: self.checked.findings.len() });
        Ok(result?)
    }

    /// Runs the tasks and shows how far they are; the answers by task, also of a run that was interrupted.
    fn answers(&mut self, tasks: Vec<Task>) -> (HashMap<usize, WorkerAnswer<CheckReply>>, Result<(), WorkerError>) {
        let mut answers = HashMap::new();
        let Checker { project, on_progress, checked, done, .. } = self;
        let mut now = CheckProgress { done: *done, total: checked.subjects.len(), findings: checked.findings.len() };
        let result = project.driver.run(tasks, |report| {
            let answer = WorkerAnswer::<CheckReply>::of(&report);
            now.done += 1;
            if let WorkerAnswer::Returned(reply) = &answer {
                now.findings += reply.findings.len();
            }
            on_progress(now);
            answers.insert(report.task, answer);
            Flow::Continue
        });
        (answers, result)
    }

    fn take_answer(
        &mut self,
        pending: Pending,
        answer: WorkerAnswer<CheckReply>,
        file: &DrawFile,
    ) -> Result<(), CheckError> {
        let module = &self.project.modules[pending.module];
        let subject = &mut self.checked.subjects[pending.subject];
        let harness = |said: String| message::harness(&subject.name, &subject.path, subject.line, said);
        let problem = match answer {
            WorkerAnswer::Returned(reply) => {
                self.checked.take_reply(pending.subject, module, reply, self.project.root);
                self.done += 1;
                return Ok(());
            }
            WorkerAnswer::Ended(outcome) => {
                let again = take_kill(&mut self.project, &mut self.checked, pending, &outcome, file.read())?;
                self.done += usize::from(again.is_none());
                self.pending.extend(again);
                return Ok(());
            }
            WorkerAnswer::Unreadable(error) => harness(error.to_string()),
            WorkerAnswer::Raised(exception) => harness(message::exception_text(&exception)),
            WorkerAnswer::NotLoaded(failure) => message::not_imported(module, &failure),
        };
        subject.verdict = Some(Verdict::Failed(problem));
        self.done += 1;
        Ok(())
    }

    /// Makes the call of every finding again, in a fresh process.
    fn confirm(&mut self) -> Result<(), CheckError> {
        let CheckedProject { driver, modules, root, options } = &mut self.project;
        let Checked { subjects, findings, .. } = &mut self.checked;
        let open: Vec<usize> = (0..findings.len()).filter(|&at| findings[at].evidence.recurs.is_none()).collect();
        let module_of = |at: usize, findings: &[FoundCall]| {
            let subject = &subjects[findings[at].subject];
            (&modules[subject.module], subject.name.as_str())
        };
        let task = |&at: &usize| {
            let (module, subject) = module_of(at, findings);
            let finding = &findings[at];
            recorded_call_task(module, (subject, &finding.tree, &finding.omitted), root, options)
        };
        let tasks: Vec<Task> = open.iter().map(task).collect();
        let mut unreadable = None;
        driver.run(tasks, |report| {
            let at = open[report.task];
            let (module, _) = module_of(at, findings);
            let answer = WorkerAnswer::of(&report);
            if let WorkerAnswer::Unreadable(error) = &answer {
                unreadable = Some(error.clone());
            }
            let again = confirm::replayed(&answer, module, |path| shown_below(root, path));
            let is_confirmed = again.confirms(&findings[at]);
            findings[at].evidence.recurs = Some(is_confirmed);
            Flow::Continue
        })?;
        unreadable.map_or(Ok(()), |error| Err(error.into()))
    }
}
