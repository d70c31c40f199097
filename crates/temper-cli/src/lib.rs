//! Internal: the `temper` command line. Reads arguments, configuration, environment and clock, which no crate below
//! does, runs one command and turns its result into output and an exit code. One file a command in `commands/`.

mod acceptances;
mod args;
mod commands;
mod day;
mod fault;
mod host;
mod interpreter;
mod interrupt;
mod inventory;
mod machine;
mod message;
mod progress;
mod project;
mod project_store;
mod settings;
mod setup_hints;
mod surroundings;
mod terminal;
mod workers;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use crate::commands::model::{ModelReport, report_model};
pub use crate::host::Host;

use temper_report::Exit;

use crate::message::{Failure, Message};

/// Runs the command line and returns the exit code of the process.
///
/// `args` starts with the program's name.
pub fn run<I>(args: I, host: Host) -> u8
where
    I: IntoIterator<Item = OsString>,
{
    let args: Vec<OsString> = args.into_iter().collect();
    report_panics_as_bugs();
    let exit = catch_unwind(AssertUnwindSafe(|| dispatch(&args, host))).unwrap_or(Exit::Internal);
    exit.code()
}

fn dispatch(args: &[OsString], host: Host) -> Exit {
    let arguments = match args::parse(args) {
        Ok(arguments) => arguments,
        Err(exit) => return exit,
    };
    match commands::run(&arguments, host) {
        Ok(exit) => exit,
        Err(Failure { exit, message }) => {
            terminal::Stderr::new(0).show(&message);
            exit
        }
    }
}

/// A panic is a bug in Temper: it is shown as one, with what a report needs, and not as a Rust backtrace.
fn report_panics_as_bugs() {
    std::panic::set_hook(Box::new(|info| {
        let what = info
            .payload()
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| info.payload().downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        let mut message = Message::error(format!("internal error: {what}"));
        if let Some(place) = info.location() {
            message = message.at(format!("{}:{}", place.file(), place.line()));
        }
        let message = message
            .fact(format!("temper {}", env!("CARGO_PKG_VERSION")))
            .hint("this is a bug in Temper; please report it with these lines and the command that was run");
        terminal::Stderr::new(0).show(&message);
    }));
}
