//! The arguments of the `temper` command. What is here works; the help is the first page of the documentation.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use temper_report::Exit;
use temper_worker::Shard;

use crate::settings::Given;
use crate::terminal;

const OVERVIEW: &str = "\
Temper makes the tests of machine-learning code trustworthy.

  temper scan [PATHS]   what there is to work on: approximate assertions, seeds, annotations; runs nothing
  temper bounds [TESTS] approximate assertions that are flaky, from many runs of the tests that hold them
  temper check [PATHS]  crashing inputs of annotated functions, inside the inputs they say are valid
  temper model DATA     whether a trained classifier is worse than a reference, and where
  temper replay ID      a finding again, in a fresh process
  temper review         the patches of `temper bounds` one by one: accept, reject, edit
  temper apply ID       a patch into its file
  temper report         the last runs of all jobs together: text, page, SARIF, JUnit, Markdown
  temper accept ID      a finding that is to fail nothing, with the reason
  temper explain WORD   what a verdict means
  temper merge FOLDERS  what other machines kept, into this project
  temper clean          what is kept of earlier runs, and how to remove it
  temper config         the settings in force, and where each comes from

Start with `temper scan` in your project. `temper help COMMAND` tells more.
";

const EXIT_CODES: &str = "\
Exit codes: 0 clean, 1 findings, 2 usage or configuration, 3 the project's own tests fail, 4 inconclusive, \
5 nothing to do, 70 internal error, 130 interrupted.

Settings come from the command line, then TEMPER_* variables, then [tool.temper] in pyproject.toml.
NO_COLOR and FORCE_COLOR are respected.";

/// Temper makes the tests of machine-learning code trustworthy.
#[derive(Debug, Parser)]
#[command(name = "temper", version, after_help = EXIT_CODES, max_term_width = 110)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

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

const OUTPUT: &str = "Output";
const PROJECT: &str = "Project";
const MUTANTS: &str = "Mutants";
const STATISTICS: &str = "Statistics";
const MACHINES: &str = "Several machines";
const FUNCTIONS: &str = "Which functions, and what they may do";
const INPUTS: &str = "Generated inputs, for --suspicions, --emit, --mutants and --paper";

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
  temper check --draws 2000          more inputs for each function
  temper check --emit tests          findings and properties as test files
  temper check --suggest nets        annotations to start from")]
    Check(Box<Check>),
    /// Find approximate assertions that are flaky, by running their tests many times
    ///
    /// Runs each test with different random states, records the value behind every approximate assertion, and says
    /// whether its bound holds as often as asked (--pass) with the confidence asked (--confidence): sound, flaky, rare,
    /// suspect, pinned, deterministic or undecided; with --tighten also loose. Tests run as pytest runs them; no file of
    /// the project is changed. Runs are kept in .temper/, so a second call continues where the first one ended.
    #[command(after_help = "\
Examples:
  temper bounds                            all tests of the project
  temper bounds tests/test_train.py        one file; pytest node ids work too
  temper bounds --seeds vary               what the tests would do under other seeds
  temper bounds --since origin/main --budget 5m
  temper bounds B9b976 --sharpen           the runs that a better bound for one finding needs
  temper bounds B9b976 --remedy size       more samples in its test instead of another bound
  temper bounds tests -- -k gaussian       what follows -- goes to pytest")]
    Bounds(Box<Bounds>),
    /// Say whether a trained classifier is worse than a reference, and where
    ///
    /// Compares the model's errors on rows that it has not seen with those of an earlier model or report, or of a plain
    /// model that is trained here on other rows. What is worse on all rows, or in a region that one half of the rows shows
    /// and the other confirms, fails the run; weak spots that the reference shares do not. Models are loaded, trained and
    /// asked in worker processes that may write and connect nowhere. Loading a joblib or pickle file runs what is in
    /// it: name only files that you trust.
    #[command(after_help = "\
Examples:
  temper model iris.csv --target species --model knn.joblib
  temper model iris.csv --target species --model mypkg.scoring:predict     a function, rows in, labels out
  temper model iris.csv --target species --train \"sklearn.neighbors:KNeighborsClassifier(5)\"
  temper model iris.csv --target species --model new.joblib --against old.joblib --unseen
  temper model iris.csv --target species --model knn.joblib --emit tests/  a test file that guards the model
  temper model iris.csv --target species --model knn.joblib --property \"rising:petal width\"
  temper model --suite suite.toml                                          several data sets, compared")]
    Model(Box<Model>),
    /// Run a finding again, in a fresh process: the call of `temper check`, the run of `temper bounds`, or the input of
    /// `temper model`
    Replay(Replay),
    /// Walk through the patches of `temper bounds`: accept, reject, edit the number, or skip
    ///
    /// Shows each patch that has no answer yet with its diff and the distribution behind it. Accepting writes the file;
    /// a number of your own is checked against the samples and the fresh values there are.
    Review(Review),
    /// Write patches of `temper bounds` into the files they belong to
    ///
    /// A file that was edited since the patch was made is left alone. Patches of one file may be applied in any order.
    #[command(after_help = "\
Examples:
  temper apply B9b976             the bound as proposed
  temper apply B9b976 --at 0.99   the bound that passes in 99 % of runs")]
    Apply(Apply),
    /// Show the last runs of all jobs together, from their saved records
    ///
    /// Nothing is run. `--format` and `--report` say in which forms, as for every command; `--open` shows the page in the
    /// browser. Ends with 0 whatever was found: the runs themselves are the gate.
    #[command(after_help = "\
Examples:
  temper report                              as text
  temper report --open                       as a page, in the browser
  temper report api training --report html:report.html    two projects of a repository
  temper report --report html:report.html --report sarif:t.sarif --report junit:t.xml
  temper report --pr B9b976                  the text of a pull request for a patch")]
    Report(ReportArguments),
    /// Accept a finding: it is shown, and fails nothing
    ///
    /// Writes it with the reason into temper.accepted.toml, which is to be committed. A flaky assertion or a region that
    /// becomes clearly worse counts again, and everything does after `--until`. In the source, a comment
    /// `# temper: accept[flaky] reason` on the line does the same.
    #[command(after_help = "\
Examples:
  temper accept B9b976 --reason \"the sampler is replaced in March\" --until 2027-03-31")]
    Accept(Accept),
    /// Say what a verdict or a kind of finding means
    Explain(ExplainWord),
    /// Print a workflow to start from
    Ci(CiArguments),
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  temper completions bash > ~/.local/share/bash-completion/completions/temper
  temper completions zsh > ~/.zfunc/_temper
  temper completions fish > ~/.config/fish/completions/temper.fish")]
    Completions(Completions),
    /// Write the pages of the manual into a folder
    Man(Man),
    /// Show what is kept in .temper/, how old and how large it is, and remove what is not wanted
    ///
    /// Runs of tests are kept so that the next call goes on from there; all of it can be made again.
    #[command(after_help = "\
Examples:
  temper clean                    what is kept; removes nothing
  temper clean --older-than 30d   runs that no command used for a month
  temper clean --all              everything, patches too")]
    Clean(Clean),
    /// Join what other machines have kept into this project: runs, verdicts on mutants, records
    ///
    /// Each folder is a copy of the project's `.temper/`, or a folder that holds one. Runs are told apart by what they used
    /// and by their seed, so nothing is lost or counted twice. A store that does not fit is left out, with the reason.
    #[command(after_help = "\
Examples:
  temper merge shards/*             artifacts of a CI matrix that ran `temper bounds --shard K/N`
  temper bounds --no-run            judges what is there now")]
    Merge(Merge),
    /// Show the settings in force and where each comes from
    ///
    /// Precedence: command line, TEMPER_* environment variables, [tool.temper] in pyproject.toml, default.
    Config(Config),
    /// Do pieces of work for another machine: started by the workers of a cluster
    #[command(hide = true)]
    Serve(Serve),
}

impl Command {
    /// The name, as settings for one command use it.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Scan(_) => "scan",
            Command::Check(_) => "check",
            Command::Bounds(_) => "bounds",
            Command::Model(_) => "model",
            Command::Report(_) => "report",
            _ => "",
        }
    }
}

/// Arguments of `temper clean`.
#[derive(Debug, Args)]
pub struct Clean {
    /// Remove runs that no command has used for this long, as in 30d or 2w
    #[arg(long, value_name = "AGE", conflicts_with = "all")]
    pub older_than: Option<String>,
    /// Remove everything
    #[arg(long)]
    pub all: bool,
}

/// Arguments of `temper serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// The copy of the project
    #[arg(long)]
    pub root: PathBuf,
    /// Where the interpreter's libraries lie
    #[arg(long)]
    pub prefix: PathBuf,
}

/// Arguments of `temper merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// Copies of `.temper/`, or folders that hold one
    #[arg(required = true, value_name = "FOLDERS")]
    pub folders: Vec<PathBuf>,
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
    /// Valid inputs to draw for each function [default: 200]
    #[arg(long, value_name = "N")]
    pub draws: Option<String>,
    /// Time for all functions together, as in 90s, 5m, 2h, or none [default: 60s]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Only functions whose name or file contains NAME
    #[arg(short = 'k', value_name = "NAME")]
    pub name: Option<String>,
    /// Check one part of the functions, as in 1/4 for the first of four; `temper merge` joins the parts
    #[arg(long, value_name = "K/N", help_heading = MACHINES)]
    pub shard: Option<Shard>,
    /// Refused with a reason: what is checked is checked on this machine.
    #[arg(long, hide = true, value_name = "WHERE")]
    pub executor: Option<String>,
    /// Fixes every draw: the same seed gives the same inputs [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<String>,
    /// Draw at random only: no search for inputs that take further branches
    #[arg(long)]
    pub no_search: bool,
    /// Also check functions that have nothing but plain type hints
    #[arg(long, help_heading = FUNCTIONS)]
    pub hints: bool,
    /// Also run the `if __name__ == "__main__":` block of every module that has one
    #[arg(long, help_heading = FUNCTIONS)]
    pub scripts: bool,
    /// Also report results that are not finite although the arguments are
    #[arg(long)]
    pub nan: bool,
    /// Hold every function to this: `same` (the same call gives the same result), `unchanged` (arguments are not changed in
    /// place), `precision` (float32 and float64 agree), `pickled` (the result survives pickling); may be given several times
    #[arg(long, value_name = "ORACLE", hide_possible_values = true)]
    pub oracle: Vec<GeneralOracle>,
    /// Annotations of functions that may not be edited [default: temper.an.toml, if there is one]
    #[arg(long, value_name = "FILE", help_heading = FUNCTIONS)]
    pub annotations: Option<PathBuf>,
    /// Write a test for every finding and a property for every function into FOLDER; `hypothesis` writes the
    /// properties for Hypothesis, into `tests` or a FOLDER given too
    #[arg(long, value_name = "FOLDER|hypothesis")]
    pub emit: Vec<String>,
    /// Propose annotations for functions that have none, and try them, instead of checking
    #[arg(long)]
    pub suggest: bool,
    /// With --suggest: keep the proposals that were not refused as temper.an.toml
    #[arg(long, requires = "suggest")]
    pub write: bool,
    #[command(flatten)]
    pub limits: RunLimits,
    #[command(flatten)]
    pub allow: Allow,
    #[command(flatten)]
    pub gate: Gate,
}

/// What every function can be held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GeneralOracle {
    /// The same call gives the same result.
    Same,
    /// Arguments are not changed in place.
    Unchanged,
    /// float32 and float64 agree.
    Precision,
    /// The result survives pickling.
    Pickled,
}

impl GeneralOracle {
    /// Its name in the worker.
    pub fn name(self) -> &'static str {
        match self {
            GeneralOracle::Same => "same",
            GeneralOracle::Unchanged => "unchanged",
            GeneralOracle::Precision => "precision",
            GeneralOracle::Pickled => "pickled",
        }
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

/// Arguments of `temper bounds`. Those that are also settings stay unset here unless the user gave them.
#[derive(Debug, Args)]
pub struct Bounds {
    /// Files, folders and pytest node ids [default: what pytest collects in the project]
    pub tests: Vec<String>,
    /// Take the further runs that place the bounds of these findings better; TESTS are their ids
    #[arg(long, requires = "tests", conflicts_with_all = ["runs", "since", "tighten"], help_heading = STATISTICS)]
    pub sharpen: bool,
    /// Make another remedy than the one proposed for these findings; TESTS are their ids
    #[arg(long, value_name = "KIND", requires = "tests", conflicts_with_all = ["sharpen", "since", "tighten"])]
    #[arg(help_heading = STATISTICS)]
    pub remedy: Option<RemedyChoice>,
    /// Most runs of a test; it stops earlier if the evidence is clear [default: 3000]
    #[arg(long, value_name = "N")]
    pub runs: Option<String>,
    /// Most time, as in 90s, 5m, 2h; what is not decided by then is undecided [default: none]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// The share of runs in which an assertion must pass [default: 0.999]
    #[arg(long, value_name = "SHARE")]
    pub pass: Option<String>,
    /// How sure a verdict must be [default: 0.95]
    #[arg(long, value_name = "SHARE", help_heading = STATISTICS)]
    pub confidence: Option<String>,
    /// Fixed seeds: keep them, or vary them from run to run [default: keep]
    #[arg(long, value_name = "keep|vary")]
    pub seeds: Option<String>,
    /// Run mutants of the code under test, and propose tighter bounds if they kill clearly more; fixed seeds vary
    #[arg(long)]
    pub tighten: bool,
    /// The share of the mutants to try, drawn at random [default: 1]
    #[arg(long, value_name = "SHARE", help_heading = MUTANTS)]
    pub mutant_fraction: Option<String>,
    /// Kinds of mutants, separated by commas, as in constant,swap [default: all]
    #[arg(long, value_name = "NAMES", help_heading = MUTANTS)]
    pub operators: Option<String>,
    /// Also write the mutants to this file, in the JSON format of mutation-testing-elements
    #[arg(long, value_name = "FILE", requires = "tighten", help_heading = MUTANTS)]
    pub mutants_to: Option<PathBuf>,
    /// Run no mutants to see what a wider bound costs
    #[arg(long, conflicts_with = "tighten", help_heading = MUTANTS)]
    pub no_mutants: bool,
    /// How a bound is proposed: calibrated, flex or faser [default: calibrated]
    #[arg(long, value_name = "METHOD", help_heading = STATISTICS)]
    pub method: Option<String>,
    /// Where no tail fits: the widest interval of the greatest value that is offered as a bound, as a share of the
    /// bound it replaces [default: 0.25]
    #[arg(long, value_name = "SHARE", help_heading = STATISTICS)]
    pub empirical_width: Option<String>,
    /// Runs of a test with a patch in place before the patch is offered [default: 500]
    #[arg(long, value_name = "N", help_heading = STATISTICS)]
    pub verify_runs: Option<String>,
    /// The seed that the seeds of all runs follow from [default: 0]
    #[arg(long, value_name = "N", help_heading = STATISTICS)]
    pub seed: Option<String>,
    /// Do one part of the work, as in 1/4 for the first of four; `temper merge` joins what the parts have kept
    #[arg(long, value_name = "K/N", help_heading = MACHINES)]
    pub shard: Option<Shard>,
    /// Where the tests are run: local, or a Dask cluster, as in dask://tcp://scheduler:8786 [default: local]
    #[arg(long, value_name = "WHERE", help_heading = MACHINES)]
    pub executor: Option<String>,
    /// Judge the runs that there are, and run no test
    #[arg(long, conflicts_with_all = ["tighten", "shard"], help_heading = MACHINES)]
    pub no_run: bool,
    /// Only tests whose file, or a file of the project that it uses, changed since this git revision
    #[arg(long, value_name = "REF")]
    pub since: Option<String>,
    #[command(flatten)]
    pub limits: RunLimits,
    #[command(flatten)]
    pub gate: Gate,
    /// Options for pytest
    #[arg(last = true, value_name = "PYTEST OPTIONS")]
    pub pytest: Vec<String>,
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
    fn settings(&self) -> Vec<Given> {
        given(&[("time-limit", &self.time_limit), ("memory-limit", &self.memory_limit)])
    }
}

impl Check {
    /// The settings that these arguments give.
    pub fn settings(&self) -> Vec<Given> {
        let own = given(&[("draws", &self.draws), ("budget", &self.budget), ("seed", &self.seed)]);
        own.into_iter().chain(self.limits.settings()).chain(self.allow.settings()).collect()
    }
}

impl Bounds {
    /// The settings that these arguments give.
    pub fn settings(&self) -> Vec<Given> {
        let own = given(&[
            ("runs", &self.runs),
            ("budget", &self.budget),
            ("pass", &self.pass),
            ("confidence", &self.confidence),
            ("seeds", &self.seeds),
            ("method", &self.method),
            ("empirical-width", &self.empirical_width),
            ("verify-runs", &self.verify_runs),
            ("seed", &self.seed),
            ("operators", &self.operators),
            ("mutant-fraction", &self.mutant_fraction),
            ("executor", &self.executor),
        ]);
        own.into_iter().chain(self.limits.settings()).collect()
    }
}

impl Model {
    /// The settings that these arguments give.
    pub fn settings(&self) -> Vec<Given> {
        given(&[("seed", &self.seed)])
    }
}

fn given(options: &[(&'static str, &Option<String>)]) -> Vec<Given> {
    options.iter().filter_map(|(key, value)| (*value).clone().map(|text| (*key, vec![text]))).collect()
}

/// What is done about a flaky assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RemedyChoice {
    /// Another bound
    Bound,
    /// Four times a number of samples or steps in the test
    Size,
    /// The mean over several repetitions
    Mean,
    /// A fixed seed, the middle one of nine
    Seed,
    /// A mark that repeats the test before it is called failed
    Rerun,
}

/// What the leaves are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SurrogateChoice {
    /// One tree on the labels
    Labels,
    /// One tree on the model's own answers: explains the model and judges nothing
    Model,
    /// One tree on the labels; inputs count only if 90 of 100 bagged trees agree with it
    Forest,
}

/// Where inputs come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sampling {
    /// Around rows of the leaf
    Local,
    /// Anywhere in the leaf's box, each column by itself
    Box,
}

/// What an end of a leaf that no split gives is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fill {
    /// All rows
    Global,
    /// Rows of the leaf's class
    Class,
}

/// What the target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelTask {
    /// Classes
    Classification,
    /// A quantity
    Regression,
}

/// Arguments of `temper model`.
#[derive(Debug, Args)]
pub struct Model {
    /// The labelled rows: CSV with a header (also .gz), or Parquet or Feather if the project has pandas
    #[arg(required_unless_present = "suite")]
    pub data: Option<PathBuf>,
    /// A newer table: say where the two differ, and whether weak spots of --model, if given, have become more frequent
    #[arg(value_name = "NEWER", conflicts_with_all = ["suite", "against", "paper", "property", "suspicions", "calibration", "holdout", "unseen", "threshold"])]
    pub newer: Option<PathBuf>,
    /// The column that holds the labels
    #[arg(long, value_name = "COLUMN", required_unless_present_any = ["suite", "newer"])]
    pub target: Option<String>,
    /// Read only these columns besides the target; comma-separated, may be given several times
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "suite")]
    pub columns: Vec<String>,
    /// Leave these columns out, as ids that the model does not take; comma-separated, may be given several times
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "suite")]
    pub drop: Vec<String>,
    /// The model: a joblib or pickle file, or a function or object as in pkg.module:predict
    #[arg(long, value_name = "MODEL", required_unless_present_any = ["train", "suite", "newer"])]
    pub model: Option<String>,
    /// Train the model here, as in "sklearn.neighbors:KNeighborsClassifier(5)"
    #[arg(long, value_name = "ESTIMATOR", conflicts_with = "model")]
    pub train: Option<String>,
    /// What the model must not be worse than: an earlier model, or an earlier report (--format json)
    /// [default: a challenger, trained here on other rows]
    #[arg(long, value_name = "MODEL|REPORT", conflicts_with_all = ["paper", "suite"])]
    pub against: Option<String>,
    /// The error may be greater by this many points of percent before that counts [default: 0.2 with --against, else 0.5]; of a
    /// quantity by this percentage of the reference's error [2, else 5]; a probability may be off by as many points [2], and a
    /// newer table have as many more rows in a region [1]
    #[arg(long, value_name = "POINTS", conflicts_with_all = ["paper", "suite"])]
    pub margin: Option<f64>,
    /// Run the data sets that this file lists, and compare ways of testing across them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["data", "target", "model", "train"])]
    pub suite: Option<PathBuf>,
    /// Check a property that needs no labels instead: indifferent:COLUMN, rising:COLUMN, falling:COLUMN (classes in sorted
    /// order), symmetric:A,B, stable:SHARE (of each standard deviation), units:COLUMN,UNIT COLUMN,FROM,TO,FACTOR, order (of
    /// rows), columns (their order), batch, probabilities (the likeliest class is answered); may be given several times.
    /// `suggest` lists those that hold
    #[arg(long, value_name = "PROPERTY", conflicts_with_all = ["paper", "suite", "against", "suspicions"])]
    pub property: Vec<String>,
    /// Also ask about inputs a little away from real rows, and show where the model contradicts the rows around them; this
    /// decides nothing
    #[arg(long, conflicts_with_all = ["paper", "suite"])]
    pub suspicions: bool,
    /// What the leaves of --emit and --mutants are taken from; `model` only explains
    #[arg(long, value_enum, default_value_t = SurrogateChoice::Forest, help_heading = INPUTS)]
    pub surrogate: SurrogateChoice,
    /// Where inputs come from
    #[arg(long, value_enum, default_value_t = Sampling::Local, help_heading = INPUTS)]
    pub sampling: Sampling,
    /// Inputs for each leaf and criterion (covering it, and next to its splits)
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..), help_heading = INPUTS)]
    pub draws: u32,
    /// Width of the slice next to a split, in percent of the leaf's interval
    #[arg(long, value_name = "PERCENT", default_value_t = 20.0, help_heading = INPUTS)]
    pub slice: f64,
    /// Do as the published tool does: label tree, rounded ends, few free values, one end of two, seed 42
    #[arg(long, conflicts_with_all = ["surrogate", "sampling"], help_heading = INPUTS)]
    pub paper: bool,
    /// What an end that no split gives is taken from
    #[arg(long, value_enum, default_value_t = Fill::Global, help_heading = INPUTS)]
    pub fill: Fill,
    /// Values that a column without a split is drawn from, with --paper
    #[arg(long, value_name = "N", default_value_t = 10, requires = "paper", value_parser = clap::value_parser!(u32).range(1..), help_heading = INPUTS)]
    pub free_values: u32,
    /// Deepest leaf of the tree [default: no limit]
    #[arg(long, value_name = "N", help_heading = INPUTS)]
    pub max_depth: Option<usize>,
    /// Fewest rows of a leaf
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), help_heading = INPUTS)]
    pub min_leaf: u32,
    /// Rows that the model has not seen, to judge it on [default: cross-validation if it can be trained]
    #[arg(long, value_name = "FILE")]
    pub holdout: Option<PathBuf>,
    /// The model has not seen the rows of DATA either: judge it on them
    #[arg(long, conflicts_with_all = ["holdout", "train", "paper", "suite"])]
    pub unseen: bool,
    /// Write tests: a folder for a pytest file that guards the model, or `hypothesis` for the published form; may be
    /// given several times
    #[arg(long, value_name = "FOLDER|hypothesis")]
    pub emit: Vec<String>,
    /// Also train mutants of the model, and say how many the inputs notice, compared with a hold-out of equal size
    #[arg(long)]
    pub mutants: bool,
    /// What the target is
    /// [default: a quantity if it looks like one]
    #[arg(long, value_enum)]
    pub task: Option<ModelTask>,
    /// Judge the model's probabilities instead: whether what they are given for is the case as often as they say
    #[arg(long, conflicts_with_all = ["paper", "suite", "against", "suspicions", "property", "threshold"])]
    pub calibration: bool,
    /// Of two classes, the model answers the second if its probability is at least this
    #[arg(long, value_name = "SHARE", conflicts_with_all = ["paper", "suite"])]
    pub threshold: Option<f64>,
    /// Fixes every draw, the trees and the folds [default: 0, with --paper 42]
    #[arg(long, value_name = "N")]
    pub seed: Option<String>,
    #[command(flatten)]
    pub gate: Gate,
}

/// Arguments of `temper replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// The id of the finding, as every report shows it
    pub id: String,
    #[command(flatten)]
    pub allow: Allow,
}

/// Arguments of `temper review`.
#[derive(Debug, Args)]
pub struct Review {
    /// Patches to look at [default: all that have no answer yet]
    pub ids: Vec<String>,
}

/// Arguments of `temper apply`.
#[derive(Debug, Args)]
pub struct Apply {
    /// The patches, by the ids that `temper bounds` prints
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Take the bound at another share of passing runs: 0.9, 0.95, 0.99, 0.999 or 0.9999
    #[arg(long, value_name = "SHARE")]
    pub at: Option<f64>,
}

/// Arguments of `temper report`.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// Folders of several projects, whose records are shown together [default: this project]
    #[arg(conflicts_with_all = ["pr", "open"])]
    pub projects: Vec<PathBuf>,
    /// Print the text of a pull request for this patch of `temper bounds` instead
    #[arg(long, value_name = "ID")]
    pub pr: Option<String>,
    /// Write the page to .temper/report.html and open it in the browser
    #[arg(long, conflicts_with = "pr")]
    pub open: bool,
}

/// Arguments of `temper accept`.
#[derive(Debug, Args)]
pub struct Accept {
    /// The findings, by the ids that every report shows
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Why they may stay
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// The last day on which that counts, as in 2026-12-31
    #[arg(long, value_name = "DAY")]
    pub until: Option<String>,
}

/// Arguments of `temper explain`.
#[derive(Debug, Args)]
pub struct ExplainWord {
    /// The word, as reports use it; none lists the words
    pub word: Vec<String>,
}

/// Arguments of `temper ci`.
#[derive(Debug, Args)]
pub struct CiArguments {
    #[command(subcommand)]
    pub command: CiCommand,
}

/// What `temper ci` can do.
#[derive(Debug, Subcommand)]
pub enum CiCommand {
    /// Print a workflow that caches runs, judges what a pull request changes, and keeps the reports
    Init {
        /// Whose workflow
        #[arg(value_enum, default_value_t = CiServer::Github)]
        server: CiServer,
    },
}

/// A CI server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CiServer {
    /// .github/workflows/temper.yml
    Github,
    /// .gitlab-ci.yml
    Gitlab,
}

/// Arguments of `temper completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Arguments of `temper man`.
#[derive(Debug, Args)]
pub struct Man {
    /// Where to write temper.1, temper-bounds.1 and the others
    pub folder: PathBuf,
}

/// Arguments of `temper config`.
#[derive(Debug, Args)]
pub struct Config {
    /// Print the defaults as a commented file to copy from
    #[arg(long)]
    pub defaults: bool,
}

/// The definition of the arguments. The help of a command is short in its options, one line each where it can be, and
/// tells in full what the command does.
pub fn command() -> clap::Command {
    CommandLine::command().disable_help_flag(true).mut_subcommands(|each| {
        let whole = each.get_long_about().map(ToString::to_string).unwrap_or_default();
        let rest = whole.split_once("\n\n").map(|(_, rest)| rest.to_owned());
        let template = "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";
        let each = each.disable_help_flag(true).help_template(template);
        if let Some(rest) = rest { each.before_help(rest) } else { each }
    })
}

/// Parses the arguments. Help, version and usage errors are printed here and give the exit to end with.
pub fn parse(args: &[OsString]) -> Result<CommandLine, Exit> {
    if args.len() <= 1 {
        let _ = terminal::write_stdout(OVERVIEW);
        return Err(Exit::Clean);
    }
    let colour = match terminal::colour_choice(std::io::IsTerminal::is_terminal(&std::io::stdout())) {
        anstream::ColorChoice::Always => ColorChoice::Always,
        _ => ColorChoice::Never,
    };
    let matches = command().color(colour).try_get_matches_from(args);
    matches.and_then(|matches| CommandLine::from_arg_matches(&matches)).map_err(|error| {
        let _ = error.print();
        if error.use_stderr() { Exit::Usage } else { Exit::Clean }
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_argument_definitions_are_consistent() {
        super::command().debug_assert();
    }

    #[test]
    fn the_common_options_of_bounds_come_first_and_fit_on_a_screen() {
        let mut command = super::command();
        command.build();
        let bounds = command.find_subcommand_mut("bounds").unwrap();
        let text = bounds.render_help().to_string();
        let common = text.split("Usage:").nth(1).unwrap().split("Statistics:").next().unwrap();
        assert!(common.lines().count() <= 24, "{common}");
        for option in ["--runs", "--budget", "--pass", "--seeds", "--tighten", "--since", "--exit-zero"] {
            assert!(common.contains(option), "{option}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
    }
}
