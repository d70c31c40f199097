//! Proposals in the project's `.temper/` folder, each with a diff that `git apply` takes, and their way into the source.
//!
//! A patch belongs to the exact text that it was made from, with one exception: other patches of the same text may have been
//! applied to it, by `temper apply` or by git. [`PatchedText::of`] recognises them, whatever their order, and undoes them in
//! memory; what then differs from the text of the analysis is refused.

mod error;
mod patched_text;

use std::path::{Path, PathBuf};

use temper_files::{Folder, replace_source, state_folder};
use temper_source::{EditSet, Patch, analyse, read};
use temper_store::{Store, StoreError};

use crate::findings;
use crate::judge::kept_targets;
use crate::propose::proposal::{KeptEdit, Proposal, Remedy, ReviewDecision, SourceChange, Support};
pub use error::PatchError;
pub use patched_text::PatchedText;

const RECORDS: &str = "bounds-proposal";
/// The folder of diffs, in `.temper/`.
const FOLDER: &str = "patches";

/// Where the diff of a proposal is, relative to the project.
#[must_use]
pub fn path_of(id: &str) -> String {
    format!(".temper/{FOLDER}/{}", file_name(id))
}

fn file_name(id: &str) -> String {
    format!("{id}.patch")
}

fn folder(root: &Path) -> Result<Folder, PatchError> {
    Ok(state_folder(root)?.folder(FOLDER)?)
}

/// Keeps a proposal and, once it is verified, its diff. A proposal that the user rejected stays rejected while it is the same.
///
/// # Errors
/// When the store or the file system refuses, or the file has changed meanwhile.
pub fn keep(store: &mut Store, root: &Path, proposal: &mut Proposal) -> Result<(), PatchError> {
    if find(store, &proposal.id)?
        .is_some_and(|before| before.decision == ReviewDecision::Rejected && before.change == proposal.change)
    {
        proposal.decision = ReviewDecision::Rejected;
    }
    record(store, proposal)?;
    if proposal.verification.is_none() {
        return Ok(());
    }
    let diff = diff(root, proposal, &all(store)?)?;
    folder(root)?.write(&file_name(&proposal.id), &diff)?;
    remember_target(store, root, proposal)
}

/// Whether the file went on since the patch was made, so that only another `temper bounds` can say what fits it.
#[must_use]
pub fn is_stale(root: &Path, proposal: &Proposal, all: &[Proposal]) -> bool {
    matches!(edits_on_disk(root, proposal, all), Err(PatchError::Changed { .. } | PatchError::Source(_)))
}

/// Removes what was kept for a finding that has no patch any more.
///
/// # Errors
/// When the file system refuses.
pub fn forget(store: &mut Store, root: &Path, id: &str) -> Result<(), PatchError> {
    store.remove_record(RECORDS, id)?;
    folder(root)?.remove(file_name(id))?;
    Ok(())
}

/// Writes the record of a proposal.
///
/// # Errors
/// When the store refuses.
pub fn record(store: &mut Store, proposal: &Proposal) -> Result<(), PatchError> {
    let body = serde_json::to_string(proposal).unwrap_or_default();
    Ok(store.put_record(RECORDS, &proposal.id, &body)?)
}

/// The proposal for a finding. One that another version wrote and this one cannot read counts as none.
///
/// # Errors
/// When the store cannot be read.
pub fn find(store: &Store, id: &str) -> Result<Option<Proposal>, StoreError> {
    Ok(store.record(RECORDS, id)?.and_then(|body| serde_json::from_str(&body).ok()))
}

/// All proposals, in the order of files and lines.
///
/// # Errors
/// When the store cannot be read.
pub fn all(store: &Store) -> Result<Vec<Proposal>, StoreError> {
    let records = store.records(RECORDS)?;
    let mut all: Vec<Proposal> = records.iter().filter_map(|(_, body)| serde_json::from_str(body).ok()).collect();
    all.sort_by(|a, b| {
        (&a.place.path, a.place.line, a.place.column).cmp(&(&b.place.path, b.place.line, b.place.column))
    });
    Ok(all)
}

/// The diff of a proposal against the file as it is on disk.
///
/// # Errors
/// When the file has changed, or has the patch already.
pub fn diff(root: &Path, proposal: &Proposal, all: &[Proposal]) -> Result<Patch, PatchError> {
    let (text, edits) = edits_on_disk(root, proposal, all)?;
    Ok(temper_source::patch(&name_in_repository(root, &proposal.change.path), &text.file, &edits)?)
}

/// The diff of a proposal against the text that was analysed, whatever patches are in the file now.
///
/// # Errors
/// When the file has changed.
pub fn diff_of_analysis(root: &Path, proposal: &Proposal, all: &[Proposal]) -> Result<Patch, PatchError> {
    let change = &proposal.change;
    let text = PatchedText::of(read(&root.join(&change.path))?, change, all)?;
    let edits = EditSet::new(&text.original, change.edits.iter().map(KeptEdit::edit).collect())?;
    Ok(temper_source::patch(&name_in_repository(root, &change.path), &text.original, &edits)?)
}

fn edits_on_disk(root: &Path, proposal: &Proposal, all: &[Proposal]) -> Result<(PatchedText, EditSet), PatchError> {
    let file = read(&root.join(&proposal.change.path))?;
    let text = PatchedText::of(file, &proposal.change, all)?;
    let edits = text.edits_of(proposal)?;
    Ok((text, edits))
}

/// Writes a proposal into its file, and writes the diffs of those that are still open again, so that git takes them too.
///
/// # Errors
/// When the file has changed, has the patch already, or cannot be written. Then nothing is written.
pub fn apply(store: &mut Store, root: &Path, proposal: &mut Proposal) -> Result<(), PatchError> {
    let others = all(store)?;
    let (text, edits) = edits_on_disk(root, proposal, &others)?;
    let edited = edits.reparse(&text.file)?;
    replace_source(&root.join(&proposal.change.path), &edited.to_bytes()?)?;
    proposal.decision = ReviewDecision::Applied;
    record(store, proposal)?;
    remember_target(store, root, proposal)?;
    let others = all(store)?;
    for other in others.iter().filter(|other| is_open_in(other, &proposal.change)) {
        // One that overlaps keeps its old diff, which git refuses as we would.
        if let Ok(diff) = diff(root, other, &others) {
            folder(root)?.write(&file_name(&other.id), &diff)?;
        }
    }
    Ok(())
}

/// The path by which git knows a file of the project: `git apply` reads names from the root of the repository.
fn name_in_repository(root: &Path, path: &str) -> PathBuf {
    let repository = root.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(root);
    root.strip_prefix(repository).unwrap_or(Path::new("")).join(path)
}

fn is_open_in(other: &Proposal, change: &SourceChange) -> bool {
    let is_same_text = other.change.path == change.path && other.change.before == change.before;
    is_same_text && other.decision == ReviewDecision::Open && other.verification.is_some()
}

/// Makes later runs judge the site, as the patch leaves it, at the target that the patch was made for.
fn remember_target(store: &mut Store, root: &Path, proposal: &Proposal) -> Result<(), PatchError> {
    let Remedy::Bound { bound, .. } = &proposal.remedy else { return Ok(()) };
    let file = read(&root.join(&proposal.change.path))?;
    let text = PatchedText::of(file, &proposal.change, &all(store)?)?;
    let edited = match text.edits_of(proposal) {
        Ok(edits) => edits.reparse(&text.file)?,
        Err(PatchError::Applied { .. }) => text.file,
        Err(other) => return Err(other),
    };
    let analysis = analyse(&edited)?;
    let Some(site) = analysis.sites.get(proposal.place.site) else { return Ok(()) };
    for test in &proposal.place.tests {
        let id = findings::id(&edited, &analysis, site, test);
        kept_targets::remember(store, &id, proposal.pass, if proposal.measured.is_margin { 0.0 } else { *bound })?;
    }
    Ok(())
}

/// The proposal with its bound at another pass target.
///
/// # Errors
/// When there is no bound at that target.
pub fn at(proposal: &Proposal, pass: f64) -> Result<Proposal, PatchError> {
    let known = proposal.levels.iter().filter_map(|level| Some((level.pass, level.bound.as_ref()?)));
    let Some((_, level)) = known.clone().find(|(known, _)| (known - pass).abs() < 1e-12) else {
        let known = known.map(|(pass, _)| pass).collect();
        return Err(PatchError::NoLevel { id: proposal.id.clone(), pass, known });
    };
    let mut moved = with_number(proposal, &level.text, level.bound, level.support.clone())?;
    moved.pass = pass;
    Ok(moved)
}

/// The proposal with a number of the user's own, judged by the samples and the fresh values that there are.
///
/// # Errors
/// When the text is no number.
pub fn with_own_number(proposal: &Proposal, text: &str) -> Result<Proposal, PatchError> {
    let none = || PatchError::NoNumber { text: text.to_owned() };
    let value: f64 = text.parse().map_err(|_| none())?;
    let is_count = matches!(proposal.place.label.as_str(), "decimal" | "places" | "significant");
    if !value.is_finite() || is_count && value.fract() != 0.0 {
        return Err(none());
    }
    let bound = match proposal.place.label.as_str() {
        "decimal" => 1.5 * 10f64.powf(-value),
        "places" => 0.5 * 10f64.powf(-value),
        "significant" => 10f64.powf(1.0 - value),
        _ => value,
    };
    with_number(proposal, text, bound, Support::Chosen)
}

fn with_number(proposal: &Proposal, new: &str, new_bound: f64, why: Support) -> Result<Proposal, PatchError> {
    let none = || PatchError::NoNumber { text: new.to_owned() };
    let mut moved = proposal.clone();
    let Remedy::Bound { text, bound, limit, support } = &mut moved.remedy else { return Err(none()) };
    let old = std::mem::replace(text, new.to_owned());
    (*bound, *limit, *support) = (new_bound, new_bound, why);
    let edit = moved.change.edits.iter_mut().find_map(|edit| Some((edit.new.replaced_number(&old, new)?, edit)));
    let (changed, edit) = edit.ok_or_else(none)?;
    edit.new = changed;
    if let Some(verification) = &mut moved.verification {
        let beyond = verification.numbers.iter().filter(|&&value| !proposal.measured.is_inside(value, new_bound));
        verification.failures = beyond.count();
        verification.is_recount = true;
    }
    Ok(moved)
}

/// A number inside the text of an edit.
trait ReplacedNumber {
    fn replaced_number(&self, old: &str, new: &str) -> Option<String>;
}

impl ReplacedNumber for String {
    /// The text with `new` for `old`. A margin is written with its sign before it: ` - 0.1` for `-0.1`.
    fn replaced_number(&self, old: &str, new: &str) -> Option<String> {
        let spelt = |number: &str| match number.strip_prefix('-') {
            Some(positive) => format!(" - {positive}"),
            None => format!(" + {number}"),
        };
        if self.contains(&spelt(old)) {
            return Some(self.replacen(&spelt(old), &spelt(new), 1));
        }
        self.contains(old).then(|| self.replacen(old, new, 1))
    }
}
