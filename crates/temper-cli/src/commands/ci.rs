//! `temper ci init`: a workflow to start from.

use temper_report::Exit;

use crate::args::{CiArguments, CiCommand, CiServer};
use crate::message::Failure;
use crate::terminal;

const GITHUB: &str = include_str!("../ci/github.yml");
const GITLAB: &str = include_str!("../ci/gitlab.yml");

/// Prints the workflow.
pub fn run(arguments: &CiArguments) -> Result<Exit, Failure> {
    let CiCommand::Init { server } = &arguments.command;
    let text = match server {
        CiServer::Github => GITHUB,
        CiServer::Gitlab => GITLAB,
    };
    terminal::write_stdout(text).map_err(|error| super::cannot_write("standard output", &error.to_string()))?;
    Ok(Exit::Clean)
}
