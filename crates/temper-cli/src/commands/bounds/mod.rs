//! `temper bounds`: samples the tests and prints what their bounds are worth.

mod json;
mod mutants;
mod mutants_json;
mod mutants_text;
mod text;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use temper_bounds::Seeds;
use temper_bounds::findings::{self, JudgedSite};
use temper_bounds::judge::verdict::{Rules, SiteVerdict};
use temper_bounds::propose::advice::{self, Advised, PassedOver};
use temper_bounds::propose::patches::{self, PatchError};
use temper_bounds::propose::proposal::ReviewDecision;
use temper_bounds::sample::replay::RunReplay;
use temper_bounds::sample::scheduler::{self, BoundsError, BoundsResult, Job, Stop, TestProblem, Watch};
use temper_stats::bound::BoundMethod;
use temper_stats::{Confidence, Target};
use temper_store::Store;
use temper_worker::{Limits, LoadFailure, WorkerError};

use super::Context;
use crate::args::Bounds;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::progress::{Ahead, Progress};
use crate::terminal::Stderr;
use crate::workers;

/// Under this kind the store keeps what `temper replay` needs, by finding.
pub const RECORDS: &str = "bounds-replay";

/// The pass target of the paper that `--method flex` follows.
const FLEX_PASS: f64 = 0.9999;
/// That of `--method faser`.
const FASER_PASS: f64 = 0.99;

/// The file in a pytest node id, or the path itself.
pub fn file_of(test: &str) -> &str {
    test.split("::").next().unwrap_or(test)
}

/// Samples, judges, prints.
pub fn run(context: &Context<'_>, bounds: &Bounds) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install()?;
    let arguments = pytest_arguments(context, bounds)?;
    let changed = bounds.since.as_deref().map(|since| changed_since(&context.root, since)).transpose()?;
    let is_wanted = |path: &Path| changed.as_ref().is_none_or(|files| files.contains(path));
    let rules = rules(context)?;
    let tighten = mutants::tighten(context, bounds)?;
    let seeds = mutants::seeds(context, bounds.tighten);
    let job = Job {
        root: context.root.clone(),
        arguments,
        seeds,
        rules,
        tighten,
        seed: context.settings.seed,
        verify_runs: context.settings.verify_runs,
        limits: Limits::default(),
        variables: std::env::vars_os().collect(),
        is_wanted: &is_wanted,
    };
    let (mut driver, _) = workers::start(context, &interrupt)?;
    let mut store = Store::open(&context.root).map_err(cannot_store)?;
    let until = context.settings.budget.map(|budget| Instant::now() + budget);
    let mut watcher = Watcher::new(context, &interrupt, true, until);
    let found = scheduler::run(&job, &mut driver, &mut store, &mut watcher).map_err(failure)?;
    let rows = findings::rows(&found, &context.root);
    watcher = Watcher::new(context, &interrupt, false, until);
    let limits = advice::ProposalLimits { empirical_width: context.settings.empirical_width };
    let advised = advice::advise(&job, limits, (&found, &rows), &mut driver, &mut store, &mut watcher);
    drop((watcher, driver));
    let mut advised = advised.map_err(failure)?;
    remember(&mut store, &rows, seeds).map_err(cannot_store)?;
    keep_patches(&mut store, &context.root, &rows, &mut advised)?;
    print(context, &found, (&rows, &advised), &rules)?;
    mutants::export(bounds, &found, &rows, &advised)?;
    let stopped = advised.stopped.or(found.stopped);
    show_problems(context, &found, stopped);
    Ok(exit_of(&found, &rows, stopped))
}

fn rules(context: &Context<'_>) -> Result<Rules, Failure> {
    let settings = &context.settings;
    let pass = match settings {
        _ if context.options.is_chosen("pass") => settings.pass,
        settings if settings.is_flex => FLEX_PASS,
        settings if settings.is_faser => FASER_PASS,
        _ => settings.pass,
    };
    let wrong = |error: temper_stats::Error| Message::error(error.to_string()).ends(Exit::Usage);
    Ok(Rules {
        pass: Target::new(pass).map_err(wrong)?,
        confidence: Confidence::new(settings.confidence).map_err(wrong)?,
        method: if settings.is_flex { BoundMethod::Flex } else { BoundMethod::Calibrated },
        most_runs: mutants::most_runs(context),
    })
}

/// What pytest is told: the tests that were named, relative to the project, then the user's own options.
fn pytest_arguments(context: &Context<'_>, bounds: &Bounds) -> Result<Vec<String>, Failure> {
    let mut arguments = Vec::new();
    for test in &bounds.tests {
        let file = file_of(test);
        let full = std::fs::canonicalize(context.current.join(file))
            .map_err(|_| super::no_such_path(&context.current, Path::new(file)))?;
        let inside = full.strip_prefix(&context.root).map_or_else(|_| full.clone(), Path::to_path_buf);
        let inside = if inside.as_os_str().is_empty() { PathBuf::from(".") } else { inside };
        arguments.push(format!("{}{}", inside.display(), &test[file.len()..]));
    }
    let named = &context.settings.paths;
    if bounds.tests.is_empty() && !named.iter().all(|path| path == Path::new(".")) {
        arguments.extend(named.iter().map(|path| path.display().to_string()));
    }
    arguments.extend(bounds.pytest.iter().cloned());
    Ok(arguments)
}

/// Files that differ from a git revision, and files that git does not know yet.
fn changed_since(root: &Path, since: &str) -> Result<BTreeSet<PathBuf>, Failure> {
    let git = |arguments: &[&str]| -> Result<String, String> {
        let output =
            Command::new("git").arg("-C").arg(root).args(arguments).output().map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned())
        }
    };
    let changed = git(&["diff", "--name-only", "--relative", since, "--"]);
    let both = changed.and_then(|mut text| {
        text.push_str(&git(&["ls-files", "--others", "--exclude-standard"])?);
        Ok(text)
    });
    let text = both.map_err(|said| {
        let message = Message::error(format!("git cannot compare with `{since}`")).fact(said);
        message.hint("name a revision that `git log` knows, as in `--since origin/main`").ends(Exit::Usage)
    })?;
    Ok(text.lines().map(|line| root.join(line)).collect())
}

/// Shows progress, and stops at the end of the budget or when the user asks.
struct Watcher<'a> {
    interrupt: &'a Interrupt,
    until: Option<Instant>,
    taken: usize,
    /// When mutants were first run, and how many were known already.
    mutants: Option<(Instant, usize)>,
    is_sampling: bool,
    shown: Progress,
}

impl<'a> Watcher<'a> {
    fn new(context: &Context<'_>, interrupt: &'a Interrupt, is_sampling: bool, until: Option<Instant>) -> Self {
        let (verb, things) = if is_sampling { ("sampling", "sites") } else { ("verifying", "patches") };
        let shown = Progress::start(verb, things, 0, context.common.quiet > 0);
        Self { interrupt, until, taken: 0, is_sampling, mutants: None, shown }
    }
}

impl Watch for Watcher<'_> {
    fn step(&mut self, now: scheduler::SamplingProgress) {
        self.taken += 1;
        let taken = self.taken;
        // Never more than the budget allows.
        let most = self.until.map_or(f64::INFINITY, |until| until.duration_since(Instant::now()).as_secs_f64());
        if now.mutants > 0 {
            let (started, begun) = *self.mutants.get_or_insert_with(|| (Instant::now(), now.mutants_done));
            let done = now.mutants_done.saturating_sub(begun).max(1);
            let left = started.elapsed().as_secs_f64() / done as f64 * (now.mutants - now.mutants_done) as f64;
            let found = || format!("mutant {} of {} · {} found", now.mutants_done, now.mutants, now.findings);
            self.shown.set(now.sites_done, now.sites, |_| Ahead::Left(left.min(most)), found);
            return;
        }
        let found = if self.is_sampling { format!(" · {} found", now.findings) } else { String::new() };
        let ahead = |elapsed: Duration| {
            let secs = (elapsed.as_secs_f64() / taken as f64 * now.wanted as f64).min(most);
            // Whether a site is decided shows only when its samples are looked at; a patch has its number of runs.
            if self.is_sampling { Ahead::NextLook(secs) } else { Ahead::Left(secs) }
        };
        self.shown.set(now.sites_done, now.sites, ahead, || format!("{} runs{found}", now.runs));
    }

    fn stop(&self) -> Option<Stop> {
        if self.interrupt.is_asked() {
            return Some(Stop::Interrupt);
        }
        self.until.filter(|until| Instant::now() >= *until).map(|_| Stop::Budget)
    }
}

/// Keeps every proposal, and removes what was kept for a site that has none any more.
fn keep_patches(store: &mut Store, root: &Path, rows: &[JudgedSite<'_>], advised: &mut Advised) -> Result<(), Failure> {
    let known = patches::all(store).map_err(cannot_store)?;
    let is_open = |id: &str| known.iter().any(|kept| kept.id == id && kept.decision != ReviewDecision::Applied);
    for row in rows {
        let Some(advice) = advised.by_id.get_mut(&row.id) else {
            // Where nothing was decided now, what was proposed earlier stands.
            let verdict = &row.result.judgement.verdict;
            if is_open(&row.id)
                && matches!(verdict, SiteVerdict::Sound(_) | SiteVerdict::Rare | SiteVerdict::Suspect(_))
            {
                patches::forget(store, root, &row.id).map_err(|error| cannot_patch(&error))?;
            }
            continue;
        };
        let kept = match &mut advice.proposal {
            Some(proposal) => patches::keep(store, root, proposal),
            None => patches::forget(store, root, &row.id),
        };
        match kept {
            Ok(()) => {}
            // A file that was edited while its tests ran: the other sites go on.
            Err(error @ (PatchError::Changed { .. } | PatchError::Source(_))) => {
                advice.proposal = None;
                advice.passed_over.push(PassedOver::Unwritten(error.to_string()));
                patches::forget(store, root, &row.id).map_err(|error| cannot_patch(&error))?;
            }
            Err(error) => return Err(cannot_patch(&error)),
        }
    }
    Ok(())
}

/// The message for a patch that cannot be kept, shown or applied.
pub fn cannot_patch(error: &PatchError) -> Failure {
    let message = Message::error(error.to_string());
    match error {
        PatchError::Changed { .. } => {
            message.hint("`temper bounds` makes it anew; runs that the change does not touch are reused")
        }
        PatchError::Overlap { .. } => message.hint("run `temper bounds` again: it proposes for the file as it is"),
        PatchError::NoLevel { known, .. } if known.is_empty() => message.hint("only wider bounds have other targets"),
        PatchError::NoLevel { known, .. } => {
            let known: Vec<String> = known.iter().map(f64::to_string).collect();
            message.hint(format!("there is one at {}", known.join(", ")))
        }
        _ => message,
    }
    .ends(if matches!(error, PatchError::Store(_) | PatchError::File(_)) {
        Exit::Inconclusive
    } else {
        Exit::Usage
    })
}

fn cannot_store(error: temper_store::StoreError) -> Failure {
    Message::error("the store cannot be used").fact(error.to_string()).ends(Exit::Inconclusive)
}

/// The message for a job that could not start.
pub fn failure(error: BoundsError) -> Failure {
    match error {
        BoundsError::Load(failure) => {
            load_failure("the project's tests cannot be collected", &failure, Exit::TestsFail)
        }
        BoundsError::Probed(failure) => {
            load_failure("the tests cannot be collected with probes in them", &failure, Exit::Internal)
        }
        BoundsError::Worker(WorkerError::Cancelled) => Message::warning("interrupted").ends(Exit::Interrupted),
        other => Message::error("the job failed").fact(other.to_string()).ends(Exit::Inconclusive),
    }
}

fn load_failure(headline: &str, failure: &LoadFailure, exit: Exit) -> Failure {
    let message = Message::error(headline);
    let text = match failure {
        LoadFailure::Import(exception) => format!("{}: {}", exception.type_name, exception.message),
        LoadFailure::Collection { exception: Some(exception), .. } => {
            format!("{}: {}", exception.type_name, exception.message)
        }
        LoadFailure::Collection { output, .. } | LoadFailure::Ended { output, .. } => {
            String::from_utf8_lossy(&output.bytes).into_owned()
        }
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.len().saturating_sub(12);
    lines[last..].iter().fold(message, |message, line| message.fact(*line)).ends(exit)
}

/// Keeps the worst run of each finding for `temper replay`.
fn remember(store: &mut Store, rows: &[JudgedSite<'_>], seeds: Seeds) -> Result<(), temper_store::StoreError> {
    for row in rows.iter().filter(|row| scheduler::is_finding(&row.result.judgement.verdict)) {
        if let Some(&seed) = row.result.series.worst_seeds(1).first() {
            let replay = RunReplay { node: row.test.test.node.clone(), seed, seeds, line: row.line };
            store.put_record(RECORDS, &row.id, &replay.to_text())?;
        }
    }
    Ok(())
}

fn print(
    context: &Context<'_>,
    found: &BoundsResult,
    results: (&[JudgedSite<'_>], &Advised),
    rules: &Rules,
) -> Result<(), Failure> {
    context.print(
        || text::render(found, results, rules, context.common.verbose > 0),
        || Ok(json::document(found, results, rules, context)),
    )
}

/// What kept tests from being judged, one message each; the other tests went on.
fn show_problems(context: &Context<'_>, found: &BoundsResult, stopped: Option<Stop>) {
    let mut stderr = Stderr::new(context.common.quiet);
    for error in &found.loaded.errors {
        let last = error.text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        stderr.show(&Message::error(format!("`{}` cannot be collected", error.node)).fact(last.trim()));
    }
    for error in &found.plan.unread {
        stderr.show(&Message::warning(error.to_string()));
    }
    for test in &found.tests {
        let node = &test.test.node;
        match &test.problem {
            Some(TestProblem::FailsAlways(said)) => {
                stderr.show(
                    &Message::error(format!("`{node}` fails in every run ({} of {})", test.runs, test.runs)).fact(said),
                );
            }
            Some(TestProblem::Errors(said)) => {
                stderr.show(
                    &Message::error(format!("`{node}` raises in more than half of its {} runs", test.runs)).fact(said),
                );
            }
            _ => {}
        }
    }
    show_own_seeds(&mut stderr, found, context.common.verbose > 0);
    if let Some(reason) = &found.loaded.spawn_reason {
        stderr.show(&Message::warning("each run needs a fresh interpreter, which is slow").fact(reason));
    }
    match stopped {
        Some(Stop::Interrupt) => stderr
            .show(&Message::warning("interrupted; what was sampled is kept, and the same command goes on from there")),
        Some(Stop::Budget) => {
            stderr.show(&Message::warning("the budget is spent; the same command goes on from there"))
        }
        None => {}
    }
}

/// Tests that compare exactly with what their own seed gives: one message for all of them.
fn show_own_seeds(stderr: &mut Stderr, found: &BoundsResult, is_verbose: bool) {
    let own = found.tests.iter().filter_map(|test| match &test.problem {
        Some(TestProblem::OwnSeed(said)) => Some(format!("{}: {said}", test.test.node)),
        _ => None,
    });
    let own: Vec<String> = own.collect();
    if own.is_empty() {
        return;
    }
    let (tests, shown) = (own.len(), if is_verbose { own.len() } else { 3 });
    let headline = match tests {
        1 => "1 test fails with most seeds but its own, and is not judged with them".to_owned(),
        _ => format!("{tests} tests fail with most seeds but their own, and are not judged with them"),
    };
    let message = own.iter().take(shown).fold(Message::warning(headline), |message, line| message.fact(line));
    let message =
        if tests > shown { message.fact(format!("{} more: `-v` lists them", tests - shown)) } else { message };
    stderr.show(&message.hint("`--seeds keep` judges tests as they are"));
}

/// A gate that could not decide is not green.
fn exit_of(found: &BoundsResult, rows: &[JudgedSite<'_>], stopped: Option<Stop>) -> Exit {
    let has = |test: fn(&SiteVerdict) -> bool| rows.iter().any(|row| test(&row.result.judgement.verdict));
    let fails = |test: &scheduler::TestResult| matches!(test.problem, Some(TestProblem::FailsAlways(_)));
    let errs = |test: &scheduler::TestResult| {
        matches!(test.problem, Some(TestProblem::OwnSeed(_) | TestProblem::Errors(_) | TestProblem::NotRun))
    };
    if stopped == Some(Stop::Interrupt) {
        Exit::Interrupted
    } else if !found.loaded.errors.is_empty() || found.tests.iter().any(fails) {
        Exit::TestsFail
    } else if has(scheduler::is_finding) {
        Exit::Findings
    } else if rows.is_empty() && !found.tests.iter().any(errs) {
        Exit::Nothing
    } else if found.tests.iter().any(errs)
        || has(|verdict| matches!(verdict, SiteVerdict::Undecided { .. } | SiteVerdict::Broken))
    {
        Exit::Inconclusive
    } else {
        Exit::Clean
    }
}
