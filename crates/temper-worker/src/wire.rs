//! The exact form of values on the wire; the twin of `python/temper/worker/wire.py`.
//!
//! One tag byte, then little-endian content. Every float arrives with the bits it had (NaN as the one quiet NaN), every integer
//! whatever its size, every string whatever it holds.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Values nested deeper than this are refused; the Python side stops at 8.
const MAX_DEPTH: usize = 64;

/// A Python value as far as it can be carried exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer that fits.
    Int(i64),
    /// Any other integer: hexadecimal digits, with `-` before a negative one.
    BigInt(String),
    /// A float, infinities and subnormals included.
    Float(f64),
    /// A complex number: real and imaginary part.
    Complex(f64, f64),
    /// A string of Unicode scalar values.
    Str(String),
    /// A string with lone surrogates, as generalised UTF-8.
    Surrogates(Vec<u8>),
    /// `bytes`.
    Bytes(Vec<u8>),
    /// A list or a tuple.
    List(Vec<Value>),
    /// A dictionary, in its order.
    Map(Vec<(Value, Value)>),
    /// An array: numpy's dtype text, shape, bytes in C order.
    Array {
        /// Such as `<f4`.
        dtype: String,
        /// Length of each dimension.
        shape: Vec<u64>,
        /// The elements.
        data: Vec<u8>,
    },
    /// Something that has no exact form here.
    Opaque {
        /// Name of its type.
        type_name: String,
        /// The start of its `repr`.
        text: String,
    },
}

impl Value {
    /// A map with string keys.
    pub fn map<const N: usize>(entries: [(&str, Value); N]) -> Self {
        Self::Map(entries.into_iter().map(|(key, value)| (Self::from(key), value)).collect())
    }

    /// The value under a string key of a map.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Self::Map(entries) = self else { return None };
        entries.iter().find(|(name, _)| matches!(name, Self::Str(name) if name == key)).map(|(_, value)| value)
    }

    /// An integer, if it is one that fits.
    pub fn as_i64(&self) -> Option<i64> {
        if let Self::Int(value) = self { Some(*value) } else { None }
    }

    /// A number as a float: floats as they are, integers and booleans converted.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            Self::Int(value) => Some(*value as f64),
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            _ => None,
        }
    }

    /// A boolean.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// A string without lone surrogates.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Str(text) = self { Some(text) } else { None }
    }

    /// A string for people to read; lone surrogates are replaced.
    pub fn to_text(&self) -> Option<String> {
        match self {
            Self::Str(text) => Some(text.clone()),
            Self::Surrogates(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        }
    }

    /// The elements of a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// A path as Python sees it: bytes that are not UTF-8 become lone surrogates.
    pub fn from_path(path: &Path) -> Self {
        if let Some(text) = path.to_str() {
            return Self::from(text);
        }
        let mut bytes = Vec::new();
        for chunk in path.as_os_str().as_bytes().utf8_chunks() {
            bytes.extend(chunk.valid().as_bytes());
            // U+DC80 to U+DCFF, as `os.fsdecode` does.
            bytes.extend(chunk.invalid().iter().flat_map(|&byte| [0xED, 0xB0 | (byte >> 6), 0x80 | (byte & 0x3F)]));
        }
        Self::Surrogates(bytes)
    }

    /// The path that Python means by a string.
    pub fn to_path(&self) -> Option<PathBuf> {
        match self {
            Self::Str(text) => Some(PathBuf::from(text)),
            Self::Surrogates(bytes) => Some(PathBuf::from(OsString::from_vec(unescape(bytes)))),
            _ => None,
        }
    }
}

fn unescape(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        if let [0xED, high @ 0xB2..=0xB3, low, after @ ..] = rest {
            out.push((high & 0x3) << 6 | (low & 0x3F));
            rest = after;
        } else {
            out.push(*first);
            rest = tail;
        }
    }
    out
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or_else(|_| Self::BigInt(format!("{value:x}")), Self::Int)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Str(text.to_owned())
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

/// Appends the bytes of `value`.
pub fn encode(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::None => out.push(b'n'),
        Value::Bool(value) => out.push(if *value { b't' } else { b'f' }),
        Value::Int(value) => tagged(out, b'i', &value.to_le_bytes()),
        Value::BigInt(digits) => block(out, b'I', digits.as_bytes()),
        Value::Float(value) => tagged(out, b'd', &float_bytes(*value)),
        Value::Complex(real, imaginary) => {
            tagged(out, b'c', &float_bytes(*real));
            out.extend(float_bytes(*imaginary));
        }
        Value::Str(text) => block(out, b's', text.as_bytes()),
        Value::Surrogates(bytes) => block(out, b'u', bytes),
        Value::Bytes(bytes) => block(out, b'b', bytes),
        Value::List(items) => {
            tagged(out, b'l', &length(items.len()));
            items.iter().for_each(|item| encode(item, out));
        }
        Value::Map(entries) => {
            tagged(out, b'm', &length(entries.len()));
            for (key, item) in entries {
                encode(key, out);
                encode(item, out);
            }
        }
        Value::Array { dtype, shape, data } => {
            tagged(out, b'a', &[]);
            block(out, b's', dtype.as_bytes());
            encode(&shape.iter().copied().collect(), out);
            block(out, b'b', data);
        }
        Value::Opaque { type_name, text } => {
            tagged(out, b'o', &[]);
            block(out, b's', type_name.as_bytes());
            block(out, b's', text.as_bytes());
        }
    }
}

fn float_bytes(value: f64) -> [u8; 8] {
    if value.is_nan() { f64::NAN.to_bits() & !(1 << 63) } else { value.to_bits() }.to_le_bytes()
}

fn length(len: usize) -> [u8; 4] {
    u32::try_from(len).unwrap_or(u32::MAX).to_le_bytes()
}

fn tagged(out: &mut Vec<u8>, tag: u8, content: &[u8]) {
    out.push(tag);
    out.extend(content);
}

fn block(out: &mut Vec<u8>, tag: u8, content: &[u8]) {
    tagged(out, tag, &length(content.len()));
    out.extend(content);
}

/// Takes one value off the front of `bytes`; `None` if they do not start with a whole value.
pub fn decode(bytes: &mut &[u8]) -> Option<Value> {
    decode_nested(bytes, 0)
}

fn decode_nested(bytes: &mut &[u8], depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let [tag] = take(bytes)?;
    Some(match tag {
        b'n' => Value::None,
        b't' | b'f' => Value::Bool(tag == b't'),
        b'i' => Value::Int(i64::from_le_bytes(take(bytes)?)),
        b'd' => Value::Float(f64::from_le_bytes(take(bytes)?)),
        b'c' => Value::Complex(f64::from_le_bytes(take(bytes)?), f64::from_le_bytes(take(bytes)?)),
        b'I' => Value::BigInt(String::from_utf8(take_block(bytes)?).ok()?),
        b's' => Value::Str(String::from_utf8(take_block(bytes)?).ok()?),
        b'u' => Value::Surrogates(take_block(bytes)?),
        b'b' => Value::Bytes(take_block(bytes)?),
        b'l' => Value::List(take_many(bytes, |bytes| decode_nested(bytes, depth + 1))?),
        b'm' => Value::Map(take_many(bytes, |bytes| {
            Some((decode_nested(bytes, depth + 1)?, decode_nested(bytes, depth + 1)?))
        })?),
        b'a' => decode_array(bytes, depth)?,
        b'o' => Value::Opaque {
            type_name: decode_nested(bytes, depth + 1)?.to_text()?,
            text: decode_nested(bytes, depth + 1)?.to_text()?,
        },
        _ => return None,
    })
}

fn decode_array(bytes: &mut &[u8], depth: usize) -> Option<Value> {
    let dtype = decode_nested(bytes, depth + 1)?.to_text()?;
    let shape = decode_nested(bytes, depth + 1)?;
    let shape = shape.as_list()?.iter().map(|side| u64::try_from(side.as_i64()?).ok()).collect::<Option<_>>()?;
    let Value::Bytes(data) = decode_nested(bytes, depth + 1)? else { return None };
    Some(Value::Array { dtype, shape, data })
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = bytes.split_first_chunk::<N>()?;
    *bytes = tail;
    Some(*head)
}

fn take_len(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(take(bytes)?)).ok()
}

fn take_block(bytes: &mut &[u8]) -> Option<Vec<u8>> {
    let len = take_len(bytes)?;
    let (head, tail) = bytes.split_at_checked(len)?;
    *bytes = tail;
    Some(head.to_vec())
}

fn take_many<T>(bytes: &mut &[u8], mut one: impl FnMut(&mut &[u8]) -> Option<T>) -> Option<Vec<T>> {
    // Not reserved in advance: a damaged length must not cost memory.
    let count = take_len(bytes)?;
    (0..count).map(|_| one(bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_round_trip(value: Value) {
        let mut bytes = Vec::new();
        encode(&value, &mut bytes);
        let mut rest = &bytes[..];
        let back = decode(&mut rest).unwrap();
        assert!(rest.is_empty());
        let mut again = Vec::new();
        encode(&back, &mut again);
        // Compared as bytes, since NaN differs from itself.
        assert_eq!(bytes, again, "{value:?}");
        for cut in 0..bytes.len() {
            assert_eq!(decode(&mut &bytes[..cut]), None, "{value:?} cut at {cut}");
        }
    }

    #[test]
    fn values_survive_encoding_and_no_cut_one_is_accepted() {
        for float in [0.0, -0.0, 1.5, f64::MIN_POSITIVE / 4.0, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            check_round_trip(Value::Float(float));
            check_round_trip(Value::Complex(float, -float));
        }
        for value in [
            Value::None,
            Value::Bool(true),
            Value::Int(i64::MIN),
            Value::BigInt("-10000000000000000".to_owned()),
            Value::from("naïve \0 text"),
            Value::Surrogates(vec![0xED, 0xB2, 0x80]),
            Value::Bytes((0..=255).collect()),
            Value::map([("a", Value::List(vec![Value::None, Value::from(2.5)])), ("b", Value::Map(vec![]))]),
            Value::Array { dtype: "<f4".to_owned(), shape: vec![2, 1], data: vec![0; 8] },
            Value::Opaque { type_name: "Thing".to_owned(), text: "<Thing>".to_owned() },
        ] {
            check_round_trip(value);
        }
    }

    #[test]
    fn paths_that_are_not_unicode_survive() {
        for bytes in [&b"/plain/path"[..], "/naïve".as_bytes(), b"/caf\xe9/\xff\x80x"] {
            let path = PathBuf::from(OsString::from_vec(bytes.to_vec()));
            assert_eq!(Value::from_path(&path).to_path(), Some(path));
        }
    }

    #[test]
    fn damaged_bytes_are_refused_or_read_and_never_panic() {
        let mut bytes = Vec::new();
        let array = Value::Array { dtype: "<f8".to_owned(), shape: vec![1], data: vec![1; 8] };
        encode(&Value::map([("key", Value::List(vec![array, Value::from(u64::MAX)]))]), &mut bytes);
        for at in 0..bytes.len() {
            for byte in 0..=255 {
                let mut damaged = bytes.clone();
                damaged[at] = byte;
                decode(&mut &damaged[..]);
            }
        }
    }

    #[test]
    fn a_value_nested_without_end_is_refused() {
        let bytes = b"l\x01\0\0\0".repeat(1000);
        assert_eq!(decode(&mut &bytes[..]), None);
    }
}
