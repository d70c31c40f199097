//! `temper config`: each setting in force, and where it came from.

use serde_json::json;
use temper_report::{Details, Document, Exit, SettingRow};

use super::CommandContext;
use crate::args::Config;
use crate::message::Failure;
use crate::settings::{DEFAULTS, shown};

/// Prints the settings, or the commented defaults.
pub fn run(context: &CommandContext<'_>, config: &Config) -> Result<Exit, Failure> {
    if config.defaults {
        context.write_results(DEFAULTS)?;
    } else {
        context.print(&document(context), || as_text(context))?;
    }
    Ok(Exit::Clean)
}

fn as_text(context: &CommandContext<'_>) -> String {
    let rows: Vec<(&str, String, String)> =
        context.options.iter().map(|each| (each.key, shown(&each.value), each.origin.to_string())).collect();
    let width = |column: fn(&(&str, String, String)) -> usize| rows.iter().map(column).max().unwrap_or(0);
    let (keys, values) = (width(|row| row.0.len()), width(|row| row.1.chars().count()));
    rows.iter().map(|(key, value, origin)| format!("{key:keys$}  {value:values$}  {origin}\n")).collect()
}

fn document(context: &CommandContext<'_>) -> Document {
    let settings = context.options.iter().map(|each| SettingRow {
        key: each.key.to_owned(),
        value: json!(each.value),
        origin: each.origin.to_string(),
    });
    Document::new(Details::Config { settings: settings.collect() })
}
