//! `temper model --suite FILE`: several data sets, and whether the ways of testing differ across them.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use temper_model::record::{ExaminedData, ExaminedModel, suite_document};
use temper_report::Exit;

use super::examine::examine;
use super::setup::Opened;
use crate::args::Model;
use crate::commands::CommandContext;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};

/// The file: one table for each data set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    dataset: Vec<Entry>,
}

/// One data set. Paths are relative to the file.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Entry {
    data: PathBuf,
    target: String,
    model: Option<String>,
    train: Option<String>,
}

/// Runs every data set with the options of the command line, and compares figures across them.
pub fn run(
    context: &CommandContext<'_>,
    arguments: &Model,
    file: &Path,
    interrupt: &Interrupt,
) -> Result<Exit, Failure> {
    let mut results: Vec<(ExaminedModel, Opened)> = Vec::new();
    let entries = read(context, file)?;
    let planned = entries.len();
    for entry in entries {
        let mut opened = Opened::named(
            context,
            arguments,
            (&entry.data, &entry.target),
            (entry.model.as_deref(), entry.train.as_deref()),
            interrupt,
        )?;
        let found = examine(context, arguments, &mut opened, true)?;
        // What was stopped on the way has no figures of the whole.
        if found.assessment.is_interrupted {
            break;
        }
        results.push((found, opened));
    }
    let Some((first, opened)) = results.first() else {
        let is_empty = planned == 0;
        let headline = if is_empty { "the suite lists no data set" } else { "interrupted before anything was found" };
        return Err(Message::error(headline).ends(if is_empty { Exit::Nothing } else { Exit::Interrupted }));
    };
    let runs: Vec<ExaminedData<'_>> =
        results.iter().map(|(found, opened)| (found, &opened.data, opened.path.as_str())).collect();
    context.finish(&suite_document(&runs, planned, first.seed, opened.bench.python.version.as_deref()))
}

fn read(context: &CommandContext<'_>, file: &Path) -> Result<Vec<Entry>, Failure> {
    let full = context.current.join(file);
    let wrong = |said: String| {
        let message = Message::error(format!("`{}` is no suite", file.display()));
        said.lines()
            .fold(message, |message, line| message.fact(line))
            .hint("write `[[dataset]]` with `data`, `target` and `train` or `model` for each data set")
    };
    let text = std::fs::read_to_string(&full).map_err(|error| wrong(error.to_string()).ends(Exit::Usage))?;
    let read: File = toml::from_str(&text).map_err(|error| wrong(error.to_string()).ends(Exit::Usage))?;
    let folder = full.parent().unwrap_or(&context.current).to_path_buf();
    let entries = read.dataset.into_iter().map(|entry| Entry { data: folder.join(&entry.data), ..entry });
    Ok(entries.collect())
}
