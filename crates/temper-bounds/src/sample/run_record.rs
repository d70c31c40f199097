//! What one run of a test showed at its assertion sites: read off a worker's report.

use std::collections::BTreeMap;
use std::time::Duration;

use temper_source::Role;
use temper_worker::{Exception, Outcome, ProbeRecord, RandomSources, RepeatedRun, Report, TestRun, TestStatus, Value};

/// The number that one bound of a site would have to be, and the number it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needed {
    /// Which bound.
    pub role: Role,
    /// What the worst hit of the run needs.
    pub number: f64,
    /// What was in force at that hit. Digits appear as the distance that they stand for.
    pub bound: f64,
}

/// All hits of one site in one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteRun {
    /// Evaluations of the assertion, as far as they changed what is kept here.
    pub hits: u32,
    /// Evaluations that failed, by the verdict of the user's own code.
    pub failed: u32,
    /// Evaluations with a NaN.
    pub nan: u32,
    /// Evaluations with an infinity.
    pub infinite: u32,
    /// Evaluations whose operands gave no number.
    pub unreadable: u32,
    /// Why they gave none.
    pub reason: String,
    /// The worst finite numbers, one a bound.
    pub needed: Vec<Needed>,
}

/// How a run of a test ended. Sampled assertions that failed did not end it.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEnd {
    /// It reached its end.
    Passed,
    /// An assertion that is not sampled failed.
    Failed(String),
    /// It raised something else, or its process ended.
    Error(String),
    /// It was skipped, or is expected to fail.
    Skipped(String),
}

/// What a run took from random sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RandomUse {
    /// Nothing.
    Nothing,
    /// Only from sources that it had seeded itself.
    Seeded,
    /// Also from others, as far as is known.
    Unseeded,
}

impl From<&RandomSources> for RandomUse {
    fn from(sources: &RandomSources) -> Self {
        match (sources.unseeded.is_empty(), sources.seeded.is_empty()) {
            (true, true) => Self::Nothing,
            (true, false) => Self::Seeded,
            (false, _) => Self::Unseeded,
        }
    }
}

/// One run of one test.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// The state of the random sources at its start.
    pub seed: u64,
    /// How it ended.
    pub end: RunEnd,
    /// Seconds on the clock, fixtures included.
    pub secs: f64,
    /// Seconds of processor time, which other work on the machine hardly changes.
    pub cpu_secs: f64,
    /// What it took from random sources.
    pub random: RandomUse,
    /// What its sites showed, by number.
    pub sites: BTreeMap<i64, SiteRun>,
}

impl RunRecord {
    /// Reads a report of a test run.
    #[must_use]
    pub fn from_report(report: &Report) -> Self {
        let Report { seed, outcome, probes, usage, random_sources, .. } = report;
        // A process that gave no answer did not say what it used either.
        let random = if matches!(outcome, Outcome::Test(_)) { random_sources.into() } else { RandomUse::Unseeded };
        Self { random, ..Self::new(*seed, outcome, probes, (usage.wall, usage.cpu)) }
    }

    /// Reads one of several runs in one process.
    pub(crate) fn from_repeated(run: &RepeatedRun) -> Self {
        let random = (&run.random_sources).into();
        Self { random, ..Self::new(run.seed, &run.outcome, &run.probes, (run.wall, run.cpu)) }
    }

    fn new(seed: u64, outcome: &Outcome, probes: &[ProbeRecord], (wall, cpu): (Duration, Duration)) -> Self {
        let sites = probes.iter().filter_map(|record| Some((record.site, decode(record)?))).collect();
        let (secs, cpu_secs) = (wall.as_secs_f64(), cpu.as_secs_f64());
        Self { seed, end: end(outcome), secs, cpu_secs, random: RandomUse::Unseeded, sites }
    }

    /// Whether two runs with one seed showed the same, number by number; how long they took aside.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        self.seed == other.seed && self.shows_same(other)
    }

    /// Whether two runs showed the same, number by number, whatever their seeds.
    pub(crate) fn shows_same(&self, other: &Self) -> bool {
        self.end == other.end && self.sites == other.sites
    }

    /// Whether the test passes as it is written: it reached its end and no sampled assertion failed.
    #[must_use]
    pub fn is_pass(&self) -> bool {
        self.end == RunEnd::Passed && self.sites.values().all(|site| site.failed == 0)
    }
}

fn end(outcome: &Outcome) -> RunEnd {
    match outcome {
        Outcome::Test(run) => end_of_test(run),
        Outcome::Raised(exception) | Outcome::MemoryLimit(exception) | Outcome::FileLimit(exception) => {
            RunEnd::Error(words(exception))
        }
        Outcome::Ended(end) => RunEnd::Error(format!("the process {}", end.words())),
        Outcome::Missing => RunEnd::Error("the test was not collected".to_owned()),
        Outcome::LoadFailed(_) => RunEnd::Error("the project could not be loaded".to_owned()),
        Outcome::Called | Outcome::Repeated | Outcome::Imported => RunEnd::Error("not a test".to_owned()),
    }
}

fn end_of_test(run: &TestRun) -> RunEnd {
    let said = || run.exception.as_ref().map_or_else(|| run.text.clone(), words);
    match run.status {
        TestStatus::Passed => RunEnd::Passed,
        TestStatus::Failed if run.exception.as_ref().is_some_and(|error| error.type_name == "AssertionError") => {
            RunEnd::Failed(said())
        }
        TestStatus::Failed | TestStatus::Error => RunEnd::Error(said()),
        TestStatus::Skipped => RunEnd::Skipped(said()),
        TestStatus::XFailed | TestStatus::XPassed => RunEnd::Skipped("it is marked as expected to fail".to_owned()),
    }
}

/// The last line of a traceback, as Python prints it, with the line of the user's file where it happened.
fn words(exception: &Exception) -> String {
    let first = exception.message.lines().next().unwrap_or_default();
    let place = exception.frames.last().map(|(file, line, _)| {
        let name = file.rsplit('/').next().unwrap_or(file);
        format!(" ({name}:{line})")
    });
    let separator = if first.is_empty() { "" } else { ": " };
    format!("{}{separator}{first}{}", exception.type_name, place.unwrap_or_default())
}

/// Later records of a site replace earlier ones: each carries all that the run has shown so far.
fn decode(record: &ProbeRecord) -> Option<SiteRun> {
    let Some(Value::List(fields)) = record.values.first() else { return None };
    let [hits, failed, nan, infinite, unreadable, Value::Str(reason), Value::List(worst)] = fields.as_slice() else {
        return None;
    };
    let count = |value: &Value| value.as_i64().and_then(|count| u32::try_from(count).ok());
    Some(SiteRun {
        hits: count(hits)?,
        failed: count(failed)?,
        nan: count(nan)?,
        infinite: count(infinite)?,
        unreadable: count(unreadable)?,
        reason: reason.clone(),
        needed: worst.iter().filter_map(needed).collect(),
    })
}

fn needed(value: &Value) -> Option<Needed> {
    let Value::List(fields) = value else { return None };
    let [Value::Str(name), number, bound] = fields.as_slice() else { return None };
    Some(Needed { role: role_named(name)?, number: number.as_f64()?, bound: bound.as_f64()? })
}

pub(crate) fn role_named(name: &str) -> Option<Role> {
    ROLES.into_iter().find(|role| role_name(*role) == name)
}

/// All roles, in the order in which the store numbers them.
pub(crate) const ROLES: [Role; 8] = [
    Role::Value,
    Role::Relative,
    Role::Absolute,
    Role::Decimal,
    Role::Significant,
    Role::Places,
    Role::Delta,
    Role::Margin,
];

/// The name of a bound in records.
#[must_use]
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::Value => "value",
        Role::Relative => "relative",
        Role::Absolute => "absolute",
        Role::Decimal => "decimal",
        Role::Significant => "significant",
        Role::Places => "places",
        Role::Delta => "delta",
        Role::Margin => "margin",
    }
}
