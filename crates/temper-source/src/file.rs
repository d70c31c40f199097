//! One Python file as text: its path, its encoding and its lines.
//!
//! The text keeps every byte that Python ignores (byte-order mark, `\r\n`, form feeds), so that for UTF-8 files a [`Span`]
//! is a byte range of the file on disk. For latin-1 files it is a range of the decoded text, and [`SourceFile::encode`]
//! gives the bytes back.

use std::path::{Path, PathBuf};

use crate::encoding::{self, Encoding};
use crate::error::SourceError;
use crate::span::{LineIndex, Position, Span};

/// The largest file that is read. Offsets are 32 bits wide and a parser's memory is a multiple of the text; hand-written
/// files are a thousand times smaller.
pub const MAX_BYTES: u64 = 64 << 20;

/// A Python file in memory.
#[derive(Clone, Debug)]
pub struct SourceFile {
    path: PathBuf,
    text: String,
    encoding: Encoding,
    lines: LineIndex,
}

impl SourceFile {
    /// Decodes a file's bytes by its byte-order mark or its PEP 263 declaration.
    ///
    /// # Errors
    /// When the file is too large, declares an encoding that is not read, or breaks the one it is in.
    pub fn from_bytes(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Result<Self, SourceError> {
        let path = path.into();
        if bytes.len() as u64 > MAX_BYTES {
            return Err(SourceError::TooLarge { path, bytes: bytes.len() as u64, limit: MAX_BYTES });
        }
        let encoding = encoding::declared(&path, &bytes)?;
        let text = encoding.decode(&path, bytes)?;
        let lines = LineIndex::new(&text);
        Ok(Self { path, text, encoding, lines })
    }

    /// A file whose text is already known, in UTF-8.
    ///
    /// # Errors
    /// When the text is too large, or declares an encoding that is not read.
    pub fn from_text(path: impl Into<PathBuf>, text: impl Into<String>) -> Result<Self, SourceError> {
        let file = Self::from_bytes(path, text.into().into_bytes())?;
        Ok(file)
    }

    /// The path as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The decoded text, byte-order mark included.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The encoding of the file on disk.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The lines of the text.
    #[must_use]
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// Line and column of an offset.
    #[must_use]
    pub fn position(&self, at: u32) -> Position {
        self.lines.position(&self.text, at)
    }

    /// The text of a range.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        span.text(&self.text)
    }

    /// The text of a line (from 1) without its end; empty if there is no such line.
    #[must_use]
    pub fn line_text(&self, line: u32) -> &str {
        self.lines.line(&self.text, line).map_or("", |span| self.slice(span))
    }

    /// Another text of the same file, for instance after an edit.
    #[must_use]
    pub fn with_text(&self, text: String) -> Self {
        let lines = LineIndex::new(&text);
        Self { path: self.path.clone(), text, encoding: self.encoding, lines }
    }

    /// The bytes that this text has on disk.
    ///
    /// # Errors
    /// When a character has no place in the file's encoding.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SourceError> {
        self.encode(&self.text)
    }

    /// The bytes that `text`, an edited text of this file, has on disk.
    ///
    /// # Errors
    /// When a character has no place in the file's encoding.
    pub fn encode(&self, text: &str) -> Result<Vec<u8>, SourceError> {
        self.encoding.encode(&self.path, text)
    }
}
