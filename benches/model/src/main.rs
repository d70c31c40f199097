//! Measurements behind `temper model`. See README.md beside this file for what each prints.
#![expect(clippy::print_stdout, reason = "a bench program prints its tables")]

mod clock;
mod figures;
mod fit;
mod measures;
mod mutants;
mod optimal;
mod pairs;
mod paper;
mod truths;

use std::path::{Path, PathBuf};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.get(1).map_or_else(shipped_data, PathBuf::from);
    match arguments.first().map(String::as_str) {
        Some("fit") => fit::print_times(&folder),
        Some("paper") => paper::print_time(&folder),
        Some("figures") => figures::print_figures(&folder),
        Some("measures") => measures::print_rates(arguments.get(1).and_then(|first| first.parse().ok()).unwrap_or(0)),
        Some("mutants") => mutants::print_rates(&folder),
        Some("optimal") => optimal::print_alarms(),
        Some("pairs") => pairs::print_verdicts(&folder),
        Some("truths") => truths::print_table(),
        _ => println!(
            "usage: bench-model fit [DATASETS] | paper [DATASETS] | figures [DATASETS] | mutants [DATASETS] | measures [FIRST] | optimal | pairs FOLDER | truths"
        ),
    }
}

/// The data sets that the repository has.
fn shipped_data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/data")
}
