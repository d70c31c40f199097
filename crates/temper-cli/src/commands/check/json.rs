//! The results of `temper check` as the JSON document.

use serde::Serialize;
use serde_json::{Map, Value, json};
use temper_check::{Checked, Finding, Options, Problem, Subject, Verdict};
use temper_report::Document;

use crate::interpreter::Interpreter;

/// What `temper check` has beyond subjects and findings: nothing yet.
#[derive(Serialize)]
pub struct Own {}

/// The document of one run.
pub fn document(checked: &Checked, options: &Options, python: &Interpreter) -> Document<Own> {
    let mut document = Document::new("check", Own {});
    document.seed = Some(options.seed);
    if let Some(version) = &python.version {
        document.versions.insert("python".to_owned(), version.clone());
    }
    document.subjects = checked.subjects.iter().map(subject).collect();
    document.findings =
        checked.findings.iter().map(|each| finding(each, &checked.subjects[each.subject], options)).collect();
    document
}

fn subject(subject: &Subject) -> temper_report::Subject {
    let evidence = &subject.evidence;
    let mut map = Map::new();
    map.insert("valid".to_owned(), json!(evidence.valid));
    map.insert("rejected".to_owned(), json!(evidence.attempts.saturating_sub(evidence.valid)));
    map.insert("documented".to_owned(), json!(evidence.documented));
    map.insert("search_calls".to_owned(), json!(evidence.search_calls));
    let pair = |pair: Option<(u64, u64)>| pair.map(|(seen, all)| json!({ "reached": seen, "all": all }));
    map.extend(pair(evidence.lines).map(|lines| ("lines".to_owned(), lines)));
    map.extend(pair(evidence.branches).map(|branches| ("branches".to_owned(), branches)));
    if !evidence.notes.is_empty() {
        map.insert("notes".to_owned(), json!(evidence.notes));
    }
    let verdict = match &subject.verdict {
        Verdict::Clean => temper_report::Verdict::Clean,
        Verdict::Found => temper_report::Verdict::Found,
        Verdict::Undecided(reason, hint) => {
            map.insert("reason".to_owned(), json!(reason));
            map.extend(hint.as_ref().map(|hint| ("hint".to_owned(), json!(hint))));
            temper_report::Verdict::Undecided
        }
        Verdict::Failed(problem) => {
            map.insert("error".to_owned(), error(problem));
            temper_report::Verdict::Failed
        }
    };
    let Subject { name, path, line, .. } = subject;
    temper_report::Subject { name: name.clone(), path: path.clone(), line: (*line).max(1), verdict, evidence: map }
}

fn error(problem: &Problem) -> Value {
    json!({ "message": problem.headline, "line": problem.line, "facts": problem.facts, "hint": problem.hint })
}

fn finding(finding: &Finding, subject: &Subject, options: &Options) -> temper_report::Finding {
    let mut evidence = Map::new();
    evidence.insert("count".to_owned(), json!(finding.count));
    evidence.insert("recurs".to_owned(), json!(finding.recurs));
    evidence.insert("import".to_owned(), json!(finding.import));
    evidence.insert("source".to_owned(), json!(finding.source));
    evidence.extend(finding.through.as_ref().map(|through| ("through".to_owned(), json!(through))));
    temper_report::Finding {
        id: finding.id.clone(),
        kind: finding.kind.word().to_owned(),
        subject: subject.name.clone(),
        path: finding.path.clone(),
        line: finding.line.max(1),
        message: format!("`{}`: {}", subject.name, finding.message),
        evidence,
        exception: Some(finding.message.clone()),
        call: Some(finding.call.clone()),
        seed: Some(options.seed),
        patch: None,
    }
}
