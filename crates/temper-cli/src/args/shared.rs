//! Options that several commands take.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use temper_report::Exit;

use crate::settings::Given;

pub(super) const OUTPUT: &str = "Output";
pub(super) const PROJECT: &str = "Project";
pub(super) const MACHINES: &str = "Several machines";
pub(super) const FUNCTIONS: &str = "Which functions, and what they may do";

/// Options that every command takes. Those that are also settings stay unset here unless the user gave them.
#[derive(Debug, Args)]
pub struct Common {
    /// How results are printed: text, json, md, github, gitlab, sarif, junit or html [default: text]
    #[arg(long, global = true, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: Option<String>,
    /// Write results to FILE instead of standard output
    #[arg(short, long, global = true, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<String>,
    /// Also write results in this form to this file, as in html:report.html; may be given several times
    #[arg(long, global = true, value_name = "FORMAT:FILE", help_heading = OUTPUT)]
    pub report: Vec<String>,
    /// Say more: list every site, not only counts
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet", help_heading = OUTPUT)]
    pub verbose: u8,
    /// Say less: no progress, no warnings
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = OUTPUT)]
    pub quiet: u8,
    /// How many things are done at once: a number, or auto for one a core [default: auto]
    #[arg(short, long, global = true, value_name = "N", help_heading = PROJECT)]
    pub jobs: Option<String>,
    /// The project's interpreter [default: the active environment, .venv, or Temper's own]
    #[arg(long, global = true, value_name = "PATH", help_heading = PROJECT)]
    pub python: Option<String>,
    /// Leave these files and folders alone; may be given several times
    #[arg(long, global = true, value_name = "PATTERN", help_heading = PROJECT)]
    pub exclude: Vec<String>,
    /// Do not run functions, mutants or models if the machine lacks one of the fences around them
    #[arg(long, global = true, help_heading = PROJECT)]
    pub require_fences: bool,
    /// Print this help
    #[arg(short, long, global = true, action = ArgAction::HelpShort, help_heading = OUTPUT)]
    help: Option<bool>,
}

impl Common {
    /// The settings that were given, as pairs of key and texts.
    pub fn settings(&self) -> Vec<Given> {
        let single =
            [("format", &self.format), ("output", &self.output), ("jobs", &self.jobs), ("python", &self.python)];
        let mut given: Vec<_> =
            single.into_iter().filter_map(|(key, value)| value.clone().map(|text| (key, vec![text]))).collect();
        for (key, values) in [("exclude", &self.exclude), ("report", &self.report)] {
            if !values.is_empty() {
                given.push((key, values.clone()));
            }
        }
        given
    }
}

/// What findings mean for the exit code.
#[derive(Debug, Args)]
pub struct Gate {
    /// Exit with 0 also if something was found
    #[arg(long)]
    exit_zero: bool,
}

impl Gate {
    /// The exit as the user asked for it.
    pub fn exit(&self, exit: Exit) -> Exit {
        if self.exit_zero && exit == Exit::Findings { Exit::Clean } else { exit }
    }
}

/// What one process may use.
#[derive(Debug, Args)]
pub struct RunLimits {
    /// Processor time for one run of a test, or one import; five times as much on the clock [default: 60s]
    #[arg(long, value_name = "TIME", help_heading = PROJECT)]
    pub time_limit: Option<String>,
    /// Memory for one worker, as in 512MB or 16GB [default: 16GB for tests, 2GB for checked functions]
    #[arg(long, value_name = "SIZE", help_heading = PROJECT)]
    pub memory_limit: Option<String>,
}

impl RunLimits {
    pub(super) fn settings(&self) -> Vec<Given> {
        given(&[("time-limit", &self.time_limit), ("memory-limit", &self.memory_limit)])
    }
}

/// What functions under test may do beyond computing.
#[derive(Debug, Args)]
pub struct Allow {
    /// Let functions write this file or folder; may be given several times
    #[arg(long, value_name = "PATH", help_heading = FUNCTIONS)]
    pub allow_write: Vec<PathBuf>,
    /// Let functions read this file or folder outside the project; may be given several times
    #[arg(long, value_name = "PATH", help_heading = FUNCTIONS)]
    pub allow_read: Vec<PathBuf>,
    /// Let functions see this environment variable; a * at its end stands for any text; may be given several times
    #[arg(long, value_name = "NAME", help_heading = FUNCTIONS)]
    pub pass_env: Vec<String>,
    /// Let functions open connections
    #[arg(long, help_heading = FUNCTIONS)]
    pub allow_net: bool,
    /// Let functions start processes
    #[arg(long, help_heading = FUNCTIONS)]
    pub allow_subprocess: bool,
}

impl Allow {
    /// The files and folders that may be written, whatever the current folder of the function is.
    pub fn writable(&self) -> Vec<PathBuf> {
        absolute(&self.allow_write)
    }

    /// The files and folders that may be read besides the project and the interpreter.
    pub fn readable(&self) -> Vec<PathBuf> {
        absolute(&self.allow_read)
    }

    /// The settings that were given, as pairs of key and texts.
    pub fn settings(&self) -> Vec<Given> {
        if self.pass_env.is_empty() { Vec::new() } else { vec![("pass-env", self.pass_env.clone())] }
    }
}

fn absolute(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())).collect()
}

/// The settings among some options, as pairs of key and text.
pub(super) fn given(options: &[(&'static str, &Option<String>)]) -> Vec<Given> {
    options.iter().filter_map(|(key, value)| (*value).clone().map(|text| (*key, vec![text]))).collect()
}
