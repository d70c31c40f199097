//! Files as SARIF names them.

use serde_json::{Value, json};

/// A file of the project.
pub(super) fn artifact(path: &str) -> Value {
    json!({ "uri": uri(path), "uriBaseId": "%SRCROOT%" })
}

/// A path as the reference that RFC 3986 allows; an absolute one has no base and is left a path.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}
