//! Byte ranges and positions in a source text.
//!
//! Everything Temper reports about a file is a [`Span`] of its decoded text; [`LineIndex`] turns an offset into the line
//! and column a person sees, by binary search.

use std::ops::Range;

/// A half-open byte range of a file's decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    #[must_use]
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The same range for slicing.
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Number of bytes.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether the range holds no byte, as an insertion does.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether `other` lies wholly inside this range.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The text of this range. Empty if the range does not belong to `text`.
    #[must_use]
    pub fn text(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or_default()
    }
}

/// A place as a person reads it: line and column, both from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1. A byte-order mark takes no column.
    pub column: u32,
}

/// Where the lines of a text begin. Lines end as in Python: at `\n`, `\r\n` or `\r`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of `text`, which must be shorter than 4 GiB.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
        starts.push(0);
        for (at, &byte) in bytes.iter().enumerate() {
            let ends_line = byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
            if ends_line {
                starts.push(offset(at + 1));
            }
        }
        Self { starts }
    }

    /// Line, from 1, and byte in that line, from 0, of a byte offset: as Python's syntax tree counts.
    #[must_use]
    pub fn line_and_byte(&self, at: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|&start| start <= at);
        (offset(line), at - self.starts[line - 1])
    }

    /// Line and column of a byte offset of `text`, the text this index was made from.
    #[must_use]
    pub fn position(&self, text: &str, at: u32) -> Position {
        let line = self.starts.partition_point(|&start| start <= at);
        let start = self.starts[line - 1];
        let before = Span::new(start, at).text(text);
        let before = before.strip_prefix('\u{feff}').unwrap_or(before);
        Position { line: offset(line), column: offset(before.chars().count()) + 1 }
    }

    /// Where a line (from 1) starts, or nothing if there is no such line.
    #[must_use]
    pub fn start_of(&self, line: u32) -> Option<u32> {
        self.starts.get((line as usize).checked_sub(1)?).copied()
    }

    /// The range of a line (from 1) without its end, or nothing if there is no such line.
    #[must_use]
    pub fn line(&self, text: &str, line: u32) -> Option<Span> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied().unwrap_or(offset(text.len()));
        let body = Span::new(start, end).text(text).trim_end_matches(['\r', '\n']);
        Some(Span::new(start, start + offset(body.len())))
    }

    /// Number of lines; a text that ends in a line end has an empty last line.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Never true: an empty text has one empty line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }
}

/// Narrows an offset. Texts of 4 GiB and more are refused when a file is made, so nothing is lost.
pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, at: u32, line: u32, column: u32) {
        let found = LineIndex::new(text).position(text, at);
        assert_eq!(found, Position { line, column }, "offset {at} of {text:?}");
    }

    #[test]
    fn all_three_line_ends_count_once() {
        check("a\nb", 2, 2, 1);
        check("a\r\nb", 3, 2, 1);
        check("a\rb", 2, 2, 1);
        check("a\r\n\r\nb", 5, 3, 1);
        check("", 0, 1, 1);
        check("a\n", 2, 2, 1);
    }

    #[test]
    fn columns_count_characters_not_bytes() {
        check("é = x", 4, 1, 4);
        check("\u{feff}x = 1", 3, 1, 1);
    }

    #[test]
    fn a_line_is_given_without_its_end() {
        let text = "ab\r\ncd";
        let index = LineIndex::new(text);
        assert_eq!(index.line(text, 1).map(|span| span.text(text)), Some("ab"));
        assert_eq!(index.line(text, 2).map(|span| span.text(text)), Some("cd"));
        assert_eq!(index.line(text, 3), None);
        assert_eq!(index.line(text, 0), None);
    }
}
