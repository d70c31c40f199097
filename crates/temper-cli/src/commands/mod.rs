//! The commands, one file each, and what they share: project, settings, output.

mod config;

use std::path::{Path, PathBuf};

use serde::Serialize;
use temper_report::Document;

use crate::args::{Arguments, Command, Common};
use crate::exit::Exit;
use crate::message::{Failure, Message};
use crate::settings::{self, Options, Settings};
use crate::{project, terminal};

/// What a command starts from.
pub struct Context<'a> {
    pub root: PathBuf,
    pub settings: Settings,
    pub options: Options,
    pub common: &'a Common,
    pub host_python: Option<PathBuf>,
}

/// Runs the command that the arguments name.
pub fn run(arguments: &Arguments, host_python: Option<PathBuf>) -> Result<Exit, Failure> {
    let root = project::root(None)?;
    let options = settings::load(&root, &arguments.common)?;
    let settings = Settings::resolve(&options);
    let context = Context { root, settings, options, common: &arguments.common, host_python };
    match &arguments.command {
        Command::Config(config) => config::run(&context, config),
    }
}

impl Context<'_> {
    /// Writes results where the settings say. Files never get colour.
    pub fn write_results(&self, text: &str) -> Result<(), Failure> {
        match &self.settings.output {
            None => terminal::write_stdout(text).map_err(|error| cannot_write("standard output", &error)),
            Some(path) => {
                let written = std::fs::write(path, terminal::plain(text));
                written.map_err(|error| cannot_write(&path.display().to_string(), &error))
            }
        }
    }

    /// A path as results show it.
    pub fn shown(&self, path: &Path) -> String {
        project::shown(&self.root, path)
    }
}

fn cannot_write(what: &str, error: &std::io::Error) -> Failure {
    Message::error(format!("cannot write `{what}`")).fact(error.to_string()).ends(Exit::Usage)
}

/// The text of a document. It has no JSON form only through a mistake of ours, which is reported as one.
fn to_json<Own: Serialize>(document: &Document<Own>) -> Result<String, Failure> {
    document
        .to_json()
        .map_err(|error| Message::error("the results have no JSON form").fact(error.to_string()).ends(Exit::Internal))
}
