//! `temper bounds ID --sharpen` and `--remedy KIND`: the tests behind findings that are named, and the seeds that their runs
//! follow from.

use std::collections::BTreeSet;

use temper_bounds::Seeds;
use temper_bounds::propose::patches;
use temper_bounds::propose::proposal::{Proposal, RemedyKind};
use temper_bounds::sample::replay::RunReplay;
use temper_report::Exit;

use super::RECORDS;
use crate::args::RemedyChoice;
use crate::commands::{CommandContext, apply};
use crate::message::{Failure, Message};
use crate::project_store::{self, cannot_store};

/// What is run again.
pub struct NamedFindings {
    /// Node ids.
    pub tests: BTreeSet<String>,
    /// What happened to fixed seeds.
    pub seeds: Seeds,
    /// The seed that those of all runs follow from.
    pub seed: u64,
    /// The pass target that was asked for.
    pub pass: f64,
    /// Runs that there are of each test, if that is known.
    pub runs: Option<usize>,
}

impl NamedFindings {
    fn of(proposal: &Proposal) -> Self {
        let measured = &proposal.measured;
        let asked = proposal.asked.as_ref().map_or(proposal.pass, |asked| asked.pass);
        Self {
            tests: proposal.place.tests.iter().cloned().collect(),
            seeds: measured.seeds,
            seed: measured.seed,
            pass: proposal.more_runs.as_ref().map_or(asked, |more| more.pass),
            runs: Some(measured.runs),
        }
    }

    /// A finding that has no proposal.
    fn without_proposal(context: &CommandContext<'_>, replay: RunReplay) -> Self {
        let RunReplay { node, seeds, .. } = replay;
        let (seed, pass) = (context.settings.seed, context.settings.bounds.pass);
        Self { tests: [node].into(), seeds, seed, pass, runs: None }
    }
}

/// The tests of these findings, for more runs of them.
pub fn to_sharpen(context: &CommandContext<'_>, ids: &[String]) -> Result<NamedFindings, Failure> {
    let (_, all) = apply::proposals(context)?;
    let each = ids.iter().map(|id| Ok(NamedFindings::of(apply::named(&all, id)?)));
    together(ids, each.collect::<Result<_, Failure>>()?)
}

/// The tests of these findings, whether something was proposed for them or not.
pub fn of_remedy(context: &CommandContext<'_>, ids: &[String]) -> Result<NamedFindings, Failure> {
    let store = project_store::open(context)?;
    let all = patches::all(&store).map_err(cannot_store)?;
    let mut each = Vec::new();
    for id in ids {
        let proposal = all.iter().find(|proposal| proposal.id == *id);
        let replay = || store.record(RECORDS, id).map(|text| text.and_then(|text| RunReplay::from_text(&text)));
        each.push(match proposal {
            Some(proposal) => NamedFindings::of(proposal),
            None => match replay().map_err(cannot_store)? {
                Some(replay) => NamedFindings::without_proposal(context, replay),
                None => {
                    let message = Message::error(format!("there is no finding `{id}` in this project"));
                    return Err(message
                        .hint("`temper bounds` finds flaky assertions and prints their ids")
                        .ends(Exit::Usage));
                }
            },
        });
    }
    together(ids, each)
}

/// All of them in one run. It must follow from one seed, so that the runs that are stored count.
fn together(ids: &[String], each: Vec<NamedFindings>) -> Result<NamedFindings, Failure> {
    let mut found: Option<NamedFindings> = None;
    for (id, one) in ids.iter().zip(each) {
        match &mut found {
            None => found = Some(one),
            Some(all) if (all.seeds, all.seed) == (one.seeds, one.seed) => {
                all.tests.extend(one.tests);
                all.runs = all.runs.max(one.runs);
            }
            Some(_) => {
                let message =
                    Message::error(format!("the runs of `{id}` follow from another seed than those of `{}`", ids[0]));
                return Err(message.hint("name them one after the other").ends(Exit::Usage));
            }
        }
    }
    found.ok_or_else(|| Message::error("no finding is named").ends(Exit::Usage))
}

/// The remedy that the command line names.
pub fn kind(choice: RemedyChoice) -> RemedyKind {
    match choice {
        RemedyChoice::Bound => RemedyKind::Bound,
        RemedyChoice::Size => RemedyKind::Size,
        RemedyChoice::Mean => RemedyKind::Mean,
        RemedyChoice::Seed => RemedyKind::Seed,
        RemedyChoice::Rerun => RemedyKind::Rerun,
    }
}
