//! What could be done about flaky sites apart from another bound: a larger size, a mean, a rerun, a fixed seed. Each is found in a
//! file of its name; here they are found for many sites at once, so that their short trials share processes.
//!
//! Called by [`crate::propose::advice`]: for all of them after the proposals are verified, for one if the user has chosen it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::Seeds;
use crate::propose::candidate::PassedOver;
use crate::propose::proposal::{KnownOfRemedy, OtherRemedy, Remedy, RemedyKind};
use crate::propose::verify::{self, FreshRuns, PatchTrial, TrialBench, TrialRuns};
use crate::propose::written_body::{FoundRemedy, RemedySite, WrittenBody};
use crate::propose::{larger_size, middle_seed, repeated_mean, rerun_mark};
use crate::sample::scheduler::{BoundsError, Stop};

/// The remedies of one kind, one for each site.
pub(super) struct FoundRemedies {
    pub(super) bodies: Vec<Result<FoundRemedy, PassedOver>>,
    pub(super) taken: usize,
    pub(super) stopped: Option<Stop>,
}

/// Finds the remedies of one kind. If the job is stopped, there are none from there on.
///
/// # Errors
/// When workers or store fail.
pub(super) fn find(
    bench: &mut TrialBench<'_>,
    sites: &[RemedySite<'_>],
    kind: RemedyKind,
) -> Result<FoundRemedies, BoundsError> {
    let found = bench.found;
    let (mut taken, mut stopped) = (0, None);
    let bodies = match kind {
        RemedyKind::Bound => Vec::new(),
        RemedyKind::Mean => {
            let job = bench.job;
            let mut trials = ShortTrials::new(bench, sites, repeated_mean::RUNS, job.seeds);
            let written: Vec<_> = sites.iter().map(|site| repeated_mean::written(job, found, *site)).collect();
            let runs = trials.run(&written, |_, _| false)?;
            (taken, stopped) = (trials.taken, trials.stopped);
            let each = sites.iter().zip(written).zip(runs);
            each.map(|((site, written), runs)| repeated_mean::repeatable(job, *site, written?, &runs)).collect()
        }
        RemedyKind::Rerun => {
            return Ok(FoundRemedies {
                bodies: sites.iter().map(|site| rerun(bench, *site)).collect(),
                taken,
                stopped,
            });
        }
        RemedyKind::Size => {
            let job = bench.job;
            let mut trials = ShortTrials::new(bench, sites, larger_size::RUNS, job.seeds);
            let written: Vec<_> = sites.iter().map(|site| larger_size::written(job, found, *site)).collect();
            let runs = trials.run(&written, larger_size::is_clear)?;
            (taken, stopped) = (trials.taken, trials.stopped);
            let each = sites.iter().zip(written).zip(runs);
            each.map(|((site, written), runs)| larger_size::best(*site, written?, &runs)).collect()
        }
        RemedyKind::Seed => {
            let job = bench.job;
            let mut trials = ShortTrials::new(bench, sites, middle_seed::RUNS, Seeds::Keep);
            let written: Vec<_> = sites.iter().map(|site| middle_seed::written(job, found, *site)).collect();
            let runs = trials.run(&written, middle_seed::is_unfixed)?;
            (taken, stopped) = (trials.taken, trials.stopped);
            let each = sites.iter().zip(written).zip(runs);
            each.map(|((site, written), runs)| middle_seed::middle(*site, written?, &runs)).collect()
        }
    };
    let bodies = bodies.into_iter().map(|body: Result<FoundRemedy, String>| match stopped {
        Some(_) => Err("the trial was stopped; the same command goes on from there".to_owned()),
        None => body,
    });
    let bodies = bodies.map(|body| body.map_err(|why| PassedOver::CannotBeHad { kind, why })).collect();
    Ok(FoundRemedies { bodies, taken, stopped })
}

fn rerun(bench: &TrialBench<'_>, site: RemedySite<'_>) -> Result<FoundRemedy, PassedOver> {
    let candidate = rerun_mark::candidate(bench.job, bench.found, site.row, &site.rules)?;
    let Remedy::Rerun { text, passes, expected_runs, .. } = &candidate.remedy else {
        return Err(PassedOver::NoPlugin);
    };
    let known = KnownOfRemedy::Independent { failing: 1.0 - passes };
    let other = OtherRemedy { kind: RemedyKind::Rerun, text: text.clone(), times: *expected_runs, known };
    Ok(FoundRemedy { candidate, other })
}

/// Short trials of several bodies of each site, the first of all sites together, then the second.
struct ShortTrials<'b, 'a, 's> {
    bench: &'b mut TrialBench<'a>,
    sites: &'s [RemedySite<'s>],
    wanted: TrialRuns,
    taken: usize,
    stopped: Option<Stop>,
}

impl<'b, 'a, 's> ShortTrials<'b, 'a, 's> {
    fn new(bench: &'b mut TrialBench<'a>, sites: &'s [RemedySite<'s>], runs: usize, seeds: Seeds) -> Self {
        Self { bench, sites, wanted: TrialRuns::to_choose(runs, seeds), taken: 0, stopped: None }
    }

    /// The runs of each body of each site, up to the first body whose runs are enough to know.
    fn run(
        &mut self,
        written: &[Result<Vec<WrittenBody>, String>],
        is_enough: impl Fn(RemedySite<'_>, &FreshRuns) -> bool,
    ) -> Result<Vec<Vec<FreshRuns>>, BoundsError> {
        let bodies = |site: usize| written[site].as_ref().map_or(&[][..], Vec::as_slice);
        let mut runs: Vec<Vec<FreshRuns>> = written.iter().map(|_| Vec::new()).collect();
        let rounds = (0..written.len()).map(|site| bodies(site).len()).max().unwrap_or_default();
        for round in 0..rounds {
            let mut edited: BTreeMap<&str, &WrittenBody> = BTreeMap::new();
            let mut open = Vec::new();
            let mut trials = Vec::new();
            for (index, site) in self.sites.iter().enumerate() {
                let is_known = runs[index].last().is_some_and(|fresh| is_enough(*site, fresh));
                let Some(body) = bodies(index).get(round).filter(|_| !is_known) else { continue };
                let row = site.row;
                // Two bodies of one test cannot be tried in one process.
                let first = *edited.entry(row.test.test.node.as_str()).or_insert(body);
                let is_alone = first.draft.edits != body.draft.edits;
                open.push(index);
                let tests = [row.test.test.node.clone()].into();
                trials.push(PatchTrial { edits: &body.draft.edits, tests, is_alone });
            }
            let tried = verify::run(self.bench, &trials, self.wanted)?;
            self.taken += tried.taken;
            for (index, fresh) in open.into_iter().zip(tried.runs) {
                runs[index].push(fresh);
            }
            self.stopped = tried.stopped;
            if self.stopped.is_some() {
                break;
            }
        }
        Ok(runs)
    }
}

/// Those that keep the bound first, by time; then a rerun, which lets a fault pass that shows in some runs; a seed, which tests
/// one case, last.
pub(super) fn by_power_and_time(a: &OtherRemedy, b: &OtherRemedy) -> Ordering {
    let rank = |other: &OtherRemedy| match other.kind {
        RemedyKind::Bound | RemedyKind::Size | RemedyKind::Mean => 0,
        RemedyKind::Rerun => 1,
        RemedyKind::Seed => 2,
    };
    // Not by the time that was measured: no clock decides.
    let factor = |other: &OtherRemedy| match other.kind {
        RemedyKind::Size => larger_size::FACTOR as f64,
        _ => other.times,
    };
    rank(a).cmp(&rank(b)).then(factor(a).total_cmp(&factor(b)))
}
