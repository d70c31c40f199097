//! `[tool.temper]` in pyproject.toml, with the line of each key. Unknown keys are errors that name the nearest one.

use std::path::{Path, PathBuf};

use temper_report::Exit;
use toml::Value;
use toml::de::{DeTable, DeValue};

use super::keys::KEYS;
use crate::message::{Failure, Message};

/// The table of annotations, which is no setting: `temper check` reads it.
pub const ANNOTATIONS: &str = "function";

/// Commands that may have settings for themselves, in a table such as `[tool.temper.bounds]`.
const COMMANDS: [&str; 5] = ["bounds", "check", "model", "scan", "report"];

/// What the project's file says: every key of the table, known to be one of ours, with its line.
#[derive(Debug, Default)]
pub struct FileOptions {
    pub path: PathBuf,
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
        let mut values = Vec::new();
        for (name, value) in table {
            let line = line_of(name.span().start);
            let name: &str = name.get_ref();
            if name == ANNOTATIONS {
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
        Ok(FileOptions { path: PathBuf::from("pyproject.toml"), values })
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
        temper_testkit::fuzz("pyproject.toml", 1000, &samples, |input| {
            if let Ok(file) = FileOptions::parse(&String::from_utf8_lossy(input)) {
                let merged = super::super::options::MergedOptions::merge("check", Vec::new(), |_| None, file);
                let _ = merged.and_then(|options| super::super::CommandSettings::resolve(&options));
            }
        });
    }
}
