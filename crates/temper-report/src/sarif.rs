//! `--format sarif`: SARIF 2.1.0, which code scanning services read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{Document, Finding, Verdict};

/// The log of one run.
pub fn render<Own>(document: &Document<Own>) -> Value {
    let kinds: BTreeSet<&str> = document.findings.iter().map(|finding| finding.kind.as_str()).collect();
    let rules: Vec<Value> = kinds.iter().map(|kind| rule(document.command, kind)).collect();
    let notifications: Vec<Value> = document
        .without_answer()
        .map(|(subject, reason)| {
            json!({
                "level": if subject.verdict == Verdict::Failed { "error" } else { "warning" },
                "message": { "text": format!("{} is {}: {reason}", subject.name, subject.verdict.word()) },
                "locations": [location(&subject.path, subject.line)],
            })
        })
        .collect();
    let has_failed = document.subjects.iter().any(|subject| subject.verdict == Verdict::Failed);
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": { "name": "Temper", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules },
            },
            "automationDetails": { "id": format!("temper/{}/", document.command) },
            "invocations": [{ "executionSuccessful": !has_failed, "toolExecutionNotifications": notifications }],
            "columnKind": "unicodeCodePoints",
            "results": document.findings.iter().map(|finding| result(document.command, finding)).collect::<Vec<_>>(),
        }],
    })
}

fn rule_id(command: &str, kind: &str) -> String {
    format!("{command}/{kind}")
}

fn rule(command: &str, kind: &str) -> Value {
    json!({
        "id": rule_id(command, kind),
        "shortDescription": { "text": meaning(command, kind) },
        "defaultConfiguration": { "level": "error" },
    })
}

/// What a kind of finding says, in a sentence.
fn meaning(command: &str, kind: &str) -> String {
    let said = match kind {
        "flaky" => "The assertion fails more often by chance than the target allows.",
        "suspect" => "The values of the assertion look like a bug in the code under test.",
        "loose" => "A tighter bound holds as reliably and notices more faults.",
        "crash" => "A valid input makes the function raise an exception that it does not document.",
        "postcondition" => "A valid input breaks what the function promises of its result.",
        "timeout" => "A valid input makes the function run beyond its time.",
        "killed" => "A valid input ends the process.",
        "nan" => "Finite arguments give a result that is not finite.",
        "regression" => "The result for a recorded input has changed.",
        "import" => "Importing the module raises an exception.",
        "script" => "The main block of the module raises an exception.",
        "leaf" => "The model contradicts its data in one region more often than it errs elsewhere.",
        _ => return format!("A finding of `temper {command}`."),
    };
    said.to_owned()
}

fn result(command: &str, finding: &Finding) -> Value {
    let mut said = finding.message.clone();
    if let Some(call) = &finding.call {
        said += &format!("\nCall: {call}");
    }
    said += &format!("\nReproduce: temper replay {}", finding.id);
    let mut result = json!({
        "ruleId": rule_id(command, &finding.kind),
        "level": if finding.is_known() { "note" } else { "error" },
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
        let log = render(&sample::document());
        let run = &log["runs"][0];
        assert_eq!(run["results"][0]["ruleId"], "check/crash");
        assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(1), "two findings of one kind");
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%2Cb/c%3Ad.py");
        assert_eq!(place["region"]["startLine"], 3);
        assert_eq!(run["results"][0]["partialFingerprints"]["temperId/v1"], "C1");
        assert_eq!(run["results"][1]["baselineState"], "unchanged");
    }

    #[test]
    fn what_has_no_answer_is_a_notification_and_a_failure_is_no_success() {
        let log = render(&sample::document());
        let invocation = &log["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        let levels: Vec<&Value> = (0..2).map(|at| &invocation["toolExecutionNotifications"][at]["level"]).collect();
        assert_eq!(levels, ["warning", "error"]);
    }
}
