//! Which mutants are tried under which tests: those of the lines that a test reaches.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use temper_source::{ContentHash, Mutant, SourceFile, mutants, read};
use temper_worker::{Flow, LayerSpec, Limits, Outcome, Piece, Sight, Task, Work};

use super::mutant_code::{self, MutantForm};
use super::nearness::NearbyFiles;
use super::tighten::{Means, MutantScope, PlacedMutant, Tighten, Tightened};
use crate::plan::import_graph::Uses;
use crate::sample::scheduler::{BoundsError, SuiteSampling, run_seed};

/// Runs whose lines are put together: a branch that is taken now and then is seen in one of them.
const COVERAGE_RUNS: usize = 3;
/// What a mutant costs apart from its runs, and how many of these it has: means of those of `examples/mlkit`.
const LAYER_SECS: f64 = 0.15;
const MEAN_RUNS: f64 = 14.0;

/// A mutant to try, with the tests that reach it.
#[derive(Clone)]
pub(super) struct Chosen {
    /// Its index in [`Tightened::mutants`].
    pub(super) mutant: usize,
    /// Tests that reach it.
    pub(super) tests: Vec<usize>,
    /// How it is put in place.
    pub(super) form: MutantForm,
}

type Lines = BTreeMap<PathBuf, BTreeSet<u32>>;

pub(super) fn choose(
    sampling: &mut SuiteSampling<'_>,
    tighten: &Tighten,
    means: &mut Means<'_>,
    subjects: &BTreeMap<usize, Vec<i64>>,
    found: &mut Tightened,
) -> Result<Vec<Chosen>, BoundsError> {
    // What the original uses is seen here, and decides what its mutants may see.
    let layer = mutant_code::layer(means.layer, Sight::Everything);
    let covered = cover(sampling, means, &layer, subjects, found)?;
    let all: BTreeSet<&PathBuf> = covered.values().flat_map(BTreeMap::keys).chain(&means.loaded.files).collect();
    let tests: BTreeSet<&Path> = means.loaded.items.iter().map(|item| item.path.as_path()).collect();
    let files: Vec<Arc<SourceFile>> = all
        .into_iter()
        .filter(|path| !tests.contains(path.as_path()) && !sampling.plan.is_for_tests(path))
        .filter_map(|path| read(path).ok().map(Arc::new))
        .collect();
    let uses = Uses::read(files.iter().map(Arc::as_ref));
    found.rings = rings(sampling, &files, &covered);
    let mut chosen = Vec::new();
    for file in &files {
        let reaches: Vec<FileReach<'_>> =
            covered.iter().filter_map(|(&test, lines)| FileReach::new(test, lines, file, &uses)).collect();
        if reaches.is_empty() {
            continue;
        }
        let Ok(changes) = mutants(file, &tighten.wanted) else { continue };
        let mut placed = Vec::new();
        for mutant in changes {
            let tests = reaches.iter().filter(|reach| reach.has(&mutant)).map(|reach| reach.test).collect::<Vec<_>>();
            placed.push((mutant, tests));
        }
        let is_used = placed.iter().any(|(_, tests)| !tests.is_empty());
        for (mutant, tests) in placed.into_iter().filter(|_| is_used) {
            let path = file.path().strip_prefix(&means.layer.root).unwrap_or(file.path()).display().to_string();
            let hash = mutant.hash(&path);
            let placed = PlacedMutant { file: Arc::clone(file), path, mutant };
            if tests.is_empty() {
                found.unreached.push(placed);
            } else if is_drawn(hash, sampling.seed(), tighten.fraction) {
                chosen.push(Chosen { mutant: found.mutants.len(), tests, form: MutantForm::Loaded });
                found.mutants.push(placed);
            }
        }
    }
    chosen = mutant_code::compile(means, tighten, &layer, chosen, found)?;
    if let MutantScope::Widened { most, cpu } = tighten.scope {
        let share = cpu.as_secs_f64() / subjects.len().max(1) as f64;
        let most_of = |&test: &usize| (test, affordable(most, share, sampling.courses[test].typical_cpu_secs()));
        thin_out(&mut chosen, found, sampling.seed(), &subjects.keys().map(most_of).collect());
    }
    Ok(chosen)
}

/// How near each file is to each test.
fn rings(
    sampling: &SuiteSampling<'_>,
    files: &[Arc<SourceFile>],
    covered: &BTreeMap<usize, Lines>,
) -> BTreeMap<usize, BTreeMap<PathBuf, usize>> {
    let of = |test: usize| sampling.courses[test].test.path.as_path();
    let own: BTreeSet<&Path> = covered.keys().map(|&test| of(test)).collect();
    let own: Vec<SourceFile> = own.into_iter().filter_map(|path| read(path).ok()).collect();
    let uses = Uses::read(files.iter().map(Arc::as_ref).chain(&own));
    let mut reached_by: BTreeMap<PathBuf, usize> = BTreeMap::new();
    covered.values().flat_map(BTreeMap::keys).for_each(|path| *reached_by.entry(path.clone()).or_default() += 1);
    let nearby = NearbyFiles { uses: &uses, reached_by: &reached_by, tests: covered.len() };
    let rings = |&test: &usize| (test, nearby.rings(of(test), files.iter().map(|file| file.path())));
    covered.keys().map(rings).collect()
}

/// A share of the mutants, the same ones in every run with the same seed.
fn is_drawn(hash: ContentHash, seed: u64, fraction: f64) -> bool {
    let mixed = run_seed(seed ^ hash.0, "mutant", 0);
    ((mixed >> 11) as f64) < fraction * (1_u64 << 53) as f64
}

/// How many mutants `share` seconds of processor time are for: `most`, or a quarter of it, and so on. By quarters, so that
/// times of the original which differ a little give the same number.
fn affordable(most: usize, share: f64, typical_secs: f64) -> usize {
    let secs = LAYER_SECS + MEAN_RUNS * typical_secs;
    std::iter::successors(Some(most), |most| (*most > 0).then_some(most / 4))
        .find(|&most| most as f64 * secs <= share)
        .unwrap_or(0)
}

/// At most this number of mutants of each test, drawn at random.
fn thin_out(chosen: &mut Vec<Chosen>, found: &Tightened, seed: u64, most: &BTreeMap<usize, usize>) {
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    chosen.sort_by_key(|each| {
        let placed = &found.mutants[each.mutant];
        run_seed(seed ^ placed.mutant.hash(&placed.path).0, "mutant", 0)
    });
    chosen.retain_mut(|each| {
        each.tests.retain(|test| {
            let count = taken.entry(*test).or_default();
            *count += 1;
            *count <= most[test]
        });
        !each.tests.is_empty()
    });
}

/// The lines that each test reaches, by a few runs under the fences that its mutants will have.
fn cover(
    sampling: &mut SuiteSampling<'_>,
    means: &mut Means<'_>,
    layer: &Arc<LayerSpec>,
    subjects: &BTreeMap<usize, Vec<i64>>,
    found: &mut Tightened,
) -> Result<BTreeMap<usize, Lines>, BoundsError> {
    let order: Vec<usize> = subjects.keys().copied().collect();
    let task = |&test: &usize| {
        let piece = |index| {
            let node = sampling.courses[test].test.node.clone();
            let seed = run_seed(sampling.seed(), &node, index);
            Piece::new(Work::Cover { node }, seed, Limits::default())
        };
        Task { layer: Arc::clone(layer), pieces: (0..COVERAGE_RUNS).map(piece).collect() }
    };
    let mut covered: BTreeMap<usize, Lines> = BTreeMap::new();
    let mut refused: BTreeMap<usize, String> = BTreeMap::new();
    let tasks: Vec<Task> = order.iter().map(task).collect();
    means.driver.run(tasks, |report| {
        let test = order[report.task];
        sampling.surroundings.note_use(&report.used);
        if report.is_refused() {
            let first = report.containment.refused.first();
            let said = first.map_or_else(String::new, |refusal| format!("{} {}", refusal.kind, refusal.detail));
            refused.insert(test, said);
        }
        if let Outcome::LoadFailed(_) = report.outcome {
            refused.insert(test, "while it is loaded".to_owned());
        }
        let lines = covered.entry(test).or_default();
        for (path, reached) in report.covered {
            lines.entry(path).or_default().extend(reached);
        }
        sampling.stopped = means.watch.stop();
        if sampling.is_stopped() { Flow::Stop } else { Flow::Continue }
    })?;
    found.sight = sampling.surroundings.sight();
    for (test, said) in refused {
        covered.remove(&test);
        found.refused.push((sampling.courses[test].test.node.clone(), said));
    }
    Ok(covered)
}

/// What a test reaches of a file. A module that it imports, itself or by what it reaches, is reached although none of its lines ran.
struct FileReach<'a> {
    test: usize,
    lines: Option<&'a BTreeSet<u32>>,
}

impl<'a> FileReach<'a> {
    fn new(test: usize, lines: &'a Lines, file: &SourceFile, uses: &Uses) -> Option<Self> {
        let own = lines.get(file.path());
        let is_reached = own.is_some() || lines.keys().any(|path| uses.reaches(path, file.path()));
        is_reached.then_some(Self { test, lines: own })
    }

    /// In a function: its statement ran. At module level it ran when the module was imported.
    fn has(&self, mutant: &Mutant) -> bool {
        let ran = |lines: &BTreeSet<u32>| lines.range(mutant.lines.0..=mutant.lines.1).next().is_some();
        mutant.function.is_none() || self.lines.is_some_and(ran)
    }
}
