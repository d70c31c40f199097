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
}

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
        Ok(Box::new(TextNode { len, alphabet }))
    }
}

#[derive(Debug)]
struct TextNode {
    len: Count,
    alphabet: Vec<char>,
}

impl ValueNode for TextNode {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let (min, max) = solved.count(&self.len)?;
        let mut list = drawing.choices.begin_list(min, max, true);
        let mut text = String::new();
        while drawing.choices.more(&mut list) {
            // A number and not an alternative: characters near each other are near for a search too.
            let last = self.alphabet.len() as u64 - 1;
            text.push(self.alphabet[drawing.choices.unsigned(0, last, Spread::Uniform) as usize]);
        }
        drawing.choices.end_list(list);
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
    fn what_allows_no_text_is_refused() {
        fails(&texts(3, 2, ""), "the least length is 3 and the greatest 2");
        fails(&texts(0, 2, r#","alphabet":"""#), "the alphabet is empty");
        fails(r#"{"kind":"texts","min_len":{"int":0}}"#, "missing field `max_len`");
    }
}
