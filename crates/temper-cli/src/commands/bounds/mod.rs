//! `temper bounds`: samples the tests and prints what their bounds are worth.

mod kept;
mod messages;
mod mutants;
mod mutants_export;
mod named_findings;
mod since;
mod watcher;

use std::path::{Path, PathBuf};
use std::time::Instant;

use temper_bounds::findings;
use temper_bounds::judge::path_rules::PathRules;
use temper_bounds::judge::verdict::Rules;
use temper_bounds::propose::advice;
use temper_bounds::record::BoundsRun;
use temper_bounds::sample::scheduler::{self, BoundsError, Job};
use temper_report::Exit;
use temper_stats::bound::BoundMethod;
use temper_stats::{Confidence, Target};
use temper_store::Store;
use temper_worker::WorkerError;

use self::kept::{keep_patches, remember};
use self::messages::{show_problems, show_unseen, spent_before_the_first_run};
use self::named_findings::NamedFindings;
use self::since::changed_since;
use self::watcher::Watcher;
use super::CommandContext;
use crate::args::Bounds;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::project_store::{self, cannot_store};
use crate::settings::{MethodSetting, PathSettings};
use crate::setup_hints::ProjectSetup;
use crate::terminal::Stderr;
use crate::{machine, workers};

pub use self::kept::RECORDS;
pub use self::messages::{cannot_patch, failure};

/// The pass target of the paper that `--method flex` follows.
const FLEX_PASS: f64 = 0.9999;
/// That of `--method faser`.
const FASER_PASS: f64 = 0.99;

/// The file in a pytest node id, or the path itself.
pub fn file_of(test: &str) -> &str {
    test.split("::").next().unwrap_or(test)
}

/// Samples, judges, prints.
pub fn run(context: &CommandContext<'_>, bounds: &Bounds) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install()?;
    interrupt.end_work_at(context.settings.budget.map(|budget| Instant::now() + budget));
    let named = match bounds.remedy {
        Some(_) => Some(named_findings::of_remedy(context, &bounds.tests)?),
        None if bounds.sharpen => Some(named_findings::to_sharpen(context, &bounds.tests)?),
        None => None,
    };
    let arguments = match &named {
        Some(named) => named.tests.iter().chain(&bounds.pytest).cloned().collect(),
        None => pytest_arguments(context, bounds)?,
    };
    let changed = bounds.since.as_deref().map(|since| changed_since(&context.root, since)).transpose()?;
    let is_wanted = |path: &Path| changed.as_ref().is_none_or(|files| files.contains(path));
    let rules = rules(context, named.as_ref(), bounds.sharpen)?;
    let tighten = mutants::tighten(context, bounds)?;
    let seeds = named.as_ref().map_or_else(|| mutants::seeds(context, bounds.tighten), |named| named.seeds);
    let seed = named.as_ref().map_or(context.settings.seed, |named| named.seed);
    let job = Job {
        root: context.root.clone(),
        arguments,
        seeds,
        rules,
        rules_by_path: if named.is_some() { Vec::new() } else { rules_by_path(context)? },
        tighten,
        seed,
        verify_runs: context.settings.bounds.verify_runs,
        limits: context.settings.limits.clone(),
        machine: machine::kind(),
        variables: std::env::vars_os().collect(),
        is_at_rest: bounds.no_run,
        shard: bounds.shard,
        is_wanted: &is_wanted,
    };
    let lock = project_store::lock(context, "bounds", &interrupt)?;
    let (mut driver, python) = workers::start(context, &interrupt)?;
    if bounds.tighten {
        workers::fence(context, &mut driver, &python)?;
    }
    if !bounds.no_run {
        workers::work_elsewhere(context, &mut driver, &python)?;
    }
    let setup = ProjectSetup { root: &context.root, python: &python };
    let mut store = project_store::open(context)?;
    if bounds.no_run {
        driver.rest();
    }
    let mut watcher = Watcher::new(context, &interrupt, true).at_rest(bounds.no_run);
    let found = scheduler::run(&job, &mut driver, &mut store, &mut watcher).map_err(|error| {
        if matches!(error, BoundsError::Worker(WorkerError::Cancelled)) && !interrupt.is_asked() {
            return spent_before_the_first_run(context);
        }
        failure(error, &setup)
    })?;
    let rows = findings::rows(&found, &context.root);
    watcher = Watcher::new(context, &interrupt, false).at_rest(bounds.no_run);
    let chosen = bounds.remedy.map(|remedy| (named_findings::kind(remedy), bounds.tests.as_slice()));
    let limits = advice::ProposalLimits { empirical_width: context.settings.bounds.empirical_width, chosen };
    let advised = advice::advise(&job, limits, (&found, &rows), &mut driver, &mut store, &mut watcher);
    drop((watcher, driver));
    let mut advised = advised.map_err(|error| failure(error, &setup))?;
    remember(&mut store, &found, &rows).map_err(cannot_store)?;
    let chosen_ids = if bounds.remedy.is_some() { bounds.tests.as_slice() } else { &[] };
    keep_patches(&mut store, (&context.root, chosen_ids), &rows, &mut advised)?;
    keep_small(context, &mut store)?;
    drop(lock);
    let shown = |path: &Path| context.shown(path);
    let run = BoundsRun { found: &found, rows: &rows, advised: &advised, rules: &rules, seed, shown: &shown };
    let exit = context.finish(&run.document())?;
    mutants::export(bounds, &found, &rows, &advised)?;
    let stopped = advised.stopped.or(found.stopped);
    show_problems(context, &setup, &found, stopped);
    show_unseen(context, &found);
    Ok(exit)
}

/// Drops the runs that were used longest ago if the store is larger than the user wants.
fn keep_small(context: &CommandContext<'_>, store: &mut Store) -> Result<(), Failure> {
    let dropped = store.keep_below(context.settings.store_limit).map_err(cannot_store)?;
    if dropped > 0 {
        let said =
            format!("the store was larger than `store-limit`: {dropped} runs that were used longest ago are gone");
        Stderr::new(context.common.quiet).note(&said);
    }
    Ok(())
}

fn rules(context: &CommandContext<'_>, named: Option<&NamedFindings>, is_sharpened: bool) -> Result<Rules, Failure> {
    let settings = &context.settings.bounds;
    let pass = match (named, settings.method) {
        _ if context.options.is_chosen("pass") => settings.pass,
        (Some(named), _) => named.pass,
        (None, MethodSetting::Flex) => FLEX_PASS,
        (None, MethodSetting::Faser) => FASER_PASS,
        (None, MethodSetting::Calibrated) => settings.pass,
    };
    let wrong = |error: temper_stats::Error| Message::error(error.to_string()).ends(Exit::Usage);
    // Another remedy needs no further runs of the test as it is.
    let known_runs = named.and_then(|named| named.runs).filter(|_| !is_sharpened && !context.options.is_chosen("runs"));
    let most_runs = known_runs.unwrap_or_else(|| mutants::most_runs(context));
    let mut rules = Rules {
        pass: Target::new(pass).map_err(wrong)?,
        confidence: Confidence::new(settings.confidence).map_err(wrong)?,
        method: if settings.method == MethodSetting::Flex { BoundMethod::Flex } else { BoundMethod::Calibrated },
        most_runs,
        bound_runs: most_runs,
        is_sharpened,
    };
    // The limit that nobody chose is for verdicts: a bound that is to be sharper may take more runs.
    if rules.is_sharpened && rules.runs_for_largest() <= most_runs {
        rules.bound_runs = most_runs.max(rules.runs_for_second());
    }
    Ok(rules)
}

/// What the settings say about the tests of some files.
fn rules_by_path(context: &CommandContext<'_>) -> Result<Vec<PathRules>, Failure> {
    let one = |each: &PathSettings| {
        let pass = each.pass.map(Target::new).transpose()?;
        Ok(PathRules { paths: each.paths.clone(), pass, most_runs: each.runs })
    };
    let all: Result<Vec<PathRules>, temper_stats::Error> = context.settings.by_path.iter().map(one).collect();
    all.map_err(|error| Message::error(error.to_string()).ends(Exit::Usage))
}

/// A file that may hold assertions, but none that Temper reads.
fn no_test_file(file: &str) -> Failure {
    let what = if file.ends_with(".ipynb") { "a notebook" } else { "no Python file" };
    Message::error(format!("`{file}` is {what}"))
        .hint("Temper judges assertions of test files; notebooks and doctests are not read")
        .ends(Exit::Usage)
}

/// What pytest is told: the tests that were named, relative to the project, then the user's own options.
fn pytest_arguments(context: &CommandContext<'_>, bounds: &Bounds) -> Result<Vec<String>, Failure> {
    let mut arguments = Vec::new();
    for test in &bounds.tests {
        let file = file_of(test);
        if !file.ends_with(".py") && context.current.join(file).is_file() {
            return Err(no_test_file(file));
        }
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
