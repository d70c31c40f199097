//! Internal: the annotation language. A constraint tree says which values the arguments of a function may take; the
//! solver turns it, together with the preconditions it understands, into a [`Plan`] from which every draw is right by
//! construction; drawing builds values through a [`Builder`], so that the same choices give native Python objects in a
//! worker and exact source text in a report. Source: AnnoTest (section 3.1), extended by dependent constraints.

mod compile;
mod error;
mod function;
mod kinds;
mod names;
mod node;
mod program;
mod solve;
mod text;
mod value;

pub use error::AnnotationError;
pub use function::{
    Argument, Comparison, Condition, Constant, Constraint, Dimension, Function, Passing, Path, Precondition, Shape,
    Term,
};
pub use kinds::cells::{Cells, DType};
pub use program::{BuildError, Builder, Program};
pub use solve::plan::Plan;
pub use text::{call_text, float_text, string_text, value_text};
pub use value::{Signature, Value, ValueBuilder};
