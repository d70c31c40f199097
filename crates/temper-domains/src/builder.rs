//! How values are made. A builder is a stack machine: every call puts one value on its stack, made of those that are on
//! top. So drawing knows no type of values, and the same choices give Python objects in a worker and source text in a
//! report.

use temper::{Choices, Rejected};

use crate::constant::Constant;
use crate::dtype::DType;

/// Why a draw gave no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// No value with these choices: a dead end of the solver, or a precondition that does not hold.
    #[error("the choices lead to no value that the annotations allow")]
    Rejected,
    /// The builder failed, and keeps the reason: a generator raised, or memory ran out.
    #[error("a value could not be built")]
    Failed,
}

impl From<Rejected> for BuildError {
    fn from(_: Rejected) -> Self {
        BuildError::Rejected
    }
}

/// A function of a Python library that values are made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryFunction {
    /// The module that is imported.
    pub module: &'static str,
    /// The name in it.
    pub name: &'static str,
    /// The expression in source text, such as `pd.DataFrame`.
    pub written: &'static str,
}

/// Writes the cells of an array into its memory.
pub type FillCells<'f> = &'f mut dyn FnMut(&mut [u8]) -> Result<(), BuildError>;

/// Makes values: Python objects in a worker, Rust values and their source text in reports and tests.
pub trait Builder {
    /// Puts a bool on the stack.
    fn bool(&mut self, value: bool);
    /// Puts a whole number on the stack.
    fn int(&mut self, value: i64);
    /// Puts a float on the stack.
    fn float(&mut self, value: f64);
    /// Puts a text on the stack.
    fn text(&mut self, value: &str);
    /// Puts a value that the user wrote out on the stack.
    fn constant(&mut self, constant: &Constant);
    /// Replaces the last `len` values by a list of them, or a tuple.
    fn sequence(&mut self, len: usize, is_tuple: bool);
    /// Replaces the last `len` pairs of a key and a value by a dictionary; keys differ.
    fn dict(&mut self, len: usize);
    /// Puts an array on the stack whose cells `fill` writes, in C order and native byte order.
    ///
    /// # Errors
    /// When the array cannot be made.
    fn array(&mut self, dtype: DType, shape: &[usize], fill: FillCells<'_>) -> Result<(), BuildError>;
    /// Replaces the last `arguments` values by what a function of a library makes of them.
    ///
    /// # Errors
    /// When it raises or is not installed.
    fn library_call(&mut self, function: LibraryFunction, arguments: usize) -> Result<(), BuildError>;
    /// Replaces the last `arguments` values by what a generator function of the program returns for them.
    ///
    /// # Errors
    /// When it raises.
    fn call(&mut self, function: usize, arguments: usize) -> Result<(), BuildError>;
    /// Puts on the stack what a function of the program makes of choices that it asks for itself. With a temperature it
    /// is a neighbour function, and what it makes replaces the last value, which it moves.
    ///
    /// # Errors
    /// When it raises, or its own draws are rejected.
    fn compose(&mut self, function: usize, moved: Option<f64>, choices: &mut Choices) -> Result<(), BuildError>;
    /// Whether the preconditions of a generator hold for the last `arguments` values: its arguments and shape variables.
    ///
    /// # Errors
    /// When that cannot be told.
    fn accepts(&mut self, function: usize, arguments: usize) -> Result<bool, BuildError>;
    /// Whether the key of the last pair is that of one of the `before` pairs under it.
    fn is_repeated_key(&self, before: usize) -> bool;
    /// The number of values on the stack.
    fn height(&self) -> usize;
    /// Takes values off until that many are left.
    fn truncate(&mut self, height: usize);
}
