//! A document for the tests of the formats: one of everything, with texts that are hard to carry.

use serde_json::{Map, Value, json};

use crate::{Document, Finding, Subject, Verdict};

fn map(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn subject(name: &str, path: &str, line: u32, verdict: Verdict, evidence: &Value) -> Subject {
    Subject { name: name.into(), path: path.into(), line, verdict, evidence: map(evidence) }
}

fn finding(id: &str, subject: &str, place: (&str, u32), message: &str, evidence: &Value) -> Finding {
    Finding {
        id: id.into(),
        kind: "crash".into(),
        subject: subject.into(),
        path: place.0.into(),
        line: place.1,
        message: format!("`{subject}`: {message}"),
        evidence: map(evidence),
        exception: None,
        call: None,
        seed: None,
        patch: None,
    }
}

pub(crate) fn document() -> Document<Map<String, Value>> {
    let odd = "ValueError: 100% <bad> & \"odd\" | \u{1b}[0m\nsecond";
    let mut document = Document::new("check", Map::new());
    document.subjects = vec![
        subject("f", "a,b/c:d.py", 2, Verdict::Found, &json!({ "numbers": [1.0, 2.0], "bound": 1.5 })),
        subject("g", "old.py", 1, Verdict::Found, &json!({})),
        subject("u", "u.py", 7, Verdict::Undecided, &json!({ "reason": "too few draws" })),
        subject("w", "w.py", 1, Verdict::Failed, &json!({ "error": { "message": "no module `w`" } })),
        subject("ok", "ok.py", 1, Verdict::Clean, &json!({})),
    ];
    document.findings = vec![
        Finding {
            exception: Some(odd.into()),
            call: Some("f('|', \"<\")".into()),
            ..finding("C1", "f", ("a,b/c:d.py", 3), odd, &json!({}))
        },
        finding("C2", "g", ("old.py", 1), "known", &json!({ "known": true })),
    ];
    document
}
