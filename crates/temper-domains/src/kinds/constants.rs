//! `constant`: one value that the user wrote out.

use serde::Deserialize;

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::constant::Constant;
use crate::error::AnnotationError;
use crate::kind::ValueKind;
use crate::node::{Asks, Drawing, NodeItem, Solved, ValueNode};
use crate::solve::unknowns::{Answer, NoAnswer, Quantity};

/// One value.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Constants(pub Constant);

impl ValueKind for Constants {
    fn compile(&self, _: &mut Compiler, _: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        Ok(Box::new(self.clone()))
    }
}

impl ValueNode for Constants {
    fn fill(&self, drawing: &mut Drawing<'_>, _: &Solved<'_>) -> Result<(), BuildError> {
        drawing.builder.constant(&self.0);
        Ok(())
    }

    fn asks(&self) -> Asks {
        Asks::Nothing
    }

    fn type_name(&self) -> Option<&str> {
        Some(&self.0.type_name)
    }

    fn number(&self) -> Answer<Quantity> {
        match self.0 {
            Constant { int: Some(value), .. } => Ok(Quantity::Int(value)),
            Constant { float: Some(value), .. } => Ok(Quantity::Float(value)),
            _ => Err(NoAnswer::Unclear),
        }
    }

    fn len(&self, _: &[usize]) -> Answer<Quantity> {
        self.0.len.map(Quantity::Int).ok_or(NoAnswer::Undefined)
    }

    fn sides(&self, _: &[usize]) -> Answer<Vec<Quantity>> {
        let shape = self.0.shape.as_ref().ok_or(NoAnswer::Undefined)?;
        Ok(shape.iter().map(|&side| Quantity::Int(side)).collect())
    }

    fn item(&self, at: usize) -> Answer<NodeItem<'_>> {
        let item = self.0.items.as_ref().and_then(|items| items.get(at)).ok_or(NoAnswer::Unclear)?;
        Ok(NodeItem::Number(Quantity::Int(*item)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Laws, check, fails};

    #[test]
    fn a_constant_is_its_text() {
        check(r#"{"kind":"constant","index":3,"text":"Colour.RED"}"#, Laws::one("Colour.RED"));
        fails(r#"{"kind":"constant","index":3}"#, "missing field `text`");
    }

    #[test]
    fn it_answers_what_the_worker_told_about_it() {
        let node = Constants(Constant { int: Some(4), ..Constant::default() });
        assert_eq!((node.number(), node.len(&[])), (Ok(Quantity::Int(4)), Err(NoAnswer::Undefined)));
        let node = Constants(Constant { len: Some(2), items: Some(vec![7, 8]), ..Constant::default() });
        assert_eq!((node.number(), node.len(&[])), (Err(NoAnswer::Unclear), Ok(Quantity::Int(2))));
        assert!(matches!(node.item(1), Ok(NodeItem::Number(Quantity::Int(8)))));
        assert!(node.item(2).is_err());
        let node = Constants(Constant { shape: Some(vec![3, 0]), ..Constant::default() });
        assert_eq!(node.sides(&[]), Ok(vec![Quantity::Int(3), Quantity::Int(0)]));
    }
}
