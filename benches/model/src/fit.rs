//! Fit times, one line a data set, for `compare_fit.py` to put beside scikit-learn's.

use crate::clock::least_ms;
use std::fs::File;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use temper_model::tree::{Growth, Ranked, grow};
use temper_model::{Dataset, read_csv};

/// Runs a data set: the least of them is what the work costs undisturbed.
const RUNS: usize = 15;

/// Prints name, rows, leaves and the least CPU time of a fit from the numbers, in milliseconds.
pub fn print_times(folder: &Path) {
    for (name, data) in datasets(folder) {
        let growth = Growth { seed: 42, ..Growth::default() };
        let fit = || {
            let ranked = Ranked::new(&data.features, &data.labels, data.classes.len()).ok()?;
            Some(grow(&ranked, (0..data.rows() as u32).collect(), growth))
        };
        let leaves = fit().map_or(0, |tree| tree.leaves().count());
        let ms = least_ms(RUNS, || drop(black_box(fit())));
        println!("{name}\t{}\t{leaves}\t{ms:.4}", data.rows());
    }
}

/// All tables of a folder that can be read, by name.
pub fn datasets(folder: &Path) -> Vec<(String, Dataset)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "csv")).collect();
    files.sort();
    files
        .into_iter()
        .filter_map(|path| {
            let name = path.file_stem()?.to_str()?.to_owned();
            match read_csv(File::open(&path).ok()?, &name, "target") {
                Ok(data) => Some((name, data)),
                Err(error) => {
                    println!("skipped {name}: {error}");
                    None
                }
            }
        })
        .collect()
}
