//! One mutant under one test: which run comes next, and when enough is known.

use std::ops::Range;
use std::sync::Arc;

use temper_source::Role;
use temper_stats::mutant_looks::MutantLooks;
use temper_stats::{Direction, Probability, Samples};
use temper_worker::{End, Outcome};

use super::tighten::{MOST_RUNS, SCREENING, TightenMethod};
use crate::sample::run_record::{RunEnd, RunRecord};
use crate::sample::shared_process::TakenRun;
use crate::sample::site_samples::SiteSamples;

/// A process that has grown so large at its time limit was on its way to its memory limit, a few times as much.
const HOARD_KIB: u64 = 1 << 20;

/// Part of the spread of the original that a mutant must move the value by, in one of its first runs, to be sampled further. A shift
/// of a hundredth of the middle half moves about one value in two hundred across any bound: 100 runs do not show that.
const NEAR: f64 = 0.01;

/// How a mutant ends a test so that its value says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Crash {
    /// The module cannot be imported, or the tests cannot be collected.
    Unviable,
    /// A run raises.
    Raised,
    /// A run does not end in time.
    TimedOut,
    /// The process of a run dies: out of memory, a segmentation fault.
    Died,
    /// Another assertion of the test fails.
    OtherAssertion,
    /// The value is no finite number, or the assertion is not reached.
    NotFinite,
    /// It tried to do what mutants may not: write, connect, start processes.
    Refused,
    /// A run gives other numbers when it is made again with its seed: it reads memory that nobody wrote, or the clock.
    Unrepeatable,
}

const CRASHES: [(Crash, &str); 8] = [
    (Crash::Unviable, "unviable"),
    (Crash::Raised, "raised"),
    (Crash::TimedOut, "timed out"),
    (Crash::Died, "died"),
    (Crash::OtherAssertion, "failed another assertion"),
    (Crash::NotFinite, "gave no number"),
    (Crash::Refused, "refused"),
    (Crash::Unrepeatable, "not repeatable"),
];

impl Crash {
    /// In words.
    #[must_use]
    pub fn word(self) -> &'static str {
        CRASHES.iter().find(|(crash, _)| *crash == self).map_or("", |(_, word)| word)
    }

    /// The crash that these words stand for.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        CRASHES.iter().find(|(_, each)| *each == word).map(|(crash, _)| *crash)
    }

    /// Whether a run shows one, apart from what the sites recorded.
    pub(super) fn of(run: &TakenRun<'_>) -> Option<Self> {
        if run.is_refused {
            return Some(Self::Refused);
        }
        match run.outcome {
            Outcome::LoadFailed(_) | Outcome::Missing => Some(Self::Unviable),
            // Memory that is filled takes time: whether it or the time ends first is up to the machine.
            Outcome::Ended(End::CpuLimit) if run.max_rss_kib >= HOARD_KIB => Some(Self::Died),
            Outcome::Ended(End::WallLimit | End::CpuLimit) => Some(Self::TimedOut),
            Outcome::Ended(_) | Outcome::MemoryLimit(_) | Outcome::FileLimit(_) => Some(Self::Died),
            _ => match &run.record.end {
                RunEnd::Passed => None,
                RunEnd::Failed(_) => Some(Self::OtherAssertion),
                RunEnd::Error(_) | RunEnd::Skipped(_) => Some(Self::Raised),
            },
        }
    }
}

/// How the numbers of a site are read off a run, and what the original gave.
#[derive(Clone, Debug)]
pub(crate) struct Measure {
    pub(super) number: i64,
    role: Role,
    is_margin: bool,
    direction: Direction,
    /// By index of the run.
    paired: Vec<Option<f64>>,
    /// How far a value may be from that of the original in the same run without a difference that any number of runs could show.
    near: f64,
    /// What mutants are compared with.
    pub(super) reference: Vec<f64>,
}

impl Measure {
    /// From the series of the original and its runs in order.
    pub(super) fn new(number: i64, series: &SiteSamples, runs: &[&RunRecord], reference: usize) -> Self {
        let mut measure = Self {
            number,
            role: series.role,
            is_margin: series.is_margin && series.role != Role::Margin,
            direction: series.direction,
            paired: Vec::new(),
            near: 0.0,
            reference: Vec::new(),
        };
        measure.paired = runs.iter().map(|run| measure.value(run).ok()).collect();
        measure.reference = measure.paired.iter().take(reference).flatten().copied().collect();
        measure.near = NEAR * middle_half(&measure.reference);
        measure
    }

    /// For numbers that were recorded elsewhere.
    #[cfg(test)]
    pub(super) fn of_numbers(direction: Direction, reference: Vec<f64>) -> Self {
        let (paired, near) = (reference.iter().map(|&value| Some(value)).collect(), NEAR * middle_half(&reference));
        Self { number: 0, role: Role::Value, is_margin: false, direction, paired, near, reference }
    }

    /// The number of a run; an error if the run shows none, or one that fails whatever the bound.
    pub(super) fn value(&self, run: &RunRecord) -> Result<f64, Crash> {
        let site = run.sites.get(&self.number).filter(|site| site.nan == 0).ok_or(Crash::NotFinite)?;
        let needed = site.needed.iter().find(|needed| needed.role == self.role).ok_or(Crash::NotFinite)?;
        let value = if self.is_margin { needed.number - needed.bound } else { needed.number };
        if value.is_finite() { Ok(value) } else { Err(Crash::NotFinite) }
    }

    /// Whether a run gives nearly what the original gave in the run with this index.
    fn is_near(&self, index: usize, run: &RunRecord) -> bool {
        let original = self.paired.get(index).copied().flatten();
        let distance = self.value(run).ok().zip(original).map(|(value, original)| (value - original).abs());
        distance.is_some_and(|distance| distance <= self.near)
    }

    fn bits(&self, run: &RunRecord) -> Option<u64> {
        self.value(run).ok().map(f64::to_bits)
    }

    pub(super) fn direction(&self) -> Direction {
        self.direction
    }
}

/// Width of the middle half of some values.
fn middle_half(values: &[f64]) -> f64 {
    let samples = Samples::new(values).unwrap_or_default();
    let quantile = |p| samples.quantile(p);
    quantile(0.75).zip(quantile(0.25)).map_or(0.0, |(high, low)| high - low)
}

/// The looks that decide about a mutant: half of FASER's level, so that what one mutant alone makes clear usually stays
/// clear among many.
pub(super) fn looks() -> Option<MutantLooks> {
    let level = Probability::new(0.5 * temper_stats::kill::effect::LEVEL).ok()?;
    MutantLooks::new(MOST_RUNS, level).ok()
}

/// One mutant under one test, run by run.
#[derive(Clone, Debug)]
pub(crate) struct MutantTrial {
    pub(super) measures: Arc<Vec<Measure>>,
    pub(super) style: TightenMethod,
    pub(super) most_runs: usize,
    /// Runs with the same numbers as the original's, bit for bit, after which a mutant changes nothing.
    pub(super) same_after: usize,
    pub(super) runs: Vec<RunRecord>,
    pub(super) crash: Option<Crash>,
}

impl MutantTrial {
    pub(super) fn new(measures: Arc<Vec<Measure>>, style: TightenMethod, most_runs: usize) -> Self {
        Self { measures, style, most_runs, same_after: SCREENING, runs: Vec::new(), crash: None }
    }

    /// Takes the next run, in the order of the indices. What a mutant does once it is past the screening is its value's affair:
    /// a run without a number is left out then, unless it took all the time it had or is known not to be repeatable.
    pub(super) fn take(&mut self, record: RunRecord, crash: Option<Crash>) {
        let is_screened = self.runs.len() >= SCREENING;
        let counts = |crash: &Crash| !is_screened || matches!(crash, Crash::TimedOut | Crash::Unrepeatable);
        let shown = crash.or_else(|| self.measures.iter().find_map(|each| each.value(&record).err()));
        self.crash = self.crash.or(shown.filter(counts));
        self.runs.push(record);
    }

    /// The indices of the runs that are still needed, up to where enough may be known; empty if it is.
    pub(super) fn next(&self, looks: &MutantLooks) -> Range<usize> {
        let taken = self.runs.len();
        let is_same = taken >= self.same_after && self.is_unchanged();
        let until = if self.crash.is_some() || taken >= self.most_runs || is_same {
            taken
        } else if taken < self.same_after {
            self.same_after
        } else if taken < SCREENING {
            SCREENING
        } else {
            let open = self.measures.iter().filter(|measure| !self.is_same(measure));
            let missing = open.filter_map(|measure| self.missing(measure, looks)).min();
            (taken + missing.unwrap_or(0)).min(self.most_runs)
        };
        taken..until
    }

    /// Samples up to the next look at a site, at least one; nothing if it is settled.
    fn missing(&self, measure: &Measure, looks: &MutantLooks) -> Option<usize> {
        if self.style == TightenMethod::Faser {
            return Some(self.most_runs);
        }
        if self.is_near(measure) {
            return None;
        }
        let values = self.values(measure);
        let wanted = looks.settle(&values, &measure.reference).ok()?.err()?;
        Some(wanted.saturating_sub(values.len()).max(1))
    }

    /// Whether the first runs gave nearly the same numbers.
    fn is_near(&self, measure: &Measure) -> bool {
        let first = self.runs.get(..SCREENING).unwrap_or_default();
        !first.is_empty() && first.iter().enumerate().all(|(index, run)| measure.is_near(index, run))
    }

    /// Whether the first runs gave the same numbers bit for bit.
    pub(super) fn is_same(&self, measure: &Measure) -> bool {
        let mut pairs = self.runs.iter().take(SCREENING).zip(&measure.paired);
        pairs.all(|(run, original)| measure.bits(run) == original.map(f64::to_bits))
    }

    /// Whether they did at all sites.
    pub(super) fn is_unchanged(&self) -> bool {
        self.measures.iter().all(|measure| self.is_same(measure))
    }

    /// Whether a run gives the numbers of the run with this index.
    pub(super) fn is_like(&self, index: usize, run: &RunRecord) -> bool {
        self.measures.iter().all(|measure| measure.bits(&self.runs[index]) == measure.bits(run))
    }

    pub(super) fn values(&self, measure: &Measure) -> Vec<f64> {
        self.runs.iter().filter_map(|run| measure.value(run).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::sample::run_record::{Needed, RandomUse, SiteRun};

    const ORIGINAL: [f64; 10] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];

    fn run(number: f64) -> RunRecord {
        let needed = vec![Needed { role: Role::Value, number, bound: 20.0 }];
        let sites = BTreeMap::from([(0, SiteRun { hits: 1, needed, ..SiteRun::default() })]);
        RunRecord { seed: 0, end: RunEnd::Passed, secs: 0.0, cpu_secs: 0.0, random: RandomUse::Nothing, sites }
    }

    /// The runs that a mutant still needs after five that differ by these distances from the original's.
    fn wanted(distances: [f64; SCREENING]) -> usize {
        let measures = Arc::new(vec![Measure::of_numbers(Direction::Upper, ORIGINAL.to_vec())]);
        let mut trial = MutantTrial::new(measures, TightenMethod::Calibrated, MOST_RUNS);
        ORIGINAL.iter().zip(distances).for_each(|(value, by)| trial.take(run(value + by), None));
        trial.next(&looks().unwrap()).len()
    }

    #[test]
    fn a_mutant_that_hardly_moves_the_value_has_no_more_runs() {
        assert_eq!(wanted([0.0; SCREENING]), 0);
        assert_eq!(wanted([1e-9, 0.0, 0.01, -0.01, 0.02]), 0);
        assert!(wanted([1e-9, 0.0, 0.01, -0.01, 0.5]) > 0);
    }
}
