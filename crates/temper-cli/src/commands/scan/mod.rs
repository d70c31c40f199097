//! `temper scan`: what there is to work on, from the source text alone. Nothing is run and nothing is written.

mod text;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::Serialize;
use temper_report::{Document, Exit};
use temper_source::{Analysis, SourceError, SourceFile, analyse, read};

use super::Context;
use crate::args::Scan;
use crate::fault;
use crate::interpreter::Interpreter;
use crate::interrupt::Interrupt;
use crate::inventory::{FailedFile, Inventory};
use crate::message::{Failure, Message};
use crate::progress::Progress;
use crate::terminal::Stderr;

/// What one file told, or why it told nothing.
type Read = Result<(SourceFile, Analysis), SourceError>;

/// Reads the files that the paths name and prints the inventory.
pub fn run(context: &Context<'_>, scan: &Scan) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install()?;
    let python = context.interpreter()?;
    let paths = context.python_files(&scan.paths)?;
    if paths.is_empty() {
        let message = Message::warning("there are no Python files here").at(context.root.display().to_string());
        let message = message.hint("name the files or folders to read, as in `temper scan src tests`");
        Stderr::new(context.common.quiet).show(&message);
        return Ok(Exit::Nothing);
    }
    let (inventory, errors) = read_all(context, &paths, &interrupt)?;
    print(context, &inventory, python.as_ref())?;
    let mut stderr = Stderr::new(context.common.quiet);
    for error in &errors {
        stderr.show(&warning(error));
    }
    if interrupt.is_asked() {
        let seen = inventory.files_read + inventory.files_failed.len();
        stderr.show(&Message::warning(format!("interrupted after {seen} of {} files", paths.len())));
        return Ok(Exit::Interrupted);
    }
    Ok(if inventory.files_read == 0 { Exit::Inconclusive } else { Exit::Clean })
}

/// Reads the files, several at a time, until all are read or the user asks to stop.
fn read_all(
    context: &Context<'_>,
    paths: &[PathBuf],
    interrupt: &Interrupt,
) -> Result<(Inventory, Vec<SourceError>), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(context.settings.jobs.get()).build();
    let pool =
        pool.map_err(|error| Message::error("threads cannot be started").fact(error.to_string()).ends(Exit::Internal))?;
    let progress = Progress::start("scanning", "files", paths.len(), context.common.quiet > 0);
    let sites = AtomicUsize::new(0);
    let read: Vec<Option<Read>> = pool.install(|| {
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
    let mut errors = Vec::new();
    let mut inventory = Inventory { files_found: paths.len(), ..Inventory::default() };
    for (path, read) in paths.iter().zip(read) {
        match read {
            Some(Ok((file, analysis))) => inventory.add(&context.shown(path), &file, &analysis),
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

/// A file that told nothing, with its place where there is one.
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

fn read_file(path: &Path) -> Read {
    let file = read(path)?;
    let analysis = analyse(&file)?;
    Ok((file, analysis))
}

fn print(context: &Context<'_>, inventory: &Inventory, python: Option<&Interpreter>) -> Result<(), Failure> {
    let row =
        |python: &Interpreter| PythonRow { path: python.path.display().to_string(), version: python.version.clone() };
    context.print(
        || text::render(inventory, python, context.common.verbose > 0),
        || Ok(Document::new("scan", Own { python: python.map(row), inventory })),
    )
}

#[derive(Serialize)]
struct Own<'a> {
    python: Option<PythonRow>,
    inventory: &'a Inventory,
}

#[derive(Serialize)]
struct PythonRow {
    path: String,
    version: Option<String>,
}
