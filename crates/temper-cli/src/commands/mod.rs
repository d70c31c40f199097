//! The commands, one file each, and what they share: project, settings, output.

mod apply;
mod bounds;
pub mod check;
mod config;
pub mod model;
mod proposal_text;
mod replay;
mod report;
mod review;
mod scan;

use std::path::{Path, PathBuf};

use serde::Serialize;
use temper_report::{Document, Exit, Format};
use temper_source::{DiscoverOptions, discover};

use crate::args::{Arguments, Command, Common};
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
        Command::Check(check) => check.paths.first().map(PathBuf::as_path),
        Command::Bounds(bounds) => bounds.tests.first().map(|test| Path::new(bounds::file_of(test))),
        Command::Model(model) => model.data.as_deref().or(model.suite.as_deref()),
        Command::Replay(_) | Command::Review(_) | Command::Apply(_) | Command::Report(_) | Command::Config(_) => None,
    };
    let own = match &arguments.command {
        Command::Bounds(bounds) => bounds.settings(),
        Command::Model(model) => model.settings(),
        Command::Check(check) => check.settings(),
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

impl Context<'_> {
    /// Prints results in the format of the settings: as `text`, or as a form of the document.
    pub fn print<Own: Serialize>(
        &self,
        text: impl FnOnce() -> String,
        document: impl FnOnce() -> Result<Document<Own>, Failure>,
    ) -> Result<(), Failure> {
        let results = match self.settings.format {
            Format::Text => text(),
            // Of no use to these, and long where there are many sites.
            format @ (Format::Json | Format::Sarif | Format::Junit) => render(&document()?, format, "")?,
            format => render(&document()?, format, &terminal::plain(&text()))?,
        };
        self.write_results(&results)
    }

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

    /// The Python files to work on, relative to the current folder where they lie below it: those of the paths named;
    /// else, in the project's root, of the paths in the settings; else of the current folder. A path that is not there
    /// is a mistake of the command line.
    pub fn python_files(&self, named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
        if let Some(absent) = named.iter().find(|path| !self.current.join(path).exists()) {
            return Err(no_such_path(&self.current, absent));
        }
        let paths: Vec<PathBuf> = if !named.is_empty() {
            named.iter().map(|path| self.current.join(path)).collect()
        } else if self.current == self.root {
            self.settings.paths.iter().map(|path| self.root.join(path)).collect()
        } else {
            vec![self.current.clone()]
        };
        let options = DiscoverOptions { excludes: self.settings.exclude.clone(), root: Some(self.root.clone()) };
        // Collecting the components drops the `.` of `./tests`.
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.components().collect()).collect();
        let found = discover(&paths, &options);
        match found.errors.into_iter().next() {
            Some(error) => Err(Message::error(error.to_string()).ends(Exit::Usage)),
            None => Ok(found.files.into_iter().map(|path| self.relative(path)).collect()),
        }
    }

    fn relative(&self, path: PathBuf) -> PathBuf {
        path.strip_prefix(&self.current).map(Path::to_path_buf).unwrap_or(path)
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

/// Names the entry of the same folder that is most like the one that is not there.
pub fn no_such_path(current: &Path, absent: &Path) -> Failure {
    let message = Message::error(format!("there is no file or folder `{}`", absent.display()));
    let folder = current.join(absent).parent().map(Path::to_path_buf).unwrap_or_default();
    let wanted = absent.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let likeness = |name: &String| strsim::jaro_winkler(&wanted, name);
    let nearest = names.filter(|name| likeness(name) > 0.8).max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let message = match nearest {
        Some(name) => message.hint(format!("did you mean `{}`?", absent.with_file_name(name).display())),
        None => message.hint("paths are relative to the current folder"),
    };
    message.ends(Exit::Usage)
}

pub fn cannot_write(what: &str, error: &std::io::Error) -> Failure {
    Message::error(format!("cannot write `{what}`")).fact(error.to_string()).ends(Exit::Usage)
}

/// A document has no JSON form only through a mistake of ours, which is reported as one.
fn render<Own: Serialize>(document: &Document<Own>, format: Format, text: &str) -> Result<String, Failure> {
    document
        .render(format, text)
        .map_err(|error| Message::error("the results have no JSON form").fact(error.to_string()).ends(Exit::Internal))
}
