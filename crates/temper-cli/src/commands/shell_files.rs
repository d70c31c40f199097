//! Files for the shell and its manual, made from the arguments themselves.

use std::path::Path;

use clap::CommandFactory;
use temper_report::Exit;

use super::cannot_write;
use crate::args::{CommandLine, Completions, Man};
use crate::message::Failure;
use crate::terminal;

/// Prints a completion script.
pub fn completions(arguments: &Completions) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "temper", &mut script);
    let written = terminal::write_stdout(&String::from_utf8_lossy(&script));
    written.map_err(|error| cannot_write("standard output", &error.to_string()))?;
    Ok(Exit::Clean)
}

/// Writes a page of the manual for each command.
pub fn man(arguments: &Man) -> Result<Exit, Failure> {
    let mut command = CommandLine::command().disable_help_subcommand(true);
    command.build();
    page(&arguments.folder, &command, "temper")?;
    for each in command.get_subcommands() {
        page(&arguments.folder, each, &format!("temper-{}", each.get_name()))?;
    }
    Ok(Exit::Clean)
}

fn page(folder: &Path, command: &clap::Command, name: &str) -> Result<(), Failure> {
    let path = folder.join(format!("{name}.1"));
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut text)
        .map_err(|error| cannot_write(&path.display().to_string(), &error.to_string()))?;
    temper_files::write_output_with_folders(&path, &text)
        .map_err(|error| cannot_write(&path.display().to_string(), &error.reason()))
}
