//! `temper serve`: the end of a cluster at which the work is done. Started by `python/temper/cluster/plugin.py`.

use std::io::{stdin, stdout};
use std::num::NonZeroUsize;

use temper_report::Exit;
use temper_worker::{ServePlace, WorkerError};

use super::CommandContext;
use crate::args::Serve;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::{machine, workers};

/// Does pieces of work from standard input until it ends.
pub fn run(context: &CommandContext<'_>, arguments: &Serve) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install()?;
    let (driver, python) = workers::start_slots(context, &interrupt, NonZeroUsize::MIN)?;
    let root = std::fs::canonicalize(&arguments.root)
        .map_err(|error| Message::error(format!("no project is there: {error}")).ends(Exit::Usage))?;
    let place = ServePlace { root: &root, prefix: &arguments.prefix, machine: &machine::kind() };
    match temper_worker::serve(driver, &place, stdin().lock(), stdout().lock()) {
        Ok(()) | Err(WorkerError::Cancelled) => Ok(Exit::Clean),
        Err(error) => Err(workers::failure("the workers failed", &python, &error.to_string(), Exit::Inconclusive)),
    }
}
