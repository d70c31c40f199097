//! Builds native Python objects from choices: the [`Builder`] of a worker.

use std::sync::OnceLock;

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyString, PyTuple};
use temper::Choices;
use temper_domains::{BuildError, Builder, Constant, DType};

use crate::source::{Rejection, Source};

/// What the builder needs from Python; made once for a program.
pub struct Tools {
    /// Values that the user wrote out, by their numbers, and how to copy those that a subject could change.
    pub constants: Vec<(Py<PyAny>, Option<Py<PyAny>>)>,
    /// What a generator returns for the tuple of its arguments, by the numbers of functions.
    pub callers: Vec<Py<PyAny>>,
    /// Whether a generator's preconditions hold for its arguments, by the numbers of functions; `None` without any.
    pub filters: Vec<Py<PyAny>>,
    /// `numpy.empty`, once an array was asked for.
    pub empty: OnceLock<Py<PyAny>>,
    /// Turns an array into a tensor of a library: `convert(lib, array)`.
    pub convert: Py<PyAny>,
    /// Makes a data frame of a dictionary of columns.
    pub frame: Py<PyAny>,
}

/// A builder for one draw.
pub struct PyBuilder<'py, 't> {
    /// The interpreter.
    pub py: Python<'py>,
    /// What it needs.
    pub tools: &'t Tools,
    /// Why a value could not be built.
    pub error: Option<PyErr>,
}

impl<'py> PyBuilder<'py, '_> {
    fn keep<T>(&mut self, result: PyResult<T>) -> Result<T, BuildError> {
        result.map_err(|error| {
            self.error = Some(error);
            BuildError::Failed
        })
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
/// resize it; its address comes from numpy's own description, since the buffer protocol is not in the stable ABI of
/// Python 3.10.
fn address_of(array: &Bound<'_, PyAny>) -> PyResult<usize> {
    array.getattr("__array_interface__")?.get_item("data")?.get_item(0)?.extract()
}

impl<'py> Builder for PyBuilder<'py, '_> {
    type Value = Bound<'py, PyAny>;

    fn bool(&mut self, value: bool) -> Self::Value {
        PyBool::new(self.py, value).to_owned().into_any()
    }

    fn int(&mut self, value: i64) -> Self::Value {
        match value.into_pyobject(self.py) {
            Ok(int) => int.into_any(),
        }
    }

    fn float(&mut self, value: f64) -> Self::Value {
        PyFloat::new(self.py, value).into_any()
    }

    fn text(&mut self, value: &str) -> Self::Value {
        PyString::new(self.py, value).into_any()
    }

    fn sequence(&mut self, items: Vec<Self::Value>, is_tuple: bool) -> Self::Value {
        let made = if is_tuple {
            PyTuple::new(self.py, items).map(Bound::into_any)
        } else {
            PyList::new(self.py, items).map(Bound::into_any)
        };
        self.or_none(made)
    }

    fn dict(&mut self, items: Vec<(Self::Value, Self::Value)>) -> Self::Value {
        let dict = PyDict::new(self.py);
        for (key, value) in items {
            if let Err(error) = dict.set_item(key, value) {
                self.error = Some(error);
            }
        }
        dict.into_any()
    }

    fn constant(&mut self, constant: &Constant) -> Self::Value {
        match self.tools.constants.get(constant.index) {
            Some((value, None)) => value.bind(self.py).clone(),
            Some((value, Some(copy))) => {
                let made = copy.bind(self.py).call1((value,));
                self.or_none(made)
            }
            None => self.py.None().into_bound(self.py),
        }
    }

    fn array(
        &mut self,
        dtype: DType,
        shape: &[usize],
        lib: Option<&str>,
        fill: &mut dyn FnMut(&mut [u8]) -> Result<(), BuildError>,
    ) -> Result<Self::Value, BuildError> {
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
        match lib {
            None => Ok(array),
            Some(lib) => {
                let tensor = self.tools.convert.bind(self.py).call1((lib, array));
                self.keep(tensor)
            }
        }
    }

    fn frame(&mut self, columns: Vec<(&str, Vec<Self::Value>)>) -> Result<Self::Value, BuildError> {
        let dict = PyDict::new(self.py);
        for (name, items) in columns {
            let set = PyList::new(self.py, items).and_then(|items| dict.set_item(name, items));
            self.keep(set)?;
        }
        let frame = self.tools.frame.bind(self.py).call1((dict,));
        self.keep(frame)
    }

    fn call(&mut self, function: usize, arguments: Vec<Self::Value>) -> Result<Self::Value, BuildError> {
        let Some(caller) = self.tools.callers.get(function) else { return Err(BuildError::Failed) };
        let caller = caller.bind(self.py).clone();
        let result = PyTuple::new(self.py, arguments).and_then(|arguments| caller.call1((arguments,)));
        self.keep(result)
    }

    fn compose(
        &mut self,
        function: usize,
        moved: Option<(Self::Value, f64)>,
        choices: &mut Choices,
    ) -> Result<Self::Value, BuildError> {
        let Some(caller) = self.tools.callers.get(function) else { return Err(BuildError::Failed) };
        let made = compose(self.py, caller, moved, choices);
        match made {
            Err(error) if error.is_instance_of::<Rejection>(self.py) => Err(BuildError::Rejected),
            made => self.keep(made),
        }
    }

    fn accepts(&mut self, function: usize, arguments: &[Self::Value]) -> Result<bool, BuildError> {
        let Some(filter) = self.tools.filters.get(function) else { return Err(BuildError::Failed) };
        let filter = filter.bind(self.py).clone();
        if filter.is_none() {
            return Ok(true);
        }
        let answer = PyTuple::new(self.py, arguments).and_then(|arguments| filter.call1((arguments,))?.is_truthy());
        self.keep(answer)
    }

    fn same(&self, left: &Self::Value, right: &Self::Value) -> bool {
        left.eq(right).unwrap_or(false)
    }
}

impl<'py> PyBuilder<'py, '_> {
    fn or_none(&mut self, made: PyResult<Bound<'py, PyAny>>) -> Bound<'py, PyAny> {
        made.unwrap_or_else(|error| {
            self.error = Some(error);
            self.py.None().into_bound(self.py)
        })
    }
}

/// Calls a function that asks for choices itself. They are lent to it through an object of Python's and taken back
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
