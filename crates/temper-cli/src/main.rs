//! The `temper` program as a plain binary; the wheel starts the same command line through `temper._engine`.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The program by itself has no Python half; while developing, this variable says where it is.
    let package_dir = std::env::var_os("TEMPER_PACKAGE_DIR").map(PathBuf::from);
    ExitCode::from(temper_cli::run(std::env::args_os(), temper_cli::Host { python: None, package_dir }))
}
