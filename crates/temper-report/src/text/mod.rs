//! The record as a person at a terminal reads it. One file a command.

mod bounds;
mod check;
mod model;
mod model_properties;
mod model_rows;
mod numbers;
mod style;
mod wrap;

pub use numbers::{bars, percent, short, thousands};
pub use style::{BOLD, DIM};

use crate::details::Details;
use crate::document::Document;
use crate::evidence::ModelDetails;

impl Document {
    /// The run as text, with colour; `is_verbose` shows also what is clean.
    pub fn text(&self, is_verbose: bool) -> String {
        match &self.details {
            Details::Check {} => check::render(self, is_verbose),
            Details::Model { model: ModelDetails::Judged(run) } => model_rows::render(self, run, is_verbose),
            Details::Model { model: ModelDetails::Properties(run) } => model_properties::render(self, run, is_verbose),
            Details::Model { model: ModelDetails::Run(run) } => model::one_run(self, run, is_verbose),
            Details::Model { model: ModelDetails::Suite(suite) } => model::several_runs(self, suite),
            Details::Bounds { bounds } => bounds::render(self, bounds, is_verbose),
            // The inventory and the settings are printed by their commands.
            Details::Scan { .. } | Details::Config { .. } => String::new(),
        }
    }
}

/// The text without colour, for files.
pub fn without_colour(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
