//! The record as a person at a terminal reads it. One file a command.

mod bounds;
mod check;
mod histogram;
mod model;
mod model_measured;
mod model_properties;
mod model_rows;
mod numbers;
mod properties;
mod style;
mod wrap;

pub(crate) use bounds::site_text;
pub use check::call_lines;
pub use histogram::{MarkedNumber, histogram};
pub use numbers::{bars, counted, percent, short, thousands};
pub use style::{BOLD, DIM, verdict_style};
pub use wrap::wrapped;

use crate::acceptance::AcceptanceReason;
use crate::details::Details;
use crate::document::Document;
use crate::evidence::ModelDetails;
use crate::finding::Finding;

impl Document {
    /// The run as text, with colour; `is_verbose` shows also what is clean.
    pub fn text(&self, is_verbose: bool) -> String {
        let text = match &self.details {
            Details::Check {} => check::render(self, is_verbose),
            Details::Model { model: ModelDetails::Judged(run) } => model_rows::render(self, run, is_verbose),
            Details::Model { model: ModelDetails::Measured(run) } => model_measured::render(self, run, is_verbose),
            Details::Model { model: ModelDetails::Properties(run) } => model_properties::render(self, run, is_verbose),
            Details::Model { model: ModelDetails::Run(run) } => model::one_run(self, run, is_verbose),
            Details::Model { model: ModelDetails::Suite(suite) } => model::several_runs(self, suite),
            Details::Bounds { bounds } => bounds::render(self, bounds, is_verbose),
            Details::Properties {} => properties::render(self, is_verbose),
            // The inventory and the settings are printed by their commands.
            Details::Scan { .. } | Details::Config { .. } => String::new(),
        };
        text + &self.accepted_text()
    }

    /// What somebody has accepted, with the reasons: it is shown above, and fails nothing.
    fn accepted_text(&self) -> String {
        let accepted = self.findings.iter().filter_map(|finding| Some((finding, self.accepted.get(&finding.id)?)));
        let line = |(finding, acceptance): (&Finding, &AcceptanceReason)| {
            let until = acceptance.until.as_ref().map(|day| format!(", until {day}")).unwrap_or_default();
            format!(
                "accepted   {} {}: {}{until} ({})\n",
                finding.kind.word(),
                finding.id,
                acceptance.reason,
                acceptance.place
            )
        };
        accepted.map(line).collect()
    }
}

/// The text without colour, for files.
pub fn without_colour(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
