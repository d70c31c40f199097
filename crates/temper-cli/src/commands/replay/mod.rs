//! `temper replay`: a finding once more, in a fresh process, whichever job made it.

mod bounds;
mod check;
mod model;

use temper_check::Saved;
use temper_report::Exit;

use super::Context;
use crate::args::Replay;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};

/// Looks the finding up among those of every job and runs it again.
pub fn run(context: &Context<'_>, arguments: &Replay) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install()?;
    let saved = check::saved(context)?;
    if let Some(finding) = saved.find(&arguments.id) {
        return check::run(context, finding, saved.annotations.as_deref(), arguments, &interrupt);
    }
    if let Some(wanted) = bounds::find(context, &arguments.id)? {
        return bounds::run(context, &wanted, &interrupt);
    }
    match model::find(context, &arguments.id)? {
        Some(kept) => model::run(context, &kept, &interrupt),
        None => Err(unknown(&arguments.id, &saved)),
    }
}

fn unknown(id: &str, saved: &Saved) -> Failure {
    let known: Vec<String> =
        saved.findings.iter().map(|finding| format!("C{} ({})", finding.number, finding.id)).collect();
    let message = Message::error(format!("there is no finding `{id}`"));
    let message = if known.is_empty() {
        message.hint("`temper check`, `temper bounds` and `temper model` print the ids of their findings")
    } else {
        message.hint(format!("the last `temper check` found {}", known.join(", ")))
    };
    message.ends(Exit::Usage)
}
