//! `temper check`: crashing inputs of annotated functions, inside their declared valid inputs.

mod check_run;
mod check_workers;
mod emit;
mod modules;
pub mod side;
mod suggest;
mod suggest_table;
mod warnings;

use std::time::Instant;

use temper_check::{Saved, keep_regressions};
use temper_report::{Exit, counted};

pub use self::check_run::memory_bytes;
pub use self::check_workers::CheckWorkers;

use self::check_run::{options, run_check};
use self::emit::Emit;
use self::modules::{FoundModules, find_modules};
use self::side::Side;
use super::CommandContext;
use crate::args::Check;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::terminal::Stderr;

/// Checks the annotated functions that the paths name.
pub fn run(context: &CommandContext<'_>, arguments: &Check) -> Result<Exit, Failure> {
    refuse_cluster(context, arguments)?;
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

/// Functions are checked on this machine. An option that says otherwise is an error; a setting may be meant for `temper bounds`.
fn refuse_cluster(context: &CommandContext<'_>, arguments: &Check) -> Result<(), Failure> {
    const INSTEAD: &str = "divide the work with `--shard 1/4` and join the parts with `temper merge`";
    let said = "`temper check` does its work on this machine, not on a cluster";
    match arguments.executor.as_deref() {
        None | Some("local") if context.settings.cluster.is_some() => Stderr::new(context.common.quiet).note(said),
        None | Some("local") => {}
        Some(executor) => {
            let message = Message::error(said).fact(format!("--executor {executor} is an option of `temper bounds`"));
            return Err(message.hint(INSTEAD).ends(Exit::Usage));
        }
    }
    Ok(())
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
