//! Mutants, kill scores and the tightest bound that stays reliable: `temper bounds --tighten`.
//!
//! After FASER (Xia, Dutta, Misailovic, Marinov and Zhang, ICSE 2023). The lines that a test reaches are mutated (`choice`); each mutant is
//! put in place (`mutant_code`), the nearest first (`nearness`), in a random order (`order`), those that likely raise last (`raise_rates`), and
//! runs with the seeds of the original until its effect is clear (`early_stop`, `schedule`); the samples of the effective ones say how many of
//! them each bound would kill (`score`), and whether one is missing on the other side (`opposite`). Differences from the
//! paper: runs stop when the verdict is clear, p-values are adjusted over the mutants, and the bound is the tightest one that meets
//! the pass target with confidence. [`TightenMethod::Faser`] follows the paper.
//!
//! When tightening is asked for, a first few runs of the original are enough to begin with mutants, and the verdicts come last: a
//! run that is cut then knows something about both.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use temper_source::{Mutant, SourceFile, Wanted};
use temper_stats::Confidence;
use temper_stats::bound::{BoundEstimate, BoundEvidence};
use temper_stats::kill::faser::{Faser, FaserLabel};
use temper_stats::kill::tighten::Tightening;
use temper_stats::kill::{KillCurve, KillScore, LOOSE_GAIN};
use temper_stats::order::{levels, samples_needed};
use temper_store::Store;
use temper_worker::{Driver, LayerSpec, Loaded, Sight, WorkerError};

use crate::judge::verdict::{Loose, Rules, SiteVerdict};
use crate::propose::proposal::KillCost;
use crate::sample::looks::next_look;
use crate::sample::scheduler::{BoundsError, Stop, SuiteSampling, Watch};

pub use super::early_stop::Crash;
pub use super::opposite::OppositeBound;
pub use super::possible::PossibleBound;
pub use super::survivors::{Judged, MutantClass, judged};
use super::{choice, early_stop, nearness, schedule, score};

/// Runs of a mutant before it is known whether it changes anything.
pub const SCREENING: usize = 5;
/// Most runs of a mutant, and the paper's number of runs of everything.
pub const MOST_RUNS: usize = 100;
/// Runs of the original that mutants are compared with: more add little power to 100 of the mutant.
const REFERENCE: usize = 300;

/// Runs of each original before the first mutant, where tightening is asked for.
const FIRST_RUNS: usize = 30;

/// How mutants are sampled and weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TightenMethod {
    /// Until the effect is clear; the tightest bound that meets the target with confidence.
    Calibrated,
    /// To the letter of the paper: 100 runs each, plain p-values, a weighted sum of passes and kills.
    Faser,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Tighten {
    /// Which changes are tried.
    pub wanted: Wanted,
    /// The share of the mutants that is tried.
    pub fraction: f64,
    /// How they are weighed.
    pub style: TightenMethod,
    /// What is mutated for: all bounds, or only those that a wider one is proposed for.
    pub scope: MutantScope,
    /// Whether mutants of functions are put in place without loading the project again.
    pub replaces_code: bool,
}

impl Tighten {
    /// Whether mutants begin before the verdicts are known, so that a run that is cut knows some of both.
    fn is_anytime(&self) -> bool {
        self.style == TightenMethod::Calibrated && self.scope == MutantScope::All
    }
}

/// Which sites mutants are run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutantScope {
    /// Every site that is sound.
    All,
    /// Sites with a wider bound proposed, to see what it costs.
    Widened {
        /// Most mutants of a test.
        most: usize,
        /// Processor time for all tests together, about: slow tests get a quarter of the mutants, or fewer.
        cpu: Duration,
    },
}

/// A mutant with the file it changes.
#[derive(Clone, Debug)]
pub struct PlacedMutant {
    /// The file.
    pub file: Arc<SourceFile>,
    /// Its path relative to the project, as reports show it.
    pub path: String,
    /// The change.
    pub mutant: Mutant,
}

/// What a mutant did to one site.
#[derive(Clone, Debug, PartialEq)]
pub enum MutantEffect {
    /// The same values bit for bit in the first runs.
    Same,
    /// No difference was found.
    None {
        /// Samples it took.
        values: Vec<f64>,
    },
    /// It changes the value.
    Effective {
        /// Its samples.
        values: Vec<f64>,
        /// The adjusted p-value.
        p: f64,
        /// Whether it moves the value away from failing, so that no bound on this side kills it.
        improves: bool,
    },
    /// It ends the test some other way.
    Crashed(Crash),
}

/// One mutant under one test.
#[derive(Clone, Debug)]
pub struct Trialled {
    /// Its index in [`Tightened::mutants`].
    pub mutant: usize,
    /// Runs it was given.
    pub runs: usize,
    /// What it did, by site.
    pub effects: BTreeMap<i64, MutantEffect>,
}

/// How far the mutants of a test were judged: the nearest first, at random among equally near ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Judged among the nearest.
    pub judged: usize,
    /// The nearest: those of all rings that were judged to their end, or of the first.
    pub nearest: usize,
    /// All that the test reaches.
    pub all: usize,
    /// Where the nearest are: a file or a folder.
    pub place: String,
}

/// The result at one site of one test.
#[derive(Clone, Debug)]
pub struct SiteKills {
    /// The test, by its index among the tests.
    pub test: usize,
    /// Its node id.
    pub node: String,
    /// The site.
    pub number: i64,
    /// Samples of the mutants that count.
    pub curve: KillCurve,
    /// How far the mutants of its test were judged; the kill score is about this part.
    pub reach: Reach,
    /// Mutants whose samples are those of another: they count once.
    pub duplicates: usize,
    /// Kill score of the bound as written.
    pub before: KillScore,
    /// The tighter bound, weighed; nothing where the evidence gives none.
    pub tightening: Option<Tightening>,
    /// The bound on the other side, if mutants say that one is missing.
    pub opposite: Option<OppositeBound>,
    /// What the samples of a run that was cut point at.
    pub possible: Option<PossibleBound>,
    /// The paper's answer, if it was asked for.
    pub faser: Option<Faser>,
}

impl SiteKills {
    /// The verdict, if another bound would kill clearly more and still be reliable.
    fn loose(&self, confidence: Confidence, samples: usize) -> Option<Loose> {
        let mutants = self.curve.len();
        if let Some(Tightening { proposal, before, after, is_loose }) = self.tightening {
            return is_loose.then_some(Loose { proposal, before, after, mutants });
        }
        let faser = self.faser.as_ref().filter(|faser| faser.label == FaserLabel::Loose)?;
        let bound = faser.best?.bound;
        let evidence = BoundEvidence::Concentrated { choice: faser.choice? };
        let proposal = BoundEstimate { bound, evidence, samples, lattice: None };
        let after = self.curve.score_with_interval(bound, confidence);
        Some(Loose { proposal, before: self.before, after, mutants })
    }

    /// Kill score of a bound. The mutants that are judged stand for all, so the interval is about all.
    #[must_use]
    pub fn score(&self, bound: f64, confidence: Confidence) -> KillScore {
        let Reach { judged, nearest, .. } = self.reach;
        self.curve.score_of_share(bound, confidence, judged as f64 / nearest.max(1) as f64)
    }

    /// How many mutants are killed by the bound `written` and by the one `proposed`.
    #[must_use]
    pub fn cost(&self, written: f64, proposed: f64) -> KillCost {
        let [before, after] = [written, proposed].map(|bound| self.curve.mostly_killed(bound));
        KillCost { mutants: self.curve.len(), before, after }
    }
}

/// The results of all mutants.
#[derive(Clone, Debug, Default)]
pub struct Tightened {
    /// The mutants that were tried.
    pub mutants: Vec<PlacedMutant>,
    /// Mutants of the same files that no test reaches.
    pub unreached: Vec<PlacedMutant>,
    /// Mutants whose bytecode is that of the original.
    pub same_bytecode: usize,
    /// Mutants whose bytecode is that of another one.
    pub duplicates: usize,
    /// Why some mutants needed a project layer, by their index in [`Tightened::mutants`].
    pub loaded_apart: BTreeMap<usize, String>,
    /// What they did, by test.
    pub trials: BTreeMap<usize, Vec<Trialled>>,
    /// How the samples of each test are read and compared.
    pub(crate) measures: BTreeMap<usize, Arc<Vec<early_stop::Measure>>>,
    /// What that says about the bounds.
    pub sites: Vec<SiteKills>,
    /// Tests that could not run contained, with what they tried.
    pub refused: Vec<(String, String)>,
    /// Tests that give other numbers when a run is made again with its seed: what their mutants give may differ each time.
    pub unrepeatable: Vec<String>,
    /// Runs of mutants taken now, and found in the store.
    pub runs: (usize, usize),
    /// Processor seconds of the runs taken now.
    pub cpu_secs: f64,
    /// Whether it is decided which mutants change a value.
    pub(crate) is_settled: bool,
    /// The tests that each mutant is to be tried under.
    pub(crate) asked: BTreeMap<usize, Vec<usize>>,
    /// How near each file is to each test, from 0.
    pub(crate) rings: BTreeMap<usize, BTreeMap<PathBuf, usize>>,
    /// Whether it was stopped before all that was asked is known.
    pub is_cut: bool,
    /// What mutants may see of the user's variables and files.
    pub(crate) sight: Sight,
    /// Whether the user asked which bounds are loose, and not only what a wider one costs.
    pub is_asked: bool,
}

/// Everything that a step needs apart from the samples.
pub(crate) struct Means<'a> {
    pub(crate) driver: &'a mut Driver,
    pub(crate) store: &'a mut Store,
    pub(crate) watch: &'a mut dyn Watch,
    pub(crate) loaded: &'a Loaded,
    /// The probed project.
    pub(crate) layer: &'a Arc<LayerSpec>,
    /// The project as it is on disk.
    pub(crate) plain: &'a Arc<LayerSpec>,
}

/// Samples the tests, runs the mutants of those whose sites are asked about, and weighs the bounds.
pub(crate) fn run(
    sampling: &mut SuiteSampling<'_>,
    tighten: &Tighten,
    means: &mut Means<'_>,
) -> Result<Tightened, BoundsError> {
    let mut found = Tightened { is_asked: tighten.scope == MutantScope::All, ..Tightened::default() };
    let mut subjects = BTreeMap::new();
    match take_runs(sampling, tighten, means, &mut subjects, &mut found) {
        // What is known by now counts.
        Err(BoundsError::Worker(WorkerError::Cancelled)) => {
            sampling.stopped = means.watch.stop().or(Some(Stop::Interrupt));
        }
        other => other?,
    }
    settle(sampling, tighten, &subjects, &mut found);
    found.is_cut = sampling.is_stopped() && (found.is_asked || !subjects.is_empty());
    for (&test, numbers) in &subjects {
        numbers.iter().for_each(|&number| sampling.look_again(test, number));
    }
    found.sites = score::sites(sampling, tighten, &found, &subjects);
    let reference = reference_runs(tighten.style, sampling.rules());
    // A score over some of the mutants says little about the bound. A value that its seed does not decide, such as a time, may be
    // another one on another machine.
    let is_asked = |kills: &&SiteKills| !found.is_cut && !found.unrepeatable.contains(&kills.node);
    for kills in found.sites.iter().filter(is_asked) {
        let confidence = sampling.rules().confidence;
        if let (Some(site), Some(loose)) =
            (sampling.courses[kills.test].decided.get_mut(&kills.number), kills.loose(confidence, reference))
            && !matches!(site.judgement.verdict, SiteVerdict::Flaky(_) | SiteVerdict::Suspect(_))
            && gains_with_all(&kills.curve, loose.before.mean, bounds_at(&found.sites, kills.number))
        {
            site.judgement.verdict = SiteVerdict::Loose(loose);
        }
    }
    Ok(found)
}

/// The bounds that the tests at a site support, each by itself.
fn bounds_at(sites: &[SiteKills], number: i64) -> impl Iterator<Item = f64> {
    let tests = sites.iter().filter(move |kills| kills.number == number);
    tests.filter_map(|kills| Some(kills.tightening?.proposal.bound))
}

/// Whether each of the bounds kills clearly more than the written one. Tests at one site share its number, so the outermost of the
/// bounds is written, which is the one that kills least.
fn gains_with_all(curve: &KillCurve, before: f64, mut bounds: impl Iterator<Item = f64>) -> bool {
    bounds.all(|bound| curve.score(bound) - before > LOOSE_GAIN)
}

/// Decides once for every mutant whether it changes a value: further runs of the original do not add to those it is compared with.
fn settle(
    sampling: &SuiteSampling<'_>,
    tighten: &Tighten,
    subjects: &BTreeMap<usize, Vec<i64>>,
    found: &mut Tightened,
) {
    if !found.is_settled {
        schedule::compare_with_all(sampling, tighten, subjects, found);
        score::settle(tighten, found);
        found.is_settled = true;
    }
}

/// The runs that come before the first mutant. Tests that are decided earlier have no more.
fn first_runs(sampling: &mut SuiteSampling<'_>, means: &mut Means<'_>) -> Result<(), BoundsError> {
    let mut runs = 0;
    while runs < FIRST_RUNS && !sampling.is_stopped() {
        runs = next_look(runs, FIRST_RUNS);
        let open = (0..sampling.courses.len()).filter(|&test| !sampling.courses[test].is_done);
        let open: Vec<(usize, usize)> = open.map(|test| (test, runs)).collect();
        sampling.take(means, &open)?;
        open.iter().for_each(|(test, _)| drop(sampling.advance(*test)));
    }
    Ok(())
}

/// Takes the runs of the original and of its mutants.
fn take_runs(
    sampling: &mut SuiteSampling<'_>,
    tighten: &Tighten,
    means: &mut Means<'_>,
    subjects: &mut BTreeMap<usize, Vec<i64>>,
    found: &mut Tightened,
) -> Result<(), BoundsError> {
    if tighten.is_anytime() {
        first_runs(sampling, means)?;
    } else {
        sampling.sample(means)?;
    }
    if sampling.is_stopped() {
        return Ok(());
    }
    *subjects = sites_asked(sampling, tighten);
    if !subjects.is_empty() {
        let chosen = choice::choose(sampling, tighten, means, subjects, found)?;
        found.asked = chosen.iter().map(|each| (each.mutant, each.tests.clone())).collect();
        schedule::execute(sampling, tighten, means, subjects, chosen, found)?;
    }
    if !tighten.is_anytime() || sampling.is_stopped() {
        return Ok(());
    }
    sampling.sample(means)?;
    settle(sampling, tighten, subjects, found);
    for level in levels(sampling.rules().pass, sampling.rules().confidence) {
        let promising = score::promising(sampling, found, subjects, &level);
        sampling.take(means, &promising.into_iter().map(|test| (test, level.samples)).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Runs of the original that mutants are compared with.
pub(crate) fn reference_runs(style: TightenMethod, rules: &Rules) -> usize {
    if style == TightenMethod::Faser { rules.most_runs } else { REFERENCE }
}

/// Most runs of the original: those of the last level where the user's own limit allows for an observed bound at all.
pub(crate) fn most_runs(tighten: Option<&Tighten>, rules: &Rules) -> usize {
    let is_levelled =
        tighten.is_some_and(|tighten| tighten.style == TightenMethod::Calibrated && tighten.scope == MutantScope::All);
    let last = levels(rules.pass, rules.confidence).map(|level| level.samples).into_iter().max().unwrap_or(0);
    match is_levelled && rules.most_runs >= samples_needed(rules.pass, rules.confidence) {
        true => rules.most_runs.max(last),
        false => rules.most_runs,
    }
}

/// Tests and their sites that mutants are run for. With few runs, a site that is not decided yet is one of them.
fn sites_asked(sampling: &SuiteSampling<'_>, tighten: &Tighten) -> BTreeMap<usize, Vec<i64>> {
    let is_widened = |verdict: &SiteVerdict| matches!(verdict, SiteVerdict::Flaky(flaky) if flaky.proposal.is_ok());
    let is_asked = |verdict: Option<&SiteVerdict>| match (tighten.scope, verdict) {
        (MutantScope::All, None) => tighten.is_anytime(),
        (MutantScope::All, Some(verdict)) => {
            let is_open = matches!(verdict, SiteVerdict::Rare | SiteVerdict::Undecided { .. });
            matches!(verdict, SiteVerdict::Sound(_)) || is_open || (tighten.is_anytime() && is_widened(verdict))
        }
        (MutantScope::Widened { .. }, verdict) => verdict.is_some_and(is_widened),
    };
    let mut subjects = BTreeMap::new();
    for (test, course) in sampling.courses.iter().enumerate() {
        let verdict = |number: &i64| course.decided.get(number).map(|site| &site.judgement.verdict);
        let numbers: Vec<i64> =
            sampling.sites_of(test).into_iter().filter(|number| is_asked(verdict(number))).collect();
        if !numbers.is_empty() {
            subjects.insert(test, numbers);
        }
    }
    subjects
}

impl Tightened {
    /// How near a mutant is to a test, from 0.
    pub(crate) fn ring(&self, mutant: usize, test: usize) -> usize {
        let rings = self.rings.get(&test);
        rings.and_then(|rings| rings.get(self.mutants[mutant].file.path())).copied().unwrap_or(0)
    }

    /// The first ring of a test that is not judged to its end.
    fn first_open_ring(&self, test: usize) -> usize {
        let open = self.asked_of(test).filter(|&mutant| !self.is_tried(mutant, test));
        open.map(|mutant| self.ring(mutant, test)).min().unwrap_or(usize::MAX)
    }

    fn asked_of(&self, test: usize) -> impl Iterator<Item = usize> {
        self.asked.iter().filter(move |(_, tests)| tests.contains(&test)).map(|(mutant, _)| *mutant)
    }

    /// Up to which ring the kill score of a test counts mutants: those before the first that is not judged to its end, and the
    /// nearest in any case. The nearest file may have no mutants, as an empty `__init__.py` has none.
    pub(crate) fn rings_counted(&self, test: usize) -> usize {
        let nearest = self.asked_of(test).map(|mutant| self.ring(mutant, test)).min().unwrap_or(0);
        self.first_open_ring(test).max(nearest + 1)
    }

    /// How far the mutants of a test were judged.
    #[must_use]
    pub fn reach(&self, test: usize) -> Reach {
        let end = self.rings_counted(test);
        let nearest: Vec<usize> = self.asked_of(test).filter(|&mutant| self.ring(mutant, test) < end).collect();
        let judged = nearest.iter().filter(|&&mutant| self.is_tried(mutant, test)).count();
        let place = nearness::common_place(nearest.iter().map(|&mutant| self.mutants[mutant].path.as_str()));
        Reach { judged, nearest: nearest.len(), all: self.asked_of(test).count(), place }
    }

    /// Whether a mutant is judged under a test.
    pub(crate) fn is_tried(&self, mutant: usize, test: usize) -> bool {
        self.trials.get(&test).is_some_and(|trials| trials.iter().any(|trial| trial.mutant == mutant))
    }

    /// Mutants that are judged under all their tests, and all of them.
    #[must_use]
    pub fn judged_of_all(&self) -> (usize, usize) {
        let is_judged =
            |(mutant, tests): &(&usize, &Vec<usize>)| tests.iter().all(|test| self.is_tried(**mutant, *test));
        (self.asked.iter().filter(is_judged).count(), self.asked.len())
    }

    /// What mutants say about a site of a test.
    #[must_use]
    pub fn of(&self, node: &str, number: i64) -> Option<&SiteKills> {
        self.sites.iter().find(|kills| kills.node == node && kills.number == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use temper_stats::Direction;

    #[test]
    fn a_bound_that_another_test_needs_wide_is_not_loose() {
        let curve = KillCurve::new([[2.0; 5].as_slice()], Direction::Upper, true);
        assert!(gains_with_all(&curve, 0.0, [1.0, 1.5].into_iter()));
        assert!(!gains_with_all(&curve, 0.0, [1.0, 3.0].into_iter()), "the other test needs 3");
    }
}
