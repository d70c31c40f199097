//! Byte edits of one file, tied to the exact text they were made from.
//!
//! An [`EditSet`] remembers the hash of the whole text and the text each edit replaces. It applies to that text and to no
//! other, and undoing it gives the same bytes back.

use std::path::{Path, PathBuf};

use crate::error::SourceError;
use crate::file::SourceFile;
use crate::span::{Span, offset};
use crate::syntax::SyntaxTree;

/// Replaces a range of a text. An empty range inserts, an empty replacement deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// What takes its place.
    pub replacement: String,
}

impl Edit {
    /// Puts `replacement` in place of `span`.
    #[must_use]
    pub fn replace(span: Span, replacement: &str) -> Self {
        Self { span, replacement: replacement.to_owned() }
    }

    /// Puts `text` at `at`.
    #[must_use]
    pub fn insert(at: u32, text: &str) -> Self {
        Self::replace(Span::new(at, at), text)
    }

    /// Removes `span`.
    #[must_use]
    pub fn delete(span: Span) -> Self {
        Self::replace(span, "")
    }
}

/// A hash of a whole text, the same on every machine and in every version: 64-bit FNV-1a. It guards against a file that
/// changed in the meantime, not against an attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentHash(pub u64);

impl ContentHash {
    /// The hash of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        // Offset basis and prime of the 64-bit variant, as published by Fowler, Noll and Vo.
        let hash = bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self(hash)
    }
}

/// Edits of one file in the order of the text, none of which overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditSet {
    path: PathBuf,
    before: ContentHash,
    after: ContentHash,
    edits: Vec<Edit>,
    replaced: Vec<String>,
}

impl EditSet {
    /// Ties `edits` to the text of `file`. Insertions at one offset keep the order in which they are given.
    ///
    /// # Errors
    /// When an edit is no range of the text, or two edits overlap.
    pub fn new(file: &SourceFile, mut edits: Vec<Edit>) -> Result<Self, SourceError> {
        let text = file.text();
        edits.sort_by_key(|edit| edit.span);
        let path = file.path().to_path_buf();
        let mut replaced = Vec::with_capacity(edits.len());
        for edit in &edits {
            match text.get(edit.span.range()) {
                Some(old) => replaced.push(old.to_owned()),
                None => return Err(SourceError::OutOfRange { path, span: edit.span }),
            }
        }
        if let Some(pair) = edits.windows(2).find(|pair| pair[1].span.start < pair[0].span.end) {
            return Err(SourceError::Overlap { path, span: pair[1].span });
        }
        let before = ContentHash::of(text.as_bytes());
        let after = ContentHash::of(splice(text, &edits).as_bytes());
        Ok(Self { path, before, after, edits, replaced })
    }

    /// The file that they belong to.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The edits, in the order of the text.
    #[must_use]
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// The texts that the edits replace, in the same order.
    #[must_use]
    pub fn replaced(&self) -> &[String] {
        &self.replaced
    }

    /// Hash of the text that the edits were made from.
    #[must_use]
    pub fn before(&self) -> ContentHash {
        self.before
    }

    /// Hash of the edited text.
    #[must_use]
    pub fn after(&self) -> ContentHash {
        self.after
    }

    /// The edited text.
    ///
    /// # Errors
    /// When `text` is not the one that the edits were made from.
    pub fn apply(&self, text: &str) -> Result<String, SourceError> {
        self.guard(text, self.before, &self.edits, &self.replaced)?;
        Ok(splice(text, &self.edits))
    }

    /// The text before the edits, from the text after them.
    ///
    /// # Errors
    /// When `text` is not what [`EditSet::apply`] gave.
    pub fn undo(&self, text: &str) -> Result<String, SourceError> {
        let (back, written) = self.inverse();
        self.guard(text, self.after, &back, &written)?;
        Ok(splice(text, &back))
    }

    /// Applies the edits and parses the result, so that no patch is offered that Python would refuse.
    ///
    /// # Errors
    /// When the edits do not belong to `file`, or the edited text is not valid Python.
    pub fn reparse(&self, file: &SourceFile) -> Result<SourceFile, SourceError> {
        let edited = file.with_text(self.apply(file.text())?);
        SyntaxTree::parse(&edited)?;
        Ok(edited)
    }

    fn inverse(&self) -> (Vec<Edit>, Vec<String>) {
        let mut shift = 0i64;
        let mut back = Vec::with_capacity(self.edits.len());
        let mut written = Vec::with_capacity(self.edits.len());
        for (edit, old) in self.edits.iter().zip(&self.replaced) {
            let start = u32::try_from(i64::from(edit.span.start) + shift).unwrap_or(u32::MAX);
            let end = start.saturating_add(offset(edit.replacement.len()));
            back.push(Edit::replace(Span::new(start, end), old));
            written.push(edit.replacement.clone());
            shift += i64::from(end - start) - i64::from(edit.span.len());
        }
        (back, written)
    }

    fn guard(&self, text: &str, hash: ContentHash, edits: &[Edit], old: &[String]) -> Result<(), SourceError> {
        let stale =
            |span, expected: &str| SourceError::Stale { path: self.path.clone(), span, expected: expected.to_owned() };
        for (edit, old) in edits.iter().zip(old) {
            if text.get(edit.span.range()) != Some(old) {
                return Err(stale(edit.span, old));
            }
        }
        if ContentHash::of(text.as_bytes()) != hash {
            let (span, expected) =
                edits.first().zip(old.first()).map_or((Span::new(0, 0), ""), |(edit, old)| (edit.span, old));
            return Err(stale(span, expected));
        }
        Ok(())
    }
}

/// Puts sorted, checked edits into `text`.
fn splice(text: &str, edits: &[Edit]) -> String {
    let added: usize = edits.iter().map(|edit| edit.replacement.len()).sum();
    let mut out = String::with_capacity(text.len() + added);
    let mut from = 0;
    for edit in edits {
        out.push_str(&text[from..edit.span.start as usize]);
        out.push_str(&edit.replacement);
        from = edit.span.end as usize;
    }
    out.push_str(&text[from..]);
    out
}
