//! Model mutants: how many the default inputs notice, beside a hold-out of equal size, on several data sets and models.

use crate::fit::datasets;
use crate::truths::MODELS;
use std::path::Path;
use temper_model::assess::ModelOptions;
use temper_model::mutants::detection::challenge;
use temper_model::mutants::model_mutant::kill_rates;
use temper_model::subject::predictor::{Predictor, Trainer};
use temper_model::{Dataset, ModelError, PredictError};

/// Larger tables would take minutes: every mutant is a model of its own.
const MOST_ROWS: usize = 1_000;

struct Trains(fn(&Dataset) -> Box<dyn Predictor>);

impl Trainer for Trains {
    fn train(&mut self, rows: &Dataset) -> Result<Box<dyn Predictor>, PredictError> {
        Ok((self.0)(rows))
    }
}

/// Prints kill rates of both sides for each data set and model, and their means.
pub fn print_rates(folder: &Path) {
    println!("data set\tmodel\tmutants\theld out\tinputs\tkilled by inputs %\tkilled by hold-out %");
    let mut all = Vec::new();
    for (name, data) in datasets(folder).into_iter().filter(|(_, data)| data.rows() <= MOST_ROWS) {
        for (model, train) in MODELS {
            match one(&format!("{name}\t{model}"), &data, train) {
                Ok(rates) => all.push(rates),
                Err(error) => println!("{name}\t{model}\t{error}"),
            }
        }
    }
    let mean = |read: fn(&(f64, f64)) -> f64| 100.0 * all.iter().map(read).sum::<f64>() / all.len().max(1) as f64;
    println!("MEAN\t\t\t\t\t{:.1}\t{:.1}", mean(|rates| rates.0), mean(|rates| rates.1));
}

fn one(label: &str, data: &Dataset, train: fn(&Dataset) -> Box<dyn Predictor>) -> Result<(f64, f64), ModelError> {
    let found = challenge(&mut Trains(train), data, &ModelOptions::default(), &mut |_, _| {})?;
    let (by_suite, by_holdout) = kill_rates(&found.fates)?;
    let (count, held_out, inputs) = (found.fates.len(), found.held_out, found.inputs);
    println!("{label}\t{count}\t{held_out}\t{inputs}\t{:.1}\t{:.1}", 100.0 * by_suite, 100.0 * by_holdout);
    Ok((by_suite, by_holdout))
}
