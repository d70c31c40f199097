//! The published experiment again: 5-NN models of ten folds on both suites of the published tool, beside cross-validation.

use crate::fit::datasets;
use crate::paper::published_work;
use std::path::Path;
use temper_model::judge::cross_validation::cross_validate;
use temper_model::judge::folds::stratified_folds;
use temper_model::judge::suite_totals::{Totals, totals};
use temper_model::subject::neighbours::NeighboursTrainer;
use temper_model::{Dataset, ModelError};

/// Larger tables would take minutes: every input is asked of ten models.
const MOST_ROWS: usize = 10_000;

/// Prints accuracy and weighted precision of coverage, boundary and cross-validation for each data set.
pub fn print_figures(folder: &Path) {
    println!("data set\tcoverage\tprecision\tboundary\tprecision\tcross-validation\tprecision");
    for (name, data) in datasets(folder).into_iter().filter(|(_, data)| data.rows() <= MOST_ROWS) {
        match figures(&data) {
            Ok(found) => {
                let parts = [found.coverage, found.boundary, found.cross_validation];
                let cells = parts.map(|part| format!("{:.2}\t{:.2}", part.accuracy, part.weighted.precision));
                println!("{name}\t{}", cells.join("\t"));
            }
            Err(error) => println!("{name}\t{error}"),
        }
    }
}

fn figures(data: &Dataset) -> Result<Totals, ModelError> {
    let (_, [coverage, boundary]) = published_work(data)?;
    let folds = stratified_folds(&data.labels, 10, 42)?;
    let mut crossed = cross_validate(&mut NeighboursTrainer { neighbours: 5 }, data, &folds)?;
    totals(&mut crossed, &coverage, &boundary, &data.classes)
}
