//! Characters and strings. A character is an index into an alphabet ordered from simple to strange, so that shrinking
//! ends at `a`.

use super::lists::{Lengths, length_methods};
use super::{Domain, Encoder};
use crate::choices::{Choices, Rejected, Spread};

/// The printable characters of ASCII from simple to strange.
const PRINTABLE: &str =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.,:;!?'\"()[]{}<>@#$%&*+/=\\^`|~";

/// The number of Unicode scalar values: all code points without the surrogates.
const SCALARS: u64 = 0x11_0000 - 0x800;

/// Characters; see [`chars`], [`chars_of`] and [`unicode_chars`].
#[derive(Clone, Debug)]
pub struct Chars {
    /// Simple characters first; in front of all of Unicode when `is_unicode` is set.
    alphabet: Vec<char>,
    is_unicode: bool,
}

/// The printable characters of ASCII; `a` is the simplest.
pub fn chars() -> Chars {
    chars_of(PRINTABLE)
}

/// The characters of `alphabet`, the first the simplest.
///
/// # Panics
/// When the alphabet is empty.
pub fn chars_of(alphabet: &str) -> Chars {
    assert!(!alphabet.is_empty(), "`chars_of` needs at least one character");
    Chars { alphabet: alphabet.chars().collect(), is_unicode: false }
}

/// Every Unicode scalar value, half of the draws printable ASCII.
pub fn unicode_chars() -> Chars {
    Chars { is_unicode: true, ..chars() }
}

impl Chars {
    fn char_at(&self, rank: u64) -> char {
        match self.alphabet.get(rank as usize) {
            Some(&simple) => simple,
            None => scalar(rank - self.alphabet.len() as u64),
        }
    }
}

/// Unicode scalar value number `i`, the gap of the surrogates skipped.
fn scalar(i: u64) -> char {
    let code = if i < 0xD800 { i } else { i + 0x800 };
    char::from_u32(code as u32).unwrap_or('a')
}

impl Domain for Chars {
    type Value = char;

    #[inline]
    fn draw(&self, choices: &mut Choices) -> Result<char, Rejected> {
        let simple = self.alphabet.len() as u64;
        let (last, spread) =
            if self.is_unicode { (simple + SCALARS - 1, Spread::Edges) } else { (simple - 1, Spread::Uniform) };
        Ok(self.char_at(choices.unsigned(0, last, spread)))
    }

    fn is_bare(&self) -> bool {
        true
    }

    fn encode(&self, value: &char, out: &mut Encoder) -> bool {
        let simple = self.alphabet.iter().position(|c| c == value).map(|i| i as u64);
        let code = u64::from(u32::from(*value));
        let scalar = if code < 0xD800 { code } else { code - 0x800 };
        let rank = simple.or(self.is_unicode.then_some(self.alphabet.len() as u64 + scalar));
        out.unsigned(rank.unwrap_or(0));
        rank.is_some()
    }
}

/// Strings; see [`strings`] and [`strings_of`].
#[derive(Clone, Debug)]
pub struct Strings {
    chars: Chars,
    lengths: Lengths,
}

/// Strings of printable ASCII, of 0 to 42 characters unless a length is given; lengths are drawn as for
/// [`vecs`](super::vecs).
pub fn strings() -> Strings {
    strings_of(chars())
}

/// Strings of the given characters, of 0 to 42 of them unless a length is given; lengths are drawn as for
/// [`vecs`](super::vecs).
pub fn strings_of(chars: Chars) -> Strings {
    Strings { chars, lengths: Lengths::ANY }
}

impl Strings {
    length_methods!();
}

impl Domain for Strings {
    type Value = String;

    fn draw(&self, choices: &mut Choices) -> Result<String, Rejected> {
        let mut list = choices.begin_list(self.lengths.min, self.lengths.max, true);
        let mut text = String::with_capacity(list.expected_len());
        for _ in 0..choices.take_plain(&mut list) {
            text.push(self.chars.draw(choices)?);
        }
        while choices.more(&mut list) {
            text.push(self.chars.draw(choices)?);
        }
        choices.end_list(list);
        Ok(text)
    }

    fn encode(&self, value: &String, out: &mut Encoder) -> bool {
        let chars: Vec<char> = value.chars().collect();
        self.lengths.contains(chars.len()) && out.list(&self.chars, &chars, self.lengths.is_resizable())
    }
}
