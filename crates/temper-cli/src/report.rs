//! The JSON document that every command prints with `--format json`: the same members everywhere, described by
//! docs/reference/report.schema.json, plus what the command has of its own.

use serde_json::{Map, Value, json};

/// Raised when a member changes its meaning or goes away; new members do not raise it.
const SCHEMA_VERSION: u32 = 1;

/// The document of a command that has neither subjects nor findings. `own` must be an object.
pub fn document(command: &str, own: Value) -> String {
    let mut document = Map::new();
    document.insert("schema_version".to_owned(), json!(SCHEMA_VERSION));
    document.insert("command".to_owned(), json!(command));
    document.insert("versions".to_owned(), json!({ "temper": env!("CARGO_PKG_VERSION") }));
    document.insert("seed".to_owned(), Value::Null);
    document.insert("subjects".to_owned(), json!([]));
    document.insert("findings".to_owned(), json!([]));
    if let Value::Object(own) = own {
        document.extend(own);
    }
    format!("{:#}\n", Value::Object(document))
}
