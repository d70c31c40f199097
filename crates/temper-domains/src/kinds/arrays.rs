//! `np_arrays`: arrays of numpy, and tensors that libraries make of them.

use std::borrow::Cow;

use serde::Deserialize;

use super::anys::SkeletonChoice;
use super::cells::Cells;
use super::shapes::{CompiledShape, Shapes};
use crate::builder::{BuildError, LibraryFunction};
use crate::compiler::{Compiler, NodePlace};
use crate::dtype::DType;
use crate::error::AnnotationError;
use crate::kind::{Part, ValueKind};
use crate::node::{Drawing, Solved, ValueNode};
use crate::solve::terms::{Dimension, Term};
use crate::solve::unknowns::{Answer, NoAnswer, Quantity, Side};

/// The most cells of an array whose shape is drawn; a shape of large sides would fill the memory.
const MAX_CELLS: usize = 1 << 26;

/// Arrays.
#[derive(Clone, Debug, Deserialize)]
pub struct Arrays {
    shape: ArrayShape,
    /// The library whose tensor it becomes; numpy's own array when absent.
    #[serde(default)]
    lib: Option<TensorLibrary>,
    #[serde(flatten)]
    cells: CellTerms,
}

/// The shape of an array.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ArrayShape {
    /// Dimension by dimension.
    Dims(Vec<Dimension>),
    /// Any shape of a range.
    Range(Shapes),
    /// One of these shapes.
    OneOf(Vec<Vec<i64>>),
}

/// A library with tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TensorLibrary {
    Torch,
    Tensorflow,
    Jax,
}

impl TensorLibrary {
    /// What makes a tensor of an array.
    fn function(self) -> LibraryFunction {
        let (module, name, written) = match self {
            TensorLibrary::Torch => ("torch", "from_numpy", "torch.from_numpy"),
            TensorLibrary::Tensorflow => ("tensorflow", "convert_to_tensor", "tf.convert_to_tensor"),
            TensorLibrary::Jax => ("jax.numpy", "asarray", "jnp.asarray"),
        };
        LibraryFunction { module, name, written }
    }
}

/// Which values the cells may take, with bounds that may name other arguments.
#[derive(Clone, Debug, Deserialize)]
struct CellTerms {
    dtype: DType,
    #[serde(default)]
    min: Option<Term>,
    #[serde(default)]
    max: Option<Term>,
    #[serde(default)]
    nan: bool,
    #[serde(default)]
    inf: bool,
    #[serde(default)]
    unique: bool,
}

impl CellTerms {
    /// The cells between the bounds as they are now.
    fn between(&self, min: Option<f64>, max: Option<f64>) -> Result<Cells, String> {
        Cells::new(self.dtype, min, max, self.nan, self.inf, self.unique)
    }

    fn compile(&self, compiler: &Compiler) -> Result<CompiledCells, AnnotationError> {
        let ends = [&self.min, &self.max].map(|end| end.as_ref().map(Term::number));
        let [None | Some(Some(_)), None | Some(Some(_))] = ends else {
            return Ok(CompiledCells::Terms(Box::new(self.clone())));
        };
        let [min, max] = ends.map(Option::flatten);
        let hint = "change `min` or `max` so that a value of that dtype lies between them";
        self.between(min, max).map(CompiledCells::Fixed).map_err(|fact| compiler.empty(fact, hint))
    }
}

impl ValueKind for Arrays {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        self.cells.min.iter().chain(&self.cells.max).for_each(|term| visit(Part::Term(term)));
        match &self.shape {
            ArrayShape::Dims(dims) => dims.iter().for_each(|dimension| visit(Part::Dimension(dimension))),
            ArrayShape::Range(range) => range.parts(visit),
            ArrayShape::OneOf(_) => {}
        }
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let cells = self.cells.compile(compiler)?;
        let array = |shape| ArrayNode { cells: cells.clone(), shape, lib: self.lib };
        match &self.shape {
            ArrayShape::Dims(dims) => {
                let sides = dims.iter().map(|dim| compiler.side(dim, place.owners)).collect::<Result<_, _>>()?;
                Ok(Box::new(array(CompiledShape::Known(sides))))
            }
            ArrayShape::OneOf(shapes) if shapes.is_empty() => {
                Err(compiler.empty("the list of shapes is empty", "write at least one shape"))
            }
            ArrayShape::OneOf(shapes) if place.is_referred && shapes.len() <= compiler.max_froms => {
                let known =
                    |shape: &Vec<i64>| CompiledShape::Known(shape.iter().map(|&side| Side::Fixed(side)).collect());
                let union = compiler.union(shapes.len(), place.owners);
                Ok(choice(union, shapes.iter().map(|shape| array(known(shape)))))
            }
            ArrayShape::OneOf(shapes) => Ok(Box::new(array(CompiledShape::OneOf(shapes.clone())))),
            // A shape of varying rank that something refers to is one alternative for each rank.
            ArrayShape::Range(range) if place.is_referred && range.min_dims < range.max_dims => {
                let union = compiler.union((range.max_dims - range.min_dims + 1) as usize, place.owners);
                let mut nodes = Vec::new();
                for (at, dims) in (range.min_dims..=range.max_dims).enumerate() {
                    let mut owners = place.owners.clone();
                    owners.push((union, at));
                    let one = Shapes { min_dims: dims, max_dims: dims, ..range.clone() };
                    nodes.push(array(one.compile_shape(compiler, NodePlace { owners: &owners, ..place })?));
                }
                Ok(choice(union, nodes.into_iter()))
            }
            ArrayShape::Range(range) => Ok(Box::new(array(range.compile_shape(compiler, place)?))),
        }
    }
}

fn choice(union: usize, nodes: impl Iterator<Item = ArrayNode>) -> Box<dyn ValueNode> {
    let options = nodes.map(|node| Box::new(node) as Box<dyn ValueNode>).collect();
    Box::new(SkeletonChoice { union, options })
}

/// Which values the cells may take: known at once, or when the unknowns in the bounds are.
#[derive(Clone, Debug)]
enum CompiledCells {
    Fixed(Cells),
    Terms(Box<CellTerms>),
}

impl CompiledCells {
    fn now(&self, solved: &Solved<'_>) -> Result<Cow<'_, Cells>, BuildError> {
        match self {
            CompiledCells::Fixed(cells) => Ok(Cow::Borrowed(cells)),
            CompiledCells::Terms(cells) => {
                let end = |term: &Option<Term>| term.as_ref().map(|term| solved.term(term)).transpose();
                let between = cells.between(end(&cells.min)?, end(&cells.max)?);
                between.map(Cow::Owned).map_err(|_| BuildError::Rejected)
            }
        }
    }
}

#[derive(Debug)]
struct ArrayNode {
    cells: CompiledCells,
    shape: CompiledShape,
    lib: Option<TensorLibrary>,
}

impl ValueNode for ArrayNode {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let cells = self.cells.now(solved)?;
        let shape = self.shape.draw(drawing, solved)?;
        let count = shape.iter().try_fold(1usize, |count, &side| count.checked_mul(side));
        if count.is_none_or(|count| count > MAX_CELLS) {
            return Err(BuildError::Rejected);
        }
        let choices = &mut *drawing.choices;
        choices.open("cells");
        let made = drawing.builder.array(cells.dtype, &shape, &mut |bytes| cells.fill(choices, bytes));
        drawing.choices.close();
        made?;
        self.lib.map_or(Ok(()), |lib| drawing.builder.library_call(lib.function(), 1))
    }

    fn is_replaceable(&self) -> bool {
        false
    }

    fn type_name(&self) -> Option<&str> {
        self.lib.is_none().then_some("ndarray")
    }

    fn len(&self, skeleton: &[usize]) -> Answer<Quantity> {
        self.shape.sides(skeleton)?.first().copied().ok_or(NoAnswer::Undefined)
    }

    fn sides(&self, skeleton: &[usize]) -> Answer<Vec<Quantity>> {
        self.shape.sides(skeleton)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, fails};

    fn arrays(dtype: &str, shape: &str, more: &str) -> String {
        format!(r#"{{"kind":"np_arrays","dtype":"{dtype}","shape":{shape}{more}}}"#)
    }

    const ONE: &str = r#"{"dims":[{"size":{"int":1}}]}"#;

    #[test]
    fn cells_and_shapes_are_drawn() {
        let all = ["np.zeros(1, 'bool')", "np.ones(1, 'bool')"];
        check(&arrays("bool", ONE, ""), Laws::all(&all).simplest(all[0]));
        let small = arrays("int8", ONE, r#","min":{"int":-1},"max":{"int":2}"#);
        let all = ["np.zeros(1, 'int8')", "np.ones(1, 'int8')", "np.array([-1], 'int8')", "np.array([2], 'int8')"];
        check(&small, Laws::all(&all).simplest(all[0]));
        let shapes = arrays("uint8", r#"{"one_of":[[2,0],[]]}"#, r#","max":{"int":0}"#);
        check(&shapes, Laws::all(&["np.zeros((2, 0), 'uint8')", "np.zeros((), 'uint8')"]));
        let range = r#"{"range":{"min_dims":1,"max_dims":2,"min_side":{"int":1},"max_side":{"int":1}}}"#;
        let ones = arrays("float32", range, r#","min":{"float":1.0},"max":{"float":1.0}"#);
        check(&ones, Laws::all(&["np.ones(1, 'float32')", "np.ones((1, 1), 'float32')"]));
    }

    #[test]
    fn tensors_are_made_of_arrays() {
        let torch = arrays("bool", r#"{"dims":[{"size":{"int":0}}]}"#, r#","lib":"torch""#);
        check(&torch, Laws::one("torch.from_numpy(np.zeros(0, 'bool'))"));
        fails(&arrays("bool", ONE, r#","lib":"theano""#), "unknown variant `theano`");
    }

    #[test]
    fn cells_that_must_differ_and_cannot_are_a_rejection() {
        let two = r#"{"dims":[{"size":{"int":3}}]}"#;
        check(&arrays("bool", two, r#","unique":true"#), Laws::rejected());
    }

    #[test]
    fn a_shape_too_large_for_memory_is_a_rejection() {
        let large = r#"{"dims":[{"size":{"int":100000}},{"size":{"int":100000}}]}"#;
        check(&arrays("bool", large, ""), Laws::rejected());
    }

    #[test]
    fn what_allows_no_array_is_refused() {
        fails(&arrays("uint8", ONE, r#","min":{"int":300}"#), "no uint8 lies between min 300 and max unset");
        fails(&arrays("uint8", r#"{"one_of":[]}"#, ""), "the list of shapes is empty");
        fails(&arrays("uint8", r#"{"dims":[{"size":{"int":-2}}]}"#, ""), "a dimension is -2");
        fails(&arrays("text", ONE, ""), "unknown variant `text`");
        let empty = r#"{"dims":[{"named":{"name":"n","min":{"int":4},"max":{"int":2}}}]}"#;
        fails(&arrays("uint8", empty, ""), "`n:4..2` is an empty range");
    }
}
