//! `temper config`: each setting in force, and where it came from.

use serde_json::json;
use temper_report::{Details, Document, Exit, SettingRow};
use toml::Value;

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
    let rows = rows(context);
    let rows: Vec<(&str, String, String)> = rows.iter().map(|row| (row.0, shown(row.1), row.2.clone())).collect();
    let width = |column: fn(&(&str, String, String)) -> usize| rows.iter().map(column).max().unwrap_or(0);
    let (keys, values) = (width(|row| row.0.len()), width(|row| row.1.chars().count()));
    rows.iter().map(|(key, value, origin)| format!("{key:keys$}  {value:values$}  {origin}\n")).collect()
}

/// Every setting with its origin, then those that differ for some files.
fn rows<'c>(context: &'c CommandContext<'_>) -> Vec<(&'static str, &'c Value, String)> {
    let all = context.options.iter().map(|each| (each.key, &each.value, each.origin.to_string()));
    let by_path = context.options.by_path();
    let by_path = by_path.map(|(paths, each)| (each.key, &each.value, format!("{}, for {paths}", each.origin)));
    all.chain(by_path).collect()
}

fn document(context: &CommandContext<'_>) -> Document {
    let settings = rows(context).into_iter().map(|(key, value, origin)| SettingRow {
        key: key.to_owned(),
        value: json!(value),
        origin,
    });
    Document::new(Details::Config { settings: settings.collect() })
}
