//! Ctrl-C and termination signals. The first one asks the command to stop and print what it has; the second ends the
//! process at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use temper_report::Exit;

use crate::message::{Failure, Message};

/// Says whether the user has asked to stop.
#[derive(Clone)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Takes the signals over for the rest of the process.
    pub fn install() -> Result<Interrupt, Failure> {
        Interrupt::register().map_err(|error| {
            Message::error("signals cannot be handled here").fact(error.to_string()).ends(Exit::Internal)
        })
    }

    fn register() -> io::Result<Interrupt> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // Registered first, so that it sees the flag as the signal before left it.
            flag::register_conditional_shutdown(signal, i32::from(Exit::Interrupted.code()), Arc::clone(&asked))?;
            flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Interrupt(asked))
    }

    /// The flag itself, for work that must stop at once.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// True once a signal has arrived.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
