//! `stepped` and `untargeted`: values of another domain that a search moves by the user's own neighbour function, or
//! draws again for every test.

use std::cell::RefCell;

use serde::Deserialize;
use temper::domain::{draw_stepped, draw_untargeted};

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::{Part, ValueDomain, ValueKind};
use crate::node::{Drawing, Solved, ValueNode};

/// Values with the user's own neighbours.
#[derive(Debug, Deserialize)]
pub struct Stepped {
    /// Where the first value comes from.
    inner: ValueDomain,
    /// The number of the neighbour function in the program.
    function: usize,
}

impl ValueKind for Stepped {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        visit(Part::Domain(&self.inner));
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let inner = self.inner.compile(compiler, place.unnamed())?;
        Ok(Box::new(SteppedNode { inner, function: self.function }))
    }
}

#[derive(Debug)]
struct SteppedNode {
    inner: Box<dyn ValueNode>,
    function: usize,
}

impl ValueNode for SteppedNode {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let Drawing { choices, builder, functions, recursion } = drawing;
        let builder = RefCell::new(&mut **builder);
        draw_stepped(
            choices,
            |choices| {
                let builder = &mut **builder.borrow_mut();
                self.inner.fill(&mut Drawing { choices, builder, functions: *functions, recursion }, solved)
            },
            |(), temperature, choices| builder.borrow_mut().compose(self.function, Some(temperature), choices),
        )
    }
}

/// Values that a search draws again for every test.
#[derive(Debug, Deserialize)]
pub struct Untargeted {
    inner: ValueDomain,
}

impl ValueKind for Untargeted {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        visit(Part::Domain(&self.inner));
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        Ok(Box::new(UntargetedNode(self.inner.compile(compiler, place.unnamed())?)))
    }
}

#[derive(Debug)]
struct UntargetedNode(Box<dyn ValueNode>);

impl ValueNode for UntargetedNode {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let Drawing { choices, builder, functions, recursion } = drawing;
        draw_untargeted(choices, |choices| {
            let builder = &mut **builder;
            self.0.fill(&mut Drawing { choices, builder, functions: *functions, recursion }, solved)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, fails};

    #[test]
    fn both_draw_from_the_inner_domain() {
        let inner = r#""inner":{"kind":"bools"}"#;
        check(&format!(r#"{{"kind":"untargeted",{inner}}}"#), Laws::all(&["False", "True"]).simplest("False"));
        check(&format!(r#"{{"kind":"stepped","function":1,{inner}}}"#), Laws::all(&["False", "True"]));
    }

    #[test]
    fn an_empty_inner_domain_is_refused() {
        let inner = r#""inner":{"kind":"froms","values":[]}"#;
        fails(&format!(r#"{{"kind":"untargeted",{inner}}}"#), "the list of values is empty");
        fails(&format!(r#"{{"kind":"stepped","function":1,{inner}}}"#), "the list of values is empty");
        fails(r#"{"kind":"untargeted"}"#, "missing field `inner`");
    }
}
