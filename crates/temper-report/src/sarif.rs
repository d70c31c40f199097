//! `--format sarif`: SARIF 2.1.0, which code scanning services read. One run a record.

mod artifact;
mod fixes;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use self::artifact::artifact;
use crate::explain::explanation;
use crate::report::{CombinedReport, ReportSurroundings};
use crate::{Document, Finding, FindingKind, Severity, Subject, Verdict};

/// The log.
pub fn render(report: &CombinedReport<'_>) -> Value {
    let runs: Vec<Value> = report.parts.iter().map(|part| run(part.document, &report.surroundings)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": runs,
    })
}

fn run(document: &Document, surroundings: &ReportSurroundings) -> Value {
    let kinds: BTreeSet<FindingKind> = document.findings.iter().map(|finding| finding.kind).collect();
    let rules: Vec<Value> = kinds.iter().map(|kind| rule(document.command(), *kind)).collect();
    let notifications: Vec<Value> = document
        .without_answer()
        .map(|(subject, reason)| {
            json!({
                "level": if is_failed(subject) { "error" } else { "warning" },
                "message": { "text": format!("{} is {}: {reason}", subject.name, subject.verdict.word()) },
                "locations": [location(&subject.path, json!({ "startLine": subject.line.max(1) }))],
            })
        })
        .collect();
    let has_failed = document.subjects.iter().any(is_failed);
    let results: Vec<Value> = document.findings.iter().map(|finding| result(document, finding, surroundings)).collect();
    json!({
        "tool": {
            "driver": { "name": "Temper", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules },
        },
        "automationDetails": { "id": format!("temper/{}/", document.command()) },
        "invocations": [{ "executionSuccessful": !has_failed, "toolExecutionNotifications": notifications }],
        "columnKind": "unicodeCodePoints",
        "results": results,
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
    let help = explanation(kind.word()).unwrap_or_else(|| kind.meaning());
    json!({
        "id": rule_id(command, kind),
        "name": kind.word(),
        "shortDescription": { "text": kind.meaning() },
        "fullDescription": { "text": kind.meaning() },
        "help": { "text": help, "markdown": help },
        "defaultConfiguration": { "level": level(kind.severity()) },
    })
}

fn result(document: &Document, finding: &Finding, surroundings: &ReportSurroundings) -> Value {
    let mut said = finding.message.clone();
    if let Some(call) = &finding.call {
        said += &format!("\nCall: {call}");
    }
    said += &format!("\nReproduce: temper replay {}", finding.id);
    let mut result = json!({
        "ruleId": rule_id(document.command(), finding.kind),
        "level": level(document.severity(finding)),
        "message": { "text": said },
        "locations": [location(&finding.path, region(document, finding, surroundings))],
        "partialFingerprints": { "temperId/v1": finding.id },
        "properties": { "subject": finding.subject },
    });
    if finding.evidence.is_known() {
        result["baselineState"] = json!("unchanged");
    }
    if let Some(acceptance) = document.accepted.get(&finding.id) {
        result["suppressions"] =
            json!([{ "kind": "external", "status": "accepted", "justification": acceptance.reason }]);
    }
    if let Some(fix) = fixes::of(finding, surroundings) {
        result["fixes"] = json!([fix]);
    }
    result
}

/// The place of a finding: its column if the record has it, or the line without what indents it.
fn region(document: &Document, finding: &Finding, surroundings: &ReportSurroundings) -> Value {
    let line_at = (finding.line as usize).checked_sub(1);
    let source = surroundings.sources.get(&finding.path).zip(line_at);
    let line = source.and_then(|(text, at)| text.lines().nth(at)).filter(|line| !line.trim().is_empty());
    let indent = line.map(|line| 1 + line.chars().take_while(|letter| letter.is_whitespace()).count());
    let column = document.site_row(finding).map(|row| row.column as usize).or(indent);
    let mut region = json!({ "startLine": finding.line.max(1) });
    if let Some(column) = column {
        region["startColumn"] = json!(column);
    }
    if let (Some(column), Some(end)) = (column, line.map(|line| 1 + line.trim_end().chars().count()))
        && end > column
    {
        region["endColumn"] = json!(end);
    }
    region
}

fn location(path: &str, region: Value) -> Value {
    json!({ "physicalLocation": { "artifactLocation": artifact(path), "region": region } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acceptance::AcceptanceReason;
    use crate::sample;

    fn log(document: &Document) -> Value {
        render(&sample::report(document, ""))
    }

    #[test]
    fn results_have_a_rule_a_place_and_a_fingerprint() {
        let log = log(&sample::document_with_known());
        let run = &log["runs"][0];
        assert_eq!(run["results"][0]["ruleId"], "check/crash");
        assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(1), "two findings of one kind");
        let help = run["tool"]["driver"]["rules"][0]["help"]["text"].as_str().unwrap();
        assert!(help.starts_with("A valid input, one that the annotations allow,"), "{help}");
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%2Cb/c%3Ad.py");
        assert_eq!(place["region"]["startLine"], 3);
        assert_eq!(run["results"][0]["partialFingerprints"]["temperId/v1"], "c1c1c1");
    }

    #[test]
    fn a_known_finding_is_a_note_and_a_fresh_one_an_error() {
        let log = log(&sample::document_with_known());
        let results = &log["runs"][0]["results"];
        assert_eq!((&results[0]["level"], &results[0]["baselineState"]), (&json!("error"), &Value::Null));
        assert_eq!((&results[1]["level"], &results[1]["baselineState"]), (&json!("note"), &json!("unchanged")));
    }

    #[test]
    fn an_accepted_finding_is_suppressed_with_its_reason() {
        let mut document = sample::document();
        let acceptance = AcceptanceReason { reason: "by design".into(), until: None, place: "x".into() };
        document.accepted.insert("c1c1c1".into(), acceptance);
        let result = &log(&document)["runs"][0]["results"][0];
        assert_eq!(result["level"], "note");
        assert_eq!(result["suppressions"][0]["justification"], "by design");
    }

    #[test]
    fn what_has_no_answer_is_a_notification_and_a_failure_is_no_success() {
        let log = log(&sample::document_with_known());
        let invocation = &log["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        let levels: Vec<&Value> = (0..2).map(|at| &invocation["toolExecutionNotifications"][at]["level"]).collect();
        assert_eq!(levels, ["warning", "error"]);
    }

    #[test]
    fn places_have_columns_from_the_record_or_from_the_source() {
        let document = sample::flaky_document(2);
        let mut report = sample::report(&document, "");
        report.surroundings.sources.insert("t.py".into(), "def test_a():\n    assert x < 0.1\n".into());
        let place = &render(&report)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!(place, &json!({ "startLine": 2, "startColumn": 5, "endColumn": 19 }));
        let crash = sample::document();
        let mut report = sample::report(&crash, "");
        report.surroundings.sources.insert("a,b/c:d.py".into(), "1\n2\n\traise\n".into());
        let place = &render(&report)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!(place, &json!({ "startLine": 3, "startColumn": 2, "endColumn": 7 }));
    }
}
