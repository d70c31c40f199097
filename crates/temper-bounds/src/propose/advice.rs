//! What to do about flaky sites: a bound from the tail, else an empirical one, else a rerun mark, else nothing, as in FLEX
//! section 5. Each is tried with fresh seeds before it is offered, and the next one is taken if that fails.
//!
//! [`advise`] does it for the rows of a job. Other jobs that move a bound use the parts: [`crate::propose::rewrite::number`] writes
//! it, [`crate::propose::verify::run`] tries it, [`crate::propose::candidate::proposal_of`] gathers what a person needs, [`crate::propose::patches`] keeps it.

use std::collections::BTreeMap;

use temper_source::Span;
use temper_stats::Direction;
use temper_store::Store;
use temper_worker::Driver;

use crate::Seeds;
use crate::findings::JudgedSite;
use crate::judge::verdict::SiteVerdict;
pub use crate::propose::candidate::{Advice, Begun, PassedOver, ProposalLimits};
use crate::propose::other_remedies;
use crate::propose::proposal::{OtherRemedy, RemedyKind};
use crate::propose::remedies::Remedies;
use crate::propose::verify::{self, PatchTrial, TrialBench, TrialRuns};
use crate::propose::written_body::RemedySite;
use crate::sample::scheduler::{BoundsError, BoundsResult, Job, Stop, Watch};

/// The advice for all of them, by id.
#[derive(Debug, Default)]
pub struct Advised {
    /// By the id of the finding.
    pub by_id: BTreeMap<String, Advice>,
    /// Runs taken to verify proposals.
    pub taken: usize,
    /// Runs taken in short trials of other remedies.
    pub taken_in_short_trials: usize,
    /// Why it stopped early, if it did.
    pub stopped: Option<Stop>,
}

/// Finds and tries a remedy for every flaky or loose row.
///
/// # Errors
/// When workers or store fail.
pub fn advise(
    job: &Job<'_>,
    limits: ProposalLimits<'_>,
    (found, rows): (&BoundsResult, &[JudgedSite<'_>]),
    driver: &mut Driver,
    store: &mut Store,
    watch: &mut dyn Watch,
) -> Result<Advised, BoundsError> {
    let is_moved =
        |row: &&JudgedSite<'_>| matches!(row.result.judgement.verdict, SiteVerdict::Flaky(_) | SiteVerdict::Loose(_));
    let mut ladders: Vec<Remedies<'_>> =
        rows.iter().filter(is_moved).map(|row| Remedies::new(job, limits, found, row)).collect();
    let mut advised = Advised { stopped: found.stopped, ..Advised::default() };
    let mut bench = TrialBench { job, found, driver, store, watch };
    write_chosen_bodies(&mut bench, &mut ladders, &mut advised)?;
    let wanted = TrialRuns::to_verify(job, seeds_of(job, limits));
    loop {
        ladders.iter_mut().for_each(Remedies::climb);
        share_constants(&mut ladders);
        let open: Vec<usize> = (0..ladders.len()).filter(|&index| ladders[index].is_untried()).collect();
        if open.is_empty() || advised.stopped.is_some() {
            break;
        }
        let trials: Vec<PatchTrial<'_>> = open.iter().filter_map(|&index| ladders[index].trial()).collect();
        let tried = verify::run(&mut bench, &trials, wanted)?;
        advised.taken += tried.taken;
        advised.stopped = tried.stopped;
        for (index, runs) in open.into_iter().zip(tried.runs) {
            ladders[index].settle(&runs);
        }
    }
    let others = list_others(&mut bench, &ladders, &mut advised)?;
    advised.by_id = ladders.into_iter().zip(others).map(|(ladder, others)| ladder.advice(others)).collect();
    Ok(advised)
}

/// A seed that is written into a test stays while the test is tried.
fn seeds_of(job: &Job<'_>, limits: ProposalLimits<'_>) -> Seeds {
    match limits.chosen {
        Some((RemedyKind::Seed, _)) => Seeds::Keep,
        _ => job.seeds,
    }
}

/// Finds the bodies that the user has chosen. A job that is stopped has none, and says so.
fn write_chosen_bodies(
    bench: &mut TrialBench<'_>,
    ladders: &mut [Remedies<'_>],
    advised: &mut Advised,
) -> Result<(), BoundsError> {
    for kind in [RemedyKind::Size, RemedyKind::Mean, RemedyKind::Seed] {
        let wanted: Vec<usize> =
            (0..ladders.len()).filter(|&index| ladders[index].wants_body() == Some(kind)).collect();
        let sites: Vec<RemedySite<'_>> = wanted.iter().map(|&index| ladders[index].site()).collect();
        let written = other_remedies::find(bench, &sites, kind)?;
        advised.taken_in_short_trials += written.taken;
        advised.stopped = advised.stopped.or(written.stopped);
        for (index, body) in wanted.into_iter().zip(written.bodies) {
            ladders[index].take_body(body.map(|body| body.candidate));
        }
    }
    Ok(())
}

/// What else could be done about each site, after a short trial where one is needed. A job that was stopped says nothing about
/// them; whether they could be tried changes nothing about the proposals, so only the user's own stop counts.
fn list_others(
    bench: &mut TrialBench<'_>,
    ladders: &[Remedies<'_>],
    advised: &mut Advised,
) -> Result<Vec<Vec<OtherRemedy>>, BoundsError> {
    let mut others: Vec<Vec<OtherRemedy>> = vec![Vec::new(); ladders.len()];
    let open: Vec<usize> = (0..ladders.len()).filter(|&index| ladders[index].is_open_to_others()).collect();
    if advised.stopped.is_some() || open.is_empty() {
        return Ok(others);
    }
    for kind in [RemedyKind::Size, RemedyKind::Mean, RemedyKind::Rerun, RemedyKind::Seed] {
        let wanted: Vec<usize> = open.iter().copied().filter(|&index| ladders[index].kind() != Some(kind)).collect();
        let sites: Vec<RemedySite<'_>> = wanted.iter().map(|&index| ladders[index].site()).collect();
        let written = other_remedies::find(bench, &sites, kind)?;
        advised.taken_in_short_trials += written.taken;
        for (index, body) in wanted.into_iter().zip(written.bodies) {
            others[index].extend(body.ok().map(|body| body.other));
        }
        if written.stopped.is_some() {
            advised.stopped = written.stopped.filter(|stop| *stop == Stop::Interrupt);
            break;
        }
    }
    others.iter_mut().for_each(|others| others.sort_by(other_remedies::by_power_and_time));
    Ok(others)
}

/// Sites that read one constant get one number: the one that is furthest out.
fn share_constants(ladders: &mut [Remedies<'_>]) {
    let mut by_place: BTreeMap<(std::path::PathBuf, Vec<Span>, bool), Vec<usize>> = BTreeMap::new();
    for (index, ladder) in ladders.iter().enumerate() {
        let Some(candidate) = ladder.untried() else { continue };
        let spans = candidate.draft.edits.edits().iter().map(|edit| edit.span).collect();
        let is_upper = ladder.row.result.series.direction == Direction::Upper;
        let key = (candidate.draft.edits.path().to_path_buf(), spans, is_upper);
        if !candidate.draft.moves.is_empty() {
            by_place.entry(key).or_default().push(index);
        }
    }
    for group in by_place.into_values().filter(|group| group.len() > 1) {
        let out = |index: usize| {
            let ladder = &ladders[index];
            let bound = ladder.untried().map_or(f64::NEG_INFINITY, |candidate| candidate.draft.bound);
            ladder.row.result.series.direction.oriented(bound)
        };
        let Some(widest) = group.iter().copied().max_by(|&a, &b| out(a).total_cmp(&out(b))) else { continue };
        let Some(draft) = ladders[widest].untried().map(|candidate| candidate.draft.clone()) else { continue };
        for index in group {
            ladders[index].take_number(&draft);
        }
    }
}
