//! `--format gitlab`: the code quality report that GitLab shows at the lines of a merge request.

use serde_json::{Value, json};

use crate::kind::Severity;
use crate::report::CombinedReport;

/// One entry a finding.
pub fn render(report: &CombinedReport<'_>) -> Value {
    let entries = report.parts.iter().flat_map(|part| {
        let document = part.document;
        document.findings.iter().map(move |finding| {
            let severity = match document.severity(finding) {
                Severity::Error => "major",
                Severity::Note => "info",
            };
            json!({
                "description": finding.message,
                "check_name": format!("temper {}: {}", document.command(), finding.kind.word()),
                "fingerprint": format!("temper-{}-{}", document.command(), finding.id),
                "severity": severity,
                "location": { "path": finding.path, "lines": { "begin": finding.line.max(1) } },
            })
        })
    });
    Value::Array(entries.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn an_entry_has_what_gitlab_asks_for_and_known_ones_are_of_no_weight() {
        let document = sample::document_with_known();
        let entries = render(&sample::report(&document, ""));
        assert_eq!(entries[0]["location"], json!({ "path": "a,b/c:d.py", "lines": { "begin": 3 } }));
        assert_eq!((&entries[0]["severity"], &entries[1]["severity"]), (&json!("major"), &json!("info")));
        assert_eq!(entries[0]["fingerprint"], "temper-check-c1c1c1");
        assert_eq!(entries[0]["check_name"], "temper check: crash");
    }
}
