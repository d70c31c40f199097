//! The merged options: for each key the value in force and where it came from.

use std::fmt;
use std::num::NonZeroUsize;

use temper_report::Exit;
use toml::Value;

use super::file::FileOptions;
use super::{DEFAULTS, KEYS, Key};
use crate::message::{Failure, Message};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    CommandLine(&'static str),
    Environment(String),
    File { path: String, line: usize },
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::CommandLine(key) => write!(out, "--{key}"),
            Origin::Environment(variable) => out.write_str(variable),
            Origin::File { path, line } => write!(out, "{path}:{line}"),
            Origin::Default => out.write_str("default"),
        }
    }
}

/// One setting in force.
#[derive(Debug)]
pub struct Sourced {
    pub key: &'static str,
    pub value: Value,
    pub origin: Origin,
}

/// All settings in force, in the order of `KEYS`. Every value is one that its key accepts.
#[derive(Debug)]
pub struct Options(Vec<Sourced>);

impl Options {
    /// Merges by precedence: command line, environment, file, default. A bad value is an error that says what the
    /// setting takes, also where a higher layer overrides it: it would surprise on the day the layer goes away.
    pub fn merge(
        command_line: Vec<(&'static str, Vec<String>)>,
        environment: impl Fn(&str) -> Option<String>,
        file: FileOptions,
    ) -> Result<Options, Failure> {
        let mut defaults: toml::Table = DEFAULTS.parse().unwrap_or_default();
        let path = file.path.display().to_string();
        let mut merged = Vec::new();
        for key in KEYS {
            let mut layers = Vec::new();
            if let Some((_, texts)) = command_line.iter().find(|(name, _)| *name == key.name) {
                layers.push((key.kind.read_texts(texts), Origin::CommandLine(key.name)));
            }
            if let Some(text) = environment(&key.variable()) {
                layers.push((key.kind.read_texts(&[text]), Origin::Environment(key.variable())));
            }
            for option in file.values.iter().filter(|option| option.key == key.name) {
                layers.push((option.value.clone(), Origin::File { path: path.clone(), line: option.line }));
            }
            layers.extend(defaults.remove(key.name).map(|value| (value, Origin::Default)));
            if let Some((value, origin)) = layers.iter().find(|(value, _)| !key.kind.accepts(value)) {
                return Err(refused(key, value, origin));
            }
            let first = layers.into_iter().next();
            merged.extend(first.map(|(value, origin)| Sourced { key: key.name, value, origin }));
        }
        Ok(Options(merged))
    }

    /// The settings in the order of `KEYS`.
    pub fn iter(&self) -> impl Iterator<Item = &Sourced> {
        self.0.iter()
    }

    /// The text of a text setting.
    pub fn text(&self, key: &str) -> String {
        self.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// The items of a list setting.
    pub fn texts(&self, key: &str) -> Vec<String> {
        let items = self.get(key).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The count of a count setting; `None` is "auto".
    pub fn count(&self, key: &str) -> Option<NonZeroUsize> {
        let count = self.get(key).and_then(Value::as_integer)?;
        usize::try_from(count).ok().and_then(NonZeroUsize::new)
    }

    /// The number of a whole-number setting.
    pub fn whole(&self, key: &str) -> u64 {
        self.get(key).and_then(Value::as_integer).and_then(|number| u64::try_from(number).ok()).unwrap_or_default()
    }

    /// The number of a share setting.
    pub fn share(&self, key: &str) -> f64 {
        self.get(key).and_then(Value::as_float).unwrap_or_default()
    }

    /// Whether the user chose a value, anywhere.
    pub fn is_chosen(&self, key: &str) -> bool {
        self.0.iter().any(|each| each.key == key && each.origin != Origin::Default)
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|each| each.key == key).map(|each| &each.value)
    }
}

fn refused(key: &Key, value: &Value, origin: &Origin) -> Failure {
    Message::error(format!("setting `{}` cannot be `{}`", key.name, shown(value)))
        .at(origin.to_string())
        .hint(format!("it takes {}", key.kind.takes()))
        .ends(Exit::Usage)
}

/// A value as a person would write it.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::FileOption;
    use super::*;

    fn file(key: &'static str, value: Value) -> FileOptions {
        FileOptions { path: "pyproject.toml".into(), values: vec![FileOption { key, value, line: 7 }] }
    }

    fn origin_of_jobs(cli: Option<&str>, env: Option<&str>, in_file: bool) -> (String, String) {
        let command_line = cli.map(|text| ("jobs", vec![text.to_owned()])).into_iter().collect();
        let environment = |name: &str| env.filter(|_| name == "TEMPER_JOBS").map(str::to_owned);
        let file = if in_file { file("jobs", Value::Integer(3)) } else { FileOptions::default() };
        let options = Options::merge(command_line, environment, file).unwrap();
        let jobs = options.iter().find(|each| each.key == "jobs").unwrap();
        (shown(&jobs.value), jobs.origin.to_string())
    }

    #[test]
    fn the_command_line_wins_then_the_environment_then_the_file() {
        let check = |found: (String, String), value: &str, origin: &str| {
            assert_eq!((found.0.as_str(), found.1.as_str()), (value, origin));
        };
        check(origin_of_jobs(Some("1"), Some("2"), true), "1", "--jobs");
        check(origin_of_jobs(None, Some("2"), true), "2", "TEMPER_JOBS");
        check(origin_of_jobs(None, None, true), "3", "pyproject.toml:7");
        check(origin_of_jobs(None, None, false), "auto", "default");
    }

    #[test]
    fn a_bad_value_is_refused_even_where_it_is_overridden() {
        let given = vec![("format", vec!["json".to_owned()])];
        let refused = Options::merge(given, |_| None, file("format", Value::from("pdf"))).unwrap_err();
        assert_eq!(refused.message.headline, "setting `format` cannot be `pdf`");
        assert_eq!(
            refused.message.hint.as_deref(),
            Some("it takes \"text\", \"json\", \"md\", \"github\", \"sarif\", \"junit\" or \"html\"")
        );
    }
}
