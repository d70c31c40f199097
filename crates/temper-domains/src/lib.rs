//! Internal: the language of values. A description says which values the arguments of a function may take; each kind of
//! value compiles its part of it (`kinds/`), and the solver (`solve/`) settles what preconditions and bounds relate. The
//! [`Plan`] that results gives draws that are right by construction. Drawing builds values through a [`Builder`], so that
//! the same choices give native Python objects in a worker and exact source text in a report. Source: AnnoTest (section
//! 3.1), extended by bounds that name other arguments.
//!
//! Modules build on each other from the bottom up: `solve`; `builder`; `node` and `compiler`, which is all that a kind
//! uses; `kind`; `kinds`; `function`; `plan`; `program`.

mod builder;
mod compiler;
mod constant;
mod dtype;
mod error;
mod function;
mod kind;
mod kinds;
mod names;
mod node;
mod plan;
mod program;
mod solve;
#[cfg(test)]
mod testing;
mod text;
mod value;
mod value_builder;

pub use builder::{BuildError, Builder, FillCells, LibraryFunction};
pub use constant::Constant;
pub use dtype::DType;
pub use error::AnnotationError;
pub use function::{Argument, Function, Passing, Precondition};
pub use kind::ValueDomain;
pub use plan::Plan;
pub use program::Program;
pub use solve::terms::{Comparison, Condition, Path, Term};
pub use text::{call_text, float_text, string_text, value_text};
pub use value::Value;
pub use value_builder::{Signature, ValueBuilder};
