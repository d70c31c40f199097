//! What the page shows: one item a finding, and one for each subject or assertion without a finding.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::evidence_data::{self, PointBudget};
use super::members::members;
use crate::details::Details;
use crate::document::Document;
use crate::evidence::{FindingEvidence, ModelDetails, SiteRow, SubjectEvidence};
use crate::finding::Finding;
use crate::kind::FindingKind;
use crate::report::{CombinedReport, PastRun, ReportPart, ReportSurroundings};
use crate::subject::Subject;

/// Lines of source shown before and after a place; fewer on a page with more findings than the number next to it.
const AROUND: [(usize, u32); 2] = [(100, 5), (usize::MAX, 2)];
/// The longest text that is shown as it was printed; longer ones are what the items say anyway.
const LONGEST_TEXT: usize = 60_000;
/// Leaves that are shown as a tree; a leaf takes 200 bytes.
const MOST_LEAVES: usize = 500;
/// Verdicts from the one to act on first to the one that needs nothing.
const RANKS: [&str; 4] = ["found", "failed", "undecided", "clean"];

/// Everything that the script of the page reads.
#[derive(Serialize)]
pub(super) struct PageData<'d> {
    pub(super) title: String,
    facts: String,
    parts: Vec<PartData<'d>>,
    items: Vec<Map<String, Value>>,
    files: BTreeMap<&'d str, Vec<(usize, &'d str)>>,
    around: u32,
    meanings: BTreeMap<&'static str, &'static str>,
    history: &'d [PastRun],
}

/// One job.
#[derive(Serialize)]
struct PartData<'d> {
    command: &'static str,
    counts: String,
    findings: usize,
    text: String,
    /// Those of the tree that imitates the data, if a model was judged by them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    leaves: Vec<LeafData<'d>>,
}

/// One leaf of the tree that imitates the data.
#[derive(Serialize)]
struct LeafData<'d> {
    id: &'d str,
    class: &'d str,
    rows: u32,
    inputs: usize,
    failures: usize,
    is_finding: bool,
    conditions: Vec<(String, Option<f64>, Option<f64>)>,
}

/// The data of a report.
pub(super) fn of<'d>(report: &'d CombinedReport<'d>) -> PageData<'d> {
    let surroundings = &report.surroundings;
    let sites = report.parts.iter().flat_map(|part| &part.document.findings);
    let budget = PointBudget::shared_by(sites.filter(|each| matches!(each.evidence, FindingEvidence::Site(_))).count());
    let items: Vec<_> = report.parts.iter().flat_map(|part| items(part.document, surroundings, budget)).collect();
    let findings = report.parts.iter().map(|part| part.document.findings.len()).sum::<usize>();
    let around = AROUND.into_iter().find(|(most, _)| findings <= *most).map_or(2, |(_, around)| around);
    let project = if surroundings.project.is_empty() { "" } else { ": " };
    PageData {
        title: format!("Temper{project}{}", surroundings.project),
        facts: facts(report),
        parts: report.parts.iter().map(part).collect(),
        files: excerpts(&items, around, surroundings),
        items,
        around,
        meanings: FindingKind::ALL.into_iter().map(|kind| (kind.word(), kind.meaning())).collect(),
        history: &surroundings.history,
    }
}

fn facts(report: &CombinedReport<'_>) -> String {
    let surroundings = &report.surroundings;
    // Jobs name the interpreter by its kind, or as Python: once is enough.
    let all = report.parts.iter().flat_map(|part| &part.document.versions);
    let kinds: BTreeSet<&String> = all.filter(|(name, _)| *name == "cpython").map(|(_, version)| version).collect();
    let is_said = |name: &str, version: &String| name == "temper" || name == "python" && kinds.contains(version);
    let versions: BTreeSet<String> = report
        .parts
        .iter()
        .flat_map(|part| part.document.versions.iter().filter(|(name, version)| !is_said(name, version)))
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    let revision = surroundings.revision.iter().map(|revision| format!("revision {revision}"));
    revision.chain(surroundings.made_at.clone()).chain(versions).collect::<Vec<_>>().join(" · ")
}

fn part<'d>(part: &'d ReportPart<'d>) -> PartData<'d> {
    let text = part.plain_text();
    PartData {
        command: part.document.command(),
        counts: part.document.counts(),
        findings: part.document.findings.len(),
        text: if text.len() > LONGEST_TEXT { String::new() } else { text },
        leaves: leaves(part.document),
    }
}

/// Every leaf that had inputs: its id, class, inputs, failures, whether it is a finding, and its conditions as
/// `[column, above, up to]`.
fn leaves(document: &Document) -> Vec<LeafData<'_>> {
    let Details::Model { model: ModelDetails::Run(run) } = &document.details else { return Vec::new() };
    let conditions = |leaf: &'_ crate::LeafRow| {
        leaf.conditions.iter().map(|each| (each.column.clone(), each.above, each.up_to)).collect()
    };
    let all = run.leaves.iter().take(MOST_LEAVES);
    all.map(|leaf| LeafData {
        id: &leaf.id,
        class: &leaf.class,
        rows: leaf.rows,
        inputs: leaf.inputs,
        failures: leaf.failures,
        is_finding: leaf.is_finding,
        conditions: conditions(leaf),
    })
    .collect()
}

fn items(document: &Document, surroundings: &ReportSurroundings, budget: PointBudget) -> Vec<Map<String, Value>> {
    let findings = document.findings.iter().map(|finding| finding_item(document, finding, surroundings, budget));
    let mut items: Vec<Map<String, Value>> = findings.collect();
    let found: BTreeSet<&str> = document.findings.iter().map(|finding| finding.id.as_str()).collect();
    if let Details::Bounds { bounds } = &document.details {
        let rows = bounds.sites.iter().filter(|row| !found.contains(row.id.as_str()));
        items.extend(rows.filter_map(|row| site_item(document, row)));
    }
    let others = document.subjects.iter().enumerate().filter(|(_, subject)| is_own_item(document, subject));
    items.extend(others.map(|(at, subject)| subject_item(document, subject, at)));
    items
}

/// Whether a subject is shown by itself: not if a finding or an assertion stands for it.
fn is_own_item(document: &Document, subject: &Subject) -> bool {
    let is_site = matches!(subject.evidence, SubjectEvidence::Site(_));
    !is_site && document.findings_of(subject).is_empty()
}

fn finding_item(
    document: &Document,
    finding: &Finding,
    surroundings: &ReportSurroundings,
    budget: PointBudget,
) -> Map<String, Value> {
    let row = document.site_row(finding);
    let what = row.map(|row| format!("`{}`", row.source)).unwrap_or_else(|| finding.message.clone());
    let mut item = members(json!({
        "id": finding.id,
        "is_finding": true,
        "command": document.command(),
        "word": finding.kind.word(),
        "rank": if document.is_known(finding) { 2.5 } else { 0.0 },
        "known": document.known_word(finding),
        "accepted": document.accepted.get(&finding.id),
        "path": finding.path,
        "line": finding.line,
        "column": row.map(|row| row.column),
        "what": what,
        "message": row.is_none().then_some(&finding.message),
        "said": row.map(|row| &row.said),
        "test": row.map(|row| &row.test),
        "exception": finding.exception,
        "call": finding.call,
        "patch": surroundings.patches.get(&finding.id),
    }));
    item.extend(evidence_data::of_finding(document, finding, budget));
    item
}

fn site_item(document: &Document, row: &SiteRow) -> Option<Map<String, Value>> {
    let subject = document.subjects.iter().find(|subject| subject.name == row.subject)?;
    let SubjectEvidence::Site(evidence) = &subject.evidence else { return None };
    let mut item = members(json!({
        "id": row.id,
        "command": document.command(),
        "word": evidence.verdict,
        "rank": rank(subject),
        "path": row.path,
        "line": row.line,
        "column": row.column,
        "what": format!("`{}`", row.source),
        "said": row.said,
        "test": row.test,
    }));
    item.extend(evidence_data::of_site(evidence, Some(row), None));
    Some(item)
}

fn subject_item(document: &Document, subject: &Subject, at: usize) -> Map<String, Value> {
    let mut item = members(json!({
        "id": format!("{}-{at}", document.command()),
        "command": document.command(),
        "word": subject.verdict.word(),
        "rank": rank(subject),
        "path": subject.path,
        "line": subject.line,
        "what": format!("`{}`", subject.name),
        "reason": subject.verdict.open_reason(),
        "evidence": "subject",
        "tree": evidence_data::error_tree(document),
    }));
    item.extend(evidence_data::of_subject(subject));
    item
}

fn rank(subject: &Subject) -> usize {
    RANKS.iter().position(|word| *word == subject.verdict.word()).unwrap_or(RANKS.len())
}

/// The lines around all findings, each once.
fn excerpts<'d>(
    items: &[Map<String, Value>],
    around: u32,
    surroundings: &'d ReportSurroundings,
) -> BTreeMap<&'d str, Vec<(usize, &'d str)>> {
    let mut wanted: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for item in items.iter().filter(|item| item.contains_key("is_finding")) {
        let (path, line) = (item["path"].as_str().unwrap_or_default(), item["line"].as_u64().unwrap_or(1) as usize);
        let lines = line.saturating_sub(around as usize).max(1)..=line + around as usize;
        wanted.entry(path).or_default().extend(lines);
        for mutant in item.get("mutants_in_source").and_then(Value::as_array).into_iter().flatten() {
            let (Some(path), Some(line)) = (mutant[0].as_str(), mutant[1].as_u64()) else { continue };
            let line = line as usize;
            wanted.entry(path).or_default().extend(line.saturating_sub(1).max(1)..=line + 1);
        }
    }
    let files = surroundings.sources.iter().filter_map(|(path, text)| Some((path, text, wanted.get(path.as_str())?)));
    let excerpt = |(path, text, lines): (&'d String, &'d String, &BTreeSet<usize>)| {
        let numbered = text.lines().enumerate().map(|(at, line)| (at + 1, line));
        (path.as_str(), numbered.filter(|(line, _)| lines.contains(line)).collect())
    };
    files.map(excerpt).collect()
}
