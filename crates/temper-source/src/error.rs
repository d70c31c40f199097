//! What can go wrong with one file. Each error concerns that file alone: the others go on.

use std::path::PathBuf;

use crate::span::{Position, Span};

/// An error about one source file or one edit of it.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The operating system would not give the file or folder.
    #[error("cannot read `{}`: {cause}", path.display())]
    Unreadable {
        /// The path as it was given.
        path: PathBuf,
        /// The answer of the operating system.
        cause: std::io::Error,
    },
    /// The path exists but is neither a regular file nor a folder.
    #[error("`{}` is neither a file nor a folder", path.display())]
    NotAFile {
        /// The path as it was given.
        path: PathBuf,
    },
    /// The file is larger than Temper reads.
    #[error("`{}` has {bytes} bytes; Temper reads Python files of up to {limit}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The largest size that is read.
        limit: u64,
    },
    /// The file declares an encoding that Temper does not read.
    #[error("`{}` declares the encoding `{name}`; Temper reads utf-8, latin-1 and ascii", path.display())]
    UnknownEncoding {
        /// The file.
        path: PathBuf,
        /// The name that the file declares.
        name: String,
    },
    /// A byte of the file does not belong to its encoding.
    #[error("byte {byte:#04x} at offset {at} of `{}` is not {encoding}", path.display())]
    BadEncoding {
        /// The file.
        path: PathBuf,
        /// The encoding the file is in, declared or by default.
        encoding: &'static str,
        /// Offset of the byte in the file.
        at: usize,
        /// The byte.
        byte: u8,
    },
    /// A character of an edited text cannot be written in the file's encoding.
    #[error("`{character}` cannot be written to `{}`, which is in {encoding}", path.display())]
    NotEncodable {
        /// The file.
        path: PathBuf,
        /// The encoding of the file.
        encoding: &'static str,
        /// The first character that has no place in it.
        character: char,
    },
    /// The file is not valid Python.
    #[error("syntax error in `{}` at line {}, column {}: {message}", path.display(), at.line, at.column)]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where the first error is.
        at: Position,
        /// What the parser expected, in its own words.
        message: String,
    },
    /// A patch names files relative to the project, and this path is not.
    #[error("`{}` is not a path below the project, so no patch can name it", path.display())]
    NotRelative {
        /// The path that was given for the patch.
        path: PathBuf,
    },
    /// The text is not the one that the edit was made from.
    #[error("`{}` has changed since the edit was made: expected `{expected}` at offset {}", path.display(), span.start)]
    Stale {
        /// The file that the edit belongs to.
        path: PathBuf,
        /// Where the edit belongs.
        span: Span,
        /// The text that the edit replaces.
        expected: String,
    },
    /// Two edits of one set touch the same bytes.
    #[error("two edits of `{}` overlap at offset {}", path.display(), span.start)]
    Overlap {
        /// The file that the edits belong to.
        path: PathBuf,
        /// The later edit.
        span: Span,
    },
    /// An edit lies outside its text or cuts a character in two.
    #[error("bytes {} to {} of `{}` are not a range of its text", span.start, span.end, path.display())]
    OutOfRange {
        /// The file that the edit belongs to.
        path: PathBuf,
        /// The range that was asked for.
        span: Span,
    },
}
