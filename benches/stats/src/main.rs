//! Tables, calibration and speed of `temper-stats`. See README.md beside this folder's Cargo.toml.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark program prints its results")]

mod calibration;
mod distributions;
mod fitness_table;
mod looks;
mod speed;

use std::process::ExitCode;

const FITNESS_TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/temper-stats/data/gpd-fitness.tsv");
const CALIBRATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/calibration.tsv");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["fitness-table"] => write(FITNESS_TABLE, &fitness_table::run()),
        ["calibration"] => {
            let (table, lines, holds) = calibration::run(1.0);
            print!("{table}\n{lines}");
            let written = write(CALIBRATION, &table);
            if holds { written } else { ExitCode::FAILURE }
        }
        ["calibration", "--quick"] => {
            let (table, lines, _) = calibration::run(0.1);
            print!("{table}\n{lines}\nToo few repetitions to judge the lines by: one row in ten is off by 0.03.\n");
            ExitCode::SUCCESS
        }
        ["looks"] => {
            let (report, holds) = looks::run();
            print!("{report}");
            if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        ["speed", python] => match speed::run(python) {
            Ok((report, holds)) => {
                print!("{report}");
                if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
            }
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: bench-stats fitness-table | calibration [--quick] | looks | speed PYTHON");
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
