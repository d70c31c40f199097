//! `_engine.Source`: the choices of a draw, lent to a Python function that asks for them itself.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use temper::{ChoiceTree, Choices};

create_exception!(temper._engine, Rejection, PyException, "A part of a draw found no value that its domain allows.");

/// Choices that are lent for the time of one call; empty afterwards.
#[pyclass(module = "temper._engine")]
pub struct Source {
    /// The choices, while they are lent and not in use by a draw.
    pub choices: Option<Choices>,
}

impl Source {
    /// Uses the choices; they are not there while a draw that they are used for is under way.
    pub fn lend<T>(slot: &Bound<'_, Source>, using: impl FnOnce(&mut Choices) -> T) -> PyResult<T> {
        let taken = slot.borrow_mut().choices.take();
        let mut choices =
            taken.ok_or_else(|| PyRuntimeError::new_err("`draw` is used after the function that it was given to"))?;
        let result = using(&mut choices);
        slot.borrow_mut().choices = Some(choices);
        Ok(result)
    }
}

/// The record that these bytes hold.
pub fn parse(tree: &[u8]) -> PyResult<ChoiceTree> {
    ChoiceTree::from_bytes(tree).map_err(|error| PyValueError::new_err(error.to_string()))
}
