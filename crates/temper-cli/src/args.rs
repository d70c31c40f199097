//! The arguments of the `temper` command. What is here works; the help is the first page of the documentation.

mod bounds;
mod check;
mod model;
mod shared;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use temper_report::Exit;

use crate::terminal;

pub use bounds::{Bounds, RemedyChoice};
pub use check::Check;
pub use model::{Fill, Model, ModelTask, Sampling, SurrogateChoice};
pub use shared::{Allow, Common};

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
