//! The worker processes of a check, with their scratch folder.

use std::num::NonZeroUsize;

use temper_files::PrivateFolder;
use temper_report::Exit;
use temper_worker::Driver;

use crate::commands::CommandContext;
use crate::interpreter::Interpreter;
use crate::interrupt::Interrupt;
use crate::message::Failure;
use crate::workers;

/// The worker processes of a command, with their scratch folder, which goes when they go.
pub struct CheckWorkers {
    pub driver: Driver,
    pub scratch: PrivateFolder,
    pub python: Interpreter,
    pub slots: usize,
}

impl CheckWorkers {
    /// Starts them with the project's interpreter.
    pub fn start(context: &CommandContext<'_>, interrupt: &Interrupt) -> Result<CheckWorkers, Failure> {
        let (driver, python) = workers::start_fenced(context, interrupt, context.settings.jobs)?;
        let scratch = workers::scratch()?;
        Ok(CheckWorkers { driver, scratch, slots: NonZeroUsize::get(context.settings.jobs), python })
    }

    /// The message for workers that failed.
    pub fn failure(&self, error: &str) -> Failure {
        workers::failure("the workers failed", &self.python, error, Exit::Inconclusive)
    }
}
