//! `tuples`: tuples with one domain for each element.

use serde::Deserialize;

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::{Part, ValueDomain, ValueKind};
use crate::node::{Drawing, NodeItem, Solved, ValueNode};
use crate::solve::unknowns::{Answer, NoAnswer, Quantity};

/// Tuples.
#[derive(Debug, Deserialize)]
pub struct Tuples {
    elements: Vec<ValueDomain>,
}

impl ValueKind for Tuples {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        self.elements.iter().for_each(|element| visit(Part::Domain(element)));
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let nodes = self.elements.iter().map(|element| element.compile(compiler, place)).collect::<Result<_, _>>()?;
        Ok(Box::new(TupleNode(nodes)))
    }
}

#[derive(Debug)]
struct TupleNode(Vec<Box<dyn ValueNode>>);

impl ValueNode for TupleNode {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        self.0.iter().try_for_each(|node| node.fill(drawing, solved))?;
        drawing.builder.sequence(self.0.len(), true);
        Ok(())
    }

    fn type_name(&self) -> Option<&str> {
        Some("tuple")
    }

    fn len(&self, _: &[usize]) -> Answer<Quantity> {
        Ok(Quantity::Int(self.0.len() as i64))
    }

    fn sides(&self, _: &[usize]) -> Answer<Vec<Quantity>> {
        Err(NoAnswer::Undefined)
    }

    fn item(&self, at: usize) -> Answer<NodeItem<'_>> {
        self.0.get(at).map(|node| NodeItem::Node(&**node)).ok_or(NoAnswer::Unclear)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, constant, fails};

    #[test]
    fn every_element_is_drawn_from_its_domain() {
        let pair =
            format!(r#"{{"kind":"tuples","elements":[{{"kind":"bools"}},{{"kind":"constant",{}}}]}}"#, constant("'x'"));
        check(&pair, Laws::all(&["(False, 'x')", "(True, 'x')"]).simplest("(False, 'x')"));
        check(r#"{"kind":"tuples","elements":[]}"#, Laws::one("()"));
        check(r#"{"kind":"tuples","elements":[{"kind":"bools"}]}"#, Laws::all(&["(False,)", "(True,)"]));
    }

    #[test]
    fn an_empty_element_is_refused() {
        fails(r#"{"kind":"tuples","elements":[{"kind":"froms","values":[]}]}"#, "the list of values is empty");
        fails(r#"{"kind":"tuples"}"#, "missing field `elements`");
    }
}
