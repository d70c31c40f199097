//! `temper report`: the records of the last runs, all jobs together, in any form; and the text of a pull request for one
//! patch.

mod pull_request;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use temper_report::{CombinedReport, Details, Document, Exit, ReportPart};

use super::CommandContext;
use crate::acceptances::AcceptedFile;
use crate::args::ReportArguments;
use crate::message::{Failure, Message};
use crate::surroundings;
use crate::terminal::Stderr;

/// The commands whose records are kept, in the order of the report.
const RECORDED: [&str; 4] = ["bounds", "check", "model", "properties"];
/// Where `--open` keeps the page.
const PAGE: &str = "report.html";

/// Prints the reports.
pub fn run(context: &CommandContext<'_>, arguments: &ReportArguments) -> Result<Exit, Failure> {
    if let Some(id) = &arguments.pr {
        return pull_request::run(context, id);
    }
    let documents = match arguments.projects.as_slice() {
        [] => records(context)?,
        projects => of_projects(context, projects)?,
    };
    let text = |document: &Document| format!("{}\n{}\n", heading(document), document.text(is_verbose(context)));
    let parts = documents.iter().map(|document| ReportPart { document, text: text(document) }).collect();
    let root = if arguments.projects.is_empty() { &context.root } else { &context.current };
    let report = CombinedReport { parts, surroundings: surroundings::of(root, &documents) };
    if arguments.open {
        return open(context, &report);
    }
    context.write_report(&report)?;
    Ok(Exit::Clean)
}

/// The command whose record it is. Property tests are run by pytest.
fn heading(document: &Document) -> String {
    match document.details {
        Details::Properties {} => "property tests".to_owned(),
        _ => format!("temper {}", document.command()),
    }
}

fn is_verbose(context: &CommandContext<'_>) -> bool {
    context.common.verbose > 0
}

/// The records of the project.
pub fn records(context: &CommandContext<'_>) -> Result<Vec<Document>, Failure> {
    let found = records_in(context, &context.root)?;
    if found.is_empty() { Err(no_record(&context.root)) } else { Ok(found) }
}

/// The records of several projects, with paths from the current folder.
fn of_projects(context: &CommandContext<'_>, projects: &[PathBuf]) -> Result<Vec<Document>, Failure> {
    let mut found = Vec::new();
    for project in projects {
        let root = context.current.join(project);
        if !root.is_dir() {
            return Err(super::no_such_path(&context.current, project));
        }
        let records = records_in(context, &root)?;
        if records.is_empty() {
            return Err(no_record(&root));
        }
        let folder: PathBuf = project.components().collect();
        found.extend(records.into_iter().map(|record| record.below(&folder.display().to_string())));
    }
    Ok(found)
}

/// The records that there are. One that this version cannot read is named and left out.
fn records_in(context: &CommandContext<'_>, root: &Path) -> Result<Vec<Document>, Failure> {
    let acceptances = AcceptedFile::read(root)?;
    let mut found = Vec::new();
    for command in RECORDED {
        let name = format!("records/{command}.json");
        let Some(text) = temper_store::read_file(root, &name).ok().flatten() else { continue };
        match Document::from_json(&text) {
            Ok(document) => found.push(context.with_acceptances(document, &acceptances, root)),
            Err(error) => {
                let message = Message::warning(format!("`.temper/{name}` is left out")).fact(error.to_string());
                Stderr::new(context.common.quiet).show(&message);
            }
        }
    }
    Ok(found)
}

fn no_record(root: &Path) -> Failure {
    Message::error("there is no record of a run here")
        .at(root.display().to_string())
        .hint("`temper bounds`, `temper check`, `temper model` and `pytest --temper-report` leave one")
        .ends(Exit::Nothing)
}

/// Keeps the page in `.temper/` and shows it in the browser of the desktop.
fn open(context: &CommandContext<'_>, report: &CombinedReport<'_>) -> Result<Exit, Failure> {
    let page = context.rendered(report, temper_report::Format::Html)?;
    temper_store::write_file(&context.root, PAGE, &page)
        .map_err(|error| super::cannot_write(PAGE, &error.to_string()))?;
    let path = context.root.join(".temper").join(PAGE);
    match show(&path) {
        true => Ok(Exit::Clean),
        false => Err(Message::error("no browser could be started")
            .fact(format!("the page is in {}", path.display()))
            .ends(Exit::Inconclusive)),
    }
}

fn show(path: &Path) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started =
        Command::new(program).arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    started.and_then(|mut child| child.wait()).is_ok_and(|status| status.success())
}
