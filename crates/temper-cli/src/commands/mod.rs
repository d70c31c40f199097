//! The commands, one file or folder each.

mod apply;
mod bounds;
pub mod check;
mod config;
mod context;
pub mod model;
mod replay;
mod report;
mod review;
mod scan;

use std::path::{Path, PathBuf};

use temper_report::Exit;

pub use self::context::{CommandContext, cannot_write, no_such_path};

use crate::args::{Command, CommandLine};
use crate::host::Host;
use crate::message::Failure;
use crate::project;
use crate::settings::{self, CommandSettings};

/// Runs the command that the arguments name.
pub fn run(arguments: &CommandLine, host: Host) -> Result<Exit, Failure> {
    let first_path = match &arguments.command {
        Command::Scan(scan) => scan.paths.first().map(PathBuf::as_path),
        Command::Check(check) => check.paths.first().map(PathBuf::as_path),
        Command::Bounds(bounds) => bounds.tests.first().map(|test| Path::new(bounds::file_of(test))),
        Command::Model(model) => model.data.as_deref().or(model.suite.as_deref()),
        Command::Replay(_) | Command::Review(_) | Command::Apply(_) | Command::Report(_) | Command::Config(_) => None,
    };
    let of_command = match &arguments.command {
        Command::Bounds(bounds) => bounds.settings(),
        Command::Model(model) => model.settings(),
        Command::Check(check) => check.settings(),
        _ => Vec::new(),
    };
    let given = arguments.common.settings().into_iter().chain(of_command).collect();
    let current = project::current_folder()?;
    let root = project::root(&current, first_path);
    let options = settings::load(&root, given)?;
    let settings = CommandSettings::resolve(&options)?;
    let Host { python: host_python, package_dir } = host;
    let context =
        CommandContext { root, current, settings, options, common: &arguments.common, host_python, package_dir };
    match &arguments.command {
        Command::Scan(scan) => scan::run(&context, scan),
        Command::Check(check) => check::run(&context, check).map(|exit| check.gate.exit(exit)),
        Command::Bounds(bounds) => bounds::run(&context, bounds).map(|exit| bounds.gate.exit(exit)),
        Command::Model(model) => model::run(&context, model).map(|exit| model.gate.exit(exit)),
        Command::Replay(replay) => replay::run(&context, replay),
        Command::Review(review) => review::run(&context, review),
        Command::Apply(apply) => apply::run(&context, apply),
        Command::Report(report) => report::run(&context, report),
        Command::Config(config) => config::run(&context, config),
    }
}
