//! The commands, one file or folder each.

mod accept;
mod apply;
mod bounds;
pub mod check;
mod ci;
mod clean;
mod config;
mod context;
mod explain;
mod merge;
pub mod model;
mod replay;
mod report;
mod review;
mod scan;
mod serve;
mod shell_files;

use std::path::{Path, PathBuf};

use temper_report::Exit;

pub use self::context::{CommandContext, cannot_write, no_such_path};

use crate::acceptances::AcceptedFile;
use crate::args::{Command, CommandLine};
use crate::host::Host;
use crate::message::{Failure, Message};
use crate::project;
use crate::settings::{self, CommandSettings};
use crate::terminal::Stderr;

/// Runs the command that the arguments name.
pub fn run(arguments: &CommandLine, host: Host) -> Result<Exit, Failure> {
    let first_path = match &arguments.command {
        Command::Scan(scan) => scan.paths.first().map(PathBuf::as_path),
        Command::Check(check) => check.paths.first().map(PathBuf::as_path),
        Command::Bounds(bounds) => bounds.tests.first().map(|test| Path::new(bounds::file_of(test))),
        Command::Model(model) => model.data.as_deref().or(model.suite.as_deref()),
        Command::Explain(explain) => return explain::run(&explain.word),
        Command::Ci(arguments) => return ci::run(arguments),
        Command::Completions(arguments) => return shell_files::completions(arguments),
        Command::Man(arguments) => return shell_files::man(arguments),
        _ => None,
    };
    let of_command = match &arguments.command {
        Command::Bounds(bounds) => bounds.settings(),
        Command::Model(model) => model.settings(),
        Command::Check(check) => check.settings(),
        Command::Replay(replay) => replay.allow.settings(),
        _ => Vec::new(),
    };
    let given = arguments.common.settings().into_iter().chain(of_command).collect();
    let current = project::current_folder()?;
    let root = project::root(&current, first_path);
    let options = settings::load(&root, arguments.command.name(), given)?;
    warn_of_variables(arguments.common.quiet);
    let acceptances = AcceptedFile::read(&root)?;
    let settings = CommandSettings::resolve(&options)?;
    let Host { python: host_python, package_dir } = host;
    let context = CommandContext {
        root,
        current,
        settings,
        options,
        common: &arguments.common,
        host_python,
        package_dir,
        acceptances,
    };
    match &arguments.command {
        Command::Scan(scan) => scan::run(&context, scan),
        Command::Check(check) => check::run(&context, check).map(|exit| check.gate.exit(exit)),
        Command::Bounds(bounds) => bounds::run(&context, bounds).map(|exit| bounds.gate.exit(exit)),
        Command::Model(model) => model::run(&context, model).map(|exit| model.gate.exit(exit)),
        Command::Replay(replay) => replay::run(&context, replay),
        Command::Review(review) => review::run(&context, review),
        Command::Apply(apply) => apply::run(&context, apply),
        Command::Report(report) => report::run(&context, report),
        Command::Accept(accept) => accept::run(&context, accept),
        Command::Clean(clean) => clean::run(&context, clean),
        Command::Merge(merge) => merge::run(&context, merge),
        Command::Config(config) => config::run(&context, config),
        Command::Serve(serve) => serve::run(&context, serve),
        // These need no project, and ended above.
        Command::Explain(_) | Command::Ci(_) | Command::Completions(_) | Command::Man(_) => Ok(Exit::Clean),
    }
}

/// A variable that is almost the name of a setting is a setting that does nothing.
fn warn_of_variables(quiet: u8) {
    let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for (name, meant) in settings::mistaken_variables(variables) {
        let message =
            Message::warning(format!("the variable `{name}` is no setting")).hint(format!("did you mean `{meant}`?"));
        Stderr::new(quiet).show(&message);
    }
}
