//! Internal: the Python module `temper._engine`. Converts types and holds no logic.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

/// Runs the command line and returns its exit code. `arguments` starts with the program's name; `executable` is the
/// interpreter that Temper is installed in.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>, executable: Option<PathBuf>) -> u8 {
    py.detach(|| temper_cli::run(arguments, executable))
}

/// The compiled part of Temper.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(main, module)?)
}
