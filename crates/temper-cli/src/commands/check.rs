//! `temper check`: crashing inputs of annotated functions, inside their declared valid inputs.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use temper_check::{Checked, Module, Options, Saved, Verdict, check};
use temper_source::{Analysis, SourceFile, analyse, read};
use temper_worker::Driver;

use super::{Context, check_json, check_text};
use crate::args::Check;
use crate::exit::Exit;
use crate::interpreter::Interpreter;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::progress::Progress;
use crate::settings::Format;
use crate::terminal::Stderr;
use crate::workers;

/// What one worker may use on top of what is loaded: above what functions of machine-learning code use on small inputs.
pub const MEMORY_BYTES: u64 = 2 << 30;

/// Checks the annotated functions that the paths name.
pub fn run(context: &Context<'_>, arguments: &Check) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install()?;
    let modules = find_modules(context, &arguments.paths, arguments.hints)?;
    if modules.is_empty() {
        let message = Message::warning("there are no annotated functions here").at(context.root.display().to_string());
        let message =
            message.hint("say what inputs are valid, as in `@temper.arg(\"n\", temper.ints(1, 9))` above a function");
        Stderr::new(context.common.quiet).show(&message);
        return Ok(Exit::Nothing);
    }
    let workers = Workers::start(context, &interrupt)?;
    let options = options(arguments, workers.slots);
    let (checked, workers) = run_check(context, workers, &modules, &options)?;
    if let Err(error) = Saved::of(&checked.findings, &checked.subjects, &modules).write(&context.root) {
        Stderr::new(context.common.quiet)
            .show(&Message::warning("findings are not kept for `temper replay`").fact(error.to_string()));
    }
    print(context, &checked, &options, &workers.python)?;
    Ok(exit_of(&checked))
}

fn options(arguments: &Check, slots: usize) -> Options {
    Options {
        draws: arguments.draws,
        budget: arguments.budget,
        seed: arguments.seed,
        with_search: !arguments.no_search,
        with_hints: arguments.hints,
        filter: arguments.name.clone(),
        allow_write: arguments
            .allow_write
            .iter()
            .map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()))
            .collect(),
        allow_net: arguments.allow_net,
        allow_subprocess: arguments.allow_subprocess,
        memory_bytes: MEMORY_BYTES,
        slots,
    }
}

fn run_check(
    context: &Context<'_>,
    mut workers: Workers,
    modules: &[Module],
    options: &Options,
) -> Result<(Checked, Workers), Failure> {
    let mut progress: Option<Progress> = None;
    let is_quiet = context.common.quiet > 0;
    let checked = check(&mut workers.driver, modules, &context.root, &workers.scratch, options, &mut |now| {
        let shown = progress.get_or_insert_with(|| Progress::start("checking", "functions", now.total, is_quiet));
        shown.step(|| format!("{} findings", now.findings));
    });
    drop(progress);
    match checked {
        Ok(checked) => Ok((checked, workers)),
        Err(error) => Err(workers.failure(&error.to_string())),
    }
}

/// The modules with annotated functions among the files that the paths name.
pub fn find_modules(context: &Context<'_>, named: &[PathBuf], with_hints: bool) -> Result<Vec<Module>, Failure> {
    let mut modules = Vec::new();
    let mut stderr = Stderr::new(context.common.quiet);
    for path in context.python_files(named)? {
        let read = read(&path).and_then(|file| analyse(&file).map(|analysis| (file, analysis)));
        match read {
            Ok((file, analysis)) => modules.extend(module_of(context, &path, &file, &analysis, with_hints)),
            Err(error) => stderr.show(&Message::warning(error.to_string())),
        }
    }
    Ok(modules)
}

fn module_of(
    context: &Context<'_>,
    path: &Path,
    file: &SourceFile,
    analysis: &Analysis,
    with_hints: bool,
) -> Option<Module> {
    let import_test = analysis.module_tests.first().map(|span| file.position(span.start).line);
    if analysis.annotated.is_empty() && import_test.is_none() && !with_hints {
        return None;
    }
    let full = context.current.join(path);
    let full = std::fs::canonicalize(&full).unwrap_or(full);
    Some(Module::of_file(&full, &context.root, context.shown(path), import_test))
}

/// The worker processes of a command, with their scratch folder, which goes when they go.
pub struct Workers {
    pub driver: Driver,
    pub scratch: PathBuf,
    pub python: Interpreter,
    pub slots: usize,
}

impl Workers {
    /// Starts them with the project's interpreter.
    pub fn start(context: &Context<'_>, interrupt: &Interrupt) -> Result<Workers, Failure> {
        let (driver, python) = workers::start(context, interrupt)?;
        let scratch = std::env::temp_dir().join(format!("temper-check-{}", std::process::id()));
        Ok(Workers { driver, scratch, slots: NonZeroUsize::get(context.settings.jobs), python })
    }

    /// The message for workers that failed.
    pub fn failure(&self, error: &str) -> Failure {
        workers::failure("the workers failed", &self.python, error, Exit::Inconclusive)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // A folder that cannot be removed is the operating system's to clean.
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

fn print(context: &Context<'_>, checked: &Checked, options: &Options, python: &Interpreter) -> Result<(), Failure> {
    let mut stderr = Stderr::new(context.common.quiet);
    for message in check_text::messages(checked) {
        stderr.show(&message);
    }
    let text = match context.settings.format {
        Format::Text => check_text::render(checked, context.common.verbose > 0),
        Format::Json => super::to_json(&check_json::document(checked, options, python))?,
    };
    context.write_results(&text)
}

/// Findings, then what could not be decided; a run that tested nothing is never green.
fn exit_of(checked: &Checked) -> Exit {
    let has = |test: fn(&Verdict) -> bool| checked.subjects.iter().any(|subject| test(&subject.verdict));
    if checked.is_interrupted {
        Exit::Interrupted
    } else if !checked.findings.is_empty() {
        Exit::Findings
    } else if checked.subjects.is_empty() {
        Exit::Nothing
    } else if has(|verdict| matches!(verdict, Verdict::Undecided(..) | Verdict::Failed(_))) {
        Exit::Inconclusive
    } else {
        Exit::Clean
    }
}

/// A duration such as `90s`, `5m`, `2h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no duration; write `90s`, `5m` or `2h`");
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..at].parse().map_err(|_| wrong())?;
    let factor = match &text[at..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(number * factor).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit_or_are_seconds() {
        for (text, secs) in [("90s", 90.0), ("5m", 300.0), ("2h", 7200.0), ("1.5", 1.5), ("200ms", 0.2)] {
            assert_eq!(duration(text), Ok(Duration::from_secs_f64(secs)), "{text}");
        }
        for text in ["", "fast", "5 apples", "-1s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
