//! Tables, calibration and speed of `temper-stats`. See README.md beside this folder's Cargo.toml.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark program prints its results")]

mod fitness_table;

use std::process::ExitCode;

const FITNESS_TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/temper-stats/data/gpd-fitness.tsv");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["fitness-table"] => write(FITNESS_TABLE, &fitness_table::run()),
        _ => {
            eprintln!("usage: bench-stats fitness-table");
            ExitCode::from(2)
        }
    }
}

fn write(path: &str, text: &str) -> ExitCode {
    match std::fs::write(path, text) {
        Ok(()) => {
            println!("wrote {path}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: cannot write `{path}`: {error}");
            ExitCode::FAILURE
        }
    }
}
