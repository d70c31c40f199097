//! The merged options: for each key the value in force and where it came from.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use temper_report::Exit;
use temper_source::PathPatterns;
use toml::Value;

use super::file::{FileOption, FileOptions};
use super::keys::{DEFAULTS, KEYS, Key};
use super::kind;
use crate::message::{Failure, Message};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingOrigin {
    CommandLine(&'static str),
    Environment(String),
    File { path: String, line: usize },
    Default,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::CommandLine(key) => write!(out, "--{key}"),
            SettingOrigin::Environment(variable) => out.write_str(variable),
            SettingOrigin::File { path, line } => write!(out, "{path}:{line}"),
            SettingOrigin::Default => out.write_str("default"),
        }
    }
}

/// One setting in force.
#[derive(Debug)]
pub struct Sourced {
    pub key: &'static str,
    pub value: Value,
    pub origin: SettingOrigin,
}

/// All settings in force, in the order of `KEYS`. Every value is one that its key accepts.
#[derive(Debug, Default)]
pub struct MergedOptions {
    values: Vec<Sourced>,
    by_path: Vec<(PathPatterns, Sourced)>,
}

impl MergedOptions {
    /// Merges by precedence: command line, environment, the file's table of the command, the file, default. A bad value is an error that says what the
    /// setting takes, also if a higher layer overrides it: it would surprise on the day the layer goes away.
    pub fn merge(
        command: &str,
        command_line: Vec<(&'static str, Vec<String>)>,
        environment: impl Fn(&str) -> Option<String>,
        file: FileOptions,
    ) -> Result<MergedOptions, Failure> {
        let mut defaults: toml::Table = DEFAULTS.parse().unwrap_or_default();
        let path = file.path.display().to_string();
        let (mut merged, mut by_path) = (Vec::new(), Vec::new());
        for key in KEYS {
            let mut layers = Vec::new();
            if let Some((_, texts)) = command_line.iter().find(|(name, _)| *name == key.name) {
                layers.push((key.kind.read_texts(texts), SettingOrigin::CommandLine(key.name)));
            }
            if let Some(text) = environment(&key.variable()) {
                layers.push((key.kind.read_texts(&[text]), SettingOrigin::Environment(key.variable())));
            }
            let in_file = |option: &FileOption| {
                (option.value.clone(), SettingOrigin::File { path: path.clone(), line: option.line })
            };
            let of_key = || file.values.iter().filter(|option| option.key == key.name);
            let is_asked = !layers.is_empty();
            for (paths, option) in overriding(&file, key) {
                let (value, origin) = in_file(option);
                if !key.kind.accepts(&value) {
                    return Err(refused(key, &value, &origin));
                }
                if !is_asked {
                    by_path.push((paths.clone(), Sourced { key: key.name, value, origin }));
                }
            }
            layers.extend(of_key().filter(|option| option.command == Some(command)).map(in_file));
            layers.extend(of_key().filter(|option| option.command.is_none()).map(in_file));
            let others = of_key().filter(|option| option.command.is_some_and(|other| other != command));
            if let Some((value, origin)) = others.map(in_file).find(|(value, _)| !key.kind.accepts(value)) {
                return Err(refused(key, &value, &origin));
            }
            layers.extend(defaults.remove(key.name).map(|value| (value, SettingOrigin::Default)));
            if let Some((value, origin)) = layers.iter().find(|(value, _)| !key.kind.accepts(value)) {
                return Err(refused(key, value, origin));
            }
            let first = layers.into_iter().next();
            merged.extend(first.map(|(value, origin)| Sourced { key: key.name, value, origin }));
        }
        Ok(MergedOptions { values: merged, by_path })
    }

    /// The settings in the order of `KEYS`.
    pub fn iter(&self) -> impl Iterator<Item = &Sourced> {
        self.values.iter()
    }

    /// Settings that hold for some files only, unless the command line or a variable says otherwise.
    pub fn by_path(&self) -> impl Iterator<Item = &(PathPatterns, Sourced)> {
        self.by_path.iter()
    }

    /// The text of a text setting.
    pub fn text(&self, key: &'static str) -> Result<&str, Failure> {
        self.typed(key, Value::as_str)
    }

    /// The items of a list setting.
    pub fn texts(&self, key: &'static str) -> Result<Vec<String>, Failure> {
        let items = self.typed(key, Value::as_array)?;
        items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(|| untyped(key))).collect()
    }

    /// The count of a setting that may also be "auto", which is none.
    pub fn count_or_auto(&self, key: &'static str) -> Result<Option<NonZeroUsize>, Failure> {
        self.typed(key, |value| match value.as_str() {
            Some("auto") => Some(None),
            _ => count(value).map(Some),
        })
    }

    /// The number of a count setting.
    pub fn count(&self, key: &'static str) -> Result<usize, Failure> {
        self.typed(key, count).map(NonZeroUsize::get)
    }

    /// The number of a whole-number setting.
    pub fn whole(&self, key: &'static str) -> Result<u64, Failure> {
        self.typed(key, |value| value.as_integer().and_then(|number| u64::try_from(number).ok()))
    }

    /// The number of a share setting.
    pub fn share(&self, key: &'static str) -> Result<f64, Failure> {
        self.typed(key, Value::as_float)
    }

    /// The time of a duration setting.
    pub fn duration(&self, key: &'static str) -> Result<Duration, Failure> {
        self.typed(key, |value| value.as_str().and_then(kind::duration))
    }

    /// The number of bytes of a size setting.
    pub fn bytes(&self, key: &'static str) -> Result<u64, Failure> {
        self.typed(key, |value| value.as_str().and_then(kind::bytes))
    }

    /// Whether the user chose a value, anywhere.
    pub fn is_chosen(&self, key: &str) -> bool {
        self.values.iter().any(|each| each.key == key && each.origin != SettingOrigin::Default)
    }

    /// The value of a setting, read as its type.
    fn typed<'v, T>(&'v self, key: &'static str, read: impl FnOnce(&'v Value) -> Option<T>) -> Result<T, Failure> {
        let value = self.values.iter().find(|each| each.key == key).map(|each| &each.value);
        value.and_then(read).ok_or_else(|| untyped(key))
    }
}

/// What the file says about a setting for some paths.
fn overriding<'f>(file: &'f FileOptions, key: &Key) -> impl Iterator<Item = (&'f PathPatterns, &'f FileOption)> {
    let name = key.name;
    let pairs = file.overrides.iter().flat_map(|each| each.values.iter().map(move |option| (&each.paths, option)));
    pairs.filter(move |(_, option)| option.key == name)
}

pub fn count(value: &Value) -> Option<NonZeroUsize> {
    usize::try_from(value.as_integer()?).ok().and_then(NonZeroUsize::new)
}

/// A setting without a value of its kind: the merge refuses bad values, so a default is missing or wrong.
pub fn untyped(key: &'static str) -> Failure {
    Message::error(format!("internal error: setting `{key}` has no value of its kind"))
        .hint("this is a bug in Temper; please report it with these lines")
        .ends(Exit::Internal)
}

fn refused(key: &Key, value: &Value, origin: &SettingOrigin) -> Failure {
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
    use super::*;

    fn file(key: &'static str, value: Value) -> FileOptions {
        let values = vec![FileOption { command: None, key, value, line: 7 }];
        FileOptions { path: "pyproject.toml".into(), values, overrides: Vec::new() }
    }

    fn origin_of_jobs(cli: Option<&str>, env: Option<&str>, in_file: bool) -> (String, String) {
        let command_line = cli.map(|text| ("jobs", vec![text.to_owned()])).into_iter().collect();
        let environment = |name: &str| env.filter(|_| name == "TEMPER_JOBS").map(str::to_owned);
        let file = if in_file { file("jobs", Value::Integer(3)) } else { FileOptions::default() };
        let options = MergedOptions::merge("bounds", command_line, environment, file).unwrap();
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
    fn the_table_of_a_command_wins_over_the_general_one_and_is_for_that_command_only() {
        let in_file = || {
            let option =
                |command, value: i64, line| FileOption { command, key: "runs", value: Value::Integer(value), line };
            FileOptions {
                path: "pyproject.toml".into(),
                values: vec![option(None, 9, 2), option(Some("bounds"), 5, 4)],
                overrides: Vec::new(),
            }
        };
        let runs = |command: &str| {
            MergedOptions::merge(command, Vec::new(), |_| None, in_file()).unwrap().count("runs").unwrap()
        };
        assert_eq!((runs("bounds"), runs("check")), (5, 9));
    }

    #[test]
    fn a_setting_without_a_value_is_an_error_that_names_it() {
        let options = MergedOptions::default();
        let refused = options.share("pass").unwrap_err();
        assert_eq!(refused.message.headline, "internal error: setting `pass` has no value of its kind");
        assert_eq!(refused.exit, Exit::Internal);
    }

    #[test]
    fn every_default_has_the_type_that_its_setting_is_read_as() {
        let options = MergedOptions::merge("bounds", Vec::new(), |_| None, FileOptions::default()).unwrap();
        assert!(super::super::CommandSettings::resolve(&options).is_ok());
    }

    #[test]
    fn a_bad_value_is_refused_even_where_it_is_overridden() {
        let given = vec![("format", vec!["json".to_owned()])];
        let refused = MergedOptions::merge("bounds", given, |_| None, file("format", Value::from("pdf"))).unwrap_err();
        assert_eq!(refused.message.headline, "setting `format` cannot be `pdf`");
        assert_eq!(
            refused.message.hint.as_deref(),
            Some("it takes \"text\", \"json\", \"md\", \"github\", \"gitlab\", \"sarif\", \"junit\" or \"html\"")
        );
    }
}
