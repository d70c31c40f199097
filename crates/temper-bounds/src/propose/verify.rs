//! Tries drafts before they are offered: the tests run with the edits in memory, under seeds that no proposal has seen.
//!
//! Edits of different sites are tried together where they do not overlap: a failed assertion does not end a run, so each
//! site answers for itself. Runs are kept in the store under the edited text, like any others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use temper_source::EditSet;
use temper_store::Store;
use temper_worker::{Driver, Flow, LayerSpec, Subjects, WorkerError};

use crate::Seeds;
use crate::plan::sampling_plan::SamplingPlan;
use crate::sample::node_id;
use crate::sample::run_record::RunRecord;
use crate::sample::sample_store::{self, TracedRun};
use crate::sample::scheduler::{BoundsError, BoundsResult, Job, SamplingProgress, Stop, Watch, run_seed};
use crate::sample::shared_process::{self, Lacking};
use crate::sample::trace::Surroundings;

/// The index of the first of them: far beyond those of any sample.
const FIRST_FRESH: usize = 1 << 40;
/// That of short trials, by which a remedy is chosen: what chose it does not verify it.
const FIRST_OF_SHORT: usize = 1 << 39;

/// Which runs a trial takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialRuns {
    /// How many of each test.
    pub runs: usize,
    /// What happens to fixed seeds in edited files.
    pub seeds: Seeds,
    first: usize,
}

impl TrialRuns {
    /// Those that verify a patch.
    #[must_use]
    pub fn to_verify(job: &Job<'_>, seeds: Seeds) -> Self {
        Self { runs: job.verify_runs, seeds, first: FIRST_FRESH }
    }

    /// A few, to choose among remedies.
    #[must_use]
    pub fn to_choose(runs: usize, seeds: Seeds) -> Self {
        Self { runs, seeds, first: FIRST_OF_SHORT }
    }
}

/// What trials are run with.
pub struct TrialBench<'a> {
    /// The job.
    pub job: &'a Job<'a>,
    /// What it found.
    pub found: &'a BoundsResult,
    /// The workers.
    pub driver: &'a mut Driver,
    /// The store that keeps the runs.
    pub store: &'a mut Store,
    /// Who is told, and who may stop it.
    pub watch: &'a mut dyn Watch,
}

/// Edits to be tried with some tests.
pub struct PatchTrial<'a> {
    /// The edits.
    pub edits: &'a EditSet,
    /// Node ids.
    pub tests: BTreeSet<String>,
    /// Whether it may share its runs with other trials.
    pub is_alone: bool,
}

/// The results of the trials, in their order.
#[derive(Debug, Default)]
pub struct Tried {
    /// The runs of each trial.
    pub runs: Vec<FreshRuns>,
    /// Runs taken now.
    pub taken: usize,
    /// Why it stopped early, if it did.
    pub stopped: Option<Stop>,
}

/// The fresh runs of one trial.
#[derive(Debug, Default)]
pub struct FreshRuns {
    /// By test.
    pub by_test: BTreeMap<String, Vec<RunRecord>>,
    /// How many were to be taken, of all tests together.
    pub wanted: usize,
}

impl FreshRuns {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.by_test.values().map(Vec::len).sum()
    }

    /// Whether the job was not stopped before all of them were there.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.count() == self.wanted
    }
}

/// Runs all trials.
///
/// # Errors
/// When workers or store fail. A file that does not load with the edits is a fault of ours.
pub fn run(bench: &mut TrialBench<'_>, trials: &[PatchTrial<'_>], wanted: TrialRuns) -> Result<Tried, BoundsError> {
    let TrialBench { job, found, driver, store, watch } = bench;
    let nothing =
        |trial: &PatchTrial<'_>| FreshRuns { wanted: trial.tests.len() * wanted.runs, ..FreshRuns::default() };
    let mut tried = Tried { runs: trials.iter().map(nothing).collect(), ..Tried::default() };
    let total: usize = tried.runs.iter().map(|runs| runs.wanted).sum();
    let mut progress = SamplingProgress { sites: trials.len(), wanted: total, ..SamplingProgress::default() };
    for group in grouped(trials) {
        let sets: Vec<&EditSet> = group.iter().map(|&index| trials[index].edits).collect();
        let edited = found.plan.edited(&sets, wanted.seeds).map_err(BoundsError::Edit)?;
        let tests: BTreeSet<&String> = group.iter().flat_map(|&index| &trials[index].tests).collect();
        let mut fresh = Fresh::open((job, wanted), &edited, found, &tests, store)?;
        match fresh.take(driver, store, &mut **watch, &mut progress) {
            Err(BoundsError::Worker(WorkerError::Cancelled)) => fresh.stopped = watch.stop().or(Some(Stop::Interrupt)),
            other => other?,
        }
        tried.taken += fresh.taken;
        tried.stopped = tried.stopped.or(fresh.stopped);
        let runs = fresh.runs();
        for index in group {
            let own = |test: &String| Some((test.clone(), runs.get(test)?.clone()));
            tried.runs[index].by_test = trials[index].tests.iter().filter_map(own).collect();
            progress.sites_done += 1;
        }
        if tried.stopped.is_some() {
            break;
        }
    }
    Ok(tried)
}

/// Indices of trials that can run in one layer: edits of one file that do not touch each other.
fn grouped(trials: &[PatchTrial<'_>]) -> Vec<Vec<usize>> {
    let touches = |a: &EditSet, b: &EditSet| {
        a.path() == b.path()
            && a.edits()
                .iter()
                .any(|x| b.edits().iter().any(|y| x.span.start <= y.span.end && y.span.start <= x.span.end))
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, trial) in trials.iter().enumerate() {
        let fits = |group: &&mut Vec<usize>| {
            !trial.is_alone
                && group.iter().all(|&other| {
                    let other = &trials[other];
                    let is_same = other.edits == trial.edits;
                    !other.is_alone && (is_same || !touches(other.edits, trial.edits))
                })
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

/// The fresh runs of some tests in one edited project.
struct Fresh<'a> {
    job: &'a Job<'a>,
    wanted: TrialRuns,
    layer: Arc<LayerSpec>,
    plan: &'a SamplingPlan,
    surroundings: &'a Surroundings,
    series: Vec<VerifiedTest>,
    taken: usize,
    stopped: Option<Stop>,
}

struct VerifiedTest {
    node: String,
    key: temper_store::ContentKey,
    runs: Vec<Option<RunRecord>>,
    is_together: bool,
}

impl<'a> Fresh<'a> {
    fn open(
        (job, wanted): (&'a Job<'a>, TrialRuns),
        edited: &'a SamplingPlan,
        found: &'a BoundsResult,
        tests: &BTreeSet<&String>,
        store: &mut Store,
    ) -> Result<Self, BoundsError> {
        // Only the tests in question are collected again.
        let options = job.arguments.iter().skip_while(|text| !text.starts_with('-')).cloned();
        let mut arguments = node_id::arguments(&job.root, tests.iter().map(|test| test.as_str()));
        arguments.extend(options);
        let mut layer = LayerSpec::new(job.root.clone(), Subjects::Tests(arguments));
        layer.edits = edited.edits();
        layer.limits = job.limits.clone();
        let contents = sample_store::contents(&job.root, &found.loaded, &layer.subjects, edited, true);
        let mut series = Vec::new();
        for node in tests {
            let key = contents.of(node).key();
            let stored = sample_store::by_seed(store, &key, &found.surroundings)?;
            let run = |index: usize| {
                stored.here.get(&run_seed(job.seed, node, wanted.first + index)).map(|run| run.record.clone())
            };
            let is_together = found.tests.iter().any(|result| result.test.node == **node && result.is_together);
            let runs = (0..wanted.runs).map(run).collect();
            series.push(VerifiedTest { node: (*node).clone(), key, runs, is_together });
        }
        let surroundings = &found.surroundings;
        Ok(Self { job, wanted, layer: Arc::new(layer), plan: edited, surroundings, series, taken: 0, stopped: None })
    }

    fn take(
        &mut self,
        driver: &mut Driver,
        store: &mut Store,
        watch: &mut dyn Watch,
        progress: &mut SamplingProgress,
    ) -> Result<(), BoundsError> {
        let mut lacking = Vec::new();
        for (test, course) in self.series.iter().enumerate() {
            let seed = |run: usize| run_seed(self.job.seed, &course.node, self.wanted.first + run);
            let runs: Vec<(usize, u64)> =
                (0..course.runs.len()).filter(|&run| course.runs[run].is_none()).map(|run| (run, seed(run))).collect();
            progress.wanted = progress.wanted.saturating_sub(course.runs.len() - runs.len());
            lacking.push(Lacking { test, node: course.node.clone(), runs, is_together: course.is_together });
        }
        let mut failure = Ok(());
        let (plan, surroundings) = (self.plan, self.surroundings);
        let (series, taken, stopped) = (&mut self.series, &mut self.taken, &mut self.stopped);
        shared_process::take(driver, &self.layer, &self.job.limits, &lacking, |test, runs, report| {
            let course = &mut series[test];
            if let Some(trace) = plan.trace(surroundings, &course.node, report) {
                let traced =
                    |(_, record): &(usize, RunRecord)| TracedRun { record: record.clone(), trace: trace.clone() };
                let traced: Vec<TracedRun> = runs.iter().map(traced).collect();
                failure = sample_store::add(store, &course.key, &course.node, &traced).map_err(BoundsError::from);
            }
            *taken += runs.len();
            progress.runs += runs.len();
            progress.wanted = progress.wanted.saturating_sub(runs.len());
            runs.into_iter().for_each(|(index, record)| course.runs[index] = Some(record));
            watch.step(&|| *progress);
            *stopped = watch.stop();
            if failure.is_err() || stopped.is_some() { Flow::Stop } else { Flow::Continue }
        })?;
        failure
    }

    /// The runs that there are, by test.
    fn runs(self) -> BTreeMap<String, Vec<RunRecord>> {
        self.series.into_iter().map(|course| (course.node, course.runs.into_iter().flatten().collect())).collect()
    }
}
