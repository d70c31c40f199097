//! One run of the checker, with the settings of the command and its progress.

use std::time::Duration;

use temper_check::{CheckOptions, Checked, Module, check};
use temper_report::counted;

use super::check_workers::CheckWorkers;
use crate::args::Check;
use crate::commands::CommandContext;
use crate::message::Failure;
use crate::progress::{Ahead, ProgressLine};

/// What one worker may use on top of what is loaded: above what functions of machine-learning code use on small inputs.
const MEMORY_BYTES: u64 = 2 << 30;

/// Time for all functions together if the settings name none.
const DEFAULT_BUDGET: Duration = Duration::from_secs(60);
/// A budget of `none`: more than any run takes, and still a time that can be added to the clock.
const NO_LIMIT: Duration = Duration::from_secs(30 * 24 * 3600);

/// What the command and its settings ask of a check.
pub fn options(context: &CommandContext<'_>, arguments: &Check, slots: usize) -> CheckOptions {
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

/// Checks modules, with progress.
pub fn run_check(
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
