//! `temper check --suggest`: annotations for functions that have none, to be edited. Read off their call sites, defaults,
//! assertions and raises; the worker reads the source, nothing of the project is run.

use std::path::PathBuf;

use temper_check::{SuggestedFunction, suggest};
use temper_report::{BOLD, Exit};

use super::{CheckWorkers, full_path};
use crate::args::Check;
use crate::commands::CommandContext;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::project;
use crate::terminal::Stderr;

/// The proposals as a side file, to be tried at once.
const FILE: &str = "suggested.an.toml";

/// Prints proposals for the functions that the paths name.
pub fn run(context: &CommandContext<'_>, arguments: &Check, interrupt: &Interrupt) -> Result<Exit, Failure> {
    let mut workers = CheckWorkers::start(context, interrupt)?;
    let files: Vec<PathBuf> =
        context.python_files(&arguments.paths)?.iter().map(|path| full_path(context, path)).collect();
    let around: Vec<PathBuf> = context.python_files(&[])?.iter().map(|path| full_path(context, path)).collect();
    let found = suggest(&mut workers.driver, &files, &around, &context.root)
        .map_err(|error| workers.failure(&error.to_string()))?;
    let wanted =
        |each: &&SuggestedFunction| arguments.name.as_ref().is_none_or(|name| each.function.contains(name.as_str()));
    let found: Vec<&SuggestedFunction> = found.iter().filter(wanted).collect();
    if found.is_empty() {
        let message = Message::warning("there is no function here to propose annotations for");
        Stderr::new(context.common.quiet).show(&message.hint("annotated functions are left as they are"));
        return Ok(Exit::Nothing);
    }
    let file = write_side_file(context, &found)?;
    let mut text = String::new();
    for each in &found {
        text.push_str(&format!("{BOLD}{}:{}   {}{BOLD:#}\n", each.path, each.line, each.function));
        for (line, source) in &each.decorators {
            text.push_str(&format!("  {line:<60}  # {source}\n"));
        }
        text.push_str(&each.notes.iter().map(|note| format!("  # {note}\n")).collect::<String>());
    }
    let complete = found.iter().filter(|each| each.is_complete).count();
    let noun = if found.len() == 1 { "function" } else { "functions" };
    text.push_str(&format!(
        "{} {noun}, {complete} with every argument known · try them: temper check --annotations {file}\n",
        found.len()
    ));
    context.write_results(&text)?;
    Ok(Exit::Clean)
}

fn write_side_file(context: &CommandContext<'_>, found: &[&SuggestedFunction]) -> Result<String, Failure> {
    let path = context.root.join(temper_files::STATE).join(FILE);
    // As the next command finds it: the project of the paths need not be where the user is.
    let shown = project::shown(&context.current, &path);
    let entries: Vec<&str> = found.iter().filter(|each| each.is_complete).map(|each| each.entry.as_str()).collect();
    let head = "# Proposals of `temper check --suggest`: edit them, and keep them as temper.an.toml.";
    let text = format!("{head}\n\n{}", entries.join("\n"));
    let written = temper_files::state_folder(&context.root).and_then(|folder| folder.write(FILE, text.as_bytes()));
    written.map_err(|error| crate::commands::cannot_write(&shown, &error.reason()))?;
    Ok(shown)
}
