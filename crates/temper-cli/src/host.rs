//! Where Temper was started from.

use std::path::PathBuf;

/// Where Temper was started from.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// The interpreter that Temper is installed in; the last choice for running the user's project.
    pub python: Option<PathBuf>,
    /// The folder that holds the Python package `temper`, which workers load.
    pub package_dir: Option<PathBuf>,
}
