//! The run: survey every module, check every subject, confirm every finding.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use temper_report::FindingKind;
use temper_worker::{Driver, Flow, Policy, Subjects, Task, Value, WorkerError};

use crate::confirm::{self, Recorded};
use crate::draw_under_way::Memory;
use crate::finding::{Evidence, Finding, Subject, Verdict, stable_id};
use crate::message;
use crate::module::Module;
use crate::protocol::{Answer, CheckReply, FoundReply, SurveyReply};

/// Time that a worker may take beyond its share: imports, shrinking, one slow call.
const SLACK_SECS: u64 = 45;

/// What the user asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Valid inputs to draw for each subject.
    pub draws: u64,
    /// Time for all subjects together.
    pub budget: Duration,
    /// Fixes every draw.
    pub seed: u64,
    /// Whether to search for inputs that reach further lines.
    pub with_search: bool,
    /// Whether plain type hints make subjects.
    pub with_hints: bool,
    /// Whether a result that is not finite, for arguments that are, is a finding.
    pub with_nan: bool,
    /// Annotations from a side file.
    pub annotations: Vec<SideEntry>,
    /// The form in which a property of each subject is written, if any.
    pub emit: Option<Form>,
    /// Only subjects whose name contains this.
    pub filter: Option<String>,
    /// Files and folders that subjects may write.
    pub allow_write: Vec<PathBuf>,
    /// Whether subjects may connect.
    pub allow_net: bool,
    /// Whether subjects may start processes.
    pub allow_subprocess: bool,
    /// Memory for one worker, on top of what is loaded.
    pub memory_bytes: u64,
    /// How many workers run at once.
    pub slots: usize,
}

/// The annotations of one function in a side file.
#[derive(Clone, Debug, PartialEq)]
pub struct SideEntry {
    /// The module that the function is imported from.
    pub module: String,
    /// What the worker reads: `function`, `args`, `require` and so on, with the `file` and `line` of the entry.
    pub entry: Value,
}

/// The form of emitted properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `@temper.forall`.
    Pytest,
    /// Hypothesis strategies.
    Hypothesis,
}

impl Options {
    /// What every function of the worker is told about a module.
    pub(crate) fn entries(&self, root: &Path, module: &Module) -> Vec<(Value, Value)> {
        let side = self.annotations.iter().filter(|each| each.module == module.name).map(|each| each.entry.clone());
        let form = match self.emit {
            None => Value::None,
            Some(Form::Pytest) => Value::from("pytest"),
            Some(Form::Hypothesis) => Value::from("hypothesis"),
        };
        vec![
            (Value::from("root"), Value::from_path(root)),
            (Value::from("hints"), Value::from(self.with_hints)),
            (Value::from("nan"), Value::from(self.with_nan)),
            (Value::from("side"), Value::List(side.collect())),
            (Value::from("is_side_only"), Value::from(!module.is_of_project())),
            (Value::from("nested"), Value::List(module.nested.iter().map(|name| Value::from(name.as_str())).collect())),
            (Value::from("emit"), form),
        ]
    }

    pub(crate) fn policy(&self, own: &[&Path]) -> Policy {
        let mut allow_write = self.allow_write.clone();
        allow_write.extend(own.iter().map(|path| path.to_path_buf()));
        Policy {
            allow_write,
            allow_net: self.allow_net,
            allow_subprocess: self.allow_subprocess,
            ..Policy::scratch_only()
        }
    }
}

/// The workers failed, not a subject.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The worker processes.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// A file of ours.
    #[error("cannot use the scratch folder: {0}")]
    Scratch(#[from] io::Error),
    /// The part that reads source failed.
    #[error("the source could not be read: {0}")]
    Reader(String),
    /// A piece of work was not done.
    #[error("the workers gave no answer")]
    NoAnswer,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Subjects that are done.
    pub done: usize,
    /// Subjects that are known.
    pub total: usize,
    /// Findings so far, not yet confirmed.
    pub findings: usize,
}

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// In the order of files and lines.
    pub subjects: Vec<Subject>,
    /// In the order of subjects.
    pub findings: Vec<Finding>,
    /// What subjects with `@regression` return today, as JSON, by module and name; only those not recorded before.
    pub regressions: Vec<(String, String)>,
    /// Other names of parameters that annotations use, with file and line.
    pub hints: Vec<(String, u32, String)>,
    /// Whether the user stopped the run before its end.
    pub is_interrupted: bool,
}

/// Checks the modules.
///
/// `scratch` is a folder of ours that exists and that the caller removes.
///
/// # Errors
/// When the workers fail. What is wrong with the user's code is in the result.
pub fn check(
    driver: &mut Driver,
    modules: &[Module],
    root: &Path,
    scratch: &Path,
    options: &Options,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Checked, CheckError> {
    fs::create_dir_all(scratch)?;
    let mut run = Run {
        driver,
        modules,
        root,
        scratch,
        options,
        on_progress,
        checked: Checked::default(),
        pending: Vec::new(),
        done: 0,
        memories: 0,
    };
    match run.all() {
        Err(CheckError::Worker(WorkerError::Cancelled)) => run.checked.is_interrupted = true,
        Err(error) => return Err(error),
        Ok(()) => {}
    }
    Ok(run.checked)
}

/// A subject that is still to be checked, or to be taken up again after it killed its worker.
pub(crate) struct Pending {
    pub(crate) subject: usize,
    pub(crate) module: usize,
    pub(crate) skip: Vec<u64>,
    pub(crate) kills: usize,
    pub(crate) with_search: bool,
}

pub(crate) struct Run<'r> {
    pub(crate) driver: &'r mut Driver,
    pub(crate) modules: &'r [Module],
    pub(crate) root: &'r Path,
    pub(crate) scratch: &'r Path,
    pub(crate) options: &'r Options,
    pub(crate) on_progress: &'r mut dyn FnMut(Progress),
    pub(crate) checked: Checked,
    pub(crate) pending: Vec<Pending>,
    pub(crate) done: usize,
    pub(crate) memories: usize,
}

impl Run<'_> {
    fn all(&mut self) -> Result<(), CheckError> {
        self.warm()?;
        self.survey()?;
        self.import_tests()?;
        self.scripts()?;
        let secs = self.share_secs();
        while !self.pending.is_empty() {
            self.round(secs)?;
        }
        self.confirm()?;
        self.order();
        Ok(())
    }

    fn progress(&mut self) {
        let (done, total) = (self.done, self.checked.subjects.len());
        (self.on_progress)(Progress { done, total, findings: self.checked.findings.len() });
    }

    /// Puts numpy into the base layer, so that it is imported once; a project without it loses nothing.
    fn warm(&mut self) -> Result<(), CheckError> {
        if let Some(module) = self.modules.first().filter(|_| self.modules.len() > 1) {
            let mut spec = (*module.import_layer(self.root, &self.options.policy(&[]))).clone();
            spec.subjects = Subjects::Modules(vec!["numpy".to_owned()]);
            // The inner error is that there is no numpy.
            let _ = self.driver.warm(&std::sync::Arc::new(spec))?;
        }
        Ok(())
    }

    /// Every subject gets the same share of the time, and no more than it can use.
    fn share_secs(&self) -> f64 {
        let subjects = self.pending.len().max(1) as f64;
        (self.options.budget.as_secs_f64() * self.options.slots as f64 / subjects).max(0.5)
    }

    fn survey(&mut self) -> Result<(), CheckError> {
        let (root, options) = (self.root, self.options);
        let policy = options.policy(&[]);
        let tasks: Vec<Task> = self
            .modules
            .iter()
            .map(|module| {
                let entries = Value::Map(options.entries(root, module));
                let arguments = vec![Value::from(module.name.as_str()), entries];
                let piece = confirm::call_piece("survey", arguments, options, 120);
                Task { layer: module.layer(root, &policy), pieces: vec![piece] }
            })
            .collect();
        let mut answers: Vec<(usize, Answer<SurveyReply>)> = Vec::new();
        self.driver.run(tasks, |report| {
            answers.push((report.task, Answer::of(&report)));
            Flow::Continue
        })?;
        answers.sort_by_key(|(task, _)| *task);
        for (module, answer) in answers {
            self.take_survey(module, answer);
        }
        Ok(())
    }

    fn take_survey(&mut self, at: usize, answer: Answer<SurveyReply>) {
        let module = &self.modules[at];
        let whole = |verdict| Subject {
            module: at,
            name: module.name.clone(),
            path: module.shown.clone(),
            line: 1,
            verdict,
            evidence: Evidence::default(),
        };
        match answer {
            Answer::Returned(reply) => self.take_subjects(at, reply),
            Answer::Unreadable(error) => {
                let problem = message::harness(&module.name, &module.shown, 1, error.to_string());
                self.checked.subjects.push(whole(Verdict::Failed(problem)));
                self.done += 1;
            }
            // A module whose import is the subject is reported by that test.
            Answer::NotLoaded(_) if module.import_test.is_some() => {}
            Answer::NotLoaded(failure) => {
                let problem = message::not_imported(module, &failure);
                let line = problem.line.max(1);
                self.checked.subjects.push(Subject { line, ..whole(Verdict::Failed(problem)) });
                self.done += 1;
            }
            Answer::Raised(exception) => {
                let problem = message::harness(&module.name, &module.shown, 1, message::exception_text(&exception));
                self.checked.subjects.push(whole(Verdict::Failed(problem)));
                self.done += 1;
            }
            Answer::Ended(outcome) => {
                let what = format!("while its annotations were read, the process {}", message::outcome_text(&outcome));
                self.checked.subjects.push(whole(Verdict::Failed(message::harness(
                    &module.name,
                    &module.shown,
                    1,
                    what,
                ))));
                self.done += 1;
            }
        }
    }

    pub(crate) fn is_wanted(&self, name: &str, path: &str) -> bool {
        self.options.filter.as_deref().is_none_or(|wanted| name.contains(wanted) || path.contains(wanted))
    }

    fn take_subjects(&mut self, at: usize, reply: SurveyReply) {
        let path = self.modules[at].shown.clone();
        for surveyed in reply.subjects {
            if !self.is_wanted(&surveyed.name, &path) {
                continue;
            }
            self.checked.hints.extend(surveyed.hints.iter().map(|(line, text)| (path.clone(), *line, text.clone())));
            let verdict = match &surveyed.problem {
                Some(problem) => {
                    let file = problem.path.as_ref().map(|path| confirm::shown_below(self.root, path));
                    Verdict::Failed(message::annotation(problem, file.as_deref().unwrap_or(&path)))
                }
                None => Verdict::Clean,
            };
            let subject = self.checked.subjects.len();
            if verdict == Verdict::Clean {
                let with_search = self.options.with_search;
                self.pending.push(Pending { subject, module: at, skip: Vec::new(), kills: 0, with_search });
            } else {
                self.done += 1;
            }
            let (name, line) = (surveyed.name, surveyed.line);
            let path = surveyed.path.map_or_else(|| path.clone(), |path| confirm::shown_below(self.root, &path));
            self.checked.subjects.push(Subject {
                module: at,
                name,
                path,
                line,
                verdict,
                evidence: Evidence::default(),
            });
        }
    }

    /// Checks all pending subjects once; those that killed their workers stay pending.
    fn round(&mut self, secs: f64) -> Result<(), CheckError> {
        let pending = std::mem::take(&mut self.pending);
        let mut memories = Vec::new();
        for _ in &pending {
            memories.push(Memory::create(self.scratch, self.memories)?);
            self.memories += 1;
        }
        let tasks: Vec<Task> =
            pending.iter().zip(&memories).map(|(each, memory)| self.task(each, memory, secs)).collect();
        let Run { driver, on_progress, checked, done, .. } = self;
        let mut answers: HashMap<usize, Answer<CheckReply>> = HashMap::new();
        let (mut finished, total) = (*done, checked.subjects.len());
        let mut findings = checked.findings.len();
        let result = driver.run(tasks, |report| {
            finished += 1;
            let answer = Answer::<CheckReply>::of(&report);
            if let Answer::Returned(reply) = &answer {
                findings += reply.findings.len();
            }
            on_progress(Progress { done: finished, total, findings });
            answers.insert(report.task, answer);
            Flow::Continue
        });
        for (at, (each, memory)) in pending.into_iter().zip(&memories).enumerate() {
            // What was done before an interrupt is reported all the same.
            match answers.remove(&at) {
                Some(answer) => self.take_check(each, answer, memory)?,
                None if result.is_err() => self.undecide(&each, "the run ended before it".to_owned(), None),
                None => return Err(CheckError::NoAnswer),
            }
        }
        self.progress();
        Ok(result?)
    }

    fn task(&self, pending: &Pending, memory: &Memory, secs: f64) -> Task {
        let module = &self.modules[pending.module];
        let subject = &self.checked.subjects[pending.subject];
        let mut entries = self.options.entries(self.root, module);
        entries.extend([
            (Value::from("secs"), Value::from(secs)),
            (Value::from("draws"), Value::from(self.options.draws)),
            (Value::from("seed"), Value::from(self.options.seed)),
            (Value::from("search"), Value::from(pending.with_search)),
            (Value::from("memory"), Value::from_path(memory.path())),
            (Value::from("skip"), pending.skip.iter().copied().collect()),
        ]);
        let arguments =
            vec![Value::from(module.name.as_str()), Value::from(subject.name.as_str()), Value::Map(entries)];
        let piece = confirm::call_piece("check", arguments, self.options, secs.ceil() as u64 + SLACK_SECS);
        Task { layer: module.layer(self.root, &self.options.policy(&[self.scratch])), pieces: vec![piece] }
    }

    fn take_check(&mut self, pending: Pending, answer: Answer<CheckReply>, memory: &Memory) -> Result<(), CheckError> {
        let (name, path, line) = {
            let subject = &self.checked.subjects[pending.subject];
            (subject.name.clone(), subject.path.clone(), subject.line)
        };
        match answer {
            Answer::Returned(reply) => self.take_result(&pending, reply),
            Answer::Unreadable(error) => {
                let problem = message::harness(&name, &path, line, error.to_string());
                self.checked.subjects[pending.subject].verdict = Verdict::Failed(problem);
                self.done += 1;
            }
            Answer::Raised(exception) => {
                let problem = message::harness(&name, &path, line, message::exception_text(&exception));
                self.checked.subjects[pending.subject].verdict = Verdict::Failed(problem);
                self.done += 1;
            }
            Answer::NotLoaded(failure) => {
                let problem = message::not_imported(&self.modules[pending.module], &failure);
                self.checked.subjects[pending.subject].verdict = Verdict::Failed(problem);
                self.done += 1;
            }
            Answer::Ended(outcome) => return self.take_kill(pending, &outcome, memory),
        }
        Ok(())
    }

    fn take_result(&mut self, pending: &Pending, mut reply: CheckReply) {
        self.done += 1;
        let at = pending.subject;
        let evidence = &mut self.checked.subjects[at].evidence;
        evidence.valid += reply.valid;
        evidence.attempts += reply.attempts;
        evidence.documented += reply.documented;
        evidence.search_calls += reply.search_calls;
        evidence.lines = reply.lines.filter(|pair| pair.1 > 0);
        evidence.branches = reply.branches.filter(|pair| pair.1 > 0);
        evidence.notes.extend(notes(&reply));
        evidence.notes.append(&mut reply.notes);
        evidence.property = reply.property.take();
        if let Some(records) = reply.regression.take() {
            let name = format!("{}::{}", self.modules[pending.module].name, self.checked.subjects[at].name);
            self.checked.regressions.push((name, records));
        }
        for found in std::mem::take(&mut reply.findings) {
            self.add_found(pending, found);
        }
        let verdict = self.verdict(at, &reply);
        let subject = &mut self.checked.subjects[at];
        if subject.verdict == Verdict::Clean {
            subject.verdict = verdict;
        }
    }

    fn verdict(&self, at: usize, reply: &CheckReply) -> Verdict {
        let subject = &self.checked.subjects[at];
        if self.checked.findings.iter().any(|finding| finding.subject == at) {
            return Verdict::Found;
        }
        if !reply.refused.is_empty() {
            let (reason, hint) = message::refusal(&reply.refused);
            return Verdict::Undecided(reason, hint);
        }
        if reply.slow > 0 {
            let call = reply.slow_call.as_ref().map(|call| format!(", such as {call}")).unwrap_or_default();
            let calls = if reply.slow == 1 { "call" } else { "calls" };
            let reason = format!("{} {calls} took longer than 10 s{call}", reply.slow);
            return Verdict::Undecided(
                reason,
                Some("say how long a call may take with `@timeout(seconds)`".to_owned()),
            );
        }
        let Subject { name, path, line, .. } = subject;
        if subject.evidence.valid == 0 {
            return Verdict::Failed(match &reply.build_error {
                Some(error) => message::nothing_built(name, path, *line, error),
                None => message::nothing_drawn(name, path, *line, reply),
            });
        }
        Verdict::Clean
    }

    fn add_found(&mut self, pending: &Pending, found: FoundReply) {
        let through = found.through.map(|through| {
            let path = confirm::shown_below(self.root, &through.path);
            format!("{path}:{}   {}", through.line, through.source)
        });
        self.push_finding(Finding {
            id: String::new(),
            subject: pending.subject,
            kind: found.kind,
            path: confirm::shown_below(self.root, &found.place.path),
            line: found.place.line,
            message: found.place.message,
            source: found.place.source,
            call: found.call,
            import: found.imports,
            check: found.check,
            through,
            count: found.count,
            tree: found.tree.0,
            omitted: found.omitted,
            recurs: None,
        });
    }

    /// Adds a finding and gives it its id.
    pub(crate) fn push_finding(&mut self, found: Finding) {
        let subject = self.checked.subjects.get(found.subject).map_or("", |subject| subject.name.as_str());
        let error = found.message.split(':').next().unwrap_or_default();
        let taken: Vec<String> = self.checked.findings.iter().map(|finding| finding.id.clone()).collect();
        let id = stable_id(&[&found.path, subject, found.kind.word(), error, &found.source], &taken);
        self.checked.findings.push(Finding { id, ..found });
    }

    /// Makes the call of every finding once more, in a fresh process.
    fn confirm(&mut self) -> Result<(), CheckError> {
        let open: Vec<usize> =
            (0..self.checked.findings.len()).filter(|&at| self.checked.findings[at].recurs.is_none()).collect();
        let policy = self.options.policy(&[]);
        let mut tasks = Vec::new();
        let mut modules = Vec::new();
        for &at in &open {
            let finding = &self.checked.findings[at];
            let subject = &self.checked.subjects[finding.subject];
            let module = &self.modules[subject.module];
            let recorded = Recorded { subject: &subject.name, tree: &finding.tree, omitted: &finding.omitted };
            let piece = confirm::piece(module, &recorded, self.root, self.options);
            tasks.push(Task { layer: module.layer(self.root, &policy), pieces: vec![piece] });
            modules.push((at, module));
        }
        let root = self.root;
        let shown = |path: &str| confirm::shown_below(root, path);
        let findings = &mut self.checked.findings;
        self.driver.run(tasks, |report| {
            let (at, module) = modules[report.task];
            let replayed = confirm::read(&Answer::of(&report), module, &shown);
            let finding = &mut findings[at];
            let is_same_place =
                finding.kind == FindingKind::Killed || (replayed.path == finding.path && replayed.line == finding.line);
            finding.recurs = Some(replayed.kind == Some(finding.kind) && is_same_place);
            Flow::Continue
        })?;
        Ok(())
    }

    /// Findings in the order of their subjects.
    fn order(&mut self) {
        self.checked.findings.sort_by_key(|finding| finding.subject);
    }
}

/// `from package.module import name`, with the outermost name of the subject.
pub(crate) fn import_statement(module: &Module, subject: &str) -> String {
    let name = subject.split('.').next().unwrap_or(subject);
    format!("from {} import {name}", module.name)
}

/// What the user should know besides the verdict: preconditions that reject much, generators that raise.
fn notes(reply: &CheckReply) -> Vec<String> {
    let mut notes = Vec::new();
    let CheckReply { valid, attempts, preconditions, build_failures, .. } = reply;
    if *valid > 0 && valid * 2 < *attempts {
        let share = 100.0 * *valid as f64 / *attempts as f64;
        let first = preconditions.first().map(|(_, text)| format!("`@require({text})`"));
        let text = first.unwrap_or_else(|| "the annotations".to_owned());
        let more = if preconditions.len() > 1 { " and its other preconditions" } else { "" };
        notes.push(format!("{text}{more} accepted {valid} of {} draws ({share:.0} %)", message::thousands(*attempts)));
    }
    if let Some(error) = reply.build_error.as_ref().filter(|_| *build_failures > 0) {
        notes.push(format!("{build_failures} draws were lost because what builds the inputs raised {error}"));
    }
    notes
}
