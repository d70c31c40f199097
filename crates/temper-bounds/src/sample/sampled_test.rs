//! One test while it is sampled: its runs by index, the looks taken, the sites decided.

use std::collections::BTreeMap;
use std::rc::Rc;

use temper_source::{ContentHash, Site};
use temper_store::{ContentKey, Store, StoreError};

use crate::Seeds;
use crate::findings;
use crate::judge::kept_targets::Targets;
use crate::judge::verdict::{Rules, judge, judge_at_end};
use crate::plan::sampling_plan::{PlannedFile, PlannedTest, SamplingPlan};
use crate::sample::failures_elsewhere::FailuresElsewhere;
use crate::sample::looks::{SCREENING, next_look};
use crate::sample::replaced_seeds;
use crate::sample::run_record::{RunEnd, RunRecord};
use crate::sample::sample_store::{self, TracedRun};
use crate::sample::scheduler::{SiteResult, TestProblem, TestResult, run_seed};
use crate::sample::shared_process::Lacking;
use crate::sample::site_samples::SiteSamples;

/// One test on its way from look to look.
pub(crate) struct SampledTest {
    pub(crate) test: PlannedTest,
    pub(crate) seeds: Seeds,
    /// What its runs depend on.
    pub(crate) key: ContentKey,
    /// By index; holes are runs that are still to come.
    pub(crate) runs: Vec<Option<RunRecord>>,
    pub(crate) looked: usize,
    pub(crate) decided: BTreeMap<i64, SiteResult>,
    pub(crate) baseline: Option<RunEnd>,
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

impl SampledTest {
    /// Looks as far as the runs allow; returns the indices that the next look lacks.
    pub(crate) fn advance(&mut self, plan: &SamplingPlan, rules: &Rules) -> Vec<usize> {
        while !self.is_done {
            let look = next_look(self.looked, rules.most_runs);
            let missing: Vec<usize> = (0..look).filter(|&index| self.runs[index].is_none()).collect();
            if !missing.is_empty() {
                return missing;
            }
            self.look(look, plan, rules);
        }
        Vec::new()
    }

    fn look(&mut self, look: usize, plan: &SamplingPlan, rules: &Rules) {
        let runs: Vec<&RunRecord> = self.runs[..look].iter().flatten().collect();
        let is_over = look >= rules.most_runs;
        let is_skipped = runs.iter().all(|run| matches!(run.end, RunEnd::Skipped(_)));
        let mut is_open = false;
        for number in numbers(&runs) {
            if self.decided.contains_key(&number) {
                continue;
            }
            let Some(series) = self.gather(plan, number, &runs) else { continue };
            match judge(&series, &self.rules(plan, rules, number, &series)) {
                Some(judgement) => drop(self.decided.insert(number, SiteResult { number, series, judgement })),
                None => is_open = true,
            }
        }
        self.looked = look;
        self.is_done = is_over || is_skipped || !is_open;
    }

    /// The samples of a site in these runs.
    pub(crate) fn gather(&self, plan: &SamplingPlan, number: i64, runs: &[&RunRecord]) -> Option<SiteSamples> {
        let series = SiteSamples::gather(&plan.shape(number)?, runs);
        Some(SiteSamples { is_green: self.is_green(), ..series })
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
    fn rules(&self, plan: &SamplingPlan, rules: &Rules, number: i64, series: &SiteSamples) -> Rules {
        self.targets.rules(rules, series, || {
            let id = |(planned, site): (&PlannedFile, &Site)| {
                findings::id(&planned.file, &planned.analysis, site, &self.test.node)
            };
            plan.site(number).map(id).unwrap_or_default()
        })
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

    pub(crate) fn finish(mut self, plan: &SamplingPlan, rules: &Rules) -> TestResult {
        // Runs behind a hole were taken for a look that did not come.
        let whole = self.runs.iter().position(Option::is_none).unwrap_or(self.runs.len());
        let runs: Vec<&RunRecord> = self.runs[..whole].iter().flatten().collect();
        let mut sites = std::mem::take(&mut self.decided);
        for number in numbers(&runs) {
            if let (false, Some(series)) = (sites.contains_key(&number), self.gather(plan, number, &runs)) {
                let judgement = judge_at_end(&series, &self.rules(plan, rules, number, &series));
                sites.insert(number, SiteResult { number, series, judgement });
            }
        }
        let problem = problem(&runs, &sites, self.is_green());
        let mut secs: Vec<f64> = runs.iter().map(|run| run.secs).collect();
        secs.sort_by(f64::total_cmp);
        let secs = secs.get(secs.len() / 2).copied().unwrap_or_default();
        let sites = sites.into_values().collect();
        let is_together = self.is_together == Some(true);
        // Where most runs raise, that is said as a problem.
        let is_luck = matches!(problem, None | Some(TestProblem::NoSite));
        let elsewhere = FailuresElsewhere::of(&runs, rules.confidence).filter(|_| is_luck);
        let replaced = replaced_seeds::replaced_in(&runs);
        let (test, baseline, runs) = (self.test, self.baseline, runs.len());
        TestResult { test, runs, baseline, problem, sites, elsewhere, replaced, secs, is_together }
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
    // Where only sampled assertions fail with other seeds, the verdicts on them say so.
    if !is_green && runs.iter().all(|run| !run.is_pass()) {
        return Some(TestProblem::FailsAlways(example.unwrap_or_else(|| "its assertion fails".to_owned())));
    }
    if is_mostly {
        return Some(TestProblem::Errors(example.unwrap_or_default()));
    }
    sites.is_empty().then_some(TestProblem::NoSite)
}
