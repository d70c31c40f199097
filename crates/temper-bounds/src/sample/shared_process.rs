//! Takes runs of tests: each in a separate process, or several in one process if that changes nothing.
//!
//! Most of what a short run costs is its process. But a run may leave something behind (a cache, a counter, a patched
//! function) that the next one in the same process finds. So a test shares processes only if its first runs came out
//! together as they had come out alone, and each process repeats its first run at its end: if that differs in
//! any number, nothing of the process counts, and its runs are taken alone. Seeds are the same either way.
//!
//! The first two runs of a test share a process as long as chance has no part in them: they are to show that the test
//! gives the same values twice. If it does not, the second run is taken again, alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use temper_worker::{
    Driver, Flow, LayerSpec, Limits, Memory, Outcome, Piece, RepeatUntil, RepeatedRun, Report, RunStart, Task, Work,
};

use crate::sample::looks::{EARLY, SCREENING};
use crate::sample::run_record::RunRecord;
use crate::sample::scheduler::BoundsError;

/// Runs that are compared.
pub(crate) const COMPARED: usize = EARLY;
/// Most runs in one process. What piles up over more runs than were compared shows when the first one is repeated.
pub(crate) const MOST: usize = SCREENING;
/// Processor seconds that a process costs apart from its runs: to fork it, to copy the pages that it touches, to end it. Measured
/// are 0.01 with numpy loaded and 0.02 with scikit-learn.
const PROCESS_CPU_SECS: f64 = 0.02;
/// Runs that wait longer than this on the clock are taken at the same time, not one after the other. A comparison must also fit into a
/// short budget, because nothing of it is kept if the budget ends it.
const SHORT_SECS: f64 = 0.1;

/// Runs that a test lacks.
#[derive(Clone, Debug)]
pub(crate) struct Lacking {
    /// The caller's number of the test.
    pub(crate) test: usize,
    pub(crate) node: String,
    /// Index and seed of each run.
    pub(crate) runs: Vec<(usize, u64)>,
    pub(crate) is_together: bool,
}

/// One run that was taken.
pub(crate) struct TakenRun<'a> {
    pub(crate) record: RunRecord,
    pub(crate) outcome: &'a Outcome,
    pub(crate) is_refused: bool,
    /// The greatest size of its process, if it did not share one.
    pub(crate) max_rss_kib: u64,
}

/// One run in a separate process.
pub(crate) fn alone(node: &str, seed: u64, limits: &Limits, memory: Memory) -> Piece {
    Piece::new(Work::Test { node: node.to_owned(), memory }, seed, limits.clone())
}

/// Runs in one process. It ends with the first of them again, with other bytes in memory that is filled.
pub(crate) fn together(node: &str, seeds: &[u64], limits: &Limits, memory: Memory) -> Piece {
    let seed = seeds.first().copied().unwrap_or_default();
    let otherwise = if memory == Memory::Filled { Memory::FilledOtherwise } else { memory };
    let again = RunStart { seed, memory: otherwise };
    let starts = seeds.iter().map(|&seed| RunStart { seed, memory }).chain([again]).collect();
    Piece::new(Work::Repeat { node: node.to_owned(), starts, until: RepeatUntil::End }, seed, limits.clone())
}

/// Runs in one process that nothing is repeated in: for runs whose likes were seen to leave nothing behind.
pub(crate) fn further(node: &str, seeds: &[u64], limits: &Limits, memory: Memory) -> Piece {
    let starts = seeds.iter().map(|&seed| RunStart { seed, memory }).collect();
    let seed = seeds.first().copied().unwrap_or_default();
    Piece::new(Work::Repeat { node: node.to_owned(), starts, until: RepeatUntil::End }, seed, limits.clone())
}

/// The runs of a process in which nothing was repeated. Returns nothing if a shared run may differ from a separate one.
pub(crate) fn further_runs(report: &Report) -> Option<Vec<TakenRun<'_>>> {
    (report.outcome == Outcome::Repeated && !is_doubtful(report)).then(|| report.runs.iter().map(taken_run).collect())
}

fn taken_run(run: &RepeatedRun) -> TakenRun<'_> {
    TakenRun { record: RunRecord::from_repeated(run), outcome: &run.outcome, is_refused: false, max_rss_kib: 0 }
}

/// Whether something happened in the process that a separate one might not have met.
fn is_doubtful(report: &Report) -> bool {
    let is_doubtful = |run: &RepeatedRun| match &run.outcome {
        Outcome::Test(test) => test.exception.as_ref().is_some_and(|exception| exception.is_permission),
        _ => true,
    };
    report.is_refused() || report.usage.orphans > 0 || report.runs.iter().any(is_doubtful)
}

/// The runs of a process, in order. Returns nothing if a shared run may differ from a separate one. If the process died in
/// its first run, returns that run: it would have died alone too.
pub(crate) fn runs(report: &Report) -> Option<Vec<TakenRun<'_>>> {
    if report.outcome != Outcome::Repeated {
        let run = || TakenRun {
            record: RunRecord::from_report(report),
            outcome: &report.outcome,
            is_refused: report.is_refused(),
            max_rss_kib: report.usage.max_rss_kib,
        };
        return report.runs.is_empty().then(|| vec![run()]);
    }
    if is_doubtful(report) {
        return None;
    }
    if let [only] = &report.runs[..] {
        // It ended the process by not passing, in its first run as it would alone.
        return Some(vec![taken_run(only)]);
    }
    let (again, runs) = report.runs.split_last()?;
    let record = RunRecord::from_repeated;
    let is_same = record(runs.first()?).is_alike(&record(again));
    is_same.then(|| runs.iter().map(taken_run).collect())
}

/// Whether it pays to see if a test can share processes, given the runs it has and how many are to come: whether those save
/// more than the comparison costs.
pub(crate) fn is_worthwhile(known: &[Option<RunRecord>], lacking: usize) -> bool {
    let Some(first) = known.get(..COMPARED) else { return false };
    let saved = lacking as f64 * PROCESS_CPU_SECS;
    let is_short = |run: &RunRecord| {
        let compared = COMPARED as f64 * (run.cpu_secs - PROCESS_CPU_SECS).max(0.0) + PROCESS_CPU_SECS;
        run.secs < SHORT_SECS && compared < saved
    };
    first.iter().all(Option::is_some) && first.iter().flatten().any(is_short)
}

/// The first two runs of a test, in one process as long as chance has no part in them.
pub(crate) fn first_two(node: &str, seeds: [u64; 2], limits: &Limits) -> Piece {
    let starts = seeds.map(|seed| RunStart { seed, memory: Memory::AsFound }).to_vec();
    Piece::new(Work::Repeat { node: node.to_owned(), starts, until: RepeatUntil::Chance }, seeds[0], limits.clone())
}

/// What they showed. The first one is as alone; the second one may have found what the first one left behind.
pub(crate) fn of_first_two(report: &Report) -> (RunRecord, Option<RunRecord>) {
    let mut runs = report.runs.iter().map(RunRecord::from_repeated);
    // A process that gave no run died in the first one.
    let first = runs.next().unwrap_or_else(|| RunRecord::from_report(report));
    let is_whole = report.outcome == Outcome::Repeated && report.usage.orphans == 0;
    (first, runs.next().filter(|_| is_whole))
}

/// The first runs, together.
pub(crate) fn comparison(node: &str, known: &[Option<RunRecord>], limits: &Limits) -> Piece {
    let seeds: Vec<u64> = known.iter().take(COMPARED).flatten().map(|run| run.seed).collect();
    together(node, &seeds, limits, Memory::AsFound)
}

/// Whether they came out as they had come out alone.
pub(crate) fn is_like(report: &Report, known: &[Option<RunRecord>]) -> bool {
    let known = known.iter().take(COMPARED).flatten();
    runs(report).is_some_and(|runs| {
        runs.len() == COMPARED && runs.iter().zip(known).all(|(run, known)| run.record.is_alike(known))
    })
}

/// Takes runs; `on_runs` gets those of one process with their indices. Says which tests turned out not to share processes.
///
/// # Errors
/// When the workers fail, or the layer cannot be loaded: a fault of ours.
pub(crate) fn take(
    driver: &mut Driver,
    layer: &Arc<LayerSpec>,
    limits: &Limits,
    lacking: &[Lacking],
    mut on_runs: impl FnMut(usize, Vec<(usize, RunRecord)>, &Report) -> Flow,
) -> Result<BTreeSet<usize>, BoundsError> {
    let mut parted = BTreeSet::new();
    let mut chunks: Vec<Lacking> = lacking.iter().flat_map(chunked).collect();
    while !chunks.is_empty() {
        let mut again = Vec::new();
        let mut failure = Ok(());
        let mut is_stopped = false;
        let tasks: Vec<Task> = chunks.iter().map(|chunk| task(chunk, layer, limits)).collect();
        driver.run(tasks, |report| {
            if let Outcome::LoadFailed(load) = report.outcome {
                failure = Err(BoundsError::Probed(Box::new(load)));
                return Flow::Stop;
            }
            let chunk = &chunks[report.task];
            let wanted = &chunk.runs;
            let flow = match runs(&report) {
                Some(runs) if runs.len() == wanted.len() => {
                    let runs = wanted.iter().zip(runs).map(|(&(index, _), run)| (index, run.record));
                    on_runs(chunk.test, runs.collect(), &report)
                }
                _ => {
                    parted.insert(chunk.test);
                    again.extend(chunked(&Lacking { is_together: false, ..chunk.clone() }));
                    Flow::Continue
                }
            };
            is_stopped |= flow == Flow::Stop;
            flow
        })?;
        failure?;
        chunks = if is_stopped { Vec::new() } else { again };
    }
    Ok(parted)
}

/// In parts, one a task: single runs, or shared processes of even size.
pub(crate) fn chunked(lacking: &Lacking) -> Vec<Lacking> {
    let count = lacking.runs.len();
    let is_together = lacking.is_together && count > 1;
    let size = if is_together { count.div_ceil(count.div_ceil(MOST)) } else { 1 };
    let chunk = |runs: &[(usize, u64)]| Lacking { runs: runs.to_vec(), is_together, ..lacking.clone() };
    lacking.runs.chunks(size).map(chunk).collect()
}

/// The work that these runs are.
pub(crate) fn task(chunk: &Lacking, layer: &Arc<LayerSpec>, limits: &Limits) -> Task {
    let seeds: Vec<u64> = chunk.runs.iter().map(|&(_, seed)| seed).collect();
    let pieces = match chunk.is_together {
        true => vec![together(&chunk.node, &seeds, limits, Memory::AsFound)],
        false => seeds.iter().map(|&seed| alone(&chunk.node, seed, limits, Memory::AsFound)).collect(),
    };
    Task { layer: Arc::clone(layer), pieces }
}
