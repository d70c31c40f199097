//! The side file of `temper check`: annotations of functions whose source may not be edited.
//!
//! `temper.an.toml` has one `[[function]]` table a function; `[[tool.temper.function]]` in pyproject.toml is the same.

use std::path::{Path, PathBuf};

use temper_check::{Module, SideEntry};
use temper_report::Exit;
use temper_worker::Value;
use toml::Table;

use crate::commands::CommandContext;
use crate::message::{Failure, Message};
use crate::settings::ANNOTATIONS;

const FILE: &str = "temper.an.toml";

/// What a table may say.
const KEYS: &[&str] = &[
    "module",
    "function",
    "args",
    "require",
    "ensure",
    "raises",
    "timeout",
    "consume",
    "exclude",
    "generator",
    "cc_example",
    "regression",
    "holds",
    "batchwise",
    "equivariant",
    "order_free",
];

/// The annotations of a side file.
#[derive(Debug, Default)]
pub struct Side {
    /// The file, if it is a separate one.
    pub path: Option<PathBuf>,
    /// As reports show it.
    shown: String,
    pub entries: Vec<SideEntry>,
}

impl Side {
    /// Reads the file that is named, or the usual ones if they are there.
    pub fn read(context: &CommandContext<'_>, named: Option<&Path>) -> Result<Side, Failure> {
        if let Some(path) = named {
            return Side::of_file(context, &context.current.join(path), &[ANNOTATIONS]);
        }
        let usual = context.root.join(FILE);
        if usual.is_file() {
            return Side::of_file(context, &usual, &[ANNOTATIONS]);
        }
        let project = context.root.join("pyproject.toml");
        if !project.is_file() {
            return Ok(Side::default());
        }
        // Its place is known without being kept.
        Ok(Side { path: None, ..Side::of_file(context, &project, &["tool", "temper", ANNOTATIONS])? })
    }

    fn of_file(context: &CommandContext<'_>, path: &Path, keys: &[&str]) -> Result<Side, Failure> {
        let shown = context.shown(path);
        let fail = |message: Message| message.at(shown.clone()).ends(Exit::Usage);
        let text = std::fs::read_to_string(path)
            .map_err(|error| fail(Message::error("cannot read the annotations").fact(error.to_string())))?;
        Side::parse(&text, path, shown, keys)
    }

    /// Reads the text of a side file.
    pub fn parse(text: &str, path: &Path, shown: String, keys: &[&str]) -> Result<Side, Failure> {
        let fail = |message: Message| message.at(shown.clone()).ends(Exit::Usage);
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            fail(Message::error(format!("`{shown}` is not valid TOML")).fact(error.message()))
        })?;
        let header = format!("[[{}]]", keys.join("."));
        let mut lines = text.lines().enumerate().filter(|(_, line)| line.trim() == header).map(|(at, _)| at + 1);
        let mut entries = Vec::new();
        for entry in tables(&table, keys) {
            let line = lines.next().unwrap_or(1);
            let read = side_entry(entry, path, line);
            entries.push(read.map_err(|message| message.at(format!("{shown}:{line}")).ends(Exit::Usage))?);
        }
        Ok(Side { path: Some(path.to_path_buf()), shown, entries })
    }

    /// Whether it says anything about a module.
    pub fn names_module(&self, module: &str) -> bool {
        self.entries.iter().any(|entry| entry.module == module)
    }

    /// Adds the modules that the file names and that are not among those found already. Paths on the command line
    /// name files, and leave these out.
    pub fn add_modules(&self, modules: &mut Vec<Module>, are_paths_named: bool) {
        for entry in self.entries.iter().filter(|_| !are_paths_named) {
            if !modules.iter().any(|module| module.name == entry.module) {
                modules.push(Module::named(entry.module.clone(), self.shown.clone()));
            }
        }
    }
}

fn tables<'t>(table: &'t Table, keys: &[&str]) -> Vec<&'t Table> {
    let Some((last, above)) = keys.split_last() else { return Vec::new() };
    let mut inner = table;
    for key in above {
        match inner.get(*key).and_then(toml::Value::as_table) {
            Some(next) => inner = next,
            None => return Vec::new(),
        }
    }
    let entries = inner.get(*last).and_then(toml::Value::as_array);
    entries.into_iter().flatten().filter_map(toml::Value::as_table).collect()
}

fn side_entry(table: &Table, path: &Path, line: usize) -> Result<SideEntry, Message> {
    if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let known: Vec<String> = KEYS.iter().map(|key| format!("`{key}`")).collect();
        let message = Message::error(format!("a `[[function]]` has no `{unknown}`"));
        return Err(message.hint(format!("it takes {}", known.join(", "))));
    }
    let text = |key: &str| table.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let (Some(module), Some(_)) = (text("module"), text("function")) else {
        let message = Message::error("a `[[function]]` needs `module` and `function`, both texts");
        return Err(message.hint("write `module = \"package.module\"` and `function = \"name\"`"));
    };
    let mut entries: Vec<(Value, Value)> =
        table.iter().map(|(key, value)| (Value::from(key.as_str()), plain(value))).collect();
    entries.push((Value::from("file"), Value::from_path(path)));
    entries.push((Value::from("line"), Value::Int(line as i64)));
    Ok(SideEntry { module, entry: Value::Map(entries) })
}

fn plain(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(number) => Value::Int(*number),
        toml::Value::Float(number) => Value::Float(*number),
        toml::Value::Boolean(flag) => Value::Bool(*flag),
        toml::Value::Datetime(date) => Value::from(date.to_string().as_str()),
        toml::Value::Array(items) => Value::List(items.iter().map(plain).collect()),
        toml::Value::Table(table) => {
            Value::Map(table.iter().map(|(key, value)| (Value::from(key.as_str()), plain(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_side_file_is_a_message() {
        let samples: [&[u8]; 2] = [
            b"[[annotate]]\nfunction = \"lib.mean\"\nargs.values = \"lists(floats(0, 1), min_len=1)\"\nrequire = [\"len(values) < 9\"]\n",
            b"[[annotate]]\nfunction = \"lib.scale\"\nregression = true\nraises = [\"ValueError\"]\nargs = { x = \"ints(0, 3)\" }\n",
        ];
        temper_testkit::fuzz("temper.an.toml", &samples, |input| {
            let text = String::from_utf8_lossy(input);
            let _ = Side::parse(&text, Path::new("temper.an.toml"), "temper.an.toml".to_owned(), &[ANNOTATIONS]);
        });
    }
}
