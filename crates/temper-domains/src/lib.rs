//! Internal: the annotation language. A constraint tree says which values the arguments of a function may take; the
//! solver turns it, together with the preconditions it understands, into a [`Plan`] from which every draw is right by
//! construction; drawing builds values through a [`Builder`], so that the same choices give native Python objects in a
//! worker and exact source text in a report. Source: AnnoTest (section 3.1), extended by dependent constraints.

mod cells;
mod compile;
mod constraint;
mod decide;
mod draw;
mod error;
mod interval;
mod linear;
mod plan;
mod terms;
mod text;
mod value;

pub use cells::{Cells, DType};
pub use constraint::{
    Argument, Comparison, Condition, Constant, Constraint, Dimension, Function, Passing, Path, Precondition, Shape,
    Term,
};
pub use draw::{BuildError, Builder, Program};
pub use error::AnnotationError;
pub use plan::Plan;
pub use text::{call_text, float_text, string_text, value_text};
pub use value::{Signature, Value, ValueBuilder};
