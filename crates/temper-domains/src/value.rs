//! Values on the Rust side: what a report shows and what tests look at. Built from the same choices as the Python
//! objects of a worker.

use std::collections::{HashMap, VecDeque};

use temper::Choices;

use crate::function::{Constant, Passing};
use crate::kinds::cells::{DType, half_value};
use crate::program::{BuildError, Builder};
use crate::text::{call_text, value_text};

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
        /// The library whose array it is, if not numpy's own.
        lib: Option<String>,
    },
    /// A data frame, by columns.
    Frame(Vec<(String, Vec<Value>)>),
    /// Something known by its source text only.
    Source(String),
}

impl std::fmt::Display for Value {
    /// Python source text that gives the value again.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&value_text(self))
    }
}

/// How calls of one function are written.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// The expression that is called.
    pub label: String,
    /// Its arguments.
    pub arguments: Vec<(Passing, String)>,
    /// Whether it is an attribute that is read, and not called.
    pub is_attribute: bool,
}

impl Signature {
    /// The call with these values, as source text, without the arguments at the omitted places.
    pub fn call(&self, values: Vec<Value>, omitted: &[usize]) -> String {
        let parts = self.arguments.iter().zip(values).enumerate().filter(|(at, _)| !omitted.contains(at));
        let mut is_gap = false;
        let arguments: Vec<(Passing, &str, Value)> = parts
            .enumerate()
            .map(|(written, (at, ((passing, name), value)))| {
                is_gap |= written != at;
                // After an argument that is left out, the others need their names.
                let passing = if is_gap && *passing == Passing::Positional { Passing::Keyword } else { *passing };
                (passing, name.as_str(), value)
            })
            .collect();
        let text = call_text(&self.label, &arguments);
        if self.is_attribute { text.trim_end_matches("()").to_owned() } else { text }
    }
}

/// Builds [`Value`]s. Generators are not run: their calls become source text.
#[derive(Clone, Debug, Default)]
pub struct ValueBuilder {
    /// The functions of the program, for the text of calls.
    pub signatures: Vec<Signature>,
    /// The texts of composed values, by function, in the order they were made.
    pub composed: HashMap<usize, VecDeque<String>>,
}

impl Builder for ValueBuilder {
    type Value = Value;

    fn bool(&mut self, value: bool) -> Value {
        Value::Bool(value)
    }

    fn int(&mut self, value: i64) -> Value {
        Value::Int(value)
    }

    fn float(&mut self, value: f64) -> Value {
        Value::Float(value)
    }

    fn text(&mut self, value: &str) -> Value {
        Value::Text(value.to_owned())
    }

    fn sequence(&mut self, items: Vec<Value>, is_tuple: bool) -> Value {
        if is_tuple { Value::Tuple(items) } else { Value::List(items) }
    }

    fn dict(&mut self, items: Vec<(Value, Value)>) -> Value {
        Value::Dict(items)
    }

    fn constant(&mut self, constant: &Constant) -> Value {
        Value::Source(constant.text.clone())
    }

    fn array(
        &mut self,
        dtype: DType,
        shape: &[usize],
        lib: Option<&str>,
        fill: &mut dyn FnMut(&mut [u8]) -> Result<(), BuildError>,
    ) -> Result<Value, BuildError> {
        let mut data = vec![0; shape.iter().product::<usize>() * dtype.size()];
        fill(&mut data)?;
        Ok(Value::Array { dtype, shape: shape.to_vec(), data, lib: lib.map(str::to_owned) })
    }

    fn frame(&mut self, columns: Vec<(&str, Vec<Value>)>) -> Result<Value, BuildError> {
        Ok(Value::Frame(columns.into_iter().map(|(name, items)| (name.to_owned(), items)).collect()))
    }

    fn call(&mut self, function: usize, arguments: Vec<Value>) -> Result<Value, BuildError> {
        let signature = self.signatures.get(function).ok_or(BuildError::Failed)?;
        Ok(Value::Source(signature.call(arguments, &[])))
    }

    fn compose(&mut self, function: usize, _: Option<(Value, f64)>, _: &mut Choices) -> Result<Value, BuildError> {
        let text = self.composed.get_mut(&function).and_then(VecDeque::pop_front);
        Ok(Value::Source(text.unwrap_or_else(|| "...".to_owned())))
    }

    fn accepts(&mut self, _: usize, _: &[Value]) -> Result<bool, BuildError> {
        Ok(true)
    }

    fn same(&self, left: &Value, right: &Value) -> bool {
        left == right
    }
}

/// The one or two floats of a cell.
pub(crate) fn cell_parts(dtype: DType, cell: &[u8]) -> Vec<f64> {
    let part = if dtype == DType::Complex64 { DType::Float32 } else { DType::Float64 };
    cell.chunks_exact(part.size()).map(|bytes| cell_number(part, bytes)).collect()
}

/// A cell as a float; exact for all but 64-bit whole numbers.
pub(crate) fn cell_number(dtype: DType, cell: &[u8]) -> f64 {
    macro_rules! read {
        ($kind:ty) => {{
            let mut bytes = [0u8; size_of::<$kind>()];
            bytes.copy_from_slice(&cell[..size_of::<$kind>()]);
            <$kind>::from_ne_bytes(bytes)
        }};
    }
    match dtype {
        DType::Bool | DType::Uint8 => f64::from(cell[0]),
        DType::Int8 => f64::from(cell[0] as i8),
        DType::Int16 => f64::from(read!(i16)),
        DType::Uint16 => f64::from(read!(u16)),
        DType::Int32 => f64::from(read!(i32)),
        DType::Uint32 => f64::from(read!(u32)),
        DType::Int64 => read!(i64) as f64,
        DType::Uint64 => read!(u64) as f64,
        DType::Float16 => half_value(read!(u16)),
        DType::Float32 | DType::Complex64 => f64::from(read!(f32)),
        DType::Float64 | DType::Complex128 => read!(f64),
    }
}
