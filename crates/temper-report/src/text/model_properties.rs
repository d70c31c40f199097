//! How the properties of a model read as text.

use std::fmt::Write;

use super::model::{counted, table};
use super::style::BOLD;
use super::wrap::{WIDTH, wrapped};
use crate::document::Document;
use crate::evidence::FindingEvidence;
use crate::evidence::model_properties::{ModelPropertiesRecord, PropertyFigures};

/// Each property, then the closest pair of those that do not hold.
pub fn render(document: &Document, run: &ModelPropertiesRecord, is_verbose: bool) -> String {
    let model = document.subjects.first().map(|subject| subject.name.as_str()).unwrap_or_default();
    let mut out = format!("{BOLD}{}{BOLD:#}   {model}\n", run.data);
    for PropertyFigures { property, pairs, broken, written } in &run.properties {
        if run.suggested {
            let _ = writeln!(out, "  --property \"{written}\"   {property}: holds on {pairs} pairs");
            continue;
        }
        let verdict = if *broken > 0 {
            format!("broken by {broken} of {pairs} pairs")
        } else {
            format!("holds on {pairs} pairs")
        };
        let _ = writeln!(out, "  {property}: {verdict}");
    }
    for finding in &document.findings {
        let FindingEvidence::Property(evidence) = &finding.evidence else { continue };
        let _ = writeln!(out, "\n{BOLD}not {}{BOLD:#}   {BOLD}{}{BOLD:#}", evidence.property, finding.id);
        table(&mut out, &run.columns, &evidence.example, "the closest pair of inputs that breaks it:", is_verbose);
    }
    if run.suggested {
        let count = counted(run.properties.len(), "property holds", "properties hold");
        let _ = writeln!(out, "\n{count} on the rows given; keep those that should hold for every input");
        return wrapped(&out, WIDTH);
    }
    let broken = document.findings.len();
    let all = counted(run.properties.len(), "property", "properties");
    let _ = match broken {
        0 => writeln!(out, "\n{all} checked, none is broken"),
        _ => writeln!(out, "\n{broken} of {all} broken"),
    };
    wrapped(&out, WIDTH)
}
