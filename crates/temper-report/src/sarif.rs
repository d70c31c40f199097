//! `--format sarif`: SARIF 2.1.0, which code scanning services read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{Document, Finding, FindingKind, Severity, Subject, Verdict};

/// The log of one run.
pub fn render(document: &Document) -> Value {
    let kinds: BTreeSet<FindingKind> = document.findings.iter().map(|finding| finding.kind).collect();
    let rules: Vec<Value> = kinds.iter().map(|kind| rule(document.command(), *kind)).collect();
    let notifications: Vec<Value> = document
        .without_answer()
        .map(|(subject, reason)| {
            json!({
                "level": if is_failed(subject) { "error" } else { "warning" },
                "message": { "text": format!("{} is {}: {reason}", subject.name, subject.verdict.word()) },
                "locations": [location(&subject.path, subject.line)],
            })
        })
        .collect();
    let has_failed = document.subjects.iter().any(is_failed);
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": { "name": "Temper", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules },
            },
            "automationDetails": { "id": format!("temper/{}/", document.command()) },
            "invocations": [{ "executionSuccessful": !has_failed, "toolExecutionNotifications": notifications }],
            "columnKind": "unicodeCodePoints",
            "results": document.findings.iter().map(|finding| result(document.command(), finding)).collect::<Vec<_>>(),
        }],
    })
}

fn is_failed(subject: &Subject) -> bool {
    matches!(subject.verdict, Verdict::Failed(_))
}

fn rule_id(command: &str, kind: FindingKind) -> String {
    format!("{command}/{}", kind.word())
}

/// SARIF's word for a severity.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Note => "note",
    }
}

fn rule(command: &str, kind: FindingKind) -> Value {
    json!({
        "id": rule_id(command, kind),
        "shortDescription": { "text": kind.meaning() },
        "defaultConfiguration": { "level": level(kind.severity()) },
    })
}

fn result(command: &str, finding: &Finding) -> Value {
    let mut said = finding.message.clone();
    if let Some(call) = &finding.call {
        said += &format!("\nCall: {call}");
    }
    said += &format!("\nReproduce: temper replay {}", finding.id);
    let mut result = json!({
        "ruleId": rule_id(command, finding.kind),
        "level": level(finding.severity()),
        "message": { "text": said },
        "locations": [location(&finding.path, finding.line)],
        "partialFingerprints": { "temperId/v1": finding.id },
        "properties": { "subject": finding.subject },
    });
    if finding.is_known() {
        result["baselineState"] = json!("unchanged");
    }
    result
}

fn location(path: &str, line: u32) -> Value {
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(path), "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": line.max(1) },
        },
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn results_have_a_rule_a_place_and_a_fingerprint() {
        let log = render(&sample::document_with_known());
        let run = &log["runs"][0];
        assert_eq!(run["results"][0]["ruleId"], "check/crash");
        assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(1), "two findings of one kind");
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%2Cb/c%3Ad.py");
        assert_eq!(place["region"]["startLine"], 3);
        assert_eq!(run["results"][0]["partialFingerprints"]["temperId/v1"], "c1c1c1");
    }

    #[test]
    fn a_known_finding_is_a_note_and_a_fresh_one_an_error() {
        let log = render(&sample::document_with_known());
        let results = &log["runs"][0]["results"];
        assert_eq!((&results[0]["level"], &results[0]["baselineState"]), (&json!("error"), &Value::Null));
        assert_eq!((&results[1]["level"], &results[1]["baselineState"]), (&json!("note"), &json!("unchanged")));
    }

    #[test]
    fn what_has_no_answer_is_a_notification_and_a_failure_is_no_success() {
        let log = render(&sample::document_with_known());
        let invocation = &log["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        let levels: Vec<&Value> = (0..2).map(|at| &invocation["toolExecutionNotifications"][at]["level"]).collect();
        assert_eq!(levels, ["warning", "error"]);
    }
}
