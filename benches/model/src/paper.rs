//! The whole work of the published tool on one data set, the model's own time left out.

use crate::clock::timed_ms;
use crate::fit::datasets;
use std::path::Path;
use temper_model::boundary::interval_ends::IntervalEnd;
use temper_model::inputs::{Criterion, InputMode, InputSettings, InputSuite, Inputs};
use temper_model::mersenne::RandomState;
use temper_model::tree::Growth;
use temper_model::tree::surrogate::{Surrogate, SurrogateKind};
use temper_model::{Dataset, ModelError};

/// Prints, for each data set, leaves, inputs of both criteria and the CPU time of growing and drawing.
pub fn print_time(folder: &Path) {
    println!("data set\tleaves\tinputs\tunique coverage\tunique boundary\tCPU ms");
    for (name, data) in datasets(folder) {
        if let Err(error) = print_line(&name, &data) {
            println!("{name}\t{error}");
        }
    }
}

fn print_line(name: &str, data: &Dataset) -> Result<(), ModelError> {
    let (work, ms) = timed_ms(|| published_work(data));
    let (surrogate, [coverage, boundary]) = work?;
    let inputs = coverage.len() + boundary.len();
    let unique = (coverage.unique(), boundary.unique());
    println!("{name}\t{}\t{inputs}\t{}\t{}\t{ms:.1}", surrogate.leaves.len(), unique.0, unique.1);
    Ok(())
}

/// The surrogate and the coverage and boundary suites that the published tool makes with seed 42.
pub fn published_work(data: &Dataset) -> Result<(Surrogate, [InputSuite; 2]), ModelError> {
    let growth = Growth { seed: 42, ..Growth::default() };
    let surrogate = Surrogate::grow(data, &data.labels, SurrogateKind::SingleTree, growth, 42)?;
    let chosen = [IntervalEnd::Lower, IntervalEnd::Upper][RandomState::like_python(42).choose_of_two()];
    let settings =
        InputSettings { mode: InputMode::Paper { free_values: 10, chosen }, seed: 42, ..InputSettings::default() };
    let inputs = Inputs::new(&surrogate, data, &settings)?;
    let suites = [Criterion::Coverage, Criterion::Boundary].map(|criterion| inputs.suite(criterion));
    Ok((surrogate, suites))
}
