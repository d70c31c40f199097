//! The job: collect, plan, sample look by look, judge.
//!
//! Every run has an index; its seed follows from the job's seed, the test and the index. A look uses the runs before its
//! index and no others, so what was stored, interrupted or run in another order does not change a verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use temper_source::{ContentHash, SourceError};
use temper_store::{Store, StoreError};
use temper_worker::{
    Driver, Flow, LayerSpec, Limits, LoadFailure, Loaded, Memory, Piece, Report, Shard, ShardRuns, Subjects, Task,
    WorkerError,
};

use crate::Seeds;
use crate::judge::kept_targets::Targets;
use crate::judge::path_rules::PathRules;
use crate::judge::verdict::{Judgement, Rules, SiteVerdict, judge_at_end};
use crate::mutate::tighten::{self, Means, Tighten, Tightened};
use crate::plan::ahead::read_ahead;
use crate::plan::sampling_plan::{PlannedTest, SamplingPlan};
use crate::sample::failures_elsewhere::FailuresElsewhere;
use crate::sample::pooling::{Pooling, RunsElsewhere};
use crate::sample::queue::{Goal, Layers, Queue};
use crate::sample::recorded::{RecordedEvidence, RecordedRuns};
use crate::sample::replaced_seeds::ReplacedSeed;
use crate::sample::run_record::{RunEnd, RunRecord};
use crate::sample::sample_store;
use crate::sample::sampled_test::{SampledTest, Wanted};
use crate::sample::shared_process;
use crate::sample::site_samples::SiteSamples;
use crate::sample::trace::Surroundings;

/// What is asked for.
pub struct Job<'a> {
    /// The project.
    pub root: PathBuf,
    /// What pytest is told: paths, node ids, options.
    pub arguments: Vec<String>,
    /// What happens to fixed seeds.
    pub seeds: Seeds,
    /// What is asked of bounds.
    pub rules: Rules,
    /// What differs from that for tests of some files.
    pub rules_by_path: Vec<PathRules>,
    /// Whether and how mutants are run.
    pub tighten: Option<Tighten>,
    /// The one seed that all others follow from.
    pub seed: u64,
    /// Runs of a test with a patch in place, before the patch is offered.
    pub verify_runs: usize,
    /// Limits of one run, and of loading the project.
    pub limits: Limits,
    /// The kind of this machine, by which numbers may differ in their last digits.
    pub machine: String,
    /// The environment variables that workers get.
    pub variables: BTreeMap<OsString, OsString>,
    /// Whether what there is is judged and nothing is run: then recorded runs count too.
    pub is_at_rest: bool,
    /// The part of the work that is done here, if others do the rest.
    pub shard: Option<Shard>,
    /// Which test files are wanted.
    pub is_wanted: &'a dyn Fn(&Path) -> bool,
}

/// Why a job stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time is spent.
    Budget,
    /// The user asked to stop.
    Interrupt,
    /// Nothing was to be run.
    NoRun,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplingProgress {
    /// Tests that are decided.
    pub tests_done: usize,
    /// All tests that are sampled.
    pub tests: usize,
    /// Sites that are decided.
    pub sites_done: usize,
    /// Sites that were reached.
    pub sites: usize,
    /// Runs so far, those from the store included.
    pub runs: usize,
    /// Runs that are wanted for the looks at hand.
    pub wanted: usize,
    /// Findings so far.
    pub findings: usize,
    /// Mutants that are decided, each under each of its tests.
    pub mutants_done: usize,
    /// All mutants that are run, each under each of its tests.
    pub mutants: usize,
}

/// Looks on, and may stop the job.
pub trait Watch {
    /// Called after every run. To know how far a large suite is takes longer than a short run: asked for only if it is shown.
    fn step(&mut self, progress: &dyn Fn() -> SamplingProgress);
    /// Why to stop, if to stop.
    fn stop(&self) -> Option<Stop>;
    /// Whether so much of the time is spent that what is left is for trying proposals, not for placing them better.
    fn is_late(&self) -> bool;
}

/// What went wrong with the job itself.
#[derive(Debug, thiserror::Error)]
pub enum BoundsError {
    /// The workers failed.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// pytest could not collect anything.
    #[error("the project's tests cannot be collected")]
    Load(Box<LoadFailure>),
    /// The probed source did not load although the project's own does: a fault of ours.
    #[error("the tests cannot be collected with probes in them")]
    Probed(Box<LoadFailure>),
    /// An edit that was planned cannot be made: a fault of ours.
    #[error(transparent)]
    Edit(SourceError),
}

/// The verdict on one site in one test.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteResult {
    /// The site's number.
    pub number: i64,
    /// Its samples.
    pub series: SiteSamples,
    /// The verdict.
    pub judgement: Judgement,
}

/// The result of one test.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// The test.
    pub test: PlannedTest,
    /// Runs of it that count.
    pub runs: usize,
    /// Whether its run without probes passed.
    pub baseline: Option<RunEnd>,
    /// Why it could not be judged, if it could not.
    pub problem: Option<TestProblem>,
    /// Its sites.
    pub sites: Vec<SiteResult>,
    /// What some of its runs showed outside its sites, if others passed.
    pub elsewhere: Option<FailuresElsewhere>,
    /// Fixed seeds that its runs replaced.
    pub replaced: Vec<ReplacedSeed>,
    /// Seconds of a typical run.
    pub secs: f64,
    /// Seconds of all runs together.
    pub all_secs: f64,
    /// Whether several runs in one process were seen to come out as alone.
    pub is_together: bool,
    /// What became of runs that other kinds of machines took, if there were some and they were wanted.
    pub pooling: Option<Pooling>,
    /// Which recorded runs its verdicts rest on, if they do.
    pub recorded: Option<RecordedEvidence>,
}

impl TestResult {
    /// The sites that say something: all if the test was judged; if it fails in every run, those that make it fail.
    pub fn shown_sites(&self) -> impl Iterator<Item = &SiteResult> {
        let is_shown = |site: &&SiteResult| match self.problem {
            None => true,
            Some(TestProblem::FailsAlways(_)) => site.judgement.verdict == SiteVerdict::FailsAlways,
            Some(_) => false,
        };
        self.sites.iter().filter(is_shown)
    }
}

/// Why a test could not be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestProblem {
    /// It fails or errs in every run.
    FailsAlways(String),
    /// It passes with its own fixed seeds, and errs, or fails outside its sites, with most others.
    OwnSeed(String),
    /// More than half of its runs raise.
    Errors(String),
    /// It is skipped, or expected to fail.
    Skipped(String),
    /// It reached no site.
    NoSite,
    /// No run came to an end before the job stopped.
    NotRun,
}

/// The result of the job.
#[derive(Debug)]
pub struct BoundsResult {
    /// What was known before the first run.
    pub plan: SamplingPlan,
    /// Tests, in pytest's order.
    pub tests: Vec<TestResult>,
    /// What happened to fixed seeds.
    pub seeds: Seeds,
    /// What mutants said, if they were asked.
    pub tightened: Option<Tightened>,
    /// What was collected, and what with.
    pub loaded: Loaded,
    /// What runs may depend on apart from their code.
    pub surroundings: Surroundings,
    /// Runs taken now.
    pub taken: usize,
    /// Runs that the store had.
    pub reused: usize,
    /// Why the job stopped early, if it did.
    pub stopped: Option<Stop>,
}

/// Under this kind the store keeps whether the runs of a test come out the same when they are made again.
const REPEATABLE: &str = "bounds-repeatable";
/// Under this kind the store keeps which modules of libraries a selection of tests imports.
const MODULES: &str = "bounds-modules";
/// Under this kind the store keeps how long a run of a test took, whatever has changed since.
const SECS: &str = "bounds-secs";

/// The seed of one run.
#[must_use]
pub fn run_seed(seed: u64, node: &str, index: usize) -> u64 {
    let mut mixed = seed ^ ContentHash::of(node.as_bytes()).0 ^ (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // The finaliser of splitmix64 (Steele, Lea and Flood 2014): neighbouring indices give unrelated seeds.
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Does the job. What was sampled is in the store whatever happens later.
///
/// # Errors
/// When the project cannot be collected, or workers or store fail.
pub fn run(
    job: &Job<'_>,
    driver: &mut Driver,
    store: &mut Store,
    watch: &mut dyn Watch,
) -> Result<BoundsResult, BoundsError> {
    let subjects = Subjects::Tests(job.arguments.clone());
    let plain = Arc::new(LayerSpec { limits: job.limits.clone(), ..LayerSpec::new(job.root.clone(), subjects) });
    let (loaded, guessed) = load(job, driver, store, &plain)?;
    let mut plan = SamplingPlan::make(&job.root, &loaded, job.seeds, job.is_wanted);
    let parts = divide(job.shard, &mut plan, store)?;
    let is_guessed = plan.changes().all(|edit| guessed.edits.contains(&edit));
    let probed = if is_guessed { guessed } else { Arc::new(LayerSpec { edits: plan.edits(), ..(*plain).clone() }) };
    let surroundings = Surroundings::new(&job.root, &loaded, job.variables.clone(), &job.machine);
    let mut sampling = SuiteSampling {
        job,
        plan: &plan,
        surroundings: &surroundings,
        courses: Vec::new(),
        taken: 0,
        reused: 0,
        stopped: None,
        typical_secs: 0.0,
    };
    sampling.open(store, &loaded, &probed.subjects, &parts)?;
    let mut means = Means { driver, store, watch, loaded: &loaded, layer: &probed, plain: &plain };
    let result = match &job.tighten {
        Some(tighten) => tighten::run(&mut sampling, tighten, &mut means).map(Some),
        None => sampling.sample(&mut means).map(|()| None),
    };
    if let Some(versions) = &loaded.versions {
        store.put_environment(&format!("{} {}", versions.implementation, versions.python))?;
    }
    sampling.save(store)?;
    let tightened = match result {
        Err(BoundsError::Worker(WorkerError::Cancelled)) => {
            sampling.stopped = watch.stop().or(Some(Stop::Interrupt));
            None
        }
        other => other?,
    };
    let (taken, stopped) = (sampling.taken, sampling.stopped);
    let pooled = sampling.courses.iter().filter_map(|course| course.pooling.as_ref());
    let pooled: usize = pooled.filter(|pooling| pooling.is_counted).map(|pooling| pooling.runs).sum();
    let reused = sampling.reused + pooled;
    let tests = sampling.finish();
    Ok(BoundsResult { plan, tests, seeds: job.seeds, tightened, loaded, surroundings, taken, reused, stopped })
}

/// Loads the project with the probes that its files seem to need, which are mostly those that it does need.
fn load(
    job: &Job<'_>,
    driver: &mut Driver,
    store: &mut Store,
    plain: &Arc<LayerSpec>,
) -> Result<(Loaded, Arc<LayerSpec>), BoundsError> {
    let ahead = read_ahead(&job.root, &job.arguments, job.seeds);
    // Under what the text tells: when its imports change, what was known of them goes.
    let told = ContentHash::of(ahead.modules.join("\n").as_bytes()).0;
    let selection = format!("{} {told:016x}", job.arguments.join(" "));
    let known = store.record(MODULES, &selection)?;
    let known = known.map(|text| text.lines().map(str::to_owned).collect()).unwrap_or(ahead.modules);
    driver.expect(known.clone(), &job.root)?;
    let guessed = Arc::new(LayerSpec { edits: ahead.edits, ..(**plain).clone() });
    let (loaded, guessed) = match driver.warm(&guessed)? {
        Ok(loaded) => (loaded, guessed),
        // The probes may be at fault: what the project does without them counts.
        Err(_) => {
            let loaded = driver.warm(plain)?.map_err(|failure| BoundsError::Load(Box::new(failure)))?;
            (loaded, Arc::clone(plain))
        }
    };
    let modules: Vec<String> = known.into_iter().chain(loaded.modules.iter().cloned()).collect();
    store.put_record(MODULES, &selection, &modules.join("\n"))?;
    Ok((loaded, guessed))
}

/// Takes the tests of other parts out of the plan; says which runs of the rest are taken here.
fn divide(shard: Option<Shard>, plan: &mut SamplingPlan, store: &Store) -> Result<Vec<ShardRuns>, BoundsError> {
    let Some(shard) = shard else { return Ok(vec![ShardRuns::All; plan.tests.len()]) };
    let mut known = Vec::new();
    for test in &plan.tests {
        known.push(store.record(SECS, &test.node)?.and_then(|text| text.parse::<f64>().ok()));
    }
    let mut sorted: Vec<f64> = known.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    let typical = sorted.get(sorted.len() / 2).copied().unwrap_or(1.0);
    let named = plan.tests.iter().zip(&known).map(|(test, secs)| (test.node.as_str(), secs.unwrap_or(typical)));
    let mut parts = shard.divide(&named.collect::<Vec<_>>());
    let mut each = parts.iter();
    plan.tests.retain(|_| each.next() != Some(&ShardRuns::Nothing));
    parts.retain(|part| *part != ShardRuns::Nothing);
    Ok(parts)
}

/// The tests while they are sampled.
pub(crate) struct SuiteSampling<'a> {
    job: &'a Job<'a>,
    pub(crate) plan: &'a SamplingPlan,
    pub(crate) surroundings: &'a Surroundings,
    pub(crate) courses: Vec<SampledTest>,
    pub(crate) taken: usize,
    reused: usize,
    pub(crate) stopped: Option<Stop>,
    /// What is expected of a run of which nothing is known.
    typical_secs: f64,
}

impl SuiteSampling<'_> {
    fn open(
        &mut self,
        store: &mut Store,
        loaded: &Loaded,
        subjects: &Subjects,
        parts: &[ShardRuns],
    ) -> Result<(), BoundsError> {
        let contents = sample_store::contents(&self.job.root, loaded, subjects, self.plan, true);
        let plain = sample_store::contents(&self.job.root, loaded, subjects, self.plan, false);
        let targets = Rc::new(Targets::read(store)?);
        for (test, part) in self.plan.tests.iter().zip(parts) {
            let key = contents.of(&test.node).key();
            let stored = sample_store::by_seed(store, &key, self.surroundings)?;
            let seed = |index| run_seed(self.job.seed, &test.node, index);
            let baseline_key = plain.of(&test.node).key();
            let baseline = match self.job.seeds {
                Seeds::Keep => None,
                Seeds::Vary => sample_store::by_seed(store, &baseline_key, self.surroundings)?
                    .here
                    .get(&seed(0))
                    .map(|run| run.record.end.clone()),
            };
            let known_secs = store.record(SECS, &test.node)?.and_then(|text| text.parse().ok());
            let rules = self.job.rules.at(&self.job.rules_by_path, &self.job.root, &test.path);
            let most_runs = |rules: &Rules| tighten::most_runs(self.job.tighten.as_ref(), rules).max(rules.bound_runs);
            // Mutants are compared with as many runs of every test.
            let most = most_runs(&rules).max(if self.job.tighten.is_some() { most_runs(&self.job.rules) } else { 0 });
            let runs: Vec<Option<RunRecord>> =
                (0..most).map(|index| stored.here.get(&seed(index)).map(|run| run.record.clone())).collect();
            let elsewhere = RunsElsewhere::new(stored.elsewhere, (0..most).map(seed));
            self.courses.push(SampledTest {
                test: test.clone(),
                rules,
                part: *part,
                seeds: self.job.seeds,
                key,
                trace: stored.here.get(&seed(0)).map(|run| Rc::clone(&run.trace)),
                stored: runs.iter().flatten().count(),
                runs,
                elsewhere,
                pooling: None,
                recorded: None,
                looked: 0,
                decided: BTreeMap::new(),
                closeness: None,
                deciding_looks: Vec::new(),
                is_flaky: false,
                is_placing: false,
                known_secs,
                baseline,
                baseline_key,
                is_done: false,
                is_together: None,
                is_repeatable: None,
                unsaved: Vec::new(),
                targets: Rc::clone(&targets),
            });
        }
        if self.job.is_at_rest {
            let recorded = RecordedRuns::read(store.folder());
            self.courses.iter_mut().for_each(|course| course.take_recorded(&recorded, self.plan, &self.job.root));
        }
        self.reused = self.courses.iter().map(|course| course.runs.iter().flatten().count()).sum();
        let mut known: Vec<f64> = self.courses.iter().filter_map(|course| course.known_secs).collect();
        known.sort_by(f64::total_cmp);
        self.typical_secs = known.get(known.len() / 2).copied().unwrap_or_default();
        Ok(())
    }

    /// A run of the original by its index.
    pub(crate) fn piece(&self, course: usize, index: usize, memory: Memory) -> Piece {
        let node = &self.courses[course].test.node;
        shared_process::alone(node, run_seed(self.job.seed, node, index), &self.job.limits, memory)
    }

    /// Runs tests until each is decided.
    pub(crate) fn sample(&mut self, means: &mut Means<'_>) -> Result<(), BoundsError> {
        let layers = Layers { probed: means.layer, plain: means.plain };
        self.serve(means.driver, means.store, layers, Goal::Verdicts, means.watch)
    }

    /// Runs the named tests as they are until each has at least the wanted number of runs.
    pub(crate) fn take(&mut self, means: &mut Means<'_>, wanted: &[(usize, usize)]) -> Result<(), BoundsError> {
        let layers = Layers { probed: means.layer, plain: means.layer };
        self.serve(means.driver, means.store, layers, Goal::Runs(wanted), means.watch)
    }

    fn serve(
        &mut self,
        driver: &mut Driver,
        store: &mut Store,
        layers: Layers<'_>,
        goal: Goal<'_>,
        watch: &mut dyn Watch,
    ) -> Result<(), BoundsError> {
        if self.is_stopped() {
            return Ok(());
        }
        let stop = watch.stop();
        let mut queue = Queue::new(self, layers, goal, store, watch);
        if queue.is_empty() {
            return Ok(());
        }
        if stop.is_none() {
            driver.run_fed(&mut queue)?;
            queue.end()?;
        } else {
            self.stopped = stop;
        }
        self.save(store)
    }

    /// Looks at the runs of a test as far as they go; says what it lacks.
    pub(crate) fn advance(&mut self, test: usize) -> Wanted {
        self.courses[test].advance(self.plan)
    }

    /// Places the bounds of a test by the runs that there are.
    pub(crate) fn place_now(&mut self, test: usize) {
        self.courses[test].place_now(self.plan);
    }

    /// What the process that made a report used, as the store keeps it.
    pub(crate) fn trace(&self, test: usize, report: &Report) -> Option<Rc<str>> {
        self.plan.trace(self.surroundings, &self.courses[test].test.node, report)
    }

    /// Seconds that a run of a test is expected to take: as it did, or as other parameter sets of its function did, or as
    /// most tests did.
    pub(crate) fn expected_secs(&self, test: usize) -> f64 {
        let secs = |course: &SampledTest| course.runs_so_far().first().map(|run| run.secs);
        let course = &self.courses[test];
        let function = course.test.function();
        let siblings = || self.courses.iter().filter(|other| other.test.function() == function).find_map(secs);
        secs(course).or(course.known_secs).or_else(siblings).unwrap_or(self.typical_secs)
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.job.limits
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.job.rules
    }

    pub(crate) fn seed(&self) -> u64 {
        self.job.seed
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// The sites of a test that its runs have numbers of.
    pub(crate) fn sites_of(&self, course: usize) -> Vec<i64> {
        let runs = self.courses[course].runs_so_far();
        let numbers: BTreeSet<i64> = runs.iter().flat_map(|run| run.sites.keys().copied()).collect();
        let has_numbers =
            |number: &i64| self.series_now(course, *number).is_some_and(|series| !series.numbers.is_empty());
        numbers.into_iter().filter(has_numbers).collect()
    }

    /// The samples that a site has by now.
    pub(crate) fn series_now(&self, course: usize, number: i64) -> Option<SiteSamples> {
        let runs: Vec<&RunRecord> = self.courses[course].runs.iter().map_while(Option::as_ref).collect();
        self.courses[course].gather(self.plan, number, &runs)
    }

    /// Takes the samples that came after the verdict on a site into it. More of them make a sound site at most flaky or
    /// suspect: the tail that said so is not asked again.
    pub(crate) fn look_again(&mut self, course: usize, number: i64) {
        let course = &mut self.courses[course];
        let runs: Vec<&RunRecord> = course.runs.iter().map_while(Option::as_ref).collect();
        let Some(series) = course.gather(self.plan, number, &runs) else { return };
        let Some(site) = course.decided.get_mut(&number).filter(|site| site.series.runs < runs.len()) else { return };
        site.series = series;
        let pass = site.judgement.pass;
        let judgement = judge_at_end(&site.series, &Rules { pass, ..self.job.rules });
        let verdict = match (&site.judgement.verdict, judgement.verdict) {
            (SiteVerdict::Sound(_), found) if !is_finding(&found) => site.judgement.verdict.clone(),
            (_, found) => found,
        };
        site.judgement = Judgement { verdict, ..judgement };
    }

    /// Sees whether tests can share processes, if enough runs are still to come for that to pay.
    pub(crate) fn try_together(
        &mut self,
        driver: &mut Driver,
        layer: &Arc<LayerSpec>,
        lacking: &[(usize, usize)],
    ) -> Result<(), BoundsError> {
        let is_asked = |(test, count): &&(usize, usize)| {
            let course = &self.courses[*test];
            course.may_share(*count)
        };
        let asked: Vec<usize> = lacking.iter().filter(is_asked).map(|(test, _)| *test).collect();
        let task = |&test: &usize| {
            let course = &self.courses[test];
            let piece = shared_process::comparison(&course.test.node, &course.runs, &self.job.limits);
            Task { layer: Arc::clone(layer), pieces: vec![piece] }
        };
        let tasks: Vec<Task> = asked.iter().map(task).collect();
        driver.run(tasks, |report| {
            let course = &mut self.courses[asked[report.task]];
            course.is_together = Some(shared_process::is_like(&report, &course.runs));
            Flow::Continue
        })?;
        Ok(())
    }

    /// Sees whether the first run of each of these tests comes out the same in memory that holds something else. The store
    /// keeps what was seen.
    pub(crate) fn try_again(
        &mut self,
        means: &mut Means<'_>,
        tests: impl Iterator<Item = usize>,
    ) -> Result<(), BoundsError> {
        let mut asked = Vec::new();
        for test in tests {
            let name = self.again_name(test);
            match means.store.record(REPEATABLE, &name)? {
                Some(text) => self.courses[test].is_repeatable = Some(text == "true"),
                None => asked.push((test, name)),
            }
        }
        let task = |(test, _): &(usize, String)| {
            let piece = self.piece(*test, 0, Memory::FilledOtherwise);
            Task { layer: Arc::clone(means.layer), pieces: vec![piece] }
        };
        let tasks: Vec<Task> = asked.iter().map(task).collect();
        let mut failure = Ok(());
        means.driver.run(tasks, |report| {
            let (test, name) = &asked[report.task];
            let course = &mut self.courses[*test];
            let again = RunRecord::from_report(&report);
            let is_repeatable = course.runs[0].as_ref().is_some_and(|first| first.is_alike(&again));
            course.is_repeatable = Some(is_repeatable);
            failure = means.store.put_record(REPEATABLE, name, &is_repeatable.to_string());
            if failure.is_err() { Flow::Stop } else { Flow::Continue }
        })?;
        Ok(failure?)
    }

    fn again_name(&self, test: usize) -> String {
        let course = &self.courses[test];
        format!("{:?} {} {}", course.key, self.job.seed, course.trace_name())
    }

    pub(crate) fn progress(&self, wanted: usize) -> SamplingProgress {
        let mut progress = SamplingProgress { wanted, tests: self.courses.len(), ..SamplingProgress::default() };
        for course in &self.courses {
            progress.tests_done += usize::from(course.is_done);
            progress.sites_done += course.decided.len();
            progress.sites +=
                course.decided.len().max(course.runs[0].as_ref().map_or(0, |run| run.sites.range(0..).count()));
            progress.runs += course.runs.iter().flatten().count();
            progress.findings += course.decided.values().filter(|site| is_finding(&site.judgement.verdict)).count();
        }
        progress
    }

    fn save(&mut self, store: &mut Store) -> Result<(), BoundsError> {
        for course in &mut self.courses {
            course.save(store)?;
            if let (None, Some(run)) = (course.known_secs, course.runs[0].as_ref()) {
                course.known_secs = Some(run.secs);
                store.put_record(SECS, &course.test.node, &run.secs.to_string())?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Vec<TestResult> {
        let plan = self.plan;
        self.courses.into_iter().map(|course| course.finish(plan)).collect()
    }
}

/// Whether a verdict is worth the user's time.
#[must_use]
pub fn is_finding(verdict: &SiteVerdict) -> bool {
    matches!(verdict, SiteVerdict::Flaky(_) | SiteVerdict::Suspect(_) | SiteVerdict::Loose(_))
}
