//! The arguments of the `temper` command. What is here works; the help is the first page of the documentation.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ColorChoice, Parser, Subcommand};

use crate::exit::Exit;
use crate::terminal;

const OVERVIEW: &str = "\
Temper makes the tests of machine-learning code trustworthy.

  temper scan [PATHS]   what there is to work on: approximate assertions, seeds, annotations; runs nothing
  temper bounds [TESTS] approximate assertions that are flaky, from many runs of the tests that hold them
  temper check [PATHS]  crashing inputs of annotated functions, inside the inputs they say are valid
  temper replay ID      a finding once more, in a fresh process
  temper config         the settings in force, and where each comes from

Start with `temper scan` in your project. `temper help COMMAND` tells more.
";

const EXIT_CODES: &str = "\
Exit codes: 0 clean, 1 findings, 2 usage or configuration, 3 the project's own tests fail, 4 inconclusive,
5 nothing to do, 70 internal error, 130 interrupted.

Settings come from the command line, then TEMPER_* variables, then [tool.temper] in pyproject.toml.
NO_COLOR and FORCE_COLOR are respected.";

/// Temper makes the tests of machine-learning code trustworthy.
#[derive(Debug, Parser)]
#[command(name = "temper", version, after_help = EXIT_CODES, max_term_width = 110, disable_help_subcommand = false)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

/// Options that every command takes. Those that are also settings stay unset here unless the user gave them.
#[derive(Debug, Args)]
pub struct Common {
    /// How results are printed: text or json [default: text]
    #[arg(long, global = true, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Write results to FILE instead of standard output
    #[arg(short, long, global = true, value_name = "FILE")]
    pub output: Option<String>,
    /// How many things are done at once: a number, or auto for one a core [default: auto]
    #[arg(short, long, global = true, value_name = "N")]
    pub jobs: Option<String>,
    /// The project's interpreter [default: the active environment, .venv, or Temper's own]
    #[arg(long, global = true, value_name = "PATH")]
    pub python: Option<String>,
    /// Leave these files and folders alone; may be given several times
    #[arg(long, global = true, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Say more: list every site, not only counts
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Say less: no progress, no warnings
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub quiet: u8,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what there is to work on, without running anything
    ///
    /// Reads every Python file and counts the approximate assertions by form, the tests that fix a seed, the draws
    /// of randomness without one, and the annotated functions, and lists what looks approximate but is not
    /// understood. Nothing is run and nothing is written.
    #[command(after_help = "\
Examples:
  temper scan                          the whole project
  temper scan -v tests/test_train.py   every site of one file, with its bound and direction
  temper scan --format json            all of it, for a program")]
    Scan(Scan),
    /// Find crashing inputs of annotated functions, inside the inputs they say are valid
    ///
    /// Imports the modules with annotated functions in contained worker processes, draws valid inputs, calls, and
    /// reports every crash once, as a call that reproduces it. Writes, connections and subprocesses of the functions
    /// are refused unless they are allowed.
    #[command(after_help = "\
Examples:
  temper check                       the whole project
  temper check nets/dense.py -k Net  some functions of one file
  temper check --draws 2000          more inputs for each function")]
    Check(Check),
    /// Find approximate assertions that are flaky, by running their tests many times
    ///
    /// Runs each test with different random states, records the value behind every approximate assertion, and says
    /// whether its bound holds as often as asked (--pass) with the confidence asked (--confidence): sound, flaky, rare,
    /// suspect, deterministic or undecided. Tests run as pytest runs them; no file of the project is changed. Runs are
    /// kept in .temper/, so a second call continues where the first one ended.
    #[command(after_help = "\
Examples:
  temper bounds                            all tests of the project
  temper bounds tests/test_train.py        one file; pytest node ids work too
  temper bounds --seeds vary               what the tests would do under other seeds
  temper bounds --since origin/main --budget 5m
  temper bounds tests -- -k gaussian       what follows -- goes to pytest")]
    Bounds(Box<Bounds>),
    /// Run a finding again, in a fresh process: the call of `temper check`, or the run of `temper bounds`
    Replay(Replay),
    /// Show the settings in force and where each comes from
    ///
    /// Precedence: command line, TEMPER_* environment variables, [tool.temper] in pyproject.toml, default.
    Config(Config),
}

/// Arguments of `temper scan`.
#[derive(Debug, Args)]
pub struct Scan {
    /// Files and folders to read [default: the project]
    pub paths: Vec<PathBuf>,
}

/// Arguments of `temper check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Files and folders to look for annotated functions in [default: the project]
    pub paths: Vec<PathBuf>,
    /// Valid inputs to draw for each function
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    pub draws: u64,
    /// Time for all functions together, as in 90s, 5m, 2h
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = crate::commands::check::duration)]
    pub budget: Duration,
    /// Only functions whose name or file contains NAME
    #[arg(short = 'k', value_name = "NAME")]
    pub name: Option<String>,
    /// Fixes every draw: the same seed gives the same inputs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Draw at random only: no search for inputs that take further branches
    #[arg(long)]
    pub no_search: bool,
    /// Also check functions that have nothing but plain type hints
    #[arg(long)]
    pub hints: bool,
    /// Let functions write this file or folder; may be given several times
    #[arg(long, value_name = "PATH")]
    pub allow_write: Vec<PathBuf>,
    /// Let functions open connections
    #[arg(long)]
    pub allow_net: bool,
    /// Let functions start processes
    #[arg(long)]
    pub allow_subprocess: bool,
}

/// Arguments of `temper bounds`. Those that are also settings stay unset here unless the user gave them.
#[derive(Debug, Args)]
pub struct Bounds {
    /// Files, folders and pytest node ids [default: what pytest collects in the project]
    pub tests: Vec<String>,
    /// Most runs of a test; it stops earlier where the evidence is clear [default: 3000]
    #[arg(long, value_name = "N")]
    pub runs: Option<String>,
    /// Most time, as in 90s, 5m, 2h; what is not decided by then is undecided [default: none]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// The share of runs in which an assertion must pass [default: 0.999]
    #[arg(long, value_name = "SHARE")]
    pub pass: Option<String>,
    /// How sure a verdict must be [default: 0.95]
    #[arg(long, value_name = "SHARE")]
    pub confidence: Option<String>,
    /// Fixed seeds: keep them, or vary them from run to run [default: keep]
    #[arg(long, value_name = "keep|vary")]
    pub seeds: Option<String>,
    /// Run mutants of the code under test, and propose tighter bounds where they kill clearly more; fixed seeds vary
    #[arg(long)]
    pub tighten: bool,
    /// The share of the mutants to try, drawn at random [default: 1]
    #[arg(long, value_name = "SHARE")]
    pub mutant_fraction: Option<String>,
    /// Kinds of mutants, separated by commas, as in constant,swap [default: all]
    #[arg(long, value_name = "NAMES")]
    pub operators: Option<String>,
    /// Also write the mutants to this file, in the JSON format of mutation-testing-elements
    #[arg(long, value_name = "FILE", requires = "tighten")]
    pub mutants_to: Option<PathBuf>,
    /// Run no mutants to see what a wider bound costs
    #[arg(long, conflicts_with = "tighten")]
    pub no_mutants: bool,
    /// How a bound is proposed: calibrated, flex or faser [default: calibrated]
    #[arg(long, value_name = "METHOD")]
    pub method: Option<String>,
    /// Where no tail fits: the widest interval of the greatest value that is offered as a bound, as a share of the
    /// bound it replaces [default: 0.25]
    #[arg(long, value_name = "SHARE")]
    pub empirical_width: Option<String>,
    /// The seed that the seeds of all runs follow from [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<String>,
    /// Only tests whose file changed since this git revision
    #[arg(long, value_name = "REF")]
    pub since: Option<String>,
    /// Exit with 0 also where something was found
    #[arg(long)]
    pub exit_zero: bool,
    /// Options for pytest
    #[arg(last = true, value_name = "PYTEST OPTIONS")]
    pub pytest: Vec<String>,
}

impl Bounds {
    /// The settings that these arguments give.
    pub fn settings(&self) -> Vec<crate::settings::Given> {
        let given = [
            ("runs", &self.runs),
            ("budget", &self.budget),
            ("pass", &self.pass),
            ("confidence", &self.confidence),
            ("seeds", &self.seeds),
            ("method", &self.method),
            ("empirical-width", &self.empirical_width),
            ("seed", &self.seed),
            ("operators", &self.operators),
            ("mutant-fraction", &self.mutant_fraction),
        ];
        given.into_iter().filter_map(|(key, value)| value.clone().map(|text| (key, vec![text]))).collect()
    }
}

/// Arguments of `temper replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// The finding: its number in the last report, as in C1 or B1, or its id
    pub id: String,
    /// Let the function write this file or folder; may be given several times
    #[arg(long, value_name = "PATH")]
    pub allow_write: Vec<PathBuf>,
    /// Let the function open connections
    #[arg(long)]
    pub allow_net: bool,
    /// Let the function start processes
    #[arg(long)]
    pub allow_subprocess: bool,
}

/// Arguments of `temper config`.
#[derive(Debug, Args)]
pub struct Config {
    /// Print the defaults as a commented file to copy from
    #[arg(long)]
    pub defaults: bool,
}

/// Parses the arguments. Help, version and usage errors are printed here and give the exit to end with.
pub fn parse(args: &[OsString]) -> Result<Arguments, Exit> {
    if args.len() <= 1 {
        let _ = terminal::write_stdout(OVERVIEW);
        return Err(Exit::Clean);
    }
    let colour = match terminal::colour_choice(std::io::IsTerminal::is_terminal(&std::io::stdout())) {
        anstream::ColorChoice::Always => ColorChoice::Always,
        _ => ColorChoice::Never,
    };
    let command = <Arguments as clap::CommandFactory>::command().color(colour);
    let matches = command.try_get_matches_from(args);
    matches.and_then(|matches| <Arguments as clap::FromArgMatches>::from_arg_matches(&matches)).map_err(|error| {
        let _ = error.print();
        if error.use_stderr() { Exit::Usage } else { Exit::Clean }
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_argument_definitions_are_consistent() {
        super::Arguments::command().debug_assert();
    }
}
