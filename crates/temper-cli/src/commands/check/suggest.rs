//! `temper check --suggest`: annotations for functions that have none, to be edited. Read off docstrings, hints, defaults,
//! call sites, assertions and raises by the worker, and tried at once. What a function says when it refuses a proposal
//! narrows the proposal, and that is tried again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use temper_check::{CheckOptions, Checked, Module, SaidOfProposal, SuggestedFunction, suggest};
use temper_report::{BOLD, Exit};

use super::check_run::{options, run_check};
use super::check_workers::CheckWorkers;
use super::modules::full_path;
use super::side::Side;
use super::suggest_table::{self, Trial, TrialEnd};
use crate::args::Check;
use crate::commands::CommandContext;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::project;
use crate::settings::ANNOTATIONS;
use crate::terminal::Stderr;

/// The proposals as a side file, to be tried again.
const FILE: &str = "suggested.an.toml";
/// The side file that `temper check` finds by itself.
const SIDE_FILE: &str = "temper.an.toml";
/// Inputs that each proposal is tried with, unless the user says how many.
const DRAWS: u64 = 60;
/// How often proposals are narrowed by what the functions said, and tried again.
const ROUNDS: usize = 4;
const HEAD: &str = "# Proposals of `temper check --suggest`: edit them, and keep them as temper.an.toml.";

/// Prints proposals for the functions that the paths name, and what happened when they were tried.
pub fn run(context: &CommandContext<'_>, arguments: &Check, interrupt: &Interrupt) -> Result<Exit, Failure> {
    if arguments.write {
        refuse_to_overwrite(context)?;
    }
    let mut workers = CheckWorkers::start(context, interrupt)?;
    let reader = ProposalReader::new(context, arguments)?;
    let mut found = reader.propose(&mut workers, &[])?;
    if found.is_empty() {
        let message = Message::warning("there is no function here to propose annotations for");
        Stderr::new(context.common.quiet).show(&message.hint("annotated functions are left as they are"));
        return Ok(Exit::Nothing);
    }
    let (mut trials, mut workers) = reader.try_out(workers, &found)?;
    let mut said = Vec::new();
    for _ in 0..ROUNDS {
        let more = said_of(&found, &trials, context);
        if more.is_empty() || interrupt.is_over() || interrupt.is_asked() {
            break;
        }
        said.extend(more);
        let narrowed = reader.propose(&mut workers, &said)?;
        let changed: Vec<usize> = (0..found.len()).filter(|&at| narrowed.get(at) != Some(&found[at])).collect();
        if changed.is_empty() || narrowed.len() != found.len() {
            break;
        }
        let again: Vec<SuggestedFunction> = changed.iter().map(|&at| narrowed[at].clone()).collect();
        let tried = reader.try_out(workers, &again)?;
        workers = tried.1;
        for (at, trial) in changed.into_iter().zip(tried.0) {
            trials[at] = trial;
        }
        found = narrowed;
    }
    let file = write_proposals(context, &found)?;
    let mut text: String = found.iter().map(one_function).collect();
    text.push_str(&suggest_table::render(&found, &trials, &file));
    context.write_results(&text)?;
    if arguments.write {
        write_side_file(context, &found, &trials)?;
    }
    Ok(Exit::Clean)
}

/// What proposals are read from, and how they are tried.
struct ProposalReader<'c> {
    context: &'c CommandContext<'c>,
    arguments: &'c Check,
    files: Vec<PathBuf>,
    around: Vec<PathBuf>,
}

impl<'c> ProposalReader<'c> {
    fn new(context: &'c CommandContext<'c>, arguments: &'c Check) -> Result<ProposalReader<'c>, Failure> {
        let full =
            |paths: Vec<PathBuf>| -> Vec<PathBuf> { paths.iter().map(|path| full_path(context, path)).collect() };
        let files = full(context.python_files(&arguments.paths)?);
        let around = full(context.python_files(&[])?);
        Ok(ProposalReader { context, arguments, files, around })
    }

    fn propose(&self, workers: &mut CheckWorkers, said: &[SaidOfProposal]) -> Result<Vec<SuggestedFunction>, Failure> {
        let cpu = self.context.settings.limits.cpu;
        let found = suggest(&mut workers.driver, &self.files, &self.around, said, &self.context.root, cpu)
            .map_err(|error| workers.failure(&error.to_string()))?;
        let wanted = |each: &SuggestedFunction| {
            self.arguments.name.as_ref().is_none_or(|name| each.function.contains(name.as_str()))
        };
        Ok(found.into_iter().filter(wanted).collect())
    }

    /// Checks the functions of which every argument is known, with the proposals as their annotations.
    fn try_out(
        &self,
        workers: CheckWorkers,
        found: &[SuggestedFunction],
    ) -> Result<(Vec<Trial>, CheckWorkers), Failure> {
        let path = self.context.root.join(temper_files::STATE).join(FILE);
        let side = Side::parse(&side_text(found, |each| each.is_complete), &path, FILE.to_owned(), &[ANNOTATIONS])?;
        let is_draws_chosen = self.context.options.is_chosen("draws");
        let tried = CheckOptions {
            annotations: side.entries,
            draws: if is_draws_chosen { self.context.settings.draws } else { DRAWS },
            with_search: false,
            with_lives: false,
            filter: None,
            ..options(self.context, self.arguments, workers.slots)
        };
        let modules = self.modules(found);
        let (checked, workers) = run_check(self.context, workers, &modules, &tried)?;
        Ok((found.iter().map(|each| self.trial(each, &checked, &modules)).collect(), workers))
    }

    fn modules(&self, found: &[SuggestedFunction]) -> Vec<Module> {
        let paths: BTreeSet<&str> =
            found.iter().filter(|each| each.is_complete).map(|each| each.path.as_str()).collect();
        let root = &self.context.root;
        paths.into_iter().map(|path| Module::for_side_file(&root.join(path), root, path.to_owned())).collect()
    }

    fn trial(&self, function: &SuggestedFunction, checked: &Checked, modules: &[Module]) -> Trial {
        let module = modules.iter().position(|module| module.shown == function.path);
        Trial::of(function, checked, module)
    }
}

/// What functions said that refused their proposals, or crashed with them.
fn said_of(found: &[SuggestedFunction], trials: &[Trial], context: &CommandContext<'_>) -> Vec<SaidOfProposal> {
    let name = |each: &SuggestedFunction| {
        let path = context.root.join(&each.path);
        let module = Module::of_file(&path, &context.root, String::new(), None).name;
        format!("{module}.{}", each.function.trim_end_matches(".__init__"))
    };
    let mut said = Vec::new();
    for (each, trial) in found.iter().zip(trials) {
        let is_refusal = trial.end == TrialEnd::Refused;
        let message = |message: &String| SaidOfProposal { function: name(each), message: message.clone(), is_refusal };
        said.extend(trial.said.iter().map(message));
    }
    said
}

fn one_function(each: &SuggestedFunction) -> String {
    let mut text = format!("{BOLD}{}:{}   {}{BOLD:#}\n", each.path, each.line, each.function);
    for (line, source) in &each.decorators {
        text.push_str(&format!("  {line:<60}  # {source}\n"));
    }
    text.push_str(&each.notes.iter().map(|note| format!("  # {note}\n")).collect::<String>());
    text
}

fn side_text(found: &[SuggestedFunction], is_kept: impl Fn(&SuggestedFunction) -> bool) -> String {
    let entries: Vec<&str> = found.iter().filter(|each| is_kept(each)).map(|each| each.entry.as_str()).collect();
    format!("{HEAD}\n\n{}", entries.join("\n"))
}

fn write_proposals(context: &CommandContext<'_>, found: &[SuggestedFunction]) -> Result<String, Failure> {
    let path = context.root.join(temper_files::STATE).join(FILE);
    // As the next command finds it: the project of the paths need not be where the user is.
    let shown = project::shown(&context.current, &path);
    let text = side_text(found, |each| each.is_complete);
    let written = temper_files::state_folder(&context.root).and_then(|folder| folder.write(FILE, text.as_bytes()));
    written.map_err(|error| crate::commands::cannot_write(&shown, &error.reason()))?;
    Ok(shown)
}

fn side_file(context: &CommandContext<'_>) -> (PathBuf, String) {
    let path = context.root.join(SIDE_FILE);
    let shown = project::shown(&context.current, &path);
    (path, shown)
}

fn refuse_to_overwrite(context: &CommandContext<'_>) -> Result<(), Failure> {
    let (path, shown) = side_file(context);
    if !Path::exists(&path) {
        return Ok(());
    }
    let message = Message::error(format!("`{shown}` is there already, and is not overwritten"));
    Err(message.hint("copy what you want from .temper/suggested.an.toml, which --suggest writes").ends(Exit::Usage))
}

/// Keeps the proposals that the functions took: with a crash they are still what the source says.
fn write_side_file(context: &CommandContext<'_>, found: &[SuggestedFunction], trials: &[Trial]) -> Result<(), Failure> {
    let (path, shown) = side_file(context);
    let kept: BTreeSet<(&str, u32)> = found
        .iter()
        .zip(trials)
        .filter(|(_, trial)| matches!(trial.end, TrialEnd::Clean | TrialEnd::Crash))
        .map(|(each, _)| (each.path.as_str(), each.line))
        .collect();
    let text = side_text(found, |each| kept.contains(&(each.path.as_str(), each.line)));
    let written = temper_files::write_output_with_folders(&path, text.as_bytes());
    written.map_err(|error| crate::commands::cannot_write(&shown, &error.reason()))?;
    let functions = temper_report::counted(kept.len(), "function");
    Stderr::new(context.common.quiet).note(&format!("annotations of {functions} written to {shown}"));
    Ok(())
}
