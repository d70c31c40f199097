//! `temper replay` of a finding of `temper check`: makes its call again, in a fresh process.

use std::path::Path;
use std::time::Duration;

use temper_check::{CheckOptions, Module, Saved, SavedFinding, replay};
use temper_report::{Exit, call_lines};

use crate::args::Replay;
use crate::commands::CommandContext;
use crate::commands::check::side::Side;
use crate::commands::check::{self, CheckWorkers};
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};

/// The findings of the last `temper check`.
pub fn saved(context: &CommandContext<'_>) -> Result<Saved, Failure> {
    Saved::read(&context.root).map_err(|error| Message::error(error.to_string()).ends(Exit::Usage))
}

/// Makes the call of a finding again and says whether it still crashes.
pub fn run(
    context: &CommandContext<'_>,
    finding: &SavedFinding,
    annotations: Option<&Path>,
    arguments: &Replay,
    interrupt: &Interrupt,
) -> Result<Exit, Failure> {
    let side = Side::read(context, annotations)?;
    let module = if finding.file.is_empty() {
        Module::named(finding.module.clone(), String::new())
    } else {
        let path = context.root.join(&finding.file);
        let module = Module::of_file(&path, &context.root, finding.file.clone(), None);
        Module { nested: vec![finding.subject.clone()], has_free_subjects: true, ..module }
    };
    let mut workers = CheckWorkers::start(context, interrupt)?;
    let options = CheckOptions {
        annotations: side.entries,
        with_hints: finding.with_hints,
        oracles: finding.oracles(),
        ..options(context, arguments, workers.slots)
    };
    let replayed = replay(&mut workers.driver, &module, finding, &context.root, &options)
        .map_err(|error| workers.failure(&error.to_string()))?;
    let (text, exit) = match replayed.kind {
        Some(kind) => {
            let place =
                if replayed.line > 0 { format!("{}:{}   ", replayed.path, replayed.line) } else { String::new() };
            let call = if replayed.call.is_empty() { &finding.call } else { &replayed.call };
            let said = format!("{place}{}   {}   {}", finding.subject, replayed.message, kind.word());
            (format!("{said}\n{}", call_lines(call)), Exit::Findings)
        }
        None => {
            let why = if replayed.message.is_empty() { String::new() } else { format!(" ({})", replayed.message) };
            (format!("{}   the call passes now{why}\n{}", finding.subject, call_lines(&finding.call)), Exit::Clean)
        }
    };
    context.write_results(&text)?;
    Ok(exit)
}

fn options(context: &CommandContext<'_>, arguments: &Replay, slots: usize) -> CheckOptions {
    CheckOptions {
        draws: 1,
        budget: Duration::from_secs(60),
        seed: 0,
        with_search: false,
        with_hints: false,
        with_lives: true,
        oracles: Vec::new(),
        with_nan: true,
        annotations: Vec::new(),
        emit: None,
        filter: None,
        shard: None,
        allow_write: arguments.allow.writable(),
        allow_read: arguments.allow.readable(),
        pass_env: context.settings.pass_env.clone(),
        allow_net: arguments.allow.allow_net,
        allow_subprocess: arguments.allow.allow_subprocess,
        memory_bytes: check::memory_bytes(context),
        import_limits: context.settings.limits.clone(),
        slots,
    }
}
