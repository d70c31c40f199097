//! Unified diffs that `git apply` takes, written from known edits.
//!
//! No diff algorithm is needed: the edits say which lines change. Lines end at `\n` alone, as git sees them, so `\r\n`
//! and lone `\r` stay inside their lines byte for byte.

use std::ops::Range;
use std::path::{Component, Path};

use crate::edit::EditSet;
use crate::error::SourceError;
use crate::file::SourceFile;

/// The bytes of a unified diff. Patches of several files may be written one after the other.
pub type Patch = Vec<u8>;

/// Lines of context around a change, as git's default.
const CONTEXT: usize = 3;

/// The patch that makes `edits` of `file`, which the patch calls `path`, relative to the project. Empty if nothing changes.
///
/// # Errors
/// When the edits do not belong to the text of `file`, when an edited character has no place in its encoding, or when
/// `path` is absolute or leaves the project.
pub fn patch(path: &Path, file: &SourceFile, edits: &EditSet) -> Result<Patch, SourceError> {
    let name = relative_name(path)?;
    let after = edits.apply(file.text())?;
    let (old, new) = (Lines::of(file.text()), Lines::of(&after));
    let blocks = changed_blocks(&old, &new, edits);
    let mut out = Writer { file, out: Vec::new() };
    if !blocks.is_empty() {
        out.header(&name);
    }
    for hunk in hunks(&blocks, old.count()) {
        out.hunk(&old, &new, &blocks[hunk])?;
    }
    Ok(out.out)
}

/// Lines that change: these old ones become those new ones. All others are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DiffBlock {
    old: Range<usize>,
    new: Range<usize>,
}

struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).filter(|&start| start < text.len()).collect();
        Self { text, starts }
    }

    fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line of an offset; behind the last line at the end of a text that ends in a line end.
    fn at(&self, offset: usize) -> usize {
        if offset == self.text.len() && self.text.ends_with('\n') {
            return self.count();
        }
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    fn line(&self, index: usize) -> &'t str {
        let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        &self.text[self.starts[index]..end]
    }

    /// The lines from the one of `start` to the one of `end`, both included.
    fn around(&self, start: usize, end: usize) -> Range<usize> {
        self.at(start)..(self.at(end) + 1).min(self.count())
    }
}

fn changed_blocks(old: &Lines<'_>, new: &Lines<'_>, edits: &EditSet) -> Vec<DiffBlock> {
    let mut blocks: Vec<DiffBlock> = Vec::new();
    let (mut removed, mut added) = (0, 0);
    for edit in edits.edits() {
        let (start, end) = (edit.span.start as usize, edit.span.end as usize);
        let new_start = start + added - removed;
        let new_end = new_start + edit.replacement.len();
        let block = DiffBlock { old: old.around(start, end), new: new.around(new_start, new_end) };
        match blocks.last_mut() {
            Some(last) if block.old.start < last.old.end || block.new.start < last.new.end => {
                last.old.end = last.old.end.max(block.old.end);
                last.new.end = last.new.end.max(block.new.end);
            }
            _ => blocks.push(block),
        }
        removed += end - start;
        added += edit.replacement.len();
    }
    for block in &mut blocks {
        trim(block, old, new);
    }
    blocks.retain(|block| !block.old.is_empty() || !block.new.is_empty());
    blocks
}

/// Drops lines at both ends of a block that are the same before and after.
fn trim(block: &mut DiffBlock, old: &Lines<'_>, new: &Lines<'_>) {
    let both = |block: &DiffBlock| !block.old.is_empty() && !block.new.is_empty();
    while both(block) && old.line(block.old.start) == new.line(block.new.start) {
        block.old.start += 1;
        block.new.start += 1;
    }
    while both(block) && old.line(block.old.end - 1) == new.line(block.new.end - 1) {
        block.old.end -= 1;
        block.new.end -= 1;
    }
}

/// Blocks that share context go into one hunk.
fn hunks(blocks: &[DiffBlock], old_count: usize) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        debug_assert!(block.old.end <= old_count);
        match hunks.last_mut() {
            Some(last) if block.old.start <= blocks[index - 1].old.end + 2 * CONTEXT => last.end = index + 1,
            _ => hunks.push(index..index + 1),
        }
    }
    hunks
}

struct Writer<'f> {
    file: &'f SourceFile,
    out: Vec<u8>,
}

impl Writer<'_> {
    fn header(&mut self, name: &[u8]) {
        let [a, b] = [b"a/", b"b/"].map(|side| quoted(&[side.as_slice(), name].concat()));
        // A name with blanks is closed by a tab, so that nothing behind it is taken for a date.
        let close: &[u8] = if name.contains(&b' ') { b"\t\n" } else { b"\n" };
        let pieces: [&[u8]; 10] = [b"diff --git ", &a, b" ", &b, b"\n--- ", &a, close, b"+++ ", &b, close];
        self.out.extend(pieces.concat());
    }

    fn hunk(&mut self, old: &Lines<'_>, new: &Lines<'_>, blocks: &[DiffBlock]) -> Result<(), SourceError> {
        let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { return Ok(()) };
        let before = first.old.start.min(CONTEXT);
        let after = (old.count() - last.old.end).min(CONTEXT);
        let old_range = first.old.start - before..last.old.end + after;
        let new_range = first.new.start - before..last.new.end + after;
        let title = format!("@@ -{} +{} @@\n", numbers(&old_range), numbers(&new_range));
        self.out.extend(title.into_bytes());
        let mut next = old_range.start;
        for block in blocks {
            self.lines(b' ', old, next..block.old.start)?;
            self.lines(b'-', old, block.old.clone())?;
            self.lines(b'+', new, block.new.clone())?;
            next = block.old.end;
        }
        self.lines(b' ', old, next..old_range.end)
    }

    fn lines(&mut self, mark: u8, lines: &Lines<'_>, range: Range<usize>) -> Result<(), SourceError> {
        for index in range {
            let line = lines.line(index);
            self.out.push(mark);
            self.out.extend(self.file.encode(line)?);
            if !line.ends_with('\n') {
                self.out.extend(b"\n\\ No newline at end of file\n");
            }
        }
        Ok(())
    }
}

/// Start and length as a hunk title has them: an empty range names the line before it, a length of one is left out.
fn numbers(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

fn relative_name(path: &Path) -> Result<Vec<u8>, SourceError> {
    let mut name = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => {
                if !name.is_empty() {
                    name.push(b'/');
                }
                name.extend(part.as_encoded_bytes());
            }
            Component::CurDir => {}
            _ => return Err(SourceError::NotRelative { path: path.into() }),
        }
    }
    if name.is_empty() {
        return Err(SourceError::NotRelative { path: path.into() });
    }
    Ok(name)
}

/// Quotes a name as git does with its default `core.quotePath`: C escapes, and octal for all bytes beyond ASCII.
fn quoted(name: &[u8]) -> Vec<u8> {
    let is_plain = |byte: &u8| (b' '..0x7f).contains(byte) && !matches!(byte, b'"' | b'\\');
    if name.iter().all(is_plain) {
        return name.to_vec();
    }
    let mut out = vec![b'"'];
    for &byte in name {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            0x07..=0x0d => out.extend([b'\\', b"abtnvfr"[usize::from(byte - 0x07)]]),
            _ if is_plain(&byte) => out.push(byte),
            _ => out.extend(format!("\\{byte:03o}").into_bytes()),
        }
    }
    out.push(b'"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_as_git_quotes_them() {
        let table: [(&[u8], &[u8]); 5] = [
            (b"a/x.py", b"a/x.py"),
            (b"a/x y.py", b"a/x y.py"),
            ("a/é.py".as_bytes(), b"\"a/\\303\\251.py\""),
            (b"a/\"q\\.py", b"\"a/\\\"q\\\\.py\""),
            (b"a/\t\x01.py", b"\"a/\\t\\001.py\""),
        ];
        for (name, expected) in table {
            assert_eq!(quoted(name), expected);
        }
    }

    #[test]
    fn paths_outside_the_project_are_refused() {
        for path in ["/x.py", "../x.py", "a/../../x.py", ""] {
            assert!(relative_name(Path::new(path)).is_err(), "{path}");
        }
        assert_eq!(relative_name(Path::new("./a/b.py")).unwrap(), b"a/b.py");
    }
}
