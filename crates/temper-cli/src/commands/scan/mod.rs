//! `temper scan`: what there is to work on, from the source text alone. Nothing is run and nothing is written.

mod text;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use temper_report::{Details, Document, Exit, FailedFile, Inventory, PythonRow};
use temper_source::{Analysis, Discovered, SourceError, SourceFile, analyse, read};

use super::CommandContext;
use crate::args::Scan;
use crate::fault;
use crate::interpreter::Interpreter;
use crate::interrupt::Interrupt;
use crate::inventory;
use crate::message::{Failure, Message};
use crate::progress::ProgressLine;
use crate::setup_hints::nested_projects;
use crate::terminal::Stderr;

/// What one file told, or why it told nothing.
type FileRead = Result<(SourceFile, Analysis), SourceError>;

/// Reads the files that the paths name and prints the inventory.
pub fn run(context: &CommandContext<'_>, scan: &Scan) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install()?;
    let python = context.interpreter()?;
    let Discovered { files: paths, notebooks, .. } = context.discovered(&scan.paths)?;
    if paths.is_empty() {
        let message = Message::warning("there are no Python files here").at(context.root.display().to_string());
        let message = message.hint("name the files or folders to read, as in `temper scan src tests`");
        Stderr::new(context.common.quiet).show(&message);
        return Ok(Exit::Nothing);
    }
    let (mut inventory, errors) = read_all(context, &paths, &interrupt)?;
    inventory.notebooks = notebooks;
    let nested = nested_projects(&context.root);
    let mut document = document(&inventory, python.as_ref());
    document.is_interrupted = interrupt.is_asked();
    context.print(&document, || text::render(&inventory, python.as_ref(), &nested, context.common.verbose > 0))?;
    let mut stderr = Stderr::new(context.common.quiet);
    for error in &errors {
        stderr.show(&warning(error));
    }
    if document.is_interrupted {
        let seen = inventory.files_read + inventory.files_failed.len();
        stderr.show(&Message::warning(format!("interrupted after {seen} of {} files", paths.len())));
    }
    Ok(document.exit())
}

/// Reads the files, several at a time, until all are read or the user asks to stop.
fn read_all(
    context: &CommandContext<'_>,
    paths: &[PathBuf],
    interrupt: &Interrupt,
) -> Result<(Inventory, Vec<SourceError>), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(context.settings.jobs.get()).build();
    let pool =
        pool.map_err(|error| Message::error("threads cannot be started").fact(error.to_string()).ends(Exit::Internal))?;
    let progress = ProgressLine::start("scanning", "files", paths.len(), context.common.quiet > 0);
    let sites = AtomicUsize::new(0);
    let read: Vec<Option<FileRead>> = pool.install(|| {
        let read_one = |path: &PathBuf| {
            if interrupt.is_asked() {
                return None;
            }
            fault::strike();
            let read = read_file(path);
            if let Ok((_, analysis)) = &read {
                sites.fetch_add(analysis.sites.len(), Ordering::Relaxed);
            }
            progress.step(|| format!("{} comparisons", sites.load(Ordering::Relaxed)));
            Some(read)
        };
        paths.par_iter().map(read_one).collect()
    });
    let found = read.iter().flatten().flatten();
    let asserting = found.flat_map(|(_, analysis)| analysis.asserting()).map(str::to_owned).collect();
    let mut errors = Vec::new();
    let mut inventory = Inventory { files_found: paths.len(), ..Inventory::default() };
    for (path, read) in paths.iter().zip(read) {
        match read {
            Some(Ok((file, analysis))) => {
                inventory::add(&mut inventory, &context.shown(path), &file, &analysis, &asserting);
            }
            Some(Err(error)) => {
                let path = context.shown(path);
                inventory.files_failed.push(FailedFile { path, message: error.to_string() });
                errors.push(error);
            }
            None => {}
        }
    }
    Ok((inventory, errors))
}

/// A file that told nothing, with its place if there is one.
fn warning(error: &SourceError) -> Message {
    match error {
        SourceError::Syntax { path, at, message } => Message::warning(format!("syntax error: {message}")).at(format!(
            "{}:{}:{}",
            path.display(),
            at.line,
            at.column
        )),
        other => Message::warning(other.to_string()),
    }
}

fn read_file(path: &Path) -> FileRead {
    let file = read(path)?;
    let analysis = analyse(&file)?;
    Ok((file, analysis))
}

/// What was read, as a document.
fn document(inventory: &Inventory, python: Option<&Interpreter>) -> Document {
    let row =
        |python: &Interpreter| PythonRow { path: python.path.display().to_string(), version: python.version.clone() };
    Document::new(Details::Scan { python: python.map(row), inventory: Box::new(inventory.clone()) })
}
