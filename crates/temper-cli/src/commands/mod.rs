//! The commands, one file each, and what they share: project, settings, output.

mod bounds;
mod bounds_json;
mod bounds_text;
mod config;
mod replay;
mod scan;
mod scan_text;

use std::path::{Path, PathBuf};

use serde::Serialize;
use temper_report::Document;

use crate::args::{Arguments, Command, Common};
use crate::exit::Exit;
use crate::interpreter::Interpreter;
use crate::message::{Failure, Message};
use crate::settings::{self, Options, Settings};
use crate::{Host, project, terminal};

/// What a command starts from.
pub struct Context<'a> {
    pub root: PathBuf,
    pub current: PathBuf,
    pub settings: Settings,
    pub options: Options,
    pub common: &'a Common,
    pub host_python: Option<PathBuf>,
    /// The folder that holds the Python package `temper`, which workers load.
    pub package_dir: Option<PathBuf>,
}

/// Runs the command that the arguments name.
pub fn run(arguments: &Arguments, host: Host) -> Result<Exit, Failure> {
    let first_path = match &arguments.command {
        Command::Scan(scan) => scan.paths.first().map(PathBuf::as_path),
        Command::Bounds(bounds) => bounds.tests.first().map(|test| Path::new(bounds::file_of(test))),
        Command::Replay(_) | Command::Config(_) => None,
    };
    let own = match &arguments.command {
        Command::Bounds(bounds) => bounds.settings(),
        _ => Vec::new(),
    };
    let current = project::current_folder()?;
    let root = project::root(&current, first_path);
    let options = settings::load(&root, &arguments.common, own)?;
    let settings = Settings::resolve(&options);
    let Host { python: host_python, package_dir } = host;
    let context = Context { root, current, settings, options, common: &arguments.common, host_python, package_dir };
    match &arguments.command {
        Command::Scan(scan) => scan::run(&context, scan),
        Command::Bounds(bounds) => bounds::run(&context, bounds),
        Command::Replay(replay) => replay::run(&context, replay),
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

    /// The paths to work on, relative to the current folder as a user would type them: those named; else, in the
    /// project's root, those of the settings; else the current folder.
    pub fn paths(&self, named: &[PathBuf]) -> Vec<PathBuf> {
        if !named.is_empty() {
            named.to_vec()
        } else if self.current == self.root {
            self.settings.paths.clone()
        } else {
            vec![PathBuf::from(".")]
        }
    }

    /// The interpreter that the project runs with.
    pub fn interpreter(&self) -> Result<Option<Interpreter>, Failure> {
        Interpreter::choose(self.settings.python.as_deref(), &self.root, self.host_python.clone())
    }

    /// A path as results show it: relative to the project where it lies in it.
    pub fn shown(&self, path: &Path) -> String {
        project::shown(&self.root, &self.current.join(path))
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
