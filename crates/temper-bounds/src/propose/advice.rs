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

use crate::findings::JudgedSite;
use crate::judge::verdict::SiteVerdict;
pub use crate::propose::candidate::{Advice, Begun, PassedOver, ProposalLimits};
use crate::propose::remedies::Remedies;
use crate::propose::verify::{self, PatchTrial};
use crate::sample::scheduler::{BoundsError, BoundsResult, Job, Stop, Watch};

/// The advice for all of them, by id.
#[derive(Debug, Default)]
pub struct Advised {
    /// By the id of the finding.
    pub by_id: BTreeMap<String, Advice>,
    /// Runs taken to try proposals.
    pub taken: usize,
    /// Why it stopped early, if it did.
    pub stopped: Option<Stop>,
}

/// Finds and tries a remedy for every flaky or loose row.
///
/// # Errors
/// When workers or store fail.
pub fn advise(
    job: &Job<'_>,
    limits: ProposalLimits,
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
    loop {
        ladders.iter_mut().for_each(Remedies::climb);
        share_constants(&mut ladders);
        let open: Vec<usize> = (0..ladders.len()).filter(|&index| ladders[index].is_untried()).collect();
        if open.is_empty() || advised.stopped.is_some() {
            break;
        }
        let trials: Vec<PatchTrial<'_>> = open.iter().filter_map(|&index| ladders[index].trial()).collect();
        let tried = verify::run(job, found, &trials, driver, store, watch)?;
        advised.taken += tried.taken;
        advised.stopped = tried.stopped;
        for (index, runs) in open.into_iter().zip(tried.runs) {
            ladders[index].settle(&runs);
        }
    }
    advised.by_id = ladders.into_iter().map(Remedies::advice).collect();
    Ok(advised)
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
