//! `temper replay`: makes the call of a finding again, in a fresh process.

use std::time::Duration;

use temper_check::{Module, Options, Saved, replay};

use super::Context;
use super::check::Workers;
use crate::args::Replay;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};

/// Runs one finding again and says whether it is still there.
pub fn run(context: &Context<'_>, arguments: &Replay) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install().map_err(|error| {
        Message::error("signals cannot be handled here").fact(error.to_string()).ends(Exit::Internal)
    })?;
    let saved = Saved::read(&context.root).map_err(|error| Message::error(error.to_string()).ends(Exit::Usage))?;
    let Some(finding) = saved.find(&arguments.id) else { return Err(unknown(&arguments.id, &saved)) };
    let path = context.root.join(&finding.file);
    let module = Module::of_file(&path, &context.root, finding.file.clone(), None);
    let mut workers = Workers::start(context, &interrupt)?;
    let options = options(arguments, workers.slots);
    let replayed = replay(&mut workers.driver, &module, finding, &context.root, &options)
        .map_err(|error| workers.failure(&error.to_string()))?;
    let (text, exit) = match replayed.kind {
        Some(kind) => {
            let place =
                if replayed.line > 0 { format!("{}:{}   ", replayed.path, replayed.line) } else { String::new() };
            let call = if replayed.call.is_empty() { &finding.call } else { &replayed.call };
            let text =
                format!("{place}{}   {}   {}\n  call       {call}\n", finding.subject, replayed.message, kind.word());
            (text, Exit::Findings)
        }
        None => {
            let why = if replayed.message.is_empty() { String::new() } else { format!(" ({})", replayed.message) };
            (format!("{}   the call passes now{why}\n  call       {}\n", finding.subject, finding.call), Exit::Clean)
        }
    };
    context.write_results(&text)?;
    Ok(exit)
}

fn options(arguments: &Replay, slots: usize) -> Options {
    Options {
        draws: 1,
        budget: Duration::from_secs(60),
        seed: 0,
        with_search: false,
        with_hints: true,
        filter: None,
        allow_write: arguments.allow_write.clone(),
        allow_net: arguments.allow_net,
        allow_subprocess: arguments.allow_subprocess,
        memory_bytes: super::check::MEMORY_BYTES,
        slots,
    }
}

fn unknown(id: &str, saved: &Saved) -> Failure {
    let known: Vec<String> =
        saved.findings.iter().map(|finding| format!("C{} ({})", finding.number, finding.id)).collect();
    let message = Message::error(format!("there is no finding `{id}`"));
    let message = if known.is_empty() {
        message.hint("run `temper check` first; it keeps its findings in `.temper/`")
    } else {
        message.hint(format!("the last run found {}", known.join(", ")))
    };
    message.ends(Exit::Usage)
}
