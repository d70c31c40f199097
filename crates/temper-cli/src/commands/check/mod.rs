//! `temper check`: crashing inputs of annotated functions, inside their declared valid inputs.

mod check_workers;
mod emit;
mod modules;
pub mod side;
mod suggest;
mod suggest_table;
mod warnings;

use std::time::{Duration, Instant};

use temper_check::{CheckOptions, Checked, Module, Saved, check, keep_regressions};
use temper_report::{Exit, counted};

pub use self::check_workers::CheckWorkers;
pub use self::modules::full_path;

use self::emit::Emit;
use self::modules::{FoundModules, find_modules};
use self::side::Side;
use super::CommandContext;
use crate::args::Check;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::progress::{Ahead, ProgressLine};
use crate::terminal::Stderr;

/// What one worker may use on top of what is loaded: above what functions of machine-learning code use on small inputs.
const MEMORY_BYTES: u64 = 2 << 30;

/// Time for all functions together if the settings name none.
const DEFAULT_BUDGET: Duration = Duration::from_secs(60);
/// A budget of `none`: more than any run takes, and still a time that can be added to the clock.
const NO_LIMIT: Duration = Duration::from_secs(30 * 24 * 3600);

/// Checks the annotated functions that the paths name.
pub fn run(context: &CommandContext<'_>, arguments: &Check) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install()?;
    if context.options.is_chosen("budget") {
        interrupt.end_work_at(context.settings.budget.map(|budget| Instant::now() + budget));
    }
    if arguments.suggest {
        return suggest::run(context, arguments, &interrupt);
    }
    let emit = Emit::of(&arguments.emit)?;
    let side = Side::read(context, arguments.annotations.as_deref())?;
    let FoundModules { mut modules, plain_functions } = find_modules(context, arguments, &side)?;
    side.add_modules(&mut modules, !arguments.paths.is_empty());
    if modules.is_empty() {
        Stderr::new(context.common.quiet).show(&nothing_to_check(context, plain_functions));
        return Ok(Exit::Nothing);
    }
    let workers = CheckWorkers::start(context, &interrupt)?;
    let mut options = options(context, arguments, workers.slots);
    options.annotations = side.entries.clone();
    options.emit = emit.as_ref().map(|emit| emit.form);
    let (mut checked, workers) = run_check(context, workers, &modules, &options)?;
    // The end of the budget stops workers too, and is no wish of the user's to stop.
    checked.is_interrupted &= interrupt.is_asked();
    let mut stderr = Stderr::new(context.common.quiet);
    let saved = Saved { annotations: side.path, ..Saved::of(&checked, &modules, options.with_hints) };
    if let Err(error) = saved.write(&context.root) {
        stderr.show(&Message::warning("findings are not kept for `temper replay`").fact(error.to_string()));
    }
    if let Err(error) = keep_regressions(&context.root, &checked.regressions) {
        stderr.show(&Message::warning("results are not kept for `@regression`").fact(error.to_string()));
    }
    let document = checked.document(options.seed, workers.python.version.as_deref());
    for message in warnings::of(&document, &checked) {
        stderr.show(&message);
    }
    let exit = context.finish(&document)?;
    if let Some(emit) = emit {
        let files = emit.write(context, &checked, &modules)?;
        stderr.note(&format!("{} test files written: {}", files.len(), files.join(", ")));
    }
    Ok(exit)
}

fn nothing_to_check(context: &CommandContext<'_>, plain_functions: usize) -> Message {
    let message = Message::warning("there are no annotated functions here").at(context.root.display().to_string());
    match plain_functions {
        0 => message.hint("say what inputs are valid, as in `@temper.arg(\"n\", temper.ints(1, 9))` above a function"),
        count => {
            let functions = counted(count, "function");
            message.hint(format!("`temper check --suggest` proposes annotations for {functions}"))
        }
    }
}

fn options(context: &CommandContext<'_>, arguments: &Check, slots: usize) -> CheckOptions {
    let settings = &context.settings;
    let is_budget_set = context.options.is_chosen("budget");
    let no_limit = if is_budget_set { NO_LIMIT } else { DEFAULT_BUDGET };
    CheckOptions {
        draws: settings.draws,
        budget: settings.budget.unwrap_or(no_limit),
        seed: settings.seed,
        with_lives: true,
        oracles: arguments.oracle.iter().map(|oracle| oracle.name()).collect(),
        with_nan: arguments.nan,
        annotations: Vec::new(),
        emit: None,
        with_search: !arguments.no_search,
        with_hints: arguments.hints,
        filter: arguments.name.clone(),
        shard: arguments.shard,
        allow_write: arguments.allow.writable(),
        allow_read: arguments.allow.readable(),
        pass_env: context.settings.pass_env.clone(),
        allow_net: arguments.allow.allow_net,
        allow_subprocess: arguments.allow.allow_subprocess,
        memory_bytes: memory_bytes(context),
        import_limits: settings.limits.clone(),
        slots,
    }
}

/// What one worker may use: what the user chose, or less than the tests of a project need.
pub fn memory_bytes(context: &CommandContext<'_>) -> u64 {
    if context.options.is_chosen("memory-limit") { context.settings.limits.memory_bytes } else { MEMORY_BYTES }
}

fn run_check(
    context: &CommandContext<'_>,
    mut workers: CheckWorkers,
    modules: &[Module],
    options: &CheckOptions,
) -> Result<(Checked, CheckWorkers), Failure> {
    let mut progress: Option<ProgressLine> = None;
    let is_quiet = context.common.quiet > 0;
    let checked = check(&mut workers.driver, modules, &context.root, workers.scratch.folder(), options, &mut |now| {
        let shown = progress.get_or_insert_with(|| ProgressLine::start("checking", "functions", now.total, is_quiet));
        shown.set(
            now.done,
            now.total,
            |elapsed| Ahead::at_pace(elapsed, now.done, now.total),
            || counted(now.findings, "finding"),
        );
    });
    drop(progress);
    match checked {
        Ok(checked) => Ok((checked, workers)),
        Err(error) => Err(workers.failure(&error.to_string())),
    }
}
