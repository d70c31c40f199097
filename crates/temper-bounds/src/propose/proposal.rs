//! What is proposed for one site, with everything that a person needs to decide: the remedy, the samples behind it, the
//! bounds at other pass targets, what verification showed and what the change costs.
//!
//! [`crate::propose::advice`] makes proposals, [`crate::propose::verify`] tries them, [`crate::propose::patches`] keeps them.

use serde::{Deserialize, Serialize};
use temper_source::{ContentHash, Edit, EditSet, Span};
use temper_stats::bound::BoundEvidence;
use temper_stats::tail::TailKind;
use temper_stats::{Direction, Samples};

use crate::Seeds;
pub use crate::propose::remedy_kind::{KnownOfRemedy, OtherRemedy, RemedyKind};

/// A change to one site, for review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The id of the finding that it answers.
    pub id: String,
    /// Where the assertion is.
    pub place: ProposalPlace,
    /// What was measured there before the change.
    pub measured: MeasuredValue,
    /// The pass probability that it was made for; the site is judged at it later.
    pub pass: f64,
    /// How sure the bound must be.
    pub confidence: f64,
    /// What is to be done.
    pub remedy: Remedy,
    /// The bound at other pass targets; empty where no bound is proposed.
    pub levels: Vec<TargetLevel>,
    /// The bound at the target that was asked for, if the patch takes one that the samples support better.
    #[serde(default)]
    pub asked: Option<AskedLevel>,
    /// What further runs would buy; nothing if the bound is observed.
    #[serde(default)]
    pub more_runs: Option<MoreRuns>,
    /// Other sites whose bound moves too, as `file:line:column source`.
    pub moves: Vec<String>,
    /// The change itself.
    pub change: SourceChange,
    /// What runs with the change showed; nothing if it has not been tried.
    pub verification: Option<Verification>,
    /// What else could be done.
    #[serde(default)]
    pub others: Vec<OtherRemedy>,
    /// What it costs in fault detection; nothing where no mutant was run.
    pub kill_cost: Option<KillCost>,
    /// What the user said to it.
    pub decision: ReviewDecision,
}

/// Where an assertion is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalPlace {
    /// The file, relative to the project.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The assertion, on one line.
    pub source: String,
    /// What stands in front of the bound: `<`, `rtol`, `decimal`.
    pub label: String,
    /// Its index in the analysis of its file.
    pub site: usize,
    /// The test that speaks most against it.
    pub test: String,
    /// All tests that the change is for.
    pub tests: Vec<String>,
    /// Other tests that reach the assertion and share its bound.
    #[serde(default)]
    pub shared_with: Vec<String>,
}

/// The samples of the test that speaks most against the bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredValue {
    /// Runs of the test.
    pub runs: usize,
    /// Runs that reached the assertion.
    pub reached: usize,
    /// Runs in which it failed.
    pub failures: usize,
    /// Lower end of the exact interval of the failure rate.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The bound as it was.
    pub bound: f64,
    /// Whether large values fail.
    pub is_upper: bool,
    /// Whether the bound itself fails.
    pub is_strict: bool,
    /// Whether the numbers are distances from a bound that differs from run to run.
    pub is_margin: bool,
    /// The numbers, in run order.
    pub numbers: Vec<f64>,
    /// What happened to fixed seeds.
    pub seeds: Seeds,
    /// The fixed seed without which the test would not be green.
    #[serde(default)]
    pub green_seed: Option<String>,
    /// The seed that those of all runs follow from.
    pub seed: u64,
    /// Seconds of a typical run.
    pub secs: f64,
}

impl MeasuredValue {
    /// The side of the bound that fails.
    #[must_use]
    pub fn direction(&self) -> Direction {
        if self.is_upper { Direction::Upper } else { Direction::Lower }
    }

    /// Whether a value stays on the right side of `bound`.
    #[must_use]
    pub fn is_inside(&self, value: f64, bound: f64) -> bool {
        let (value, bound) = (self.direction().oriented(value), self.direction().oriented(bound));
        if self.is_strict { value < bound } else { value <= bound }
    }

    /// The numbers, sorted.
    #[must_use]
    pub fn samples(&self) -> Samples {
        Samples::new(&self.numbers).unwrap_or_default()
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Remedy {
    /// Another number.
    Bound {
        /// As source text.
        text: String,
        /// The bound that the text stands for.
        bound: f64,
        /// The bound that the evidence supports, before rounding.
        limit: f64,
        /// What it rests on.
        support: Support,
    },
    /// A mark that repeats the test before it is called failed.
    Rerun {
        /// The decorator.
        text: String,
        /// Most runs, the first included.
        max_runs: u32,
        /// The failure probability of one run that the count is for.
        failure: f64,
        /// Chance that one of the runs passes, if they are independent.
        passes: f64,
        /// Runs that a test takes on average.
        expected_runs: f64,
    },
    /// Another body of the test; the bound stays.
    Rewritten {
        /// In which way.
        means: RemedyKind,
        /// What is written.
        text: String,
        /// What it replaces, if it replaces something.
        old: Option<String>,
        /// How many times as long the test takes.
        times: f64,
    },
}

impl Remedy {
    /// What is written: a number, a decorator, or what changes in the body.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Bound { text, .. } | Self::Rerun { text, .. } | Self::Rewritten { text, .. } => text,
        }
    }

    /// Which of the ways it is.
    #[must_use]
    pub const fn kind(&self) -> RemedyKind {
        match self {
            Self::Bound { .. } => RemedyKind::Bound,
            Self::Rerun { .. } => RemedyKind::Rerun,
            Self::Rewritten { means, .. } => *means,
        }
    }
}

/// What a bound rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Support {
    /// An order statistic, exact for every distribution.
    Observed {
        /// Its rank from the passing side.
        rank: usize,
        /// The confidence reached.
        confidence: f64,
    },
    /// The calibrated limit of the fitted tail.
    Extrapolated {
        /// `light`, `exponential` or `heavy`.
        tail: String,
        /// The fitted shape.
        shape: f64,
        /// Samples beyond the threshold.
        exceedances: usize,
        /// The point estimate, for comparison.
        estimate: f64,
        /// The share of simulations in which such limits held, at least.
        measured_coverage: Option<f64>,
    },
    /// A point estimate from the fitted tail, right about half of the time.
    Estimated {
        /// `light`, `exponential` or `heavy`.
        tail: String,
    },
    /// The most extreme value of resamples: what was seen, and no more.
    Empirical {
        /// How many resamples.
        resamples: usize,
        /// Lower end of the interval of their extremes.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// A concentration inequality.
    Concentration,
    /// The user's own number.
    Chosen,
}

impl From<&BoundEvidence> for Support {
    fn from(evidence: &BoundEvidence) -> Self {
        match *evidence {
            BoundEvidence::Observed { rank, confidence } => Self::Observed { rank, confidence },
            BoundEvidence::Extrapolated { kind, shape, exceedances, estimate, measured } => Self::Extrapolated {
                tail: tail_name(kind),
                shape,
                exceedances,
                estimate,
                measured_coverage: measured.map(|coverage| coverage.lowest),
            },
            BoundEvidence::Estimated { kind } => Self::Estimated { tail: tail_name(kind) },
            BoundEvidence::Concentrated { .. } => Self::Concentration,
        }
    }
}

fn tail_name(kind: TailKind) -> String {
    match kind {
        TailKind::Light => "light",
        TailKind::Exponential => "exponential",
        TailKind::Heavy => "heavy",
    }
    .to_owned()
}

/// The bound at one pass target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetLevel {
    /// The target.
    pub pass: f64,
    /// The number and what it rests on; nothing where the samples do not reach so far.
    pub bound: Option<LevelBound>,
}

/// The number at one pass target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelBound {
    /// As source text.
    pub text: String,
    /// The bound that the text stands for.
    pub bound: f64,
    /// What it rests on.
    pub support: Support,
    /// How many of the fresh values of the verification lie beyond it.
    pub fresh_failures: Option<usize>,
}

/// A bound that lies so far out that a nearer one for a lower target is worth more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedLevel {
    /// The target.
    pub pass: f64,
    /// The number and what it rests on.
    pub bound: LevelBound,
    /// How many times as far from the median as the bound that the patch takes.
    pub times: f64,
}

/// Further runs after which a bound would be observed and not extrapolated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoreRuns {
    /// How many.
    pub runs: usize,
    /// How long they take, one after the other.
    pub secs: f64,
    /// The target that the bound would be for.
    pub pass: f64,
    /// Between which numbers it would mostly lie, the nearer one first; nothing if the tail is too heavy to tell.
    pub about: Option<[String; 2]>,
}

/// Runs with the change in place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// Runs of all tests that the change is for, with seeds that the proposal has not seen.
    pub runs: usize,
    /// Runs in which the assertion still failed; for a rerun mark, trials in which every rerun failed.
    pub failures: usize,
    /// What a failure is counted in: runs, or trials of several.
    pub trials: usize,
    /// Whether the failure rate is significantly above what was asked.
    pub is_rejected: bool,
    /// Whether the fresh values were counted against another number than the one that the runs were made with.
    pub is_recount: bool,
    /// The fresh values at the assertion.
    pub numbers: Vec<f64>,
}

/// Mutants of the code under test that this assertion kills in more than half of their runs, before and after the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KillCost {
    /// Mutants that change the value.
    pub mutants: usize,
    /// Killed with the bound as it was.
    pub before: usize,
    /// Killed with the bound proposed.
    pub after: usize,
}

/// What the user said to a proposal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewDecision {
    /// Nothing yet.
    #[default]
    Open,
    /// It was applied.
    Applied,
    /// It is not wanted.
    Rejected,
}

/// Edits of one file and the text that they belong to, as they are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceChange {
    /// The file, relative to the project: usually that of the assertion, for a mark that of the test.
    pub path: String,
    /// Hash of the text that the edits were made from.
    pub before: u64,
    /// In the order of the text.
    pub edits: Vec<KeptEdit>,
}

/// One edit, with the text that it replaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptEdit {
    /// Where it starts.
    pub start: u32,
    /// What is replaced.
    pub old: String,
    /// What takes its place.
    pub new: String,
}

impl KeptEdit {
    /// The edit as it is made.
    #[must_use]
    pub fn edit(&self) -> Edit {
        let end = self.start.saturating_add(u32::try_from(self.old.len()).unwrap_or(u32::MAX));
        Edit::replace(Span::new(self.start, end), &self.new)
    }
}

impl SourceChange {
    /// The change that `edits` make in the file at `path`, relative to the project.
    #[must_use]
    pub fn new(path: String, edits: &EditSet) -> Self {
        let ContentHash(before) = edits.before();
        let kept = edits.edits().iter().zip(edits.replaced());
        let edits = kept.map(|(edit, old)| KeptEdit {
            start: edit.span.start,
            old: old.clone(),
            new: edit.replacement.clone(),
        });
        Self { path, before, edits: edits.collect() }
    }
}
