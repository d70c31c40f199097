//! The arguments of `temper bounds`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use temper_worker::Shard;

use super::shared::{Gate, MACHINES, RunLimits, given};
use crate::settings::Given;

const MUTANTS: &str = "Mutants";
const STATISTICS: &str = "Statistics";

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
