//! `temper check`: crashing inputs of annotated functions, inside their declared valid inputs.

mod emit;
mod json;
pub mod side;
mod suggest;
mod text;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use temper_check::{Checked, Module, Options, Saved, Verdict, check, keep_regressions};
use temper_report::Exit;
use temper_source::{Analysis, SourceFile, analyse, read};
use temper_worker::Driver;

use self::emit::Emit;
use self::side::Side;
use super::Context;
use crate::args::Check;
use crate::interpreter::Interpreter;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::progress::Progress;
use crate::terminal::Stderr;
use crate::workers;

/// What one worker may use on top of what is loaded: above what functions of machine-learning code use on small inputs.
pub const MEMORY_BYTES: u64 = 2 << 30;

/// Time for all functions together where the settings name none.
const DEFAULT_BUDGET: Duration = Duration::from_secs(60);
/// A budget of `none`: more than any run takes, and still a time that can be added to the clock.
const NO_LIMIT: Duration = Duration::from_secs(30 * 24 * 3600);

/// Checks the annotated functions that the paths name.
pub fn run(context: &Context<'_>, arguments: &Check) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install()?;
    if arguments.suggest {
        return suggest::run(context, arguments, &interrupt);
    }
    let emit = Emit::of(&arguments.emit)?;
    let side = Side::read(context, arguments.annotations.as_deref())?;
    let mut modules = find_modules(context, arguments)?;
    side.add_modules(&mut modules, !arguments.paths.is_empty());
    if modules.is_empty() {
        let message = Message::warning("there are no annotated functions here").at(context.root.display().to_string());
        let message =
            message.hint("say what inputs are valid, as in `@temper.arg(\"n\", temper.ints(1, 9))` above a function");
        Stderr::new(context.common.quiet).show(&message);
        return Ok(Exit::Nothing);
    }
    let workers = Workers::start(context, &interrupt)?;
    let mut options = options(context, arguments, workers.slots);
    options.annotations = side.entries.clone();
    options.emit = emit.as_ref().map(|emit| emit.form);
    let (checked, workers) = run_check(context, workers, &modules, &options)?;
    let mut stderr = Stderr::new(context.common.quiet);
    let saved = Saved { annotations: side.path, ..Saved::of(&checked.findings, &checked.subjects, &modules) };
    if let Err(error) = saved.write(&context.root) {
        stderr.show(&Message::warning("findings are not kept for `temper replay`").fact(error.to_string()));
    }
    if let Err(error) = keep_regressions(&context.root, &checked.regressions) {
        stderr.show(&Message::warning("results are not kept for `@regression`").fact(error.to_string()));
    }
    print(context, &checked, &options, &workers.python)?;
    if let Some(emit) = emit {
        let files = emit.write(context, &checked, &modules)?;
        stderr.note(&format!("{} test files written: {}", files.len(), files.join(", ")));
    }
    Ok(exit_of(&checked))
}

fn options(context: &Context<'_>, arguments: &Check, slots: usize) -> Options {
    let settings = &context.settings;
    let is_budget_set = context.options.is_chosen("budget");
    let no_limit = if is_budget_set { NO_LIMIT } else { DEFAULT_BUDGET };
    Options {
        draws: settings.draws,
        budget: settings.budget.unwrap_or(no_limit),
        seed: settings.seed,
        with_nan: arguments.nan,
        annotations: Vec::new(),
        emit: None,
        with_search: !arguments.no_search,
        with_hints: arguments.hints,
        filter: arguments.name.clone(),
        allow_write: arguments.allow.writable(),
        allow_net: arguments.allow.allow_net,
        allow_subprocess: arguments.allow.allow_subprocess,
        memory_bytes: MEMORY_BYTES,
        slots,
    }
}

fn run_check(
    context: &Context<'_>,
    mut workers: Workers,
    modules: &[Module],
    options: &Options,
) -> Result<(Checked, Workers), Failure> {
    let mut progress: Option<Progress> = None;
    let is_quiet = context.common.quiet > 0;
    let checked = check(&mut workers.driver, modules, &context.root, &workers.scratch, options, &mut |now| {
        let shown = progress.get_or_insert_with(|| Progress::start("checking", "functions", now.total, is_quiet));
        shown.step(|| format!("{} findings", now.findings));
    });
    drop(progress);
    match checked {
        Ok(checked) => Ok((checked, workers)),
        Err(error) => Err(workers.failure(&error.to_string())),
    }
}

/// The modules with annotated functions among the files that the paths name.
fn find_modules(context: &Context<'_>, arguments: &Check) -> Result<Vec<Module>, Failure> {
    let mut modules = Vec::new();
    let mut stderr = Stderr::new(context.common.quiet);
    for path in context.python_files(&arguments.paths)? {
        let read = read(&path).and_then(|file| analyse(&file).map(|analysis| (file, analysis)));
        match read {
            Ok((file, analysis)) => modules.extend(module_of(context, &path, &file, &analysis, arguments)),
            Err(error) => stderr.show(&Message::warning(error.to_string())),
        }
    }
    Ok(modules)
}

fn module_of(
    context: &Context<'_>,
    path: &Path,
    file: &SourceFile,
    analysis: &Analysis,
    arguments: &Check,
) -> Option<Module> {
    let import_test = analysis.module_tests.first().map(|span| file.position(span.start).line);
    let script = analysis.main_block.filter(|_| arguments.scripts).map(|span| file.position(span.start).line);
    if analysis.annotated.is_empty() && import_test.is_none() && script.is_none() && !arguments.hints {
        return None;
    }
    let module = Module::of_file(&full_path(context, path), &context.root, context.shown(path), import_test);
    let nested = analysis.annotated.iter().filter(|each| each.is_nested).map(|each| each.name.clone()).collect();
    let uses_annotest = ["from annotest", "import annotest"].iter().any(|text| file.text().contains(text));
    Some(Module { script, nested, uses_annotest, ..module })
}

/// A path without links, so that it compares with paths below the root.
pub fn full_path(context: &Context<'_>, path: &Path) -> PathBuf {
    let full = context.current.join(path);
    std::fs::canonicalize(&full).unwrap_or(full)
}

/// The worker processes of a command, with their scratch folder, which goes when they go.
pub struct Workers {
    pub driver: Driver,
    pub scratch: PathBuf,
    pub python: Interpreter,
    pub slots: usize,
}

impl Workers {
    /// Starts them with the project's interpreter.
    pub fn start(context: &Context<'_>, interrupt: &Interrupt) -> Result<Workers, Failure> {
        let (driver, python) = workers::start(context, interrupt)?;
        let scratch = std::env::temp_dir().join(format!("temper-check-{}", std::process::id()));
        Ok(Workers { driver, scratch, slots: NonZeroUsize::get(context.settings.jobs), python })
    }

    /// The message for workers that failed.
    pub fn failure(&self, error: &str) -> Failure {
        workers::failure("the workers failed", &self.python, error, Exit::Inconclusive)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // A folder that cannot be removed is the operating system's to clean.
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

fn print(context: &Context<'_>, checked: &Checked, options: &Options, python: &Interpreter) -> Result<(), Failure> {
    let mut stderr = Stderr::new(context.common.quiet);
    for message in text::messages(checked) {
        stderr.show(&message);
    }
    context.print(|| text::render(checked, context.common.verbose > 0), || Ok(json::document(checked, options, python)))
}

/// Findings, then what could not be decided; a run that tested nothing is never green.
fn exit_of(checked: &Checked) -> Exit {
    let has = |test: fn(&Verdict) -> bool| checked.subjects.iter().any(|subject| test(&subject.verdict));
    if checked.is_interrupted {
        Exit::Interrupted
    } else if !checked.findings.is_empty() {
        Exit::Findings
    } else if checked.subjects.is_empty() {
        Exit::Nothing
    } else if has(|verdict| matches!(verdict, Verdict::Undecided(..) | Verdict::Failed(_))) {
        Exit::Inconclusive
    } else {
        Exit::Clean
    }
}
