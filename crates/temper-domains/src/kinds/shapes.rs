//! `np_shapes`: shapes of arrays, as tuples; and the shapes that arrays are drawn with.

use serde::Deserialize;
use temper::Spread;

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::{Part, ValueKind};
use crate::node::{Drawing, NodeItem, Solved, ValueNode};
use crate::solve::terms::Term;
use crate::solve::unknowns::{Amount, Answer, NoAnswer, Quantity, Side, unfold};

/// A range of shapes.
#[derive(Clone, Debug, Deserialize)]
pub struct Shapes {
    /// The least number of dimensions.
    pub min_dims: i64,
    /// The greatest number of dimensions.
    pub max_dims: i64,
    /// The least size of a dimension.
    pub min_side: Term,
    /// The greatest size of a dimension.
    pub max_side: Term,
}

impl Shapes {
    /// The shape of an array; its dimensions are unknowns if something may refer to them and their number is fixed.
    ///
    /// # Errors
    /// When there is no such shape.
    pub fn compile_shape(
        &self,
        compiler: &mut Compiler,
        place: NodePlace<'_>,
    ) -> Result<CompiledShape, AnnotationError> {
        let Shapes { min_dims, max_dims, min_side, max_side } = self;
        if min_dims > max_dims || *max_dims < 0 {
            let fact = format!("min_dims is {min_dims} and max_dims is {max_dims}");
            return Err(compiler.empty(fact, "raise `max_dims` or lower `min_dims`"));
        }
        if let (Some(low), Some(high)) = (min_side.fixed(), max_side.fixed())
            && (low > high || low < 0)
        {
            let fact = format!("min_side is {low} and max_side is {high}");
            return Err(compiler.empty(fact, "raise `max_side` or lower `min_side`"));
        }
        if !place.is_referred || min_dims != max_dims {
            let sides = (min_side.into(), max_side.into());
            return Ok(CompiledShape::Free { dims: (*min_dims, *max_dims), sides });
        }
        let side = |_| Side::Unknown(compiler.whole_unknown(min_side, max_side, 0, place.owners));
        Ok(CompiledShape::Known((0..*max_dims).map(side).collect()))
    }
}

impl ValueKind for Shapes {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        visit(Part::Term(&self.min_side));
        visit(Part::Term(&self.max_side));
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        Ok(Box::new(ShapeNode(self.compile_shape(compiler, place)?)))
    }
}

/// A shape that can be drawn.
#[derive(Clone, Debug)]
pub enum CompiledShape {
    /// Dimensions that the solver knows.
    Known(Vec<Side>),
    /// Any shape of a range.
    Free {
        /// The least and greatest number of dimensions.
        dims: (i64, i64),
        /// The least and greatest size of a dimension.
        sides: (Amount, Amount),
    },
    /// One of these shapes.
    OneOf(Vec<Vec<i64>>),
}

impl CompiledShape {
    /// Draws a shape.
    ///
    /// # Errors
    /// When there is none with these choices.
    pub fn draw(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<Vec<usize>, BuildError> {
        let choices = &mut *drawing.choices;
        let sides: Vec<i64> = match self {
            CompiledShape::Known(sides) => solved.sides(sides),
            CompiledShape::OneOf(shapes) => shapes[choices.index(shapes.len())].clone(),
            CompiledShape::Free { dims: (least, most), sides } => {
                let (low, high) = (solved.amount(&sides.0)?.max(0), solved.amount(&sides.1)?);
                if low > high {
                    return Err(BuildError::Rejected);
                }
                let mut list = choices.begin_list(*least as usize, *most as usize, true);
                let mut drawn = Vec::new();
                while choices.more(&mut list) {
                    drawn.push(choices.integer(low, high, Spread::Edges));
                }
                choices.end_list(list);
                drawn
            }
        };
        sides.into_iter().map(|side| usize::try_from(side).map_err(|_| BuildError::Rejected)).collect()
    }

    /// The dimensions under a skeleton.
    ///
    /// # Errors
    /// When they are drawn only later.
    pub fn sides(&self, skeleton: &[usize]) -> Answer<Vec<Quantity>> {
        match self {
            CompiledShape::Known(sides) => Ok(unfold(sides, skeleton)),
            _ => Err(NoAnswer::Unclear),
        }
    }
}

#[derive(Debug)]
struct ShapeNode(CompiledShape);

impl ValueNode for ShapeNode {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let shape = self.0.draw(drawing, solved)?;
        shape.iter().for_each(|&side| drawing.builder.int(side as i64));
        drawing.builder.sequence(shape.len(), true);
        Ok(())
    }

    fn is_replaceable(&self) -> bool {
        false
    }

    fn type_name(&self) -> Option<&str> {
        Some("tuple")
    }

    fn len(&self, skeleton: &[usize]) -> Answer<Quantity> {
        Ok(Quantity::Int(self.0.sides(skeleton)?.len() as i64))
    }

    fn item(&self, at: usize) -> Answer<NodeItem<'_>> {
        // Shapes that are values have no leading dimensions, so no skeleton changes their number.
        let sides = self.0.sides(&[])?;
        sides.get(at).map(|&side| NodeItem::Number(side)).ok_or(NoAnswer::Undefined)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, fails};

    fn shapes(dims: (i64, i64), sides: (i64, i64)) -> String {
        format!(
            r#"{{"kind":"np_shapes","min_dims":{},"max_dims":{},"min_side":{{"int":{}}},"max_side":{{"int":{}}}}}"#,
            dims.0, dims.1, sides.0, sides.1
        )
    }

    #[test]
    fn all_small_shapes_are_drawn() {
        let all = ["(0,)", "(1,)", "(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"];
        check(&shapes((1, 2), (0, 1)), Laws::all(&all).simplest("(0,)"));
        check(&shapes((0, 0), (1, 9)), Laws::one("()"));
    }

    #[test]
    fn empty_ranges_are_refused() {
        fails(&shapes((2, 1), (1, 2)), "min_dims is 2 and max_dims is 1");
        fails(&shapes((1, 1), (3, 2)), "min_side is 3 and max_side is 2");
        fails(&shapes((1, 1), (-1, 2)), "min_side is -1 and max_side is 2");
        fails(r#"{"kind":"np_shapes","min_dims":1}"#, "missing field `max_dims`");
    }
}
