//! Builds native Python objects from choices: the [`Builder`] of a worker.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyString, PyTuple};
use temper::Choices;
use temper_domains::{BuildError, Builder, Constant, DType, FillCells, LibraryFunction};

use crate::source::{Rejection, Source};

/// What the builder needs from Python; made once for a program.
pub struct Tools {
    /// Values that the user wrote out, by their numbers, and how to copy those that a subject could change.
    pub constants: Vec<(Py<PyAny>, Option<Py<PyAny>>)>,
    /// What a generator returns for the tuple of its arguments, by the numbers of functions.
    pub callers: Vec<Py<PyAny>>,
    /// Whether a generator's preconditions hold for its arguments, by the numbers of functions; `None` without any.
    pub filters: Vec<Py<PyAny>>,
    /// `numpy.empty`, after the first array.
    empty: OnceLock<Py<PyAny>>,
    /// Functions of libraries that were needed, by module and name.
    library: Mutex<HashMap<(&'static str, &'static str), Py<PyAny>>>,
}

impl Tools {
    /// Tools that have not needed a library yet.
    pub fn new(
        constants: Vec<(Py<PyAny>, Option<Py<PyAny>>)>,
        callers: Vec<Py<PyAny>>,
        filters: Vec<Py<PyAny>>,
    ) -> Tools {
        Tools { constants, callers, filters, empty: OnceLock::new(), library: Mutex::default() }
    }

    fn library_function<'py>(&self, py: Python<'py>, function: LibraryFunction) -> PyResult<Bound<'py, PyAny>> {
        let key = (function.module, function.name);
        let known =
            self.library.lock().unwrap_or_else(PoisonError::into_inner).get(&key).map(|found| found.clone_ref(py));
        if let Some(found) = known {
            return Ok(found.into_bound(py));
        }
        // The import may run any code, so the lock is not held meanwhile.
        let found = py.import(function.module)?.getattr(function.name)?;
        self.library.lock().unwrap_or_else(PoisonError::into_inner).insert(key, found.clone().unbind());
        Ok(found)
    }
}

/// A builder for one draw.
pub struct PyBuilder<'py, 't> {
    /// The interpreter.
    py: Python<'py>,
    /// What it needs.
    tools: &'t Tools,
    /// Why a value could not be built.
    pub error: Option<PyErr>,
    /// The stack.
    pub values: Vec<Bound<'py, PyAny>>,
}

impl<'py, 't> PyBuilder<'py, 't> {
    /// A builder with an empty stack.
    pub fn new(py: Python<'py>, tools: &'t Tools) -> PyBuilder<'py, 't> {
        PyBuilder { py, tools, error: None, values: Vec::with_capacity(16) }
    }

    fn keep<T>(&mut self, result: PyResult<T>) -> Result<T, BuildError> {
        result.map_err(|error| {
            self.error = Some(error);
            BuildError::Failed
        })
    }

    fn keep_pushed(&mut self, result: PyResult<Bound<'py, PyAny>>) -> Result<(), BuildError> {
        let value = self.keep(result)?;
        self.values.push(value);
        Ok(())
    }

    fn push_or_none(&mut self, made: PyResult<Bound<'py, PyAny>>) {
        let value = made.unwrap_or_else(|error| {
            self.error = Some(error);
            self.py.None().into_bound(self.py)
        });
        self.values.push(value);
    }

    /// The last values as a tuple, off the stack.
    fn take(&mut self, count: usize) -> PyResult<Bound<'py, PyTuple>> {
        let from = self.values.len() - count;
        PyTuple::new(self.py, self.values.drain(from..))
    }

    fn empty_array(&mut self, dtype: DType, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let empty = match self.tools.empty.get() {
            Some(empty) => empty.bind(py).clone(),
            None => {
                let empty = py.import("numpy")?.getattr("empty")?;
                self.tools.empty.get_or_init(|| empty.clone().unbind());
                empty
            }
        };
        empty.call1((PyTuple::new(py, shape)?, dtype.name()))
    }
}

/// The memory of a fresh array. An array of `numpy.empty` is contiguous and owns its memory, so that a subject may
/// resize it; its address comes from numpy's own description, because the buffer protocol is not in the stable ABI of
/// Python 3.10.
fn address_of(array: &Bound<'_, PyAny>) -> PyResult<usize> {
    array.getattr("__array_interface__")?.get_item("data")?.get_item(0)?.extract()
}

impl Builder for PyBuilder<'_, '_> {
    fn bool(&mut self, value: bool) {
        self.values.push(PyBool::new(self.py, value).to_owned().into_any());
    }

    fn int(&mut self, value: i64) {
        match value.into_pyobject(self.py) {
            Ok(int) => self.values.push(int.into_any()),
        }
    }

    fn float(&mut self, value: f64) {
        self.values.push(PyFloat::new(self.py, value).into_any());
    }

    fn text(&mut self, value: &str) {
        self.values.push(PyString::new(self.py, value).into_any());
    }

    fn constant(&mut self, constant: &Constant) {
        let made = match self.tools.constants.get(constant.index) {
            Some((value, None)) => Ok(value.bind(self.py).clone()),
            Some((value, Some(copy))) => copy.bind(self.py).call1((value,)),
            None => Ok(self.py.None().into_bound(self.py)),
        };
        self.push_or_none(made);
    }

    fn sequence(&mut self, len: usize, is_tuple: bool) {
        let made = if is_tuple {
            self.take(len).map(Bound::into_any)
        } else {
            let from = self.values.len() - len;
            PyList::new(self.py, self.values.drain(from..)).map(Bound::into_any)
        };
        self.push_or_none(made);
    }

    fn dict(&mut self, len: usize) {
        let dict = PyDict::new(self.py);
        let from = self.values.len() - 2 * len;
        for pair in self.values[from..].chunks_exact(2) {
            if let Err(error) = dict.set_item(&pair[0], &pair[1]) {
                self.error = Some(error);
            }
        }
        self.values.truncate(from);
        self.values.push(dict.into_any());
    }

    fn array(&mut self, dtype: DType, shape: &[usize], fill: FillCells<'_>) -> Result<(), BuildError> {
        let made = self.empty_array(dtype, shape);
        let array = self.keep(made)?;
        let size = shape.iter().product::<usize>() * dtype.size();
        if size > 0 {
            let found = address_of(&array);
            let address = self.keep(found)?;
            if address == 0 {
                return self.keep(Err(PyMemoryError::new_err("an array has no memory")));
            }
            // SAFETY: numpy allocated `size` contiguous bytes at this address for `array`, which lives until we
            // return, and nothing else has a reference to it yet.
            let bytes = unsafe { std::slice::from_raw_parts_mut(address as *mut u8, size) };
            fill(bytes)?;
        }
        self.values.push(array);
        Ok(())
    }

    fn library_call(&mut self, function: LibraryFunction, arguments: usize) -> Result<(), BuildError> {
        let arguments = self.take(arguments);
        let made = self.tools.library_function(self.py, function).and_then(|function| function.call1(arguments?));
        self.keep_pushed(made)
    }

    fn call(&mut self, function: usize, arguments: usize) -> Result<(), BuildError> {
        let Some(caller) = self.tools.callers.get(function) else { return Err(BuildError::Failed) };
        let result = self.take(arguments).and_then(|arguments| caller.bind(self.py).call1((arguments,)));
        self.keep_pushed(result)
    }

    fn compose(&mut self, function: usize, moved: Option<f64>, choices: &mut Choices) -> Result<(), BuildError> {
        let Some(caller) = self.tools.callers.get(function) else { return Err(BuildError::Failed) };
        let moved = moved.and_then(|temperature| Some((self.values.pop()?, temperature)));
        match compose(self.py, caller, moved, choices) {
            Err(error) if error.is_instance_of::<Rejection>(self.py) => Err(BuildError::Rejected),
            made => self.keep_pushed(made),
        }
    }

    fn accepts(&mut self, function: usize, arguments: usize) -> Result<bool, BuildError> {
        let Some(filter) = self.tools.filters.get(function) else { return Err(BuildError::Failed) };
        let filter = filter.bind(self.py).clone();
        if filter.is_none() {
            return Ok(true);
        }
        let from = self.values.len() - arguments;
        let given = PyTuple::new(self.py, &self.values[from..]);
        let answer = given.and_then(|given| filter.call1((given,))?.is_truthy());
        self.keep(answer)
    }

    fn is_repeated_key(&self, before: usize) -> bool {
        let last = self.values.len() - 2;
        (1..=before).any(|pair| self.values[last - 2 * pair].eq(&self.values[last]).unwrap_or(false))
    }

    fn height(&self) -> usize {
        self.values.len()
    }

    fn truncate(&mut self, height: usize) {
        self.values.truncate(height);
    }
}

/// Calls a function that asks for choices itself. They are lent to it through a Python object and taken back
/// afterwards, so that a function that keeps the object can do nothing with it.
fn compose<'py>(
    py: Python<'py>,
    caller: &Py<PyAny>,
    moved: Option<(Bound<'py, PyAny>, f64)>,
    choices: &mut Choices,
) -> PyResult<Bound<'py, PyAny>> {
    let lent = std::mem::replace(choices, Choices::random(0));
    let source = Bound::new(py, Source { choices: Some(lent) })?;
    let made = match moved {
        None => caller.bind(py).call1((&source,)),
        Some((value, temperature)) => caller.bind(py).call1((&source, value, temperature)),
    };
    if let Some(lent) = source.borrow_mut().choices.take() {
        *choices = lent;
    }
    made
}
