//! The arguments of `temper check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use temper_worker::Shard;

use super::shared::{Allow, FUNCTIONS, Gate, MACHINES, RunLimits, given};
use crate::settings::Given;

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
    /// Annotations of functions that may not be edited; without PATHS, only their modules are read [default:
    /// temper.an.toml, if there is one]
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

impl Check {
    /// The settings that these arguments give.
    pub fn settings(&self) -> Vec<Given> {
        let own = given(&[("draws", &self.draws), ("budget", &self.budget), ("seed", &self.seed)]);
        own.into_iter().chain(self.limits.settings()).chain(self.allow.settings()).collect()
    }
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
