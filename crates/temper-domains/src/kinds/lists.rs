//! `lists`: lists of one kind of element, or tuples of any length.

use serde::Deserialize;

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::{Part, ValueDomain, ValueKind};
use crate::node::{Drawing, Solved, ValueNode};
use crate::solve::terms::Term;
use crate::solve::unknowns::{Answer, Count, NoAnswer, Quantity};

/// Lists.
#[derive(Debug, Deserialize)]
pub struct Lists {
    element: ValueDomain,
    min_len: Term,
    max_len: Term,
    #[serde(default)]
    is_tuple: bool,
}

impl ValueKind for Lists {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        visit(Part::Term(&self.min_len));
        visit(Part::Term(&self.max_len));
        visit(Part::Domain(&self.element));
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let len = compiler.count(&self.min_len, &self.max_len, place)?;
        let element = self.element.compile(compiler, place.unnamed())?;
        Ok(Box::new(ListNode { len, element, is_tuple: self.is_tuple }))
    }
}

#[derive(Debug)]
struct ListNode {
    len: Count,
    element: Box<dyn ValueNode>,
    is_tuple: bool,
}

impl ValueNode for ListNode {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let len = drawing.items(solved.count(&self.len)?, &*self.element, solved)?;
        drawing.builder.sequence(len, self.is_tuple);
        Ok(())
    }

    fn type_name(&self) -> Option<&str> {
        Some(if self.is_tuple { "tuple" } else { "list" })
    }

    fn len(&self, _: &[usize]) -> Answer<Quantity> {
        self.len.quantity()
    }

    fn sides(&self, _: &[usize]) -> Answer<Vec<Quantity>> {
        Err(NoAnswer::Undefined)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, fails};

    fn lists(element: &str, min: i64, max: i64, more: &str) -> String {
        format!(r#"{{"kind":"lists","element":{element},"min_len":{{"int":{min}}},"max_len":{{"int":{max}}}{more}}}"#)
    }

    #[test]
    fn all_short_lists_are_drawn() {
        let bools = lists(r#"{"kind":"bools"}"#, 0, 1, "");
        check(&bools, Laws::all(&["[]", "[False]", "[True]"]).simplest("[]"));
        let tuples = lists(r#"{"kind":"bools"}"#, 1, 1, r#","is_tuple":true"#);
        check(&tuples, Laws::all(&["(False,)", "(True,)"]).simplest("(False,)"));
    }

    #[test]
    fn lists_nest() {
        let inner = lists(r#"{"kind":"ints","min":{"int":1},"max":{"int":1}}"#, 1, 1, "");
        check(&lists(&inner, 2, 2, ""), Laws::one("[[1], [1]]"));
    }

    #[test]
    fn wrong_lengths_and_elements_are_refused() {
        fails(&lists(r#"{"kind":"bools"}"#, 3, 1, ""), "the least length is 3 and the greatest 1");
        fails(&lists(r#"{"kind":"ints","min":{"int":5},"max":{"int":3}}"#, 0, 1, ""), "min is above max");
        fails(&lists(r#"{"kind":"primes"}"#, 0, 1, ""), "there is no kind of value `primes`");
        fails(&lists("{}", 0, 1, ""), "a domain has no `kind`");
    }
}
