//! One or several records to be shown together. All that a report shows is in the records and in their surroundings,
//! which the command line reads: reports read no file.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::document::Document;
use crate::text::without_colour;

/// One record, with the text that a person reads at a terminal.
pub struct ReportPart<'d> {
    /// The record.
    pub document: &'d Document,
    /// Its text, with colour.
    pub text: String,
}

/// What reports show apart from records.
#[derive(Clone, Debug, Default)]
pub struct ReportSurroundings {
    /// The name of the project.
    pub project: String,
    /// The revision of the project, if it has one.
    pub revision: Option<String>,
    /// When the report was made, for people.
    pub made_at: Option<String>,
    /// The text of files that findings lie in, by the path in the record.
    pub sources: BTreeMap<String, String>,
    /// Patches as diffs, by the id of their finding.
    pub patches: BTreeMap<String, String>,
    /// What earlier runs found, oldest first.
    pub history: Vec<PastRun>,
}

/// What an earlier run found, for the trend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct PastRun {
    /// The day, as in 2026-11-17.
    pub day: String,
    /// The command.
    pub command: String,
    /// What it examined.
    pub subjects: usize,
    /// What it found.
    pub findings: usize,
}

/// Records to be shown together.
pub struct CombinedReport<'d> {
    /// One record a job.
    pub parts: Vec<ReportPart<'d>>,
    /// What else is shown.
    pub surroundings: ReportSurroundings,
}

impl ReportPart<'_> {
    /// The text for files.
    pub(crate) fn plain_text(&self) -> String {
        without_colour(&self.text)
    }
}
