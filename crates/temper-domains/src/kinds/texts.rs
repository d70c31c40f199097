//! `texts`: texts of printable characters, or of those of an alphabet.

use serde::Deserialize;
use temper::Spread;

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::{Part, ValueKind};
use crate::node::{Drawing, Solved, ValueNode};
use crate::solve::terms::Term;
use crate::solve::unknowns::{Answer, Count, Quantity};

/// Texts.
#[derive(Clone, Debug, Deserialize)]
pub struct Texts {
    min_len: Term,
    max_len: Term,
    /// The characters to use; printable ASCII when absent.
    #[serde(default)]
    alphabet: Option<String>,
    /// Words and separators that texts are mostly made of, with characters in between; none when absent.
    #[serde(default)]
    parts: Vec<String>,
}

/// Of the items of a text that is made of parts, this many times as many are parts as characters.
const PARTS_TO_CHARACTERS: usize = 4;
/// A fresh text has at most this many items if it is made of parts: several of them are a long text already.
const FEW_PARTS: usize = 8;

impl ValueKind for Texts {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        visit(Part::Term(&self.min_len));
        visit(Part::Term(&self.max_len));
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let len = compiler.count(&self.min_len, &self.max_len, place)?;
        let alphabet: Vec<char> = match &self.alphabet {
            // The simplest character comes first: texts shrink towards it.
            None => ('a'..='z')
                .chain('A'..='Z')
                .chain('0'..='9')
                .chain((' '..='~').filter(|c| !c.is_ascii_alphanumeric()))
                .collect(),
            Some(text) => text.chars().collect(),
        };
        if alphabet.is_empty() {
            return Err(compiler.empty("texts(alphabet=\"\"): the alphabet is empty", "name at least one character"));
        }
        if self.parts.iter().any(String::is_empty) {
            return Err(compiler.empty("texts(parts=[\"\"]): a part is empty", "leave it out"));
        }
        let times = (PARTS_TO_CHARACTERS * alphabet.len()).div_ceil(self.parts.len().max(1));
        let parts = self.parts.iter().cycle().take(times * self.parts.len()).cloned().collect();
        Ok(Box::new(TextNode { len, alphabet, parts }))
    }
}

#[derive(Debug)]
struct TextNode {
    len: Count,
    alphabet: Vec<char>,
    /// Each as often as it is to be drawn; their numbers follow those of the characters.
    parts: Vec<String>,
}

impl TextNode {
    fn push(&self, text: &mut String, item: usize) {
        match self.parts.get(item.wrapping_sub(self.alphabet.len())) {
            Some(part) => text.push_str(part),
            None => text.push(self.alphabet[item]),
        }
    }
}

impl ValueNode for TextNode {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let (min, max) = solved.count(&self.len)?;
        let size = drawing.choices.size();
        if !self.parts.is_empty() {
            drawing.choices.set_size(size.min(FEW_PARTS));
        }
        let mut list = drawing.choices.begin_list(min, max, true);
        drawing.choices.set_size(size);
        let mut text = String::new();
        while drawing.choices.more(&mut list) {
            // A number and not an alternative: characters near each other are near for a search too.
            let last = (self.alphabet.len() + self.parts.len()) as u64 - 1;
            self.push(&mut text, drawing.choices.unsigned(0, last, Spread::Uniform) as usize);
        }
        drawing.choices.end_list(list);
        if let Some((end, _)) = text.char_indices().nth(max) {
            text.truncate(end);
        }
        drawing.builder.text(&text);
        Ok(())
    }

    fn type_name(&self) -> Option<&str> {
        Some("str")
    }

    fn len(&self, _: &[usize]) -> Answer<Quantity> {
        self.len.quantity()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, fails};

    fn texts(min: i64, max: i64, more: &str) -> String {
        format!(r#"{{"kind":"texts","min_len":{{"int":{min}}},"max_len":{{"int":{max}}}{more}}}"#)
    }

    #[test]
    fn lengths_and_characters_are_kept() {
        let of_two = texts(0, 2, r#","alphabet":"ab""#);
        check(&of_two, Laws::all(&["''", "'a'", "'b'", "'aa'", "'ab'", "'ba'", "'bb'"]).simplest("''"));
        let printable = |text: &str| text.len() >= 5 && text.chars().all(|c| (' '..='~').contains(&c));
        check(&texts(3, 6, ""), Laws::within(printable).simplest("'aaa'"));
    }

    #[test]
    fn characters_beyond_ascii_and_quotes_read_back() {
        check(&texts(1, 1, r#","alphabet":"é'\n""#), Laws::all(&["'é'", "\"'\"", "'\\n'"]));
    }

    #[test]
    fn texts_are_made_of_parts_and_keep_their_lengths() {
        let parted = texts(1, 6, r#","alphabet":"a","parts":["conv",":"]"#);
        let is_text = |text: &str| {
            let inner = &text[1..text.len() - 1];
            (1..=6).contains(&inner.len()) && inner.chars().all(|c| "aconv:".contains(c))
        };
        check(&parted, Laws::within(is_text).simplest("'a'"));
        fails(&texts(0, 2, r#","parts":[""]"#), "a part is empty");
    }

    #[test]
    fn what_allows_no_text_is_refused() {
        fails(&texts(3, 2, ""), "the least length is 3 and the greatest 2");
        fails(&texts(0, 2, r#","alphabet":"""#), "the alphabet is empty");
        fails(r#"{"kind":"texts","min_len":{"int":0}}"#, "missing field `max_len`");
    }
}
