//! Runs the chosen mutants: all tests of a mutant one after the other, each run by run until it is clear.
//!
//! What comes next is decided in the thread of the slot that does the work, so that the layer of a mutant that needs one is loaded
//! once. Everything goes to the store; a mutant that was finished before is not run again, one that was begun goes on where it stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use temper_source::ContentHash;
use temper_stats::mutant_looks::MutantLooks;
use temper_worker::{Adaptive, Edit, Flow, LayerSpec, Limits, Memory, Policy, Report, Sight, Subjects};

use super::choice::Chosen;
use super::early_stop::{Measure, MutantTrial, looks};
use super::mutant_code::{self, MutantForm};
use super::mutant_run::{self, MutantRun};
use super::order::{self, Turn};
use super::raise_rates::RaiseRates;
use super::tighten::{
    MOST_RUNS, Means, MutantEffect, PlacedMutant, Tighten, TightenMethod, Tightened, Trialled, reference_runs,
};
use crate::judge::far_inside;
use crate::sample::sample_store;
use crate::sample::scheduler::{BoundsError, SamplingProgress, SuiteSampling};
use crate::sample::shared_process;

/// A bound this many times as far from the median as the worst value leaves room for a tighter one.
const ROOMY: f64 = 2.0;
/// Processor time of loading a mutant. Libraries are loaded already.
const LOAD_CPU: Duration = Duration::from_secs(20);

/// How far a round goes with slow tests. The first ones are for a short budget.
struct Round {
    /// Runs of the original that mutants are compared with.
    reference: usize,
    /// Places in the order of a test.
    places: usize,
    /// Most runs of a mutant: one with a small effect waits for the next round.
    most_runs: usize,
}

const ROUNDS: [Round; 3] = [
    Round { reference: 30, places: 20, most_runs: 5 },
    Round { reference: 100, places: 100, most_runs: 20 },
    Round { reference: usize::MAX, places: usize::MAX, most_runs: usize::MAX },
];
/// Turns after which it is looked at again which kinds of mutants raise: enough for all slots to be busy nearly all the time.
const TURNS_AT_ONCE: usize = 48;
/// A test is slow if a run takes more processor time than this: 300 runs of the original, of ten such tests, then are a minute before the
/// first mutant.
const SLOW_CPU_SECS: f64 = 0.02;
/// Or if it waits for longer than this. A busy machine lets short tests wait too, but no test a hundred times in a row for that long:
/// else how busy the machine is would decide how many runs a mutant gets.
const SLOW_SECS: f64 = 1.0;
/// Runs of a slow test that tell a mutant which changes nothing. With the same seeds, code that is reached and changes a number
/// mostly changes it at once.
const SAME_AFTER: usize = 2;

/// Tries the mutants in their order; further runs of the original come between them.
pub(super) fn execute(
    sampling: &mut SuiteSampling<'_>,
    tighten: &Tighten,
    means: &mut Means<'_>,
    subjects: &BTreeMap<usize, Vec<i64>>,
    chosen: Vec<Chosen>,
    found: &mut Tightened,
) -> Result<(), BoundsError> {
    let Some(looks) = looks() else { return Ok(()) };
    // Whether runs can share a process takes this many to see.
    let first: Vec<(usize, usize)> = subjects.keys().map(|&test| (test, shared_process::COMPARED)).collect();
    sampling.take(means, &first)?;
    if sampling.is_stopped() {
        return Ok(());
    }
    let lacking: Vec<(usize, usize)> = subjects.keys().map(|&test| (test, chosen.len())).collect();
    sampling.try_together(means.driver, means.layer, &lacking)?;
    sampling.try_again(means, subjects.keys().copied())?;
    let is_unrepeatable = |test: &&usize| sampling.courses[**test].is_repeatable == Some(false);
    let unrepeatable = subjects.keys().filter(is_unrepeatable);
    found.unrepeatable.extend(unrepeatable.map(|&test| sampling.courses[test].test.node.clone()));
    let has_room = |test| subjects[&test].iter().any(|&number| has_room(sampling, test, number));
    let mut turns = order::turns(chosen, found, sampling.seed(), has_room);
    let slow: BTreeSet<usize> = subjects.keys().copied().filter(|&test| is_slow(sampling, test)).collect();
    let layer = Arc::clone(means.layer);
    let contents = sample_store::contents(&layer.root, means.loaded, &layer.subjects, sampling.plan, true);
    let most = reference_runs(tighten.style, sampling.rules());
    for round in &ROUNDS {
        let runs = |test: usize| if slow.contains(&test) { round.reference.min(most) } else { most };
        let reference: Vec<(usize, usize)> = subjects.keys().map(|&test| (test, runs(test))).collect();
        sampling.take(means, &reference)?;
        if sampling.is_stopped() {
            break;
        }
        let measured =
            |&(test, runs): &(usize, usize)| (test, Arc::new(measures(sampling, test, &subjects[&test], runs)));
        let measures = reference.iter().map(measured).collect();
        let (style, looks) = (tighten.style, looks.clone());
        let ground = Ground { style, measures, contents: &contents, looks, round, slow: &slow };
        let mut waiting: Vec<&Turn> = turns.iter().filter(|turn| turn.place < round.places).collect();
        let mut unsettled = BTreeSet::new();
        while !waiting.is_empty() && !sampling.is_stopped() {
            let now = next_turns(&mut waiting, found);
            unsettled.extend(run_turns(sampling, means, &ground, now.into_iter(), found)?);
        }
        turns.retain_mut(|turn| {
            let is_later = turn.place >= round.places;
            turn.chosen.tests.retain(|test| is_later || unsettled.contains(&(turn.chosen.mutant, *test)));
            !turn.chosen.tests.is_empty()
        });
    }
    Ok(())
}

/// Takes the next turns in their order; those of kinds that mostly raise come when there are no others.
fn next_turns<'t>(waiting: &mut Vec<&'t Turn>, found: &Tightened) -> Vec<&'t Turn> {
    let rates = RaiseRates::of(found);
    let is_later = |turn: &Turn| rates.is_likely_to_raise(&found.mutants[turn.chosen.mutant].mutant);
    let (later, mut soon): (Vec<&Turn>, Vec<&Turn>) = waiting.drain(..).partition(|turn| is_later(turn));
    let mut rest = soon.split_off(soon.len().min(TURNS_AT_ONCE));
    if soon.is_empty() {
        return later;
    }
    rest.extend(later);
    *waiting = rest;
    soon
}

/// Whether the bound is so far from the values that a tighter one is likely to be there.
fn has_room(sampling: &SuiteSampling<'_>, test: usize, number: i64) -> bool {
    let series = sampling.series_now(test, number);
    series.and_then(|series| far_inside::ratio(&series)).is_some_and(|times| times >= ROOMY)
}

/// By the fastest run: the others may have waited for a busy machine.
fn is_slow(sampling: &SuiteSampling<'_>, test: usize) -> bool {
    let runs = sampling.courses[test].runs_so_far();
    is_long(runs.iter().map(|run| (run.cpu_secs, run.secs)))
}

/// Of processor time and time on the clock of each run.
fn is_long(runs: impl Iterator<Item = (f64, f64)>) -> bool {
    let fastest = |(cpu, wall): (f64, f64), (next_cpu, next_wall)| (cpu.min(next_cpu), wall.min(next_wall));
    let (cpu, wall) = runs.fold((f64::INFINITY, f64::INFINITY), fastest);
    cpu > SLOW_CPU_SECS || wall > SLOW_SECS
}

/// Runs mutants until each is clear, or has had its runs; returns the pairs of a mutant and a test that are not clear yet.
fn run_turns<'t>(
    sampling: &mut SuiteSampling<'_>,
    means: &mut Means<'_>,
    ground: &Ground<'_>,
    turns: impl Iterator<Item = &'t Turn>,
    found: &mut Tightened,
) -> Result<BTreeSet<(usize, usize)>, BoundsError> {
    let looks = &ground.looks;
    let shared = mutant_code::layer(means.layer, found.sight.clone());
    let mut unsettled = BTreeSet::new();
    let mut work = Vec::new();
    let mut open: Vec<Vec<MutantRun>> = Vec::new();
    let mut owner = Vec::new();
    for Turn { chosen: each, .. } in turns {
        let Some(source) = source(found, each) else { continue };
        let entries = entries(sampling, means, ground, each, &source)?;
        let is_new = |entry: &&MutantRun| !found.is_tried(each.mutant, entry.test);
        found.runs.1 += entries.iter().filter(is_new).map(|entry| entry.stored).sum::<usize>();
        let (unfinished, finished): (Vec<MutantRun>, Vec<MutantRun>) =
            entries.into_iter().partition(|entry| entry.is_open(looks));
        for entry in finished {
            unsettled.extend(entry.is_unsettled(looks).then_some((each.mutant, entry.test)));
            keep_result(found, each.mutant, entry);
        }
        if !unfinished.is_empty() {
            let layer = match &each.form {
                MutantForm::Replaced(_) => Arc::clone(&shared),
                MutantForm::Loaded => own_layer(means.layer, found.sight.clone(), source, &unfinished),
            };
            work.push(adaptive(layer, &unfinished, looks));
            open.push(unfinished);
            owner.push(each.mutant);
        }
    }
    let mutants = found.asked.values().map(Vec::len).sum();
    let mut left = open.len();
    let mut failure = Ok(());
    let result = means.driver.run_adaptive(work, |report| {
        found.cpu_secs += report.usage.cpu.as_secs_f64();
        let entries = &mut open[report.task];
        // The slot does the tests in order: the first that is not finished is the one that ran.
        let Some(entry) = entries.iter_mut().find(|entry| entry.is_open(looks)) else {
            return Flow::Continue;
        };
        found.runs.0 += entry.take(&report);
        if !entry.is_open(looks) {
            failure = entry.save(means.store).map_err(BoundsError::from);
        }
        if !entries.iter().any(|entry| entry.is_open(looks)) {
            left -= 1;
            let mutant = owner[report.task];
            for entry in std::mem::take(entries) {
                unsettled.extend(entry.is_unsettled(looks).then_some((mutant, entry.test)));
                keep_result(found, mutant, entry);
            }
        }
        let trials = &found.trials;
        let mutants_done = || trials.values().map(Vec::len).sum();
        let progress = || SamplingProgress { mutants, mutants_done: mutants_done(), ..sampling.progress(left) };
        means.watch.step(&progress);
        sampling.stopped = means.watch.stop();
        if failure.is_err() || sampling.is_stopped() { Flow::Stop } else { Flow::Continue }
    });
    // Slots end in any order, and sums of floats depend on theirs.
    found.trials.values_mut().for_each(|trials| trials.sort_by_key(|trial| trial.mutant));
    // What was begun is kept, and goes on from there.
    for entry in open.iter().flatten().filter(|entry| entry.trial.runs.len() > entry.stored) {
        entry.save(means.store)?;
    }
    result?;
    failure.map(|()| unsettled)
}

/// From here on the samples of the mutants are compared with all runs of the original that count.
pub(super) fn compare_with_all(
    sampling: &SuiteSampling<'_>,
    tighten: &Tighten,
    subjects: &BTreeMap<usize, Vec<i64>>,
    found: &mut Tightened,
) {
    let most = reference_runs(tighten.style, sampling.rules());
    for (&test, sites) in subjects.iter().filter(|(test, _)| found.trials.contains_key(test)) {
        found.measures.insert(test, Arc::new(measures(sampling, test, sites, most)));
    }
}

/// What the runs of the original give, as mutants are compared with it.
fn measures(sampling: &SuiteSampling<'_>, test: usize, sites: &[i64], reference: usize) -> Vec<Measure> {
    let runs = sampling.courses[test].runs_so_far();
    let measure = |number: &i64| Some(Measure::new(*number, &sampling.series_now(test, *number)?, &runs, reference));
    sites.iter().filter_map(measure).collect()
}

/// What all mutants of a round have in common.
struct Ground<'a> {
    style: TightenMethod,
    measures: BTreeMap<usize, Arc<Vec<Measure>>>,
    /// What the runs depend on, the mutant and the test aside.
    contents: &'a sample_store::Contents<'a>,
    looks: MutantLooks,
    round: &'a Round,
    slow: &'a BTreeSet<usize>,
}

impl Ground<'_> {
    /// A mutant under a test, before its first run. With the paper's method every mutant has all its runs.
    fn trial(&self, test: usize, most_runs: usize) -> MutantTrial {
        let trial = MutantTrial::new(Arc::clone(&self.measures[&test]), self.style, most_runs);
        if !self.slow.contains(&test) || self.style == TightenMethod::Faser {
            return trial;
        }
        MutantTrial { most_runs: most_runs.min(self.round.most_runs), same_after: SAME_AFTER, ..trial }
    }
}

/// The mutant under each of its tests, with what the store has of it.
fn entries(
    sampling: &SuiteSampling<'_>,
    means: &mut Means<'_>,
    ground: &Ground<'_>,
    chosen: &Chosen,
    source: &Edit,
) -> Result<Vec<MutantRun>, BoundsError> {
    let style = ground.style;
    let most_runs = if style == TightenMethod::Faser { sampling.rules().most_runs } else { MOST_RUNS };
    let relative = source.path.strip_prefix(&means.layer.root).unwrap_or(&source.path);
    let hash = ContentHash::of(&source.source).0.to_le_bytes().to_vec();
    let mut entries = Vec::new();
    for &test in &chosen.tests {
        let course = &sampling.courses[test];
        let memory = if course.is_repeatable == Some(false) { Memory::AsFound } else { Memory::Filled };
        let mut content = ground.contents.of(&course.test.node);
        content.files.insert(relative.to_path_buf(), hash.clone());
        content.options.insert("is_mutant".to_owned(), "true".to_owned());
        content.options.insert("memory".to_owned(), format!("{memory:?}"));
        // A mutant has no access to more than its original used.
        content.options.insert("trace".to_owned(), course.trace_name());
        let key = content.key();
        let limits = mutant_run::limits(course, style);
        let together = mutant_run::most_together(course);
        let mut entry = MutantRun {
            test,
            node: course.test.node.clone(),
            path: course.test.path.clone(),
            seed: sampling.seed(),
            limits,
            trial: ground.trial(test, most_runs),
            series: means.store.series(&key, "", &course.test.node)?,
            record: format!("{key:?} {}", sampling.seed()),
            stored: 0,
            together,
            is_checked: false,
            memory,
            unchecked: (together == 1).then_some(0),
            form: chosen.form.clone(),
        };
        entry.resume(means.store, &ground.looks)?;
        entries.push(entry);
    }
    Ok(entries)
}

/// The file of a mutant with its change.
fn source(found: &Tightened, chosen: &Chosen) -> Option<Edit> {
    let PlacedMutant { file, mutant, .. } = &found.mutants[chosen.mutant];
    let source = mutant.apply(file).and_then(|text| file.encode(&text)).ok()?;
    Some(Edit { path: file.path().to_path_buf(), source })
}

/// A project layer with a mutant loaded.
fn own_layer(probed: &Arc<LayerSpec>, sight: Sight, source: Edit, entries: &[MutantRun]) -> Arc<LayerSpec> {
    let mut edits = probed.edits.clone();
    edits.push(source);
    Arc::new(LayerSpec {
        edits,
        policy: Policy { sight, ..Policy::contained() },
        subjects: only(&probed.subjects, entries),
        limits: Limits {
            cpu: LOAD_CPU,
            wall: 6 * LOAD_CPU,
            memory_bytes: mutant_run::MEMORY_BYTES,
            ..Limits::default()
        },
        ..(**probed).clone()
    })
}

/// The work of one mutant: its tests in order.
fn adaptive(layer: Arc<LayerSpec>, entries: &[MutantRun], looks: &MutantLooks) -> Adaptive {
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
fn only(subjects: &Subjects, entries: &[MutantRun]) -> Subjects {
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
fn rootdir(entry: &MutantRun) -> Option<PathBuf> {
    let file = Path::new(entry.node.split("::").next()?);
    entry.path.ends_with(file).then(|| entry.path.ancestors().nth(file.components().count()).map(Path::to_path_buf))?
}

fn keep_result(found: &mut Tightened, mutant: usize, entry: MutantRun) {
    let trial = &entry.trial;
    let mut effects = BTreeMap::new();
    for measure in trial.measures.iter() {
        let effect = match trial.crash {
            Some(crash) => MutantEffect::Crashed(crash),
            None if trial.is_same(measure) => MutantEffect::Same,
            None => MutantEffect::None { values: trial.values(measure) },
        };
        effects.insert(measure.number, effect);
    }
    let trialled = Trialled { mutant, runs: trial.runs.len(), effects };
    let trials = found.trials.entry(entry.test).or_default();
    trials.retain(|trial| trial.mutant != mutant);
    trials.push(trialled);
}

#[cfg(test)]
mod cut_runs;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_makes_no_test_slow() {
        // Processor time and time on the clock.
        assert!(!is_long([(0.01, 0.9), (0.02, 2.0)].into_iter()), "it waited for the processor");
        assert!(is_long([(0.2, 0.2), (0.3, 0.3)].into_iter()), "it computes");
        assert!(is_long([(0.0, 1.5), (0.0, 1.6)].into_iter()), "it sleeps");
        assert!(!is_long([(0.2, 0.2), (0.01, 0.01)].into_iter()), "the first run pays for what is done once");
    }
}
