//! Reads oracle files, lenient about what is missing: a `null` or an absent field is a number the tool refused.

use serde_json::Value;
use std::path::PathBuf;

/// The folder that holds `tail` and `tighten`.
fn root() -> PathBuf {
    match std::env::var_os("TEMPER_ORACLES") {
        Some(dir) => PathBuf::from(dir),
        None => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/oracles")),
    }
}

/// All sets of a folder by name, without those whose names start with an underscore.
pub fn sets(folder: &str) -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> =
        entries(folder).into_iter().filter(|(name, _)| !name.starts_with('_')).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    let is_own = std::env::var_os("TEMPER_ORACLES").is_none();
    assert!(!is_own || !all.is_empty(), "no oracle sets in `{folder}`");
    all
}

/// One file by name; `None` when it is not there.
pub fn file(folder: &str, name: &str) -> Option<Value> {
    entries(folder).into_iter().find(|(n, _)| n == name).map(|(_, value)| value)
}

fn entries(folder: &str) -> Vec<(String, Value)> {
    let directory = root().join(folder);
    let Ok(listing) = std::fs::read_dir(&directory) else { return Vec::new() };
    listing
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_stem()?.to_str()?.to_string();
            (path.extension()? == "json").then(|| {
                let text = std::fs::read_to_string(&path).unwrap();
                (name, serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
            })
        })
        .collect()
}

/// A number, with `"inf"` and `"-inf"` understood; `None` for null, absent or anything else.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => match text.as_str() {
            "inf" | "Infinity" => Some(f64::INFINITY),
            "-inf" | "-Infinity" => Some(f64::NEG_INFINITY),
            _ => text.parse().ok(),
        },
        other => other.as_f64(),
    }
}

/// A finite number.
pub fn finite(value: &Value) -> Option<f64> {
    number(value).filter(|v| v.is_finite())
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().map(|list| list.iter().filter_map(number).collect()).unwrap_or_default()
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Collects disagreements, so that one run shows them all.
#[derive(Default)]
pub struct Check {
    pub compared: usize,
    failures: Vec<String>,
}

impl Check {
    /// Ours against theirs; a number that theirs lacks is not compared.
    pub fn close(&mut self, what: &str, ours: f64, theirs: Option<f64>, absolute: f64, relative: f64) {
        let Some(theirs) = theirs else { return };
        self.compared += 1;
        let allowed = absolute + relative * theirs.abs();
        if !((ours - theirs).abs() <= allowed || ours == theirs) {
            self.failures.push(format!("{what}: ours {ours:e}, oracle {theirs:e}, off by {:e}", (ours - theirs).abs()));
        }
    }

    pub fn holds(&mut self, what: &str, fact: bool) {
        self.compared += 1;
        if !fact {
            self.failures.push(what.to_string());
        }
    }

    /// Ends the check; at least `least` numbers must have been compared in the sets of the repository.
    pub fn finish(self, least: usize) {
        let shown: Vec<&String> = self.failures.iter().take(40).collect();
        assert!(self.failures.is_empty(), "{} of {} differ:\n{shown:#?}", self.failures.len(), self.compared);
        if std::env::var_os("TEMPER_ORACLES").is_none() {
            assert!(self.compared >= least, "only {} numbers compared", self.compared);
        }
    }
}
