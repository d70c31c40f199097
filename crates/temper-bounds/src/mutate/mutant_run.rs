//! One mutant under one test: what is run next, its result, and where it is kept.
//!
//! A mutant may read memory that nobody wrote (`np.empty` in place of `np.zeros`), or have another source of numbers that no seed
//! reaches. Its runs have memory filled with a pattern, so they come out the same every time; and one of them is made once
//! more with another pattern. If that gives other numbers, the mutant is not repeatable and counts for nothing. Runs that
//! share a process end with such a repetition anyway; it is made alone where they do not, or where it came out otherwise.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use temper_stats::mutant_looks::MutantLooks;
use temper_store::{SeriesId, Store, StoreError};
use temper_worker::{Limits, Memory, Outcome, Piece, RepeatUntil, Report, Work};

use super::early_stop::{Crash, MutantTrial};
use super::mutant_code::MutantForm;
use super::tighten::{MOST_RUNS, SCREENING, TightenMethod};
use crate::sample::run_record::RunRecord;
use crate::sample::sample_store;
use crate::sample::sampled_test::SampledTest;
use crate::sample::scheduler::run_seed;
use crate::sample::shared_process;

/// Under this kind the store keeps how mutants ended that gave no samples, and which were seen to be repeatable.
const RECORDS: &str = "bounds-mutants";
const REPEATABLE: &str = "repeatable";
/// Memory of a mutant on top of what its layer holds: one that allocates without end must not take the machine with it.
pub(super) const MEMORY_BYTES: u64 = 4 << 30;
/// How many times as long as the original a mutant may take, at least. Changes of one number make few mutants more than
/// twice as slow; beyond this lie those that do not end.
const TIMES_SLOWER: f64 = 10.0;
/// The least and the most processor time that a mutant has, in seconds. Endless ones take all of it: half a second is a hundred
/// times what a short test takes, also where a busy machine makes that several times as much.
const CPU_SECS: (f64, f64) = (0.5, 256.0);

/// Runs that fit into the time limit of one, at twice the time of the original: the limit is ten times that or more.
const RUNS_IN_LIMIT: f64 = 5.0;

/// One mutant under one test.
#[derive(Clone)]
pub(super) struct MutantRun {
    pub(super) test: usize,
    pub(super) node: String,
    pub(super) path: PathBuf,
    pub(super) seed: u64,
    pub(super) limits: Limits,
    pub(super) trial: MutantTrial,
    pub(super) series: SeriesId,
    /// Its name among the records of the store.
    pub(super) record: String,
    /// Runs that the store had.
    pub(super) stored: usize,
    /// Most runs in one process: 1 if those of the original must not share one, or those of the mutant came out otherwise.
    pub(super) together: usize,
    /// Whether a process of it repeated its first run and gave the same numbers: further processes need not.
    pub(super) is_checked: bool,
    /// Filled, unless the original itself gives other numbers then.
    pub(super) memory: Memory,
    /// The repeated run, once it was taken.
    pub(super) unchecked: Option<usize>,
    /// How it is put in place.
    pub(super) form: MutantForm,
}

impl MutantRun {
    pub(super) fn is_open(&self, looks: &MutantLooks) -> bool {
        self.to_check().is_some() || !self.trial.next(looks).is_empty()
    }

    /// Whether more runs than it may have now could still say more about it.
    pub(super) fn is_unsettled(&self, looks: &MutantLooks) -> bool {
        !MutantTrial { most_runs: MOST_RUNS.max(self.trial.most_runs), ..self.trial.clone() }.next(looks).is_empty()
    }

    /// The run that is to be repeated now, before more runs are spent on a mutant that may not count.
    fn to_check(&self) -> Option<usize> {
        let taken = self.trial.runs.len();
        let is_due = |index: &usize| *index < taken && taken >= SCREENING;
        let is_asked = self.memory == Memory::Filled && self.trial.crash.is_none() && !self.trial.is_unchanged();
        self.unchecked.filter(is_due).filter(|_| is_asked)
    }

    fn run_seed(&self, index: usize) -> u64 {
        run_seed(self.seed, &self.node, index)
    }

    /// The next runs; those of one process, if they may share one.
    pub(super) fn piece(&self, looks: &MutantLooks) -> Option<Piece> {
        let mut piece = self.runs_of_original(looks)?;
        if let MutantForm::Replaced(changes) = &self.form {
            piece.changes = Some(Arc::clone(changes));
        }
        if let Work::Repeat { until, .. } = &mut piece.work
            && self.trial.runs.len() < SCREENING
        {
            // The first failure decides about a mutant that is not screened yet.
            *until = RepeatUntil::Failure;
        }
        Some(piece)
    }

    /// The same runs of the original.
    fn runs_of_original(&self, looks: &MutantLooks) -> Option<Piece> {
        if let Some(index) = self.to_check() {
            return Some(shared_process::alone(
                &self.node,
                self.run_seed(index),
                &self.limits,
                Memory::FilledOtherwise,
            ));
        }
        let seeds: Vec<u64> = self.trial.next(looks).take(self.together).map(|index| self.run_seed(index)).collect();
        match seeds[..] {
            [] => None,
            [seed] => Some(shared_process::alone(&self.node, seed, &self.limits, self.memory)),
            _ => Some(self.together(&seeds)),
        }
    }

    /// Runs in one process, which has more time than one run if they are many.
    fn together(&self, seeds: &[u64]) -> Piece {
        let times = (seeds.len() as f64 / RUNS_IN_LIMIT).max(1.0);
        let limits = Limits {
            cpu: self.limits.cpu.mul_f64(times),
            wall: self.limits.wall.mul_f64(times),
            ..self.limits.clone()
        };
        match self.is_checked {
            true => shared_process::further(&self.node, seeds, &limits, self.memory),
            false => shared_process::together(&self.node, seeds, &limits, self.memory),
        }
    }

    /// Takes its results; returns how many runs that was.
    pub(super) fn take(&mut self, report: &Report) -> usize {
        let before = self.trial.runs.len();
        if let Some(index) = self.to_check() {
            self.unchecked = None;
            let is_repeatable = self.trial.is_like(index, &RunRecord::from_report(report));
            self.trial.crash = (!is_repeatable).then_some(Crash::Unrepeatable);
            return 0;
        }
        let is_shared = report.outcome == Outcome::Repeated;
        let found = match self.is_checked && is_shared {
            true => shared_process::further_runs(report),
            false => shared_process::runs(report),
        };
        let Some(runs) = found else {
            self.together = 1;
            self.unchecked = Some(before);
            return 0;
        };
        self.is_checked |= is_shared && runs.len() > 1;
        for run in runs {
            // What comes after a crash would not have been run.
            if self.trial.crash.is_none() {
                let crash = Crash::of(&run);
                self.trial.take(run.record, crash);
            }
        }
        self.trial.runs.len() - before
    }

    /// Takes what the store has of it.
    pub(super) fn resume(&mut self, store: &Store, looks: &MutantLooks) -> Result<(), StoreError> {
        let stored = sample_store::in_series(store, self.series)?;
        let record = store.record(RECORDS, &self.record)?;
        let crash = record.as_deref().and_then(Crash::named);
        if record.as_deref() == Some(REPEATABLE) {
            self.unchecked = None;
        }
        for index in 0..self.trial.most_runs {
            let Some(run) = stored.get(&self.run_seed(index)).filter(|_| self.is_open(looks)) else { break };
            // The crash came with the last run that was stored.
            let is_last = self.stored + 1 == stored.len();
            self.trial.take(run.clone(), crash.filter(|_| is_last));
            self.stored += 1;
        }
        if stored.is_empty() {
            self.trial.crash = crash;
        }
        Ok(())
    }

    pub(super) fn save(&self, store: &mut Store) -> Result<(), StoreError> {
        match self.trial.crash {
            Some(crash) => store.put_record(RECORDS, &self.record, crash.word())?,
            None if self.together == 1 && self.unchecked.is_none() => {
                store.put_record(RECORDS, &self.record, REPEATABLE)?;
            }
            None => {}
        }
        let runs: Vec<_> = self.trial.runs[self.stored..].iter().map(sample_store::to_store).collect();
        store.add_runs(self.series, &runs).map(drop)
    }
}

/// The limits of one run of a mutant, from the runs of the original. The paper gives every run 300 seconds.
pub(super) fn limits(course: &SampledTest, style: TightenMethod) -> Limits {
    let cpu = match style {
        TightenMethod::Calibrated => cpu_secs(course.typical_cpu_secs()),
        TightenMethod::Faser => 300.0,
    };
    let cpu = Duration::from_secs_f64(cpu);
    // The clock of a loaded machine runs on while the mutant waits for its turn; only those that sleep get so far.
    let wall = (10 * cpu).max(Duration::from_secs(60));
    Limits { cpu, wall, memory_bytes: MEMORY_BYTES, ..Limits::default() }
}

/// A power of two, so that times of the original which differ a little give the same limit.
fn cpu_secs(typical: f64) -> f64 {
    let (least, most) = CPU_SECS;
    (TIMES_SLOWER * typical).clamp(least, most).log2().ceil().exp2()
}

/// Most runs of a mutant in one process.
pub(super) fn most_together(course: &SampledTest) -> usize {
    if course.is_together == Some(true) { shared_process::MOST } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_has_at_least_ten_times_the_time_of_the_original_and_a_limit_that_small_changes_leave() {
        for typical in [0.001, 0.1, 0.21, 0.9, 3.0, 25.0] {
            let secs = cpu_secs(typical);
            assert!(secs >= 10.0 * typical && secs.log2().fract() == 0.0, "{typical} {secs}");
            assert!(secs <= (20.0 * typical).max(0.5), "{typical} {secs}");
        }
        assert_eq!(cpu_secs(0.25).to_bits(), cpu_secs(0.38).to_bits());
        assert_eq!(cpu_secs(100.0).to_bits(), 256.0_f64.to_bits());
    }
}
