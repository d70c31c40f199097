//! `bools`: `False` and `True`.

use serde::Deserialize;

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::ValueKind;
use crate::node::{Asks, Drawing, Solved, ValueNode};
use crate::solve::unknowns::{Answer, NoAnswer, Quantity};

/// Bools.
#[derive(Clone, Debug, Deserialize)]
pub struct Bools {}

impl ValueKind for Bools {
    fn compile(&self, _: &mut Compiler, _: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        Ok(Box::new(self.clone()))
    }
}

impl ValueNode for Bools {
    fn fill(&self, drawing: &mut Drawing<'_>, _: &Solved<'_>) -> Result<(), BuildError> {
        let value = drawing.choices.flag(0.5);
        drawing.builder.bool(value);
        Ok(())
    }

    fn asks(&self) -> Asks {
        Asks::One
    }

    fn type_name(&self) -> Option<&str> {
        Some("bool")
    }

    fn len(&self, _: &[usize]) -> Answer<Quantity> {
        Err(NoAnswer::Undefined)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check};

    #[test]
    fn both_bools_are_drawn() {
        check(r#"{"kind":"bools"}"#, Laws::all(&["False", "True"]).simplest("False"));
    }
}
