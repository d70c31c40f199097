//! `--format html`: one page that needs no other file.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::markup::escape;
use crate::{Document, Finding, Subject, histogram};

/// Longer lists are samples and seeds: a page shows them as a drawing or as their number.
const LONGEST_LIST: usize = 8;

/// Findings with their evidence, then the text as printed, then all subjects.
pub fn render(document: &Document, text: &str) -> String {
    let title = format!("temper {}", document.command());
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <h1>{title}</h1>\n<p>{}</p>\n",
        facts(document)
    );
    if !document.findings.is_empty() {
        let _ = writeln!(out, "<h2>Findings</h2>");
    }
    for finding in &document.findings {
        one_finding(&mut out, finding);
    }
    let _ = writeln!(out, "<h2>As printed</h2>\n<pre>{}</pre>", escape(text));
    if !document.subjects.is_empty() {
        out.push_str("<h2>Examined</h2>\n<table><tr><th>verdict<th>where<th>what<th>\n");
        for subject in &document.subjects {
            row(&mut out, subject);
        }
        out.push_str("</table>\n");
    }
    out + "</html>\n"
}

fn facts(document: &Document) -> String {
    let mut parts: Vec<String> = document.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    parts.extend(document.seed.map(|seed| format!("seed {seed}")));
    if !document.subjects.is_empty() {
        parts.insert(0, document.counts());
    }
    escape(&parts.join(" · "))
}

fn one_finding(out: &mut String, finding: &Finding) {
    let id = escape(&finding.id);
    let known = if finding.is_known() { " (known)" } else { "" };
    let _ = write!(
        out,
        "<section id=\"{id}\"><h3><b>{}</b>{known} <code>{}:{}</code> {id}</h3>\n<p>{}</p>\n",
        finding.kind.word(),
        escape(&finding.path),
        finding.line,
        escape(&finding.message)
    );
    if let Some(drawing) = histogram::svg(&finding.evidence.members()) {
        let _ = writeln!(out, "{drawing}");
    }
    out.push_str("<dl>");
    let mut pair = |name: &str, said: &str| {
        let _ = write!(out, "<dt>{name}<dd><code>{}</code>", escape(said));
    };
    if let Some(call) = &finding.call {
        pair("call", call);
    }
    if let Some(exception) = &finding.exception {
        pair("exception", exception);
    }
    if let Some(patch) = &finding.patch {
        pair("patch", patch);
    }
    pair("reproduce", &format!("temper replay {}", finding.id));
    let _ = writeln!(
        out,
        "</dl>\n<details><summary>Evidence</summary>{}</details></section>",
        listed(&finding.evidence.members())
    );
}

fn row(out: &mut String, subject: &Subject) {
    let reason = subject.verdict.open_reason().map(|reason| format!("<p>{}</p>", escape(reason))).unwrap_or_default();
    let members = subject.members();
    let drawing = histogram::svg(&members).unwrap_or_default();
    let evidence = listed(&members);
    let _ = writeln!(
        out,
        "<tr><td class=\"{0}\">{0}<td><code>{1}:{2}</code><td>{3}{reason}<td><details><summary>evidence</summary>{drawing}{evidence}</details>",
        subject.verdict.word(),
        escape(&subject.path),
        subject.line,
        escape(&subject.name),
    );
}

fn listed(evidence: &Map<String, Value>) -> String {
    let mut out = String::from("<dl>");
    for (name, value) in evidence {
        let _ = write!(out, "<dt>{}<dd>{}", escape(name), shown(value));
    }
    out + "</dl>"
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => escape(text),
        Value::Array(items) if items.len() > LONGEST_LIST => format!("{} of them (in the JSON form)", items.len()),
        Value::Array(items) if items.iter().any(Value::is_object) => items.iter().map(shown).collect(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(map) => listed(map),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

const STYLE: &str = "\
:root{color-scheme:light dark;font:15px/1.45 system-ui,sans-serif}\
body{max-width:64rem;margin:2rem auto;padding:0 1rem}\
code,pre{font:13px/1.4 ui-monospace,monospace}code{white-space:pre-wrap;overflow-wrap:anywhere}\
pre{overflow-x:auto;padding:1rem;border:1px solid #8886}\
section{border-left:3px solid #c33;padding:.1rem 1rem;margin:1rem 0}h3{margin:.4rem 0;font-weight:400}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #8884}\
td code{white-space:nowrap}\
td.found,td.failed{color:#c33}td.undecided{color:#a60}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.4rem 0}dt{opacity:.7}dd{margin:0}\
svg{width:100%;max-width:30rem;display:block;margin:.4rem 0}svg rect{fill:#58a}svg line{stroke:#c33;stroke-width:2}\
svg text{font-size:11px;fill:currentColor}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn nothing_of_the_projects_text_is_markup_and_nothing_is_loaded() {
        let page = render(&sample::document_with_known(), "<script>\n");
        assert!(page.contains("ValueError: 100% &lt;bad&gt; &amp; &quot;odd&quot;"), "{page}");
        assert!(page.contains("<pre>&lt;script&gt;&#10;</pre>"), "{page}");
        for word in ["<script", "http", "src=", "<link", "@import", "<bad>"] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn long_lists_are_counted() {
        assert_eq!(shown(&serde_json::json!([1, 2])), "1, 2");
        assert_eq!(shown(&vec![0; 9].into()), "9 of them (in the JSON form)");
    }
}
