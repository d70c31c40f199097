//! Internal: the Python module `temper._engine`. Converts types and holds no logic.

mod builder;
mod model;
mod observe;
mod program;
mod source;
mod subject;

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

/// Runs the command line and returns its exit code. `arguments` starts with the program's name; `executable` is the
/// interpreter that Temper is installed in, and `package_dir` the folder that holds its Python package.
#[pyfunction]
#[pyo3(signature = (arguments, executable, package_dir=None))]
fn main(py: Python<'_>, arguments: Vec<OsString>, executable: Option<PathBuf>, package_dir: Option<PathBuf>) -> u8 {
    py.detach(|| temper_cli::run(arguments, temper_cli::Host { python: executable, package_dir }))
}

/// The compiled part of Temper.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<program::PyProgram>()?;
    module.add_class::<subject::PyRunReport>()?;
    module.add_class::<subject::PyFoundFailure>()?;
    module.add_function(wrap_pyfunction!(model::judge_model, module)?)?;
    module.add("Rejection", module.py().get_type::<source::Rejection>())?;
    module.add_function(wrap_pyfunction!(program::problems, module)?)?;
    module.add_function(wrap_pyfunction!(program::plot, module)?)?;
    module.add_function(wrap_pyfunction!(program::answers, module)?)?;
    module.add_function(wrap_pyfunction!(program::saved_failures, module)?)?;
    module.add_function(wrap_pyfunction!(program::save_failure, module)?)?;
    module.add_function(wrap_pyfunction!(observe::assertion_sites, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)
}
