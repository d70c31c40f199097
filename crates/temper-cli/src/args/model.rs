//! The arguments of `temper model`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::shared::{Gate, given};
use crate::settings::Given;

const INPUTS: &str = "Generated inputs, for --suspicions, --emit, --mutants and --paper";

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

impl Model {
    /// The settings that these arguments give.
    pub fn settings(&self) -> Vec<Given> {
        given(&[("seed", &self.seed)])
    }
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
