//! `[tool.temper]` in pyproject.toml, with the line of each key. Unknown keys are errors that name the nearest one.

use std::path::{Path, PathBuf};

use temper_report::Exit;
use temper_source::PathPatterns;
use toml::Value;
use toml::de::{DeTable, DeValue};

use super::keys::KEYS;
use crate::message::{Failure, Message};

/// The table of annotations, which is no setting: `temper check` reads it.
pub const ANNOTATIONS: &str = "function";

/// Commands that may have settings for themselves, in a table such as `[tool.temper.bounds]`.
const COMMANDS: [&str; 5] = ["bounds", "check", "model", "scan", "report"];

/// Settings for some paths, in tables such as `[[tool.temper.override]]`.
const OVERRIDE: &str = "override";

/// The settings that may differ by path.
const BY_PATH: [&str; 3] = ["draws", "runs", "pass"];

/// What the project's file says: every key of the table, known to be one of ours, with its line.
#[derive(Debug, Default)]
pub struct FileOptions {
    pub path: PathBuf,
    pub values: Vec<FileOption>,
    pub overrides: Vec<PathOverride>,
}

/// Settings that hold for some files only.
#[derive(Debug)]
pub struct PathOverride {
    pub paths: PathPatterns,
    pub values: Vec<FileOption>,
}

/// One line of the table.
#[derive(Debug)]
pub struct FileOption {
    /// The command that it is for; all if there is none.
    pub command: Option<&'static str>,
    pub key: &'static str,
    pub value: Value,
    pub line: usize,
}

impl FileOptions {
    /// Reads `pyproject.toml` in the root. No file, or no table of ours in it, is an empty result.
    pub fn read(root: &Path) -> Result<FileOptions, Failure> {
        let path = root.join("pyproject.toml");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(FileOptions::default()),
            Err(error) => {
                let message = Message::error("cannot read `pyproject.toml`").at(path.display().to_string());
                return Err(message.fact(error.to_string()).ends(Exit::Usage));
            }
        };
        FileOptions::parse(&text)
            .map_err(|(line, message)| message.at(format!("pyproject.toml:{line}")).ends(Exit::Usage))
    }

    fn parse(text: &str) -> Result<FileOptions, (usize, Message)> {
        let line_of = |offset: usize| 1 + text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count();
        let document = DeTable::parse(text).map_err(|error| {
            let line = line_of(error.span().map_or(0, |span| span.start));
            (line, Message::error("`pyproject.toml` is not valid TOML").fact(error.message()))
        })?;
        let Some(table) = our_table(document.get_ref()) else { return Ok(FileOptions::default()) };
        let (mut values, mut overrides) = (Vec::new(), Vec::new());
        for (name, value) in table {
            let line = line_of(name.span().start);
            let name: &str = name.get_ref();
            if name == ANNOTATIONS {
                continue;
            }
            if name == OVERRIDE {
                overrides = path_overrides(value.get_ref(), line, &line_of)?;
                continue;
            }
            let command = COMMANDS.into_iter().find(|command| *command == name);
            match command.zip(value.get_ref().as_table()) {
                Some((command, table)) => {
                    for (name, value) in table {
                        values.push(option(
                            Some(command),
                            (name.get_ref(), line_of(name.span().start)),
                            value.get_ref(),
                        )?);
                    }
                }
                None => values.push(option(None, (name, line), value.get_ref())?),
            }
        }
        Ok(FileOptions { path: PathBuf::from("pyproject.toml"), values, overrides })
    }
}

/// One line of a table, if its key is a setting.
fn option(
    command: Option<&'static str>,
    (name, line): (&str, usize),
    value: &DeValue<'_>,
) -> Result<FileOption, (usize, Message)> {
    let key = KEYS.iter().find(|key| key.name == name).ok_or_else(|| (line, unknown_key(command, name)))?;
    Ok(FileOption { command, key: key.name, value: plain_value(value), line })
}

/// The tables of settings for some paths.
fn path_overrides(
    value: &DeValue<'_>,
    line: usize,
    line_of: &impl Fn(usize) -> usize,
) -> Result<Vec<PathOverride>, (usize, Message)> {
    let tables = value.as_array().into_iter().flatten().map(|each| each.get_ref().as_table());
    let tables: Option<Vec<&DeTable<'_>>> = tables.collect();
    let tables = tables.filter(|_| value.as_array().is_some()).ok_or_else(|| {
        let message = Message::error("`override` in `[tool.temper]` is no list of tables");
        (line, message.hint("write `[[tool.temper.override]]`, with `paths` and the settings for them"))
    })?;
    tables.into_iter().map(|table| path_override(table, line, line_of)).collect()
}

fn path_override(
    table: &DeTable<'_>,
    line: usize,
    line_of: &impl Fn(usize) -> usize,
) -> Result<PathOverride, (usize, Message)> {
    let (mut paths, mut values) = (None, Vec::new());
    for (name, value) in table {
        let line = line_of(name.span().start);
        let name: &str = name.get_ref();
        if name == "paths" {
            paths = Some(path_patterns(&plain_value(value.get_ref())).map_err(|message| (line, message))?);
        } else if BY_PATH.contains(&name) {
            values.push(option(None, (name, line), value.get_ref())?);
        } else {
            let message = Message::error(format!("`[[tool.temper.override]]` has no setting `{name}`"));
            return Err((line, message.hint(format!("settings that may differ by path are {}", BY_PATH.join(", ")))));
        }
    }
    let paths = paths.ok_or_else(|| {
        let message = Message::error("`[[tool.temper.override]]` names no paths");
        (line, message.hint("say which files it is for, as in `paths = [\"tests/slow\"]`"))
    })?;
    Ok(PathOverride { paths, values })
}

fn path_patterns(value: &Value) -> Result<PathPatterns, Message> {
    let texts = value.as_array().map(|items| items.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    let texts: Vec<String> = texts.unwrap_or_default();
    let wrong = |why: String| Message::error("`paths` of an override cannot be read").fact(why);
    if texts.is_empty() {
        return Err(wrong("it takes a list of patterns, as in [\"tests/slow\"]".to_owned()));
    }
    PathPatterns::new(&texts).map_err(wrong)
}

fn our_table<'a, 'b>(document: &'a DeTable<'b>) -> Option<&'a DeTable<'b>> {
    let tool = document.get("tool")?.get_ref().as_table()?;
    tool.get("temper")?.get_ref().as_table()
}

fn unknown_key(command: Option<&str>, name: &str) -> Message {
    let table = command.map(|command| format!(".{command}")).unwrap_or_default();
    let message = Message::error(format!("`[tool.temper{table}]` has no setting `{name}`"));
    let kebab = name.replace('_', "-");
    let nearest = KEYS
        .iter()
        .map(|key| (strsim::jaro_winkler(&kebab, key.name), key.name))
        .max_by(|left, right| left.0.total_cmp(&right.0));
    match nearest {
        Some((likeness, key)) if likeness > 0.7 => message.hint(format!("did you mean `{key}`?")),
        _ => message.hint("`temper config` lists the settings"),
    }
}

/// Drops the spans of a parsed value. Dates have no setting here and become text.
fn plain_value(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Value::String(number.to_string()), Value::Integer),
        DeValue::Float(number) => {
            number.as_str().parse().map_or_else(|_| Value::String(number.to_string()), Value::Float)
        }
        DeValue::Boolean(flag) => Value::Boolean(*flag),
        DeValue::Datetime(date) => Value::String(date.to_string()),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| plain_value(item.get_ref())).collect()),
        DeValue::Table(table) => Value::Table(
            table.iter().map(|(key, value)| (key.get_ref().to_string(), plain_value(value.get_ref()))).collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = (String, String, usize);

    fn check(text: &str) -> Result<Vec<Row>, (usize, String)> {
        FileOptions::parse(text)
            .map(|file| {
                file.values.iter().map(|each| (each.key.to_owned(), each.value.to_string(), each.line)).collect()
            })
            .map_err(|(line, message)| (line, format!("{}; {}", message.headline, message.hint.unwrap_or_default())))
    }

    #[test]
    fn keys_are_read_with_their_lines() {
        let text = "[project]\nname = 'x'\n\n[tool.temper]\njobs = 4\nexclude = ['docs']\n";
        let expected = vec![("exclude".to_owned(), "[\"docs\"]".to_owned(), 6), ("jobs".to_owned(), "4".to_owned(), 5)];
        let mut found = check(text).unwrap();
        found.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_command_has_a_table_and_unknown_keys_in_it_are_refused() {
        let file = FileOptions::parse("[tool.temper]\nruns = 9\n[tool.temper.bounds]\nruns = 5\n").unwrap();
        let found: Vec<_> = file.values.iter().map(|each| (each.command, each.key, each.line)).collect();
        assert!(found.contains(&(Some("bounds"), "runs", 4)) && found.contains(&(None, "runs", 2)), "{found:?}");
        let refused = check("[tool.temper.check]\ndraw = 5\n");
        assert_eq!(refused, Err((2, "`[tool.temper.check]` has no setting `draw`; did you mean `draws`?".to_owned())));
        assert!(check("[tool.temper.chess]\ndraws = 5\n").is_err());
    }

    #[test]
    fn settings_for_some_paths_are_read_and_others_refused() {
        let text = "[tool.temper]\nruns = 9\n[[tool.temper.override]]\npaths = ['tests/slow', '*_b.py']\nruns = 5\n";
        let file = FileOptions::parse(text).unwrap();
        let [only] = file.overrides.as_slice() else { panic!("{file:?}") };
        assert_eq!((only.values[0].key, only.values[0].line, file.values.len()), ("runs", 5, 1));
        assert!(only.paths.matches(Path::new("tests/slow/a.py")) && !only.paths.matches(Path::new("tests/a.py")));
        let refused = |text: &str| check(&format!("[[tool.temper.override]]\n{text}\n")).unwrap_err();
        let (line, said) = refused("paths = ['a']\njobs = 2");
        assert_eq!(line, 3);
        let expected =
            "`[[tool.temper.override]]` has no setting `jobs`; settings that may differ by path are draws, runs, pass";
        assert_eq!(said, expected);
        assert!(refused("runs = 2").1.starts_with("`[[tool.temper.override]]` names no paths"));
        assert!(refused("paths = 'a'").1.starts_with("`paths` of an override cannot be read"));
        assert!(check("[tool.temper]\noverride = 3\n").is_err());
    }

    #[test]
    fn no_table_of_ours_is_no_options() {
        assert_eq!(check("[tool.ruff]\nline-length = 3\n"), Ok(vec![]));
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let found = check("[tool.temper]\nexcludes = []\n");
        assert_eq!(found, Err((2, "`[tool.temper]` has no setting `excludes`; did you mean `exclude`?".to_owned())));
    }

    #[test]
    fn a_damaged_file_is_a_message() {
        let samples: [&[u8]; 2] = [
            b"[tool.temper]\npaths = [\"src\"]\njobs = 2\nbudget = \"5m\"\npass = 0.99\n[tool.temper.check]\ndraws = 50\npass-env = [\"A_*\"]\n",
            b"[project]\nname = \"x\"\n[tool.temper]\nformat = \"json\"\nmemory-limit = \"4GB\"\nswaps = [\"a.b -> c d\"]\n",
        ];
        temper_testkit::fuzz("pyproject.toml", &samples, |input| {
            if let Ok(file) = FileOptions::parse(&String::from_utf8_lossy(input)) {
                let merged = super::super::options::MergedOptions::merge("check", Vec::new(), |_| None, file);
                let _ = merged.and_then(|options| super::super::CommandSettings::resolve(&options));
            }
        });
    }
}
