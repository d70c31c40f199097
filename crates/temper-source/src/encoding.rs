//! Source encodings: the byte-order mark and the declaration of PEP 263.
//!
//! Python's own rule: a comment in the first or second line that matches `coding[:=]\s*([-\w.]+)`; the second line counts
//! only if the first is blank or a comment. Without one the file is UTF-8.

use std::path::Path;

use crate::error::SourceError;

/// An encoding that Temper reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a byte-order mark.
    Utf8,
    /// ISO 8859-1: every byte is the character of that number.
    Latin1,
    /// Seven bits.
    Ascii,
}

impl Encoding {
    /// The name that messages use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Latin1 => "latin-1",
            Self::Ascii => "ascii",
        }
    }

    pub(crate) fn decode(self, path: &Path, bytes: Vec<u8>) -> Result<String, SourceError> {
        match self {
            Self::Latin1 => Ok(bytes.iter().map(|&byte| char::from(byte)).collect()),
            Self::Ascii => match bytes.iter().position(|byte| !byte.is_ascii()) {
                Some(at) => Err(self.bad(path, &bytes, at)),
                None => self.decode_utf8(path, bytes),
            },
            Self::Utf8 => self.decode_utf8(path, bytes),
        }
    }

    pub(crate) fn encode(self, path: &Path, text: &str) -> Result<Vec<u8>, SourceError> {
        let largest = match self {
            Self::Utf8 => return Ok(text.as_bytes().to_vec()),
            Self::Latin1 => 0xff,
            Self::Ascii => 0x7f,
        };
        text.chars()
            .map(|character| match u8::try_from(u32::from(character)) {
                Ok(byte) if byte <= largest => Ok(byte),
                _ => Err(SourceError::NotEncodable { path: path.into(), encoding: self.name(), character }),
            })
            .collect()
    }

    fn decode_utf8(self, path: &Path, bytes: Vec<u8>) -> Result<String, SourceError> {
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            self.bad(path, error.as_bytes(), at)
        })
    }

    fn bad(self, path: &Path, bytes: &[u8], at: usize) -> SourceError {
        SourceError::BadEncoding { path: path.into(), encoding: self.name(), at, byte: bytes[at] }
    }

    fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace('_', "-");
        match name.as_str() {
            "utf-8" | "utf8" | "utf-8-sig" | "u8" | "utf" => Some(Self::Utf8),
            "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" | "l1" | "8859" | "cp819" => Some(Self::Latin1),
            "ascii" | "us-ascii" | "646" => Some(Self::Ascii),
            _ if name.starts_with("utf-8-") => Some(Self::Utf8),
            _ if name.starts_with("latin-1-") || name.starts_with("iso-8859-1-") => Some(Self::Latin1),
            _ => None,
        }
    }
}

/// The encoding that `bytes` are in.
pub(crate) fn declared(path: &Path, bytes: &[u8]) -> Result<Encoding, SourceError> {
    let unmarked = bytes.strip_prefix(b"\xef\xbb\xbf");
    let Some(name) = declaration(unmarked.unwrap_or(bytes)) else {
        return Ok(Encoding::Utf8);
    };
    match Encoding::from_name(&name) {
        // With a byte-order mark Python takes no declaration but utf-8.
        Some(encoding) if unmarked.is_none() || encoding == Encoding::Utf8 => Ok(encoding),
        _ => Err(SourceError::UnknownEncoding { path: path.into(), name }),
    }
}

fn declaration(bytes: &[u8]) -> Option<String> {
    let mut rest = bytes;
    for _ in 0..2 {
        let (line, after) = split_line(rest);
        let text = line.trim_ascii();
        if text.starts_with(b"#") {
            if let Some(name) = coding_name(text) {
                return Some(name);
            }
        } else if !text.is_empty() {
            return None;
        }
        rest = after;
    }
    None
}

fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let Some(at) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
        return (bytes, &[]);
    };
    let width = if bytes[at..].starts_with(b"\r\n") { 2 } else { 1 };
    (&bytes[..at], &bytes[at + width..])
}

fn coding_name(comment: &[u8]) -> Option<String> {
    let at = comment.windows(6).enumerate().find_map(|(at, window)| {
        let marker = comment.get(at + 6);
        (window == b"coding" && matches!(marker, Some(b':' | b'='))).then_some(at + 7)
    })?;
    let name: Vec<u8> = comment[at..]
        .trim_ascii_start()
        .iter()
        .copied()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        .collect();
    (!name.is_empty()).then(|| String::from_utf8_lossy(&name).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Option<Encoding>) {
        let found = declared(Path::new("a.py"), bytes).ok();
        assert_eq!(found, expected, "{:?}", String::from_utf8_lossy(bytes));
    }

    #[test]
    fn declarations_follow_pep_263() {
        check(b"x = 1", Some(Encoding::Utf8));
        check(b"# -*- coding: latin-1 -*-\nx", Some(Encoding::Latin1));
        check(b"#!/usr/bin/python\r\n# vim: set fileencoding=iso-8859-1 :\r\n", Some(Encoding::Latin1));
        check(b"\n# coding=us-ascii\n", Some(Encoding::Ascii));
        check(b"# coding: utf8\n", Some(Encoding::Utf8));
        check(b"# coding: cp1252\n", None);
        check(b"\n\n# coding: cp1252\n", Some(Encoding::Utf8));
        check(b"x = 1\n# coding: cp1252\n", Some(Encoding::Utf8));
        check(b"\xef\xbb\xbf# coding: latin-1\n", None);
        check(b"\xef\xbb\xbf# coding: utf-8\n", Some(Encoding::Utf8));
    }

    #[test]
    fn bytes_survive_decoding_and_encoding() {
        let path = Path::new("a.py");
        let all: Vec<u8> = (0..=255).collect();
        let text = Encoding::Latin1.decode(path, all.clone()).unwrap();
        assert_eq!(Encoding::Latin1.encode(path, &text).unwrap(), all);
        assert!(matches!(Encoding::Ascii.decode(path, all), Err(SourceError::BadEncoding { at: 128, byte: 128, .. })));
        assert!(matches!(
            Encoding::Utf8.decode(path, b"a\xff".to_vec()),
            Err(SourceError::BadEncoding { at: 1, byte: 0xff, .. })
        ));
        assert!(matches!(Encoding::Latin1.encode(path, "a€"), Err(SourceError::NotEncodable { character: '€', .. })));
    }
}
