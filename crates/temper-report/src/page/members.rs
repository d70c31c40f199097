//! Pieces of the page's data.

use serde_json::{Map, Value, json};

use crate::text::short;

/// The members of an object that say something.
pub(super) fn members(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { return Map::new() };
    map.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

/// A figure as the page lists it.
pub(super) fn figure(name: &str, value: f64) -> Value {
    json!([name, short(value)])
}
