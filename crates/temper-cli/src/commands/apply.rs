//! `temper apply`: writes patches of `temper bounds` into the files they belong to.

use temper_bounds::propose::patches::{self, PatchError};
use temper_bounds::propose::proposal::{Proposal, Remedy};
use temper_bounds::wording;
use temper_report::Exit;
use temper_store::Store;

use super::CommandContext;
use super::bounds::cannot_patch;
use crate::args::Apply;
use crate::message::{Failure, Message};
use crate::project_store;

/// Applies each patch named, in order; the first that cannot be applied ends it.
pub fn run(context: &CommandContext<'_>, arguments: &Apply) -> Result<Exit, Failure> {
    let (mut store, proposals) = proposals(context)?;
    for id in &arguments.ids {
        let proposal = named(&proposals, id)?;
        let mut proposal = match arguments.at {
            Some(pass) => patches::at(proposal, pass).map_err(|error| cannot_patch(&error))?,
            None => proposal.clone(),
        };
        let is_new = apply(&mut store, context, &mut proposal)?;
        let words = if is_new { applied_words(&proposal) } else { format!("{id} is applied already\n") };
        context.write_results(&words)?;
    }
    Ok(Exit::Clean)
}

/// Applies one patch. One that is in the file already is no error; false then.
pub fn apply(store: &mut Store, context: &CommandContext<'_>, proposal: &mut Proposal) -> Result<bool, Failure> {
    match patches::apply(store, &context.root, proposal) {
        Ok(()) => Ok(true),
        Err(PatchError::Applied { .. }) => Ok(false),
        Err(error) => Err(cannot_patch(&error)),
    }
}

/// `applied B1 to tests/test_net.py:41:12   < 0.13`, and what it promises.
pub fn applied_words(proposal: &Proposal) -> String {
    let place = &proposal.place;
    let what = match &proposal.remedy {
        Remedy::Bound { text, .. } => format!("{} {text}", place.label),
        Remedy::Rerun { text, .. } | Remedy::Rewritten { text, .. } => text.clone(),
    };
    let mut text = format!("applied {} to {}:{}:{}   {what}\n", proposal.id, place.path, place.line, place.column);
    if let Some(verification) = &proposal.verification {
        text.push_str(&format!("  {}\n", wording::verified_words(verification)));
    }
    text
}

/// The store and all proposals in it; a project without any is told how to get some.
pub fn proposals(context: &CommandContext<'_>) -> Result<(Store, Vec<Proposal>), Failure> {
    let none = || {
        let message = Message::error("there is no patch in this project");
        message.hint("`temper bounds` makes them for flaky assertions").ends(Exit::Nothing)
    };
    // Opening makes the folder; a project without one has no patches.
    if !context.root.join(".temper").is_dir() {
        return Err(none());
    }
    let cannot_read = |error: temper_store::StoreError| Message::error(error.to_string()).ends(Exit::Inconclusive);
    let store = project_store::open(context)?;
    let all = patches::all(&store).map_err(cannot_read)?;
    if all.is_empty() { Err(none()) } else { Ok((store, all)) }
}

/// The verified proposal with this id.
pub fn named<'a>(proposals: &'a [Proposal], id: &str) -> Result<&'a Proposal, Failure> {
    let Some(proposal) = proposals.iter().find(|proposal| proposal.id == id) else {
        let known: Vec<&str> = proposals.iter().map(|proposal| proposal.id.as_str()).collect();
        let message = Message::error(format!("there is no patch `{id}`"));
        return Err(message.hint(format!("there are {}", known.join(", "))).ends(Exit::Usage));
    };
    if proposal.verification.is_none() {
        let message = Message::error(format!("patch `{id}` has not been tried"));
        return Err(message.hint("`temper bounds` goes on where it was stopped").ends(Exit::Usage));
    }
    Ok(proposal)
}
