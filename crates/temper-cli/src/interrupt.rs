//! What ends a command early: Ctrl-C, termination signals, and the end of its budget.
//!
//! The first signal asks the command to stop and print what it has. A second one ends the process at once, but only if it
//! comes a second later or more: programs such as `timeout` send one signal to a process and the same to its group.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use temper_report::Exit;

use crate::message::{Failure, Message};

/// How often the clock is looked at.
const TICK: Duration = Duration::from_millis(20);
/// Signals that come within this time of the first one are the same wish.
const SAME_WISH: Duration = Duration::from_secs(1);

/// Says whether the user has asked to stop, and stops workers when that is so or the budget is spent.
#[derive(Clone)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    /// Set by signals and by the end of the budget.
    work: Arc<AtomicBool>,
    until: Arc<Mutex<Option<Instant>>>,
}

impl Interrupt {
    /// Takes the signals over for the rest of the process.
    pub fn install() -> Result<Interrupt, Failure> {
        Interrupt::register().map_err(|error| {
            Message::error("signals cannot be handled here").fact(error.to_string()).ends(Exit::Internal)
        })
    }

    fn register() -> io::Result<Interrupt> {
        let flag = || Arc::new(AtomicBool::new(false));
        let (asked, work, is_second) = (flag(), flag(), flag());
        for signal in [SIGINT, SIGTERM] {
            flag::register_conditional_shutdown(signal, i32::from(Exit::Interrupted.code()), Arc::clone(&is_second))?;
            flag::register(signal, Arc::clone(&asked))?;
            flag::register(signal, Arc::clone(&work))?;
        }
        let interrupt = Interrupt { asked, work, until: Arc::default() };
        let watched = interrupt.clone();
        thread::spawn(move || watched.watch(&is_second));
        Ok(interrupt)
    }

    /// Keeps the clock until a signal is a second old.
    fn watch(&self, is_second: &AtomicBool) {
        while !self.is_asked() {
            if self.is_over() {
                self.work.store(true, Ordering::Relaxed);
            }
            thread::sleep(TICK);
        }
        thread::sleep(SAME_WISH);
        is_second.store(true, Ordering::Relaxed);
    }

    /// Stops workers at this time, whatever they are doing.
    pub fn end_work_at(&self, until: Option<Instant>) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// When the budget is spent.
    pub fn deadline(&self) -> Option<Instant> {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True once the budget is spent.
    pub fn is_over(&self) -> bool {
        self.deadline().is_some_and(|until| Instant::now() >= until)
    }

    /// The flag that stops work at once.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.work)
    }

    /// True once a signal has arrived.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}
