//! The `temper` program as a plain binary; the wheel starts the same command line through `temper._engine`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(temper_cli::run(std::env::args_os(), None))
}
