//! What a command starts from, and what all commands do: find files, save and print results.

use std::path::{Path, PathBuf};

use temper_report::{CombinedReport, Document, Exit, Format, ReportPart, ReportSurroundings, without_colour};
use temper_source::{DiscoverOptions, Discovered, discover};

use crate::acceptances::{self, AcceptedFile};
use crate::args::Common;
use crate::interpreter::Interpreter;
use crate::message::{Failure, Message};
use crate::settings::{CommandSettings, MergedOptions};
use crate::terminal::Stderr;
use crate::{project, surroundings, terminal};

/// What a command starts from.
pub struct CommandContext<'a> {
    pub root: PathBuf,
    pub current: PathBuf,
    pub settings: CommandSettings,
    pub options: MergedOptions,
    pub common: &'a Common,
    pub host_python: Option<PathBuf>,
    /// The folder that holds the Python package `temper`, which workers load.
    pub package_dir: Option<PathBuf>,
    /// Findings that somebody has accepted.
    pub acceptances: AcceptedFile,
}

impl CommandContext<'_> {
    /// Saves the record of a run, prints it in the format of the settings, and says how the run ends.
    pub fn finish(&self, document: &Document) -> Result<Exit, Failure> {
        self.finish_with(document, |text| text)
    }

    /// The same, with something added to the text.
    pub fn finish_with(&self, document: &Document, added: impl FnOnce(String) -> String) -> Result<Exit, Failure> {
        let document = self.with_acceptances(document.clone(), &self.acceptances, &self.root);
        self.save(&document)?;
        surroundings::remember(&self.root, &document);
        self.print(&document, || added(document.text(self.common.verbose > 0)))?;
        Ok(document.exit())
    }

    /// The record of the project in `root`, with what is accepted of it.
    pub fn with_acceptances(&self, mut document: Document, file: &AcceptedFile, root: &Path) -> Document {
        let (accepted, messages) = acceptances::of(file, &document, root);
        document.accepted = accepted;
        let mut stderr = Stderr::new(self.common.quiet);
        messages.iter().for_each(|message| stderr.show(message));
        document
    }

    /// Keeps the record of a run in `.temper/`, one file a command.
    pub fn save(&self, document: &Document) -> Result<(), Failure> {
        let text = document.to_json().map_err(|error| no_json(&error))?;
        let name = format!("records/{}.json", document.command());
        if let Err(error) = temper_store::write_file(&self.root, &name, &text) {
            let message = Message::warning("the record of the run is not kept").fact(error.to_string());
            Stderr::new(self.common.quiet).show(&message);
        }
        Ok(())
    }

    /// Prints a document in the format of the settings. `text` is how a person reads it.
    pub fn print(&self, document: &Document, text: impl FnOnce() -> String) -> Result<(), Failure> {
        let formats = self.settings.reports.iter().map(|(format, _)| *format).chain([self.settings.format]);
        let surroundings = match formats.into_iter().any(|format| matches!(format, Format::Html | Format::Sarif)) {
            true => surroundings::of(&self.root, std::slice::from_ref(document)),
            false => ReportSurroundings::default(),
        };
        self.write_report(&CombinedReport { parts: vec![ReportPart { document, text: text() }], surroundings })
    }

    /// Writes a report in every form that was asked for.
    pub fn write_report(&self, report: &CombinedReport<'_>) -> Result<(), Failure> {
        self.write_results(&self.rendered(report, self.settings.format)?)?;
        for (format, path) in &self.settings.reports {
            let text = self.rendered(report, *format)?;
            self.write_to(path.as_deref(), &text)?;
        }
        Ok(())
    }

    /// A report in one form.
    pub fn rendered(&self, report: &CombinedReport<'_>, format: Format) -> Result<String, Failure> {
        report.render(format).map_err(|error| no_json(&error))
    }

    /// Writes results where the settings say. Files never get colour.
    pub fn write_results(&self, text: &str) -> Result<(), Failure> {
        self.write_to(self.settings.output.as_deref(), text)
    }

    /// Writes to a file, or to standard output.
    fn write_to(&self, path: Option<&Path>, text: &str) -> Result<(), Failure> {
        match path {
            None => terminal::write_stdout(text).map_err(|error| cannot_write("standard output", &error.to_string())),
            Some(path) => {
                let written = temper_files::write_output(path, without_colour(text).as_bytes());
                written.map_err(|error| cannot_write(&path.display().to_string(), &error.reason()))
            }
        }
    }

    /// The Python files to work on, relative to the current folder if they lie below it: those of the paths named;
    /// else, in the project's root, of the paths in the settings; else of the current folder. A path that is not there
    /// is a mistake of the command line.
    pub fn python_files(&self, named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
        Ok(self.discovered(named)?.files)
    }

    /// The same, with what else lies there.
    pub fn discovered(&self, named: &[PathBuf]) -> Result<Discovered, Failure> {
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
        let mut found = discover(&paths, &options);
        if let Some(error) = found.errors.first() {
            return Err(Message::error(error.to_string()).ends(Exit::Usage));
        }
        found.files = found.files.into_iter().map(|path| self.relative(path)).collect();
        Ok(found)
    }

    fn relative(&self, path: PathBuf) -> PathBuf {
        path.strip_prefix(&self.current).map(Path::to_path_buf).unwrap_or(path)
    }

    /// The interpreter that the project runs with.
    pub fn interpreter(&self) -> Result<Option<Interpreter>, Failure> {
        Interpreter::choose(self.settings.python.as_deref(), &self.root, self.host_python.clone())
    }

    /// A path as results show it: relative to the project if it lies in it.
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

pub fn cannot_write(what: &str, reason: &str) -> Failure {
    Message::error(format!("cannot write `{what}`")).fact(reason).ends(Exit::Usage)
}

/// A document has no JSON form only through a mistake of ours, which is reported as one.
fn no_json(error: &serde_json::Error) -> Failure {
    Message::error("the results have no JSON form").fact(error.to_string()).ends(Exit::Internal)
}
