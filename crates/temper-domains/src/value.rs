//! Values on the Rust side: what a report shows and what tests look at. Built from the same choices as the Python
//! objects of a worker.

use crate::dtype::DType;

/// A Python-shaped value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A bool.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A float.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A tuple.
    Tuple(Vec<Value>),
    /// A dictionary, in order.
    Dict(Vec<(Value, Value)>),
    /// An array: its cells in C order and native byte order.
    Array {
        /// The type of the cells.
        dtype: DType,
        /// The shape.
        shape: Vec<usize>,
        /// The bytes.
        data: Vec<u8>,
    },
    /// What a function of a library makes of other values.
    Call {
        /// The function, as it is written.
        function: &'static str,
        /// What it is given.
        arguments: Vec<Value>,
    },
    /// Something known by its source text only.
    Source(String),
}
