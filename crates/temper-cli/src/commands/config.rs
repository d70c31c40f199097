//! `temper config`: each setting in force, and where it came from.

use serde::Serialize;
use temper_report::{Document, Exit};

use super::Context;
use crate::args::Config;
use crate::message::Failure;
use crate::settings::{DEFAULTS, shown};

/// Prints the settings, or the commented defaults.
pub fn run(context: &Context<'_>, config: &Config) -> Result<Exit, Failure> {
    if config.defaults {
        context.write_results(DEFAULTS)?;
    } else {
        context.print(|| as_text(context), || Ok(document(context)))?;
    }
    Ok(Exit::Clean)
}

fn as_text(context: &Context<'_>) -> String {
    let rows: Vec<(&str, String, String)> =
        context.options.iter().map(|each| (each.key, shown(&each.value), each.origin.to_string())).collect();
    let width = |column: fn(&(&str, String, String)) -> usize| rows.iter().map(column).max().unwrap_or(0);
    let (keys, values) = (width(|row| row.0.len()), width(|row| row.1.chars().count()));
    rows.iter().map(|(key, value, origin)| format!("{key:keys$}  {value:values$}  {origin}\n")).collect()
}

fn document<'a>(context: &'a Context<'_>) -> Document<Own<'a>> {
    let settings = context.options.iter().map(|each| Setting {
        key: each.key,
        value: &each.value,
        origin: each.origin.to_string(),
    });
    Document::new("config", Own { settings: settings.collect() })
}

#[derive(Serialize)]
struct Own<'a> {
    settings: Vec<Setting<'a>>,
}

#[derive(Serialize)]
struct Setting<'a> {
    key: &'static str,
    value: &'a toml::Value,
    origin: String,
}
