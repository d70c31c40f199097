//! Values that the user wrote out.

use serde::Deserialize;

/// A value that the user wrote out. The value itself stays in the worker; here are its number there, its source text
/// and what preconditions may ask about it.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Constant {
    /// The number of the value in the worker's table.
    pub index: usize,
    /// Python source that gives the value again.
    pub text: String,
    /// The name of its type.
    #[serde(default, rename = "type")]
    pub type_name: String,
    /// Its value, when it is a whole number of 64 bits and no bool.
    #[serde(default)]
    pub int: Option<i64>,
    /// Its value, when it is a float.
    #[serde(default)]
    pub float: Option<f64>,
    /// Its length, when it has one.
    #[serde(default)]
    pub len: Option<i64>,
    /// Its items, when it is a tuple or list of whole numbers.
    #[serde(default)]
    pub items: Option<Vec<i64>>,
    /// Its shape, when it is an array.
    #[serde(default)]
    pub shape: Option<Vec<i64>>,
}
