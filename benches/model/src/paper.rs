//! The whole work of the published tool on one data set, the model's own time left out.

use crate::clock::cpu;
use crate::fit::datasets;
use std::path::Path;
use temper_model::ends::End;
use temper_model::inputs::{Criterion, Mode, Settings, draw_suite};
use temper_model::mersenne::RandomState;
use temper_model::surrogate::{Kind, Surrogate};
use temper_model::tree::Growth;
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
    let start = cpu();
    let growth = Growth { seed: 42, ..Growth::default() };
    let surrogate = Surrogate::grow(data, &data.labels, Kind::SingleTree, growth, 42)?;
    let chosen = [End::Lower, End::Upper][RandomState::like_python(42).choose_of_two()];
    let settings = Settings { mode: Mode::Paper { free_values: 10, chosen }, seed: 42, ..Settings::default() };
    let coverage = draw_suite(&surrogate, data, Criterion::Coverage, &settings)?;
    let boundary = draw_suite(&surrogate, data, Criterion::Boundary, &settings)?;
    let ms = (cpu() - start).as_secs_f64() * 1e3;
    let inputs = coverage.len() + boundary.len();
    let unique = (coverage.unique(), boundary.unique());
    println!("{name}\t{}\t{inputs}\t{}\t{}\t{ms:.1}", surrogate.leaves.len(), unique.0, unique.1);
    Ok(())
}
