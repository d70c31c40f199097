//! `temper bounds ID --sharpen`: the tests behind findings that have a proposal, and the seeds that its runs follow from.

use std::collections::BTreeSet;

use temper_bounds::Seeds;
use temper_report::Exit;

use crate::commands::{CommandContext, apply};
use crate::message::{Failure, Message};

/// What is run again.
pub struct Sharpened {
    /// Node ids.
    pub tests: BTreeSet<String>,
    /// What happened to fixed seeds.
    pub seeds: Seeds,
    /// The seed that those of all runs follow from.
    pub seed: u64,
    /// The pass target that was asked for.
    pub pass: f64,
}

/// The tests of these findings. Their runs must follow from one seed, so that those that are stored count.
pub fn proposals(context: &CommandContext<'_>, ids: &[String]) -> Result<Sharpened, Failure> {
    let (_, all) = apply::proposals(context)?;
    let mut found: Option<Sharpened> = None;
    for id in ids {
        let proposal = apply::named(&all, id)?;
        let (seeds, seed) = (proposal.measured.seeds, proposal.measured.seed);
        let pass = proposal.more_runs.as_ref().map_or(proposal.pass, |more| more.pass);
        let sharpened = found.get_or_insert_with(|| Sharpened { tests: BTreeSet::new(), seeds, seed, pass });
        if (sharpened.seeds, sharpened.seed) != (seeds, seed) {
            let message =
                Message::error(format!("the runs of `{id}` follow from another seed than those of `{}`", ids[0]));
            return Err(message.hint("sharpen them one after the other").ends(Exit::Usage));
        }
        sharpened.tests.extend(proposal.place.tests.iter().cloned());
    }
    found.ok_or_else(|| Message::error("`--sharpen` needs the id of a finding").ends(Exit::Usage))
}
