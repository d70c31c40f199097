//! The evidence of `temper bounds`, and what it did.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The numbers behind the verdict on one assertion in one test. A number that is not finite has no JSON form and is left
/// null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteEvidence {
    /// The verdict in the words of `temper bounds`.
    pub verdict: String,
    /// The form of the assertion.
    pub form: String,
    /// Which bound the numbers are of.
    pub role: String,
    /// The side on which the value must stay.
    pub direction: BoundSide,
    /// Whether the bound itself fails.
    pub is_strict: bool,
    /// The bound in force.
    pub bound: Option<f64>,
    /// Whether the numbers are distances from a bound that differs from run to run.
    pub is_margin: bool,
    /// Runs that the verdict rests on.
    pub judged_after: usize,
    /// The pass probability that was asked.
    pub judged_at: f64,
    /// Runs of the test.
    pub runs: usize,
    /// Runs that reached the assertion.
    pub reached: usize,
    /// Runs in which it failed.
    pub failures: usize,
    /// The share of those, with its interval.
    pub failure_rate: FailureRate,
    /// Runs with a NaN.
    pub nan: usize,
    /// Runs with an infinity.
    pub infinite: usize,
    /// Runs whose operands gave no number.
    pub unreadable: usize,
    /// Runs that ended in an exception.
    pub errors: usize,
    /// Quantiles of the numbers.
    pub quantiles: SampleQuantiles,
    /// What the bound rests on.
    pub rests_on: Value,
    /// The seeds of the worst runs.
    pub worst_seeds: Vec<u64>,
    /// The seed behind each number.
    pub seeds: Vec<u64>,
    /// The numbers, in run order.
    pub numbers: Vec<f64>,
    /// Why the runs gave no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Seconds that the runs of the test took, all together.
    #[serde(default)]
    pub secs: f64,
}

/// The side on which a value must stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BoundSide {
    /// Below the bound.
    Upper,
    /// Above it.
    Lower,
}

/// A share of failing runs, with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailureRate {
    /// The estimate.
    pub share: Option<f64>,
    /// The low end.
    pub low: Option<f64>,
    /// The high end.
    pub high: Option<f64>,
}

/// Quantiles of the numbers; none without numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampleQuantiles {
    /// One in a thousand lies below.
    #[serde(rename = "p0.1")]
    pub p0_1: Option<f64>,
    /// One in a hundred lies below.
    pub p1: Option<f64>,
    /// The median.
    pub p50: Option<f64>,
    /// One in a hundred lies above.
    pub p99: Option<f64>,
    /// One in a thousand lies above.
    #[serde(rename = "p99.9")]
    pub p99_9: Option<f64>,
}

/// The numbers behind a flaky, suspect or loose assertion, and what is proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteFindingEvidence {
    /// Those of the test that speaks most against it.
    #[serde(flatten)]
    pub site: SiteEvidence,
    /// The change that is proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Map<String, Value>>,
    /// Why no better remedy is proposed, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed_over: Option<Vec<String>>,
    /// What else could be done: its kind, its text, how many times as long the test takes, and what is known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_remedies: Option<Vec<Value>>,
    /// How far the trial of the change came, if it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification_begun: Option<VerificationBegun>,
}

/// The numbers behind a test that fails by luck outside its approximate assertions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestFindingEvidence {
    /// Runs of the test.
    pub runs: usize,
    /// Runs that failed there.
    pub failures: usize,
    /// The share of them.
    pub failure_rate: FailureRate,
    /// The fixed seeds without which the test would not be green.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub green_seed: Option<String>,
}

/// How far the trial of a change came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerificationBegun {
    /// Runs that there are.
    pub runs: usize,
    /// Runs that there should be.
    pub wanted: usize,
    /// Those that failed.
    pub failures: usize,
}

/// What `temper bounds` did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundsDetails {
    /// The pass probability that was asked for.
    pub pass: f64,
    /// How sure a verdict had to be.
    pub confidence: f64,
    /// Most runs of a test.
    pub most_runs: usize,
    /// Whether fixed seeds were kept or varied.
    pub seeds: SeedsUsed,
    /// Runs that were taken.
    pub runs_taken: usize,
    /// Runs that were taken to try patches.
    pub runs_of_patches: usize,
    /// Runs that came from the store.
    pub runs_reused: usize,
    /// What became of stored runs that other kinds of machines took.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pooled: Vec<PooledRuns>,
    /// Runs that ordinary test runs have recorded, by test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recorded: Vec<TestRecordings>,
    /// What ended the run early.
    pub stopped: Option<StoppedBy>,
    /// Tests with assertions that were judged.
    #[serde(default)]
    pub tests_judged: usize,
    /// Every assertion that was reached, in the order of files and lines.
    #[serde(default)]
    pub sites: Vec<SiteRow>,
    /// Tests that were not judged.
    pub not_judged: Vec<NotJudged>,
    /// Assertions that were left out, by reason.
    pub left_out: BTreeMap<String, usize>,
    /// What mutants showed, if some were run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutants: Option<BoundsMutants>,
}

/// Stored runs of one test that other kinds of machines took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PooledRuns {
    /// The test.
    pub test: String,
    /// How many.
    pub runs: usize,
    /// The kinds of machines.
    pub machines: Vec<String>,
    /// How likely values that differ as much are if both kinds give the same distribution.
    pub p: f64,
    /// Whether they count.
    pub is_counted: bool,
}

/// The recorded runs that the verdicts on a test rest on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestRecordings {
    /// The test.
    pub test: String,
    /// Runs that count.
    pub runs: usize,
    /// The revisions that they are of, the oldest first.
    pub commits: Vec<String>,
    /// Runs of files whose assertions have changed since.
    pub outdated: usize,
    /// Values that changed when the code did, if some did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<DriftRecord>,
}

/// Values that changed when the code did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DriftRecord {
    /// The first revision with the values of today.
    pub since: String,
    /// Earlier runs that are set aside.
    pub runs: usize,
    /// How likely values that differ as much are if nothing changed.
    pub p: f64,
}

/// One assertion with what is said about it. The numbers are those of its subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteRow {
    /// The id of its finding, if it is one.
    pub id: String,
    /// The subject that speaks most against it.
    pub subject: String,
    /// The file, relative to the project.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The assertion, on one line.
    pub source: String,
    /// The test that speaks most against it.
    pub test: String,
    /// How many tests reach it.
    pub tests: usize,
    /// The fixed seed without which the test would not be green.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub green_seed: Option<String>,
    /// What the verdict rests on and what is proposed, in words, line by line.
    pub said: Vec<String>,
    /// What mutants say about the bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutants: Option<SiteMutants>,
}

/// What mutants say about one bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteMutants {
    /// The kill score, before and after the change.
    pub kill_score: String,
    /// How many mutants came to which end.
    pub ends: String,
    /// Mutants that a tighter bound would kill.
    pub killable: Vec<KillableMutant>,
    /// A bound on the other side that would kill mutants which this one cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opposite: Option<String>,
}

/// A mutant that a tighter bound would kill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KillableMutant {
    /// `file:line:column`.
    pub place: String,
    /// The share of its runs in which it would be killed, with its interval: `90 % of 10 runs (55 to 100)`.
    pub killed: String,
    /// The line as it is.
    pub old: String,
    /// The line with the mutant.
    pub new: String,
}

/// What mutants showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundsMutants {
    /// Those that were tried, with the result of each under each test.
    pub mutants: Vec<Value>,
    /// Those on lines that no test reaches.
    pub not_reached: Vec<Value>,
    /// Those that change nothing in the bytecode.
    pub same_bytecode: usize,
    /// Those whose bytecode is that of another one.
    #[serde(default)]
    pub duplicates: usize,
    /// Those that the project had to be loaded again for, by the reason.
    #[serde(default)]
    pub loaded_apart: BTreeMap<String, usize>,
    /// What the tests notice, whatever the verdicts on their bounds.
    #[serde(default)]
    pub power: TestPower,
    /// Tests that do what mutants may not.
    pub refused: Vec<RefusedTest>,
    /// Tests that give other numbers when they are run again with the same seed.
    pub unrepeatable: Vec<String>,
    /// The kill scores of the sites.
    pub sites: Vec<Value>,
    /// Runs that were taken.
    pub runs_taken: usize,
    /// Runs that came from the store.
    pub runs_reused: usize,
    /// Processor seconds of the runs taken.
    pub cpu_secs: f64,
    /// Those of `mutants` that are still to be judged, because the run was stopped.
    #[serde(default)]
    pub pending: usize,
}

/// How many mutants some test notices: its assertion fails in most runs, or it ends some other way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticedMutants {
    /// Those that are noticed.
    pub noticed: usize,
    /// Those that are noticed or change a value that is compared.
    pub changing: usize,
}

/// What the tests notice of the mutants that were judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestPower {
    /// All mutants.
    pub all: NoticedMutants,
    /// By the test.
    pub by_test: BTreeMap<String, NoticedMutants>,
    /// By the file that is changed.
    pub by_file: BTreeMap<String, NoticedMutants>,
    /// By the kind of change.
    pub by_kind: BTreeMap<String, NoticedMutants>,
}

/// A test that does what mutants may not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedTest {
    /// Its node id.
    pub test: String,
    /// What it tried.
    pub tried: String,
}

/// What happened to fixed seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeedsUsed {
    /// They stayed.
    Keep,
    /// Each run got its own in their place.
    Vary,
}

/// What ended a run early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoppedBy {
    /// The budget was spent.
    Budget,
    /// The user stopped it.
    Interrupt,
    /// Nothing was to be run.
    #[serde(rename = "no-run")]
    NoRun,
}

/// A test that was not judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotJudged {
    /// Its node id.
    pub test: String,
    /// Why.
    pub reason: NotJudgedReason,
    /// What pytest said.
    pub message: String,
}

/// Why a test was not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotJudgedReason {
    /// pytest cannot collect it.
    #[serde(rename = "cannot be collected")]
    NotCollected,
    /// It fails in every run.
    #[serde(rename = "fails always")]
    FailsAlways,
    /// It fails with most seeds but its own.
    #[serde(rename = "fails with other seeds")]
    OwnSeed,
    /// Most runs raise.
    #[serde(rename = "errors")]
    Errors,
    /// It is skipped or expected to fail.
    #[serde(rename = "skipped")]
    Skipped,
    /// It reaches no approximate assertion.
    #[serde(rename = "no site reached")]
    NoSite,
    /// No run came to an end.
    #[serde(rename = "not run")]
    NotRun,
}

impl NotJudgedReason {
    /// Whether the user's own test is red before anything is judged.
    pub fn is_red(self) -> bool {
        matches!(self, NotJudgedReason::NotCollected | NotJudgedReason::FailsAlways)
    }
}

impl BoundsDetails {
    /// How many tests were not judged for this reason.
    pub(crate) fn count(&self, reason: NotJudgedReason) -> usize {
        self.not_judged.iter().filter(|test| test.reason == reason).count()
    }
}
