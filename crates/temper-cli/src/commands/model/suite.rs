//! `temper model --suite FILE`: several data sets, and whether the ways of testing differ across them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};
use temper_model::judge::metrics::Metrics;
use temper_model::judge::suite_totals::{Difference, Totals, difference};
use temper_report::Exit;

use super::setup::Opened;
use super::{Found, examine, exit_of, json};
use crate::args::Model;
use crate::commands::Context;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::terminal::BOLD;

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
pub fn run(context: &Context<'_>, arguments: &Model, file: &Path, interrupt: &Interrupt) -> Result<Exit, Failure> {
    let mut results: Vec<(Found, Opened)> = Vec::new();
    let mut exit = Exit::Clean;
    for entry in read(context, file)? {
        let mut opened = Opened::named(
            context,
            arguments,
            (&entry.data, &entry.target),
            (entry.model.as_deref(), entry.train.as_deref()),
            interrupt,
        )?;
        let found = examine(context, arguments, &mut opened, true)?;
        let ended = exit_of(&found);
        exit = worse(exit, ended);
        results.push((found, opened));
        if ended == Exit::Interrupted {
            break;
        }
    }
    context.print(|| render(&results), || document(&results))?;
    Ok(exit)
}

/// Findings and interrupts stand out over what could not be decided.
fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |exit: Exit| {
        [Exit::Clean, Exit::Inconclusive, Exit::Findings, Exit::Interrupted].iter().position(|each| *each == exit)
    };
    if rank(b) > rank(a) { b } else { a }
}

fn read(context: &Context<'_>, file: &Path) -> Result<Vec<Entry>, Failure> {
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

/// Figures of one data set: those of the fold models, else of the model itself.
fn figures(found: &Found) -> (Metrics, Metrics, Option<Metrics>) {
    match &found.totals {
        Some(Totals { coverage, boundary, cross_validation }) => (*coverage, *boundary, Some(*cross_validation)),
        None => (found.assessment.coverage.1.metrics, found.assessment.boundary.1.metrics, found.crossed),
    }
}

/// Ways of testing that are compared, by name, over the data sets that have both.
fn differences(results: &[(Found, Opened)]) -> Vec<(&'static str, Result<Difference, temper_model::ModelError>)> {
    let rows: Vec<_> = results.iter().map(|(found, _)| figures(found)).collect();
    let crossed: Vec<_> = rows.iter().filter_map(|row| Some((row.0, row.1, row.2?))).collect();
    let accuracy = |read: fn(&(Metrics, Metrics, Metrics)) -> Metrics| -> Vec<f64> {
        crossed.iter().map(|row| read(row).accuracy).collect()
    };
    let validated = accuracy(|row| row.2);
    vec![
        ("covering leaves, beside cross-validation", difference(&accuracy(|row| row.0), &validated)),
        ("next to splits, beside cross-validation", difference(&accuracy(|row| row.1), &validated)),
        ("covering leaves, beside next to splits", difference(&accuracy(|row| row.0), &accuracy(|row| row.1))),
    ]
}

fn render(results: &[(Found, Opened)]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{BOLD}leaves  findings   covering   splits   cross-validation   data{BOLD:#}   (accuracy)");
    for (found, opened) in results {
        let (coverage, boundary, crossed) = figures(found);
        let crossed = crossed.map_or("-".to_owned(), |metrics| format!("{:.2}", metrics.accuracy));
        let _ = writeln!(
            out,
            "{:>6}  {:>8}   {:>8.2}   {:>6.2}   {crossed:>16}   {}",
            found.assessment.surrogate.leaves.len(),
            found.assessment.findings.len(),
            coverage.accuracy,
            boundary.accuracy,
            opened.path
        );
    }
    out.push('\n');
    for (what, result) in differences(results) {
        match result {
            Ok(found) => {
                let _ = writeln!(
                    out,
                    "{what}: t {:.2} (p {:.2e}), Wilcoxon p {:.2e}; Shapiro-Wilk p {:.2} and {:.2}",
                    found.t.statistic, found.t.p, found.wilcoxon.p, found.first.p, found.second.p
                );
            }
            Err(error) => {
                let _ =
                    writeln!(out, "{what}: not compared ({})", error.to_string().lines().next().unwrap_or_default());
            }
        }
    }
    out
}

fn document(results: &[(Found, Opened)]) -> Result<temper_report::Document<json::Own>, Failure> {
    let Some((first, opened)) = results.first() else {
        return Err(Message::error("the suite lists no data set").ends(Exit::Nothing));
    };
    let differences: Vec<Value> = differences(results)
        .into_iter()
        .filter_map(|(what, result)| {
            let found = result.ok()?;
            Some(json!({
                "between": what,
                "t": found.t.statistic,
                "t_p": found.t.p,
                "wilcoxon_p": found.wilcoxon.p,
                "shapiro_p": [found.first.p, found.second.p],
            }))
        })
        .collect();
    let runs: Vec<Value> =
        results.iter().map(|(found, opened)| json::one_run(found, &opened.data, &opened.path)).collect();
    let model = json!({ "suite": runs, "differences": differences });
    let mut document = json::empty(first.seed, &opened.bench.python, model);
    for (found, opened) in results {
        document.subjects.push(json::subject(found, &opened.path));
        document.findings.extend(json::findings(found, &opened.data, &opened.path));
    }
    Ok(document)
}
