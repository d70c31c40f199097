//! Runs the chosen mutants: one project layer each, all its tests one after the other, each run by run until it is clear.
//!
//! What comes next is decided in the thread of the slot that holds the layer, so that a layer is loaded once. Everything
//! goes to the store; a mutant that was finished before is not run again, one that was begun goes on where it stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use temper_source::ContentHash;
use temper_stats::sequential::Plan;
use temper_store::{SeriesId, StoreError};
use temper_worker::{Adaptive, Edit, Flow, LayerSpec, Limits, Piece, Policy, Report, Subjects};

use super::choose::Chosen;
use super::trial::{Crash, Measure, Trial, looks};
use super::{Effect, MOST_RUNS, Means, Scope, Style, Tighten, Tightened, Trialled, reference_runs};
use crate::job::{BoundsError, Progress, Sampling, run_seed};
use crate::keep;
use crate::record::RunRecord;
use crate::together;

/// Under this kind the store keeps how mutants ended that gave no samples.
const RECORDS: &str = "bounds-mutants";
/// Memory of a mutant on top of what its layer holds: one that allocates without end must not take the machine with it.
const MEMORY_BYTES: u64 = 4 << 30;
/// Processor time of loading a mutant. Libraries are loaded already.
const LOAD_CPU: Duration = Duration::from_secs(20);

/// One mutant under one test, with where its runs are kept.
#[derive(Clone)]
struct Entry {
    test: usize,
    node: String,
    path: PathBuf,
    seed: u64,
    limits: Limits,
    trial: Trial,
    series: SeriesId,
    record: String,
    /// Runs that the store had.
    stored: usize,
    /// Most runs in one process: 1 if those of the original must not share one, or those of the mutant came out otherwise.
    together: usize,
}

impl Entry {
    fn is_open(&self, looks: &Plan) -> bool {
        !self.trial.next(looks).is_empty()
    }

    /// The next runs; those of one process, if they may share one.
    fn piece(&self, looks: &Plan) -> Option<Piece> {
        let seeds: Vec<u64> =
            self.trial.next(looks).take(self.together).map(|index| run_seed(self.seed, &self.node, index)).collect();
        match seeds[..] {
            [] => None,
            [seed] => Some(together::alone(&self.node, seed, &self.limits)),
            _ => Some(together::together(&self.node, &seeds, &self.limits)),
        }
    }

    /// Takes what came of it; how many runs that was.
    fn take(&mut self, report: &Report) -> usize {
        let Some(runs) = together::runs(report) else {
            self.together = 1;
            return 0;
        };
        let before = self.trial.runs.len();
        for run in runs {
            // What comes after a crash would not have been run.
            if self.trial.crash.is_none() {
                let crash = Crash::of(&run);
                self.trial.take(run.record, crash);
            }
        }
        self.trial.runs.len() - before
    }
}

pub(super) fn execute(
    sampling: &mut Sampling<'_>,
    tighten: &Tighten,
    means: &mut Means<'_>,
    subjects: &BTreeMap<usize, Vec<i64>>,
    chosen: &[Chosen],
    found: &mut Tightened,
) -> Result<(), BoundsError> {
    let Some(looks) = looks() else { return Ok(()) };
    let measures: BTreeMap<usize, Arc<Vec<Measure>>> = subjects
        .iter()
        .map(|(&test, sites)| (test, Arc::new(measures(sampling, test, sites, tighten.style))))
        .collect();
    let lacking: Vec<(usize, usize)> = subjects.keys().map(|&test| (test, chosen.len())).collect();
    sampling.try_together(means.driver, means.layer, &lacking)?;
    let layer = Arc::clone(means.layer);
    let contents = keep::contents(&layer.root, means.loaded, &layer.subjects, sampling.plan, true);
    let mut work = Vec::new();
    let mut open: Vec<Vec<Entry>> = Vec::new();
    let mut owner = Vec::new();
    for each in chosen {
        let entries = entries(sampling, tighten, means, &measures, &contents, each, found)?;
        let (unfinished, finished): (Vec<Entry>, Vec<Entry>) =
            entries.into_iter().partition(|entry| entry.is_open(&looks));
        finished.into_iter().for_each(|entry| keep_result(found, each.mutant, entry));
        if !unfinished.is_empty() {
            work.push(adaptive(means.layer, each, &unfinished, found, &looks));
            open.push(unfinished);
            owner.push(each.mutant);
        }
    }
    let total = chosen.len();
    let mut left = open.len();
    let mut failure = Ok(());
    means.driver.run_adaptive(work, |report| {
        found.cpu_secs += report.usage.cpu.as_secs_f64();
        let entries = &mut open[report.task];
        // The slot does the tests in order: the first that is not finished is the one that ran.
        let Some(entry) = entries.iter_mut().find(|entry| entry.is_open(&looks)) else {
            return Flow::Continue;
        };
        found.runs.0 += entry.take(&report);
        if !entry.is_open(&looks) {
            failure = save(means.store, entry).map_err(BoundsError::from);
        }
        if !entries.iter().any(|entry| entry.is_open(&looks)) {
            left -= 1;
            for entry in std::mem::take(entries) {
                keep_result(found, owner[report.task], entry);
            }
        }
        let progress = Progress { mutants: total, mutants_done: total - left, ..sampling.progress(left) };
        means.watch.step(progress);
        sampling.stopped = means.watch.stop();
        let is_enough = matches!(tighten.scope, Scope::Widened { .. }) && means.watch.is_enough_for_cost();
        if failure.is_err() || sampling.is_stopped() || is_enough { Flow::Stop } else { Flow::Continue }
    })?;
    // What was begun is kept, and goes on from there.
    for entry in open.iter().flatten().filter(|entry| entry.trial.runs.len() > entry.stored) {
        save(means.store, entry)?;
    }
    failure
}

/// What the runs of the original give, as mutants are compared with it.
fn measures(sampling: &Sampling<'_>, test: usize, sites: &[i64], style: Style) -> Vec<Measure> {
    let course = &sampling.courses[test];
    let runs: Vec<&RunRecord> = course.runs.iter().map_while(Option::as_ref).collect();
    let reference = reference_runs(style, sampling.rules());
    let measure = |number: &i64| Measure::new(*number, &course.decided[number].series, &runs, reference);
    sites.iter().map(measure).collect()
}

/// The mutant under each of its tests, with what the store has of it.
fn entries(
    sampling: &Sampling<'_>,
    tighten: &Tighten,
    means: &mut Means<'_>,
    measures: &BTreeMap<usize, Arc<Vec<Measure>>>,
    contents: &keep::Contents<'_>,
    chosen: &Chosen,
    found: &mut Tightened,
) -> Result<Vec<Entry>, BoundsError> {
    let mut entries = Vec::new();
    let most_runs = if tighten.style == Style::Faser { sampling.rules().most_runs } else { MOST_RUNS };
    let path = found.mutants[chosen.mutant].file.path().to_path_buf();
    let relative = path.strip_prefix(&means.layer.root).unwrap_or(&path).to_path_buf();
    let hash = ContentHash::of(&chosen.source).0.to_le_bytes().to_vec();
    for &test in &chosen.tests {
        let course = &sampling.courses[test];
        let mut content = contents.of(&course.test.node);
        content.files.insert(relative.clone(), hash.clone());
        content.options.insert("is_mutant".to_owned(), "true".to_owned());
        let key = content.key();
        let series = means.store.series(&key, &course.test.node)?;
        let limits = limits(sampling, test, tighten.style);
        let mut entry = Entry {
            test,
            node: course.test.node.clone(),
            path: course.test.path.clone(),
            seed: sampling.seed(),
            limits: limits.clone(),
            trial: Trial::new(Arc::clone(&measures[&test]), tighten.style, most_runs),
            series,
            record: format!("{key:?} {}", sampling.seed()),
            stored: 0,
            together: most_together(sampling, test, &limits),
        };
        resume(means, &mut entry)?;
        found.runs.1 += entry.stored;
        entries.push(entry);
    }
    Ok(entries)
}

fn resume(means: &Means<'_>, entry: &mut Entry) -> Result<(), StoreError> {
    let stored: BTreeMap<u64, RunRecord> =
        means.store.runs(entry.series)?.iter().filter_map(keep::from_store).map(|run| (run.seed, run)).collect();
    let crash = means.store.record(RECORDS, &entry.record)?.and_then(|text| Crash::named(&text));
    let looks = looks();
    for index in 0..entry.trial.most_runs {
        let Some(run) = stored.get(&run_seed(entry.seed, &entry.node, index)) else { break };
        if looks.as_ref().is_some_and(|looks| !entry.is_open(looks)) {
            break;
        }
        // The crash came with the last run that was stored.
        let is_last = entry.stored + 1 == stored.len();
        entry.trial.take(run.clone(), crash.filter(|_| is_last));
        entry.stored += 1;
    }
    if stored.is_empty() {
        entry.trial.crash = crash;
    }
    Ok(())
}

fn save(store: &mut temper_store::Store, entry: &Entry) -> Result<(), StoreError> {
    if let Some(crash) = entry.trial.crash {
        store.put_record(RECORDS, &entry.record, crash.word())?;
    }
    let runs: Vec<_> = entry.trial.runs[entry.stored..].iter().map(keep::to_store).collect();
    store.add_runs(entry.series, &runs).map(drop)
}

/// A mutant may take ten times as long as the original. The paper gives every run 300 seconds.
fn limits(sampling: &Sampling<'_>, test: usize, style: Style) -> Limits {
    let secs = sampling.courses[test].runs.iter().flatten().take(30).map(|run| run.secs).fold(0.0, f64::max);
    let cpu = match style {
        Style::Calibrated => Duration::from_secs_f64((10.0 * secs).clamp(2.0, 300.0)),
        Style::Faser => Duration::from_secs(300),
    };
    // The clock of a loaded machine runs on while the mutant waits for its turn.
    let wall = (5 * cpu).max(Duration::from_secs(30));
    Limits { cpu, wall, memory_bytes: MEMORY_BYTES, ..Limits::default() }
}

/// Most runs of a mutant in one process: as many as leave it half of its time, if each takes as long as the original's.
fn most_together(sampling: &Sampling<'_>, test: usize, limits: &Limits) -> usize {
    let course = &sampling.courses[test];
    if course.is_together != Some(true) {
        return 1;
    }
    let mut secs: Vec<f64> = course.runs.iter().flatten().take(30).map(|run| run.secs).collect();
    secs.sort_by(f64::total_cmp);
    let typical = secs.get(secs.len() / 2).copied().unwrap_or(f64::INFINITY);
    ((0.5 * limits.cpu.as_secs_f64() / typical) as usize).clamp(1, together::MOST)
}

/// The work of one mutant: its layer, and its tests in order.
fn adaptive(probed: &Arc<LayerSpec>, chosen: &Chosen, entries: &[Entry], found: &Tightened, looks: &Plan) -> Adaptive {
    let file = &found.mutants[chosen.mutant].file;
    let mut edits = probed.edits.clone();
    edits.push(Edit { path: file.path().to_path_buf(), source: chosen.source.clone() });
    let layer = Arc::new(LayerSpec {
        edits,
        policy: Policy::contained(),
        subjects: only(&probed.subjects, entries),
        limits: Limits { cpu: LOAD_CPU, wall: 6 * LOAD_CPU, memory_bytes: MEMORY_BYTES, ..Limits::default() },
        ..(**probed).clone()
    });
    let mut trials = entries.to_vec();
    let looks = looks.clone();
    let next = move |report: Option<&Report>| {
        if let Some(report) = report
            && let Some(entry) = trials.iter_mut().find(|entry| entry.is_open(&looks))
        {
            entry.take(report);
        }
        trials.iter().find_map(|entry| entry.piece(&looks))
    };
    Adaptive { layer, next: Box::new(next) }
}

/// Only the files of the tests at hand are collected, with the user's own options, under the same node ids.
fn only(subjects: &Subjects, entries: &[Entry]) -> Subjects {
    let Subjects::Tests(arguments) = subjects else { return subjects.clone() };
    let Some(root) = entries.first().and_then(rootdir) else { return subjects.clone() };
    let files: BTreeSet<String> = entries.iter().map(|entry| entry.path.display().to_string()).collect();
    let is_named = |argument: &String| {
        let file = argument.split("::").next().unwrap_or_default();
        !argument.starts_with('-') && root.join(file).exists()
    };
    let mut narrowed: Vec<String> = files.into_iter().collect();
    narrowed.extend(arguments.iter().filter(|argument| !is_named(argument)).cloned());
    narrowed.push(format!("--rootdir={}", root.display()));
    Subjects::Tests(narrowed)
}

/// The folder that the node ids of pytest are relative to.
fn rootdir(entry: &Entry) -> Option<PathBuf> {
    let file = Path::new(entry.node.split("::").next()?);
    entry.path.ends_with(file).then(|| entry.path.ancestors().nth(file.components().count()).map(Path::to_path_buf))?
}

fn keep_result(found: &mut Tightened, mutant: usize, entry: Entry) {
    let trial = &entry.trial;
    let mut effects = BTreeMap::new();
    for measure in trial.measures.iter() {
        let effect = match trial.crash {
            Some(crash) => Effect::Crashed(crash),
            None if trial.is_same(measure) => Effect::Same,
            None => Effect::None { values: trial.values(measure) },
        };
        effects.insert(measure.number, effect);
    }
    let trialled = Trialled { mutant, runs: trial.runs.len(), effects };
    found.trials.entry(entry.test).or_default().push(trialled);
    found.measures.entry(entry.test).or_insert_with(|| Arc::clone(&trial.measures));
}
