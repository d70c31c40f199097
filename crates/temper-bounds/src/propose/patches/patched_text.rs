//! A file on disk as the text of an analysis with some of its patches applied.

use temper_source::{ContentHash, Edit, EditSet, SourceFile, Span};

use super::error::PatchError;
use crate::propose::proposal::{KeptEdit, Proposal, SourceChange};

/// A file, and the edits of known patches that are in it.
#[derive(Debug)]
pub struct PatchedText {
    /// The file as it is.
    pub file: SourceFile,
    /// The file as it was analysed.
    pub original: SourceFile,
    /// Edits that are in it, in the coordinates of the text of the analysis.
    applied: Vec<KeptEdit>,
}

impl PatchedText {
    /// Reads `file` as the text that `change` belongs to, with none or some of the changes of `all` made.
    ///
    /// # Errors
    /// [`PatchError::Changed`] when it is neither.
    pub fn of(file: SourceFile, change: &SourceChange, all: &[Proposal]) -> Result<Self, PatchError> {
        let is_same_text = |other: &&SourceChange| other.path == change.path && other.before == change.before;
        let known = all.iter().map(|proposal| &proposal.change).filter(is_same_text).chain([change]);
        let mut edits: Vec<&KeptEdit> = known.flat_map(|change| &change.edits).collect();
        // Longer readings first: where an old text is the start of a new one, the new one is there if it fits. Insertions at
        // one place keep their order.
        edits.sort_by_key(|edit| match edit.old.is_empty() {
            true => (edit.start, false, std::cmp::Reverse(0)),
            false => (edit.start, true, std::cmp::Reverse(edit.new.len())),
        });
        let (applied, original) = undo(file.text(), &edits);
        if ContentHash::of(original.as_bytes()).0 != change.before {
            return Err(PatchError::Changed { path: change.path.clone() });
        }
        let original = file.with_text(original);
        Ok(Self { file, original, applied })
    }

    /// The edits of a proposal, moved to where they belong in the file as it is.
    ///
    /// # Errors
    /// When they are in the file, or touch what is.
    pub fn edits_of(&self, proposal: &Proposal) -> Result<EditSet, PatchError> {
        let missing: Vec<&KeptEdit> =
            proposal.change.edits.iter().filter(|edit| !self.applied.contains(edit)).collect();
        if missing.is_empty() {
            return Err(PatchError::Applied { id: proposal.id.clone() });
        }
        let touches = |edit: &&KeptEdit| self.applied.iter().any(|other| overlap(edit, other));
        if missing.iter().any(touches) {
            return Err(PatchError::Overlap { id: proposal.id.clone() });
        }
        let edits = missing.into_iter().map(|edit| self.moved(edit)).collect();
        Ok(EditSet::new(&self.file, edits)?)
    }

    fn moved(&self, edit: &KeptEdit) -> Edit {
        let before = self.applied.iter().filter(|other| other.start < edit.start);
        let shift: i64 = before.map(|other| other.new.len() as i64 - other.old.len() as i64).sum();
        let shifted = |at: u32| u32::try_from(i64::from(at) + shift).unwrap_or(u32::MAX);
        let Edit { span, replacement } = edit.edit();
        Edit { span: Span::new(shifted(span.start), shifted(span.end)), replacement }
    }
}

fn overlap(a: &KeptEdit, b: &KeptEdit) -> bool {
    let (a_end, b_end) = (a.start as usize + a.old.len(), b.start as usize + b.old.len());
    if a.start == b.start {
        return !a.old.is_empty() && !b.old.is_empty() || a.old.is_empty() && b.old.is_empty();
    }
    (a.start as usize) < b_end && (b.start as usize) < a_end
}

/// The edits that are in `text`, and the text without them. `edits` are sorted by place, in the coordinates of the result.
fn undo(text: &str, edits: &[&KeptEdit]) -> (Vec<KeptEdit>, String) {
    let mut applied: Vec<KeptEdit> = Vec::new();
    // `from` is how far `text` has been read, `behind` the same place in the result.
    let (mut original, mut from) = (String::with_capacity(text.len()), 0);
    for edit in edits {
        let behind = original.len();
        let Some(gap) = (edit.start as usize).checked_sub(behind) else { continue };
        let at = from + gap;
        let has = |what: &str| text.get(at..).is_some_and(|rest| rest.starts_with(what));
        let is_longer = edit.new.len() >= edit.old.len();
        // Of two readings that both fit, the longer one is right: a literal does not go on behind its end.
        let is_applied = has(&edit.new) && (is_longer || !has(&edit.old));
        if !is_applied {
            continue;
        }
        original.push_str(text.get(from..at).unwrap_or_default());
        original.push_str(&edit.old);
        from = at + edit.new.len();
        applied.push((*edit).clone());
    }
    original.push_str(text.get(from..).unwrap_or_default());
    (applied, original)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: u32, old: &str, new: &str) -> KeptEdit {
        KeptEdit { start, old: old.to_owned(), new: new.to_owned() }
    }

    #[test]
    fn applied_edits_are_found_in_any_combination() {
        let original = "a < 0.1 and b > 0.25 and c < d";
        let edits = [edit(4, "0.1", "0.13"), edit(16, "0.25", "0.2"), edit(30, "", " + 0.5")];
        for mask in 0..8_u32 {
            let chosen: Vec<&KeptEdit> =
                edits.iter().enumerate().filter(|(index, _)| mask & (1 << index) != 0).map(|(_, edit)| edit).collect();
            let file = SourceFile::from_text("x.py", original).unwrap();
            let set = EditSet::new(&file, chosen.iter().map(|edit| edit.edit()).collect()).unwrap();
            let text = set.apply(original).unwrap();
            let (applied, back) = undo(&text, &edits.iter().collect::<Vec<_>>());
            assert_eq!(back, original, "{text}");
            assert_eq!(applied.iter().collect::<Vec<_>>(), chosen, "{text}");
        }
    }

    #[test]
    fn a_text_that_was_edited_otherwise_is_refused() {
        let original = "a < 0.1";
        let file = |text: &str| SourceFile::from_text("x.py", text).unwrap();
        let change = SourceChange {
            path: "x.py".to_owned(),
            before: ContentHash::of(original.as_bytes()).0,
            edits: vec![edit(4, "0.1", "0.13")],
        };
        assert!(PatchedText::of(file(original), &change, &[]).is_ok());
        assert!(PatchedText::of(file("a < 0.13"), &change, &[]).is_ok());
        for other in ["a < 0.2", "b < 0.1", "a < 0.1 "] {
            assert!(matches!(PatchedText::of(file(other), &change, &[]), Err(PatchError::Changed { .. })), "{other}");
        }
    }
}
