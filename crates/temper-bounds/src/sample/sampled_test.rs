//! One test while it is sampled: its runs by index, the looks taken, the sites decided.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use temper_source::{ContentHash, Site};
use temper_store::{ContentKey, Store, StoreError};
use temper_worker::ShardRuns;

use crate::Seeds;
use crate::findings;
use crate::judge::far_inside;
use crate::judge::kept_targets::Targets;
use crate::judge::verdict::{Rules, is_flaky_by_count, judge, judge_at_end, undecided_at_end};
use crate::plan::sampling_plan::{PlannedFile, PlannedTest, SamplingPlan};
use crate::sample::failures_elsewhere::FailuresElsewhere;
use crate::sample::looks::{EARLY, FIRST, SCREENING, TRIAGE, next_bound_look, next_look};
use crate::sample::pooling::{Pooling, RunsElsewhere};
use crate::sample::recorded::{RecordedEvidence, RecordedRuns};
use crate::sample::replaced_seeds;
use crate::sample::run_record::{RandomUse, RunEnd, RunRecord};
use crate::sample::sample_store::{self, TracedRun};
use crate::sample::scheduler::{SiteResult, TestProblem, TestResult, run_seed};
use crate::sample::shared_process::{self, Lacking};
use crate::sample::site_samples::SiteSamples;

/// One test on its way from look to look.
pub(crate) struct SampledTest {
    pub(crate) test: PlannedTest,
    /// What is asked of its bounds.
    pub(crate) rules: Rules,
    pub(crate) seeds: Seeds,
    /// Which of its runs are taken here.
    pub(crate) part: ShardRuns,
    /// What its runs depend on.
    pub(crate) key: ContentKey,
    /// By index; holes are runs that are still to come.
    pub(crate) runs: Vec<Option<RunRecord>>,
    /// Runs that other kinds of machines took, until it is known whether they count.
    pub(crate) elsewhere: RunsElsewhere,
    pub(crate) pooling: Option<Pooling>,
    /// Which recorded runs take the place of sampled ones.
    pub(crate) recorded: Option<RecordedEvidence>,
    pub(crate) looked: usize,
    /// Runs that the store had.
    pub(crate) stored: usize,
    pub(crate) decided: BTreeMap<i64, SiteResult>,
    /// How its run as on disk ended: with its own seeds, while all others vary them.
    pub(crate) baseline: Option<RunEnd>,
    /// What that run depends on.
    pub(crate) baseline_key: ContentKey,
    /// How many times as far from the median as the worst value the bound is, for the closest site that is not decided.
    pub(crate) closeness: Option<f64>,
    /// Sites that are not decided, each by the look that is expected to decide it.
    pub(crate) deciding_looks: Vec<usize>,
    /// Whether its failures alone call a site flaky, so that further runs serve only to place its bound.
    pub(crate) is_flaky: bool,
    /// Whether that is so for all of its sites that are not decided.
    pub(crate) is_placing: bool,
    /// Seconds that a run took at another time.
    pub(crate) known_secs: Option<f64>,
    pub(crate) is_done: bool,
    /// Whether several runs in one process come out as alone, once that was seen.
    pub(crate) is_together: Option<bool>,
    /// Whether a run comes out the same when it is made again, once that was seen.
    pub(crate) is_repeatable: Option<bool>,
    /// What its first run used, as the store keeps it.
    pub(crate) trace: Option<Rc<str>>,
    /// Runs that are not stored yet.
    pub(crate) unsaved: Vec<TracedRun>,
    /// Targets of sites whose bound was proposed earlier.
    pub(crate) targets: Rc<Targets>,
}

/// What a test needs before the next look at it.
pub(crate) enum Wanted {
    /// Runs by index; none if the test is decided.
    Runs(Vec<usize>),
    /// The run with its own seeds.
    Baseline,
}

impl SampledTest {
    /// Looks as far as the runs allow; says what the next look lacks.
    pub(crate) fn advance(&mut self, plan: &SamplingPlan) -> Wanted {
        if matches!(self.part, ShardRuns::Rest { .. }) {
            return Wanted::Runs(self.missing_here());
        }
        while !self.is_done {
            let Some(look) = self.next_look() else {
                self.is_done = true;
                break;
            };
            if self.looked >= SCREENING {
                self.pool(plan);
            }
            let missing = self.missing(look);
            if !missing.is_empty() {
                return Wanted::Runs(missing);
            }
            if self.lacks_baseline(look) {
                return Wanted::Baseline;
            }
            self.look(look, plan);
        }
        Wanted::Runs(Vec::new())
    }

    /// Takes the runs that ordinary test runs have recorded, if they are more than were sampled. The two kinds are not mixed.
    pub(crate) fn take_recorded(&mut self, recorded: &RecordedRuns, plan: &SamplingPlan, root: &Path) {
        let (used, asserting) = (plan.files_of(&self.test.node), plan.asserting_files(&self.test.node));
        let numbers = |number: i64, runs: &[&RunRecord]| Some(self.gather(plan, number, runs)?.numbers);
        let found = recorded.of(&self.test.node, self.seeds, root, (used, &asserting), numbers);
        let Some((runs, evidence)) = found.filter(|(runs, _)| runs.len() > self.runs_so_far().len()) else { return };
        let most = self.runs.len();
        self.runs = runs.into_iter().map(Some).take(most).collect();
        self.runs.resize(most, None);
        self.elsewhere = RunsElsewhere::default();
        self.recorded = Some(evidence);
    }

    /// Runs at the next look; nothing if there is none.
    fn next_look(&self) -> Option<usize> {
        let rules = &self.rules;
        let look = match self.is_placing {
            true => next_bound_look(self.looked, rules.runs_for_largest(), self.bound_runs(rules)),
            false => next_look(self.looked, rules.most_runs),
        };
        Some(look).filter(|&look| look > self.looked && look <= self.runs.len())
    }

    /// Most runs to place a bound: until the largest value suffices, or the second largest if the user's number of runs reaches
    /// so far. Counts alone decide: times would make the bound depend on the machine.
    fn bound_runs(&self, rules: &Rules) -> usize {
        let (largest, second) = (rules.runs_for_largest(), rules.runs_for_second());
        let is_further = if rules.is_sharpened { self.stored >= largest } else { rules.bound_runs >= second };
        rules.bound_runs.min(if is_further { second } else { largest })
    }

    /// Judges the sites whose bound is being placed by the runs that there are, and takes no more.
    pub(crate) fn place_now(&mut self, plan: &SamplingPlan) {
        let runs = self.runs_so_far();
        let open: Vec<i64> = numbers(&runs).into_iter().filter(|number| !self.decided.contains_key(number)).collect();
        let judged = open.into_iter().filter_map(|number| {
            let series = self.gather(plan, number, &runs)?;
            let judgement = judge_at_end(&series, &self.site_rules(plan, number, &series));
            Some((number, SiteResult { number, series, judgement }))
        });
        let judged: Vec<(i64, SiteResult)> = judged.collect();
        self.decided.extend(judged);
        self.is_done = true;
    }

    /// Takes the runs of other kinds of machines in if they look like those taken here. The first ones are always taken
    /// here: they are compared with others bit for bit.
    fn pool(&mut self, plan: &SamplingPlan) {
        if self.elsewhere.is_empty() {
            return;
        }
        let elsewhere = std::mem::take(&mut self.elsewhere);
        let here: Vec<&RunRecord> = self.runs[..self.looked].iter().flatten().collect();
        let mut pooling = elsewhere.compare(&here, |number, runs| Some(self.gather(plan, number, runs)?.numbers));
        if pooling.is_counted {
            pooling.runs = elsewhere.fill(&mut self.runs);
        }
        self.pooling = Some(pooling);
    }

    /// Indices below `look` that have no run.
    pub(crate) fn missing(&self, look: usize) -> Vec<usize> {
        (0..look.min(self.runs.len())).filter(|&index| self.runs[index].is_none()).collect()
    }

    /// Of a test whose runs are divided: those that are to be taken here. As far as the first look at a distribution, or the
    /// look after the runs that are known: what the others take is not known here, so nothing can be judged before
    /// all is joined.
    fn missing_here(&self) -> Vec<usize> {
        let (known, most) = (self.runs_so_far().len(), self.rules.most_runs);
        let look = next_look(known, most).max(FIRST.min(most));
        self.missing(look).into_iter().filter(|&index| self.part.has(index)).collect()
    }

    /// The runs up to the first hole: those behind it were taken for a look that has not come.
    pub(crate) fn runs_so_far(&self) -> Vec<&RunRecord> {
        self.runs.iter().map_while(Option::as_ref).collect()
    }

    /// Runs with other seeds that fail say little before it is known whether the test passes with its own.
    fn lacks_baseline(&self, look: usize) -> bool {
        let is_pass = |run: &Option<RunRecord>| run.as_ref().is_none_or(RunRecord::is_pass);
        self.seeds == Seeds::Vary && self.baseline.is_none() && !self.runs[..look].iter().all(is_pass)
    }

    /// Whether it pays to see if the test can share processes, and that is not known.
    pub(crate) fn may_share(&self, lacking: usize) -> bool {
        self.is_together.is_none() && shared_process::is_worthwhile(&self.runs, lacking)
    }

    fn look(&mut self, look: usize, plan: &SamplingPlan) {
        let rules = self.rules;
        let runs: Vec<&RunRecord> = self.runs[..look].iter().flatten().collect();
        let is_over = look >= rules.most_runs.max(self.bound_runs(&rules));
        let (mut is_open, mut is_placing) = (false, true);
        let mut closeness: Option<f64> = None;
        self.deciding_looks.clear();
        for number in numbers(&runs) {
            if self.decided.contains_key(&number) {
                continue;
            }
            let Some(series) = self.gather(plan, number, &runs) else { continue };
            match judge(&series, &self.site_rules(plan, number, &series)) {
                Some(judgement) => drop(self.decided.insert(number, SiteResult { number, series, judgement })),
                None => {
                    is_open = true;
                    let is_flaky = is_flaky_by_count(&series, &rules, true);
                    self.is_flaky |= is_flaky;
                    is_placing &= is_flaky;
                    closeness = closeness.into_iter().chain(far_inside::ratio(&series)).reduce(f64::min);
                    self.deciding_looks.push(far_inside::deciding_look(&series, look, rules.most_runs));
                }
            }
        }
        // A test whose sites some runs do not reach, or that has none, may still show one in its next run.
        let is_quiet = numbers(&runs).is_empty() && !self.is_plain(&runs);
        (self.looked, self.closeness) = (look, closeness);
        // The first looks also tell a test that always fails, or values that look wrong. After the last look at verdicts only
        // sites are open that are flaky, by their failures or by their tail.
        self.is_placing = is_open && look >= FIRST && (is_placing || look >= rules.most_runs);
        self.is_done = is_over || !(is_open || is_quiet && look < rules.most_runs);
    }

    /// Whether runs that reach no site will go on like this: they are skipped, or show the same without chance, or have done
    /// so often enough.
    fn is_plain(&self, runs: &[&RunRecord]) -> bool {
        let is_skipped = runs.iter().all(|run| matches!(run.end, RunEnd::Skipped(_)));
        let is_error = |run: &&RunRecord| matches!(run.end, RunEnd::Error(_) | RunEnd::Failed(_));
        let is_broken = runs.len() >= EARLY && runs.iter().all(is_error);
        is_skipped || is_broken || runs.len() >= SCREENING || self.is_fixed(runs)
    }

    /// Whether all further runs show what these did: they show the same, and none took anything from a random source that
    /// it had not seeded itself. If seeds vary, what a run seeds is no longer fixed.
    pub(crate) fn is_fixed(&self, runs: &[&RunRecord]) -> bool {
        let most = if self.seeds == Seeds::Vary { RandomUse::Nothing } else { RandomUse::Seeded };
        let [first, rest @ ..] = runs else { return false };
        runs.len() >= TRIAGE
            && runs.iter().all(|run| run.random <= most)
            && replaced_seeds::replaced_in(runs).is_empty()
            && rest.iter().all(|run| run.shows_same(first))
    }

    /// How many runs a decision on one of its sites is expected to cost, at the look where that is least.
    pub(crate) fn runs_per_decision(&self) -> Option<f64> {
        let looks = &self.deciding_looks;
        let price = |&look: &usize| {
            let decided = looks.iter().filter(|&&other| other <= look).count();
            look.saturating_sub(self.looked) as f64 / decided as f64
        };
        looks.iter().map(price).reduce(f64::min)
    }

    /// The samples of a site in these runs.
    pub(crate) fn gather(&self, plan: &SamplingPlan, number: i64, runs: &[&RunRecord]) -> Option<SiteSamples> {
        let series = SiteSamples::gather(&plan.shape(number)?, runs);
        Some(SiteSamples { is_green: self.is_green(), is_fixed: self.is_fixed(runs), ..series })
    }

    /// Whether the test passes with its own fixed seeds, which its runs leave aside.
    fn is_green(&self) -> bool {
        self.seeds == Seeds::Vary && self.baseline == Some(RunEnd::Passed)
    }

    /// These runs, to be taken.
    pub(crate) fn lack(&self, seed: u64, test: usize, runs: &[usize]) -> Lacking {
        let node = self.test.node.clone();
        let runs = runs.iter().map(|&index| (index, run_seed(seed, &node, index))).collect();
        Lacking { test, node, runs, is_together: self.is_together == Some(true) }
    }

    /// Processor seconds of a run: the median of the first ones.
    pub(crate) fn typical_cpu_secs(&self) -> f64 {
        let mut secs: Vec<f64> = self.runs.iter().flatten().take(SCREENING).map(|run| run.cpu_secs).collect();
        secs.sort_by(f64::total_cmp);
        secs.get(secs.len() / 2).copied().unwrap_or(f64::INFINITY)
    }

    /// The rules for one site of this test.
    fn site_rules(&self, plan: &SamplingPlan, number: i64, series: &SiteSamples) -> Rules {
        let rules = self.targets.rules(&self.rules, series, || {
            let id = |(planned, site): (&PlannedFile, &Site)| {
                findings::id(&planned.file, &planned.analysis, site, &self.test.node)
            };
            plan.site(number).map(id).unwrap_or_default()
        });
        Rules { bound_runs: self.bound_runs(&rules), ..rules }
    }

    /// A name for what its first run used; empty before that run.
    pub(crate) fn trace_name(&self) -> String {
        let text = self.trace.as_deref().unwrap_or_default();
        format!("{:016x}", ContentHash::of(text.as_bytes()).0)
    }

    pub(crate) fn save(&mut self, store: &mut Store) -> Result<(), StoreError> {
        sample_store::add(store, &self.key, &self.test.node, &self.unsaved)?;
        self.unsaved.clear();
        Ok(())
    }

    pub(crate) fn finish(mut self, plan: &SamplingPlan) -> TestResult {
        let mut sites = std::mem::take(&mut self.decided);
        let (test, baseline) = (self.test.clone(), self.baseline.clone());
        let runs = self.runs_so_far();
        // The job was stopped before it was known whether the test passes with its own seeds.
        let is_half_known = self.lacks_baseline(runs.len());
        for number in numbers(&runs) {
            if let (false, Some(series)) = (sites.contains_key(&number), self.gather(plan, number, &runs)) {
                let rules = self.site_rules(plan, number, &series);
                let judgement = match is_half_known {
                    true => undecided_at_end(&series, &rules),
                    false => judge_at_end(&series, &rules),
                };
                sites.insert(number, SiteResult { number, series, judgement });
            }
        }
        let problem = if is_half_known && !sites.is_empty() { None } else { problem(&runs, &sites, self.is_green()) };
        let mut secs: Vec<f64> = runs.iter().map(|run| run.secs).collect();
        let all_secs = secs.iter().sum();
        secs.sort_by(f64::total_cmp);
        let secs = secs.get(secs.len() / 2).copied().unwrap_or_default();
        let sites = sites.into_values().collect();
        let is_together = self.is_together == Some(true);
        // Where most runs raise, that is said as a problem.
        let is_luck = matches!(problem, None | Some(TestProblem::NoSite));
        let elsewhere = FailuresElsewhere::of(&runs, self.rules.confidence).filter(|_| is_luck);
        let replaced = replaced_seeds::replaced_in(&runs);
        let (runs, pooling, recorded) = (runs.len(), self.pooling, self.recorded);
        TestResult {
            test,
            runs,
            baseline,
            problem,
            sites,
            elsewhere,
            replaced,
            secs,
            all_secs,
            is_together,
            pooling,
            recorded,
        }
    }
}

fn numbers(runs: &[&RunRecord]) -> Vec<i64> {
    let mut numbers: Vec<i64> = runs.iter().flat_map(|run| run.sites.keys().copied()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn problem(runs: &[&RunRecord], sites: &BTreeMap<i64, SiteResult>, is_green: bool) -> Option<TestProblem> {
    let Some(first) = runs.first() else { return Some(TestProblem::NotRun) };
    if let RunEnd::Skipped(why) = &first.end {
        return Some(TestProblem::Skipped(why.clone()));
    }
    let said = |run: &&RunRecord| match &run.end {
        RunEnd::Error(said) | RunEnd::Failed(said) => Some(said.clone()),
        _ => None,
    };
    let errors = runs.iter().filter_map(said).count();
    let example = runs.iter().find_map(said);
    let is_mostly = 2 * errors > runs.len();
    if is_green && is_mostly {
        return Some(TestProblem::OwnSeed(example.unwrap_or_default()));
    }
    if runs.len() == 1 && example.is_some() {
        return sites.is_empty().then_some(TestProblem::NotRun);
    }
    // Where only sampled assertions fail with other seeds, the verdicts on them say so.
    if !is_green && runs.len() > 1 && runs.iter().all(|run| !run.is_pass()) {
        return Some(TestProblem::FailsAlways(example.unwrap_or_else(|| "its assertion fails".to_owned())));
    }
    if is_mostly {
        return Some(TestProblem::Errors(example.unwrap_or_default()));
    }
    sites.is_empty().then_some(TestProblem::NoSite)
}
