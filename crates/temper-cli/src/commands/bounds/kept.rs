//! What is kept of a run of `temper bounds`: patches, and the worst run of each finding for `temper replay`.

use std::path::Path;

use temper_bounds::findings::JudgedSite;
use temper_bounds::judge::verdict::SiteVerdict;
use temper_bounds::propose::advice::{Advised, PassedOver};
use temper_bounds::propose::patches::{self, PatchError};
use temper_bounds::propose::proposal::{Proposal, ReviewDecision};
use temper_bounds::sample::failures_elsewhere;
use temper_bounds::sample::replay::RunReplay;
use temper_bounds::sample::scheduler::{BoundsResult, is_finding};
use temper_store::Store;

use super::messages::cannot_patch;
use crate::message::Failure;
use crate::project_store::cannot_store;

/// Under this kind the store keeps what `temper replay` needs, by finding.
pub const RECORDS: &str = "bounds-replay";

/// Keeps every proposal, and removes what was kept for a site that has none any more. Where the user chose a remedy for a finding
/// and it cannot be had, what was proposed earlier stands.
pub fn keep_patches(
    store: &mut Store,
    (root, chosen): (&Path, &[String]),
    rows: &[JudgedSite<'_>],
    advised: &mut Advised,
) -> Result<(), Failure> {
    let known = patches::all(store).map_err(cannot_store)?;
    // A proposal that was tried is not given up for one that was not.
    let is_tried = |proposal: &Proposal| {
        let same = known.iter().filter(|kept| kept.id == proposal.id && kept.place.source == proposal.place.source);
        proposal.verification.is_none() && same.into_iter().any(|kept| kept.verification.is_some())
    };
    let is_open = |id: &str| known.iter().any(|kept| kept.id == id && kept.decision != ReviewDecision::Applied);
    for row in rows {
        let Some(advice) = advised.by_id.get_mut(&row.id) else {
            // Where nothing was decided now, what was proposed earlier stands.
            let verdict = &row.result.judgement.verdict;
            if is_open(&row.id)
                && matches!(verdict, SiteVerdict::Sound(_) | SiteVerdict::Rare | SiteVerdict::Suspect(_))
            {
                patches::forget(store, root, &row.id).map_err(|error| cannot_patch(&error))?;
            }
            continue;
        };
        let kept = match &mut advice.proposal {
            Some(proposal) if is_tried(proposal) => Ok(()),
            Some(proposal) => patches::keep(store, root, proposal),
            None if chosen.contains(&row.id) => Ok(()),
            None => patches::forget(store, root, &row.id),
        };
        match kept {
            Ok(()) => {}
            // A file that was edited while its tests ran: the other sites go on.
            Err(error @ (PatchError::Changed { .. } | PatchError::Source(_))) => {
                advice.proposal = None;
                advice.passed_over.push(PassedOver::Unwritten(error.to_string()));
                patches::forget(store, root, &row.id).map_err(|error| cannot_patch(&error))?;
            }
            Err(error) => return Err(cannot_patch(&error)),
        }
    }
    Ok(())
}

/// Keeps the worst run of each finding for `temper replay`.
pub fn remember(
    store: &mut Store,
    found: &BoundsResult,
    rows: &[JudgedSite<'_>],
) -> Result<(), temper_store::StoreError> {
    let seeds = found.seeds;
    for (test, elsewhere) in found.tests.iter().filter_map(|test| Some((test, test.elsewhere.as_ref()?))) {
        let node = test.test.node.clone();
        let (id, line) = (failures_elsewhere::id(&node), test.test.line.unwrap_or(1));
        store.put_record(RECORDS, &id, &RunReplay { node, seed: elsewhere.seed, seeds, line }.to_text())?;
    }
    for row in rows.iter().filter(|row| is_finding(&row.result.judgement.verdict)) {
        if let Some(&seed) = row.result.series.worst_seeds(1).first() {
            let replay = RunReplay { node: row.test.test.node.clone(), seed, seeds, line: row.line };
            store.put_record(RECORDS, &row.id, &replay.to_text())?;
        }
    }
    Ok(())
}
