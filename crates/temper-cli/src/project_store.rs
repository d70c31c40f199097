//! The project's store as commands open it: what became of an earlier one is said, and one command uses it at a time.

use std::path::Path;
use std::thread;
use std::time::Duration;

use temper_files::{FileLock, state_folder};
use temper_report::Exit;
use temper_store::{SetAside, Store, StoreError};

use crate::commands::CommandContext;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::terminal::Stderr;

/// How often a lock that another command holds is tried again.
const RETRY: Duration = Duration::from_millis(50);
/// Held while a command takes runs or removes them.
const LOCK: &str = "lock";

/// Opens the store, and says what became of an earlier one that cannot be used.
pub fn open(context: &CommandContext<'_>) -> Result<Store, Failure> {
    let store = Store::open(&context.root).map_err(cannot_store)?;
    if let Some(set_aside) = store.set_aside() {
        Stderr::new(context.common.quiet).show(&set_aside_message(set_aside));
    }
    Ok(store)
}

/// The message for a store that cannot be used.
pub fn cannot_store(error: StoreError) -> Failure {
    Message::error("the store cannot be used").fact(error.to_string()).ends(Exit::Inconclusive)
}

fn set_aside_message(set_aside: &SetAside) -> Message {
    let moved = |path: &Path| format!("it is kept as `{}`", path.display());
    match set_aside {
        SetAside::OldRuns => Message::warning("the runs of an older version of Temper are set aside")
            .fact("they do not say which files and variables they used, so nobody can tell whether they still count"),
        SetAside::LaterVersion(path) => {
            Message::warning("the store of a later version of Temper is set aside").fact(moved(path))
        }
        SetAside::Damaged(path) => Message::warning("the store is damaged, and a new one is made").fact(moved(path)),
    }
}

/// Waits until no other command works on the project, and says whom it waits for.
pub fn lock(context: &CommandContext<'_>, command: &str, interrupt: &Interrupt) -> Result<FileLock, Failure> {
    let mut is_said = false;
    loop {
        match try_lock(context, command)? {
            Ok(lock) => return Ok(lock),
            Err(holder) if !is_said => {
                is_said = true;
                Stderr::new(context.common.quiet).note(&format!("waiting for {holder} on this project"));
            }
            Err(_) if interrupt.is_asked() => return Err(Message::warning("interrupted").ends(Exit::Interrupted)),
            Err(holder) if interrupt.is_over() => {
                let message = Message::error(format!("the budget was spent waiting for {holder} on this project"));
                return Err(message.hint("the same command goes on when that one has ended").ends(Exit::Inconclusive));
            }
            Err(_) => thread::sleep(RETRY),
        }
    }
}

/// The lock, or who holds it.
pub fn try_lock(context: &CommandContext<'_>, command: &str) -> Result<Result<FileLock, String>, Failure> {
    let holder = format!("`temper {command}` (process {})", std::process::id());
    let locked = state_folder(&context.root).and_then(|folder| folder.try_lock(LOCK, &holder));
    locked.map_err(|error| cannot_store(error.into()))
}
