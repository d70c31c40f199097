//! The worker processes of a check, with their scratch folder.

use std::num::NonZeroUsize;
use std::path::PathBuf;

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
    pub scratch: PathBuf,
    pub python: Interpreter,
    pub slots: usize,
}

impl CheckWorkers {
    /// Starts them with the project's interpreter.
    pub fn start(context: &CommandContext<'_>, interrupt: &Interrupt) -> Result<CheckWorkers, Failure> {
        let (driver, python) = workers::start(context, interrupt)?;
        let scratch = std::env::temp_dir().join(format!("temper-check-{}", std::process::id()));
        Ok(CheckWorkers { driver, scratch, slots: NonZeroUsize::get(context.settings.jobs), python })
    }

    /// The message for workers that failed.
    pub fn failure(&self, error: &str) -> Failure {
        workers::failure("the workers failed", &self.python, error, Exit::Inconclusive)
    }
}

impl Drop for CheckWorkers {
    fn drop(&mut self) {
        // A folder that cannot be removed is the operating system's to clean.
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}
