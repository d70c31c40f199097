//! What reports show apart from records: the project's name, its revision, source text, patches, earlier runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};
use std::process::Command;

use temper_report::{Details, Document, PastRun, ReportSurroundings};

use crate::day;

/// Longer files are no source that a person reads.
const LONGEST_FILE: u64 = 2_000_000;
/// Runs that the trend shows.
const MOST_PAST_RUNS: usize = 100;
/// Where earlier runs are kept.
const HISTORY: &str = "history.json";

/// The surroundings of these records.
pub fn of(root: &Path, documents: &[Document]) -> ReportSurroundings {
    ReportSurroundings {
        project: project_name(root),
        revision: revision(root),
        made_at: Some(day::now_in_words()),
        sources: documents.iter().flat_map(|document| sources(root, document)).collect(),
        patches: documents.iter().flat_map(|document| patches(root, document)).collect(),
        history: history(root),
    }
}

/// The Python files that findings and mutants of a record lie in, by the paths of the record.
pub fn sources(root: &Path, document: &Document) -> BTreeMap<String, String> {
    let found = document.findings.iter().map(|finding| finding.path.as_str());
    let paths: BTreeSet<&str> = found.chain(mutated(document)).filter(|path| path.ends_with(".py")).collect();
    paths.into_iter().filter_map(|path| Some((path.to_owned(), read(root, path)?))).collect()
}

/// The files that mutants of a record change.
fn mutated(document: &Document) -> impl Iterator<Item = &str> {
    let mutants = match &document.details {
        Details::Bounds { bounds } => bounds.mutants.as_ref(),
        _ => None,
    };
    mutants.into_iter().flat_map(|mutants| &mutants.mutants).filter_map(|mutant| mutant.get("path")?.as_str())
}

fn patches(root: &Path, document: &Document) -> BTreeMap<String, String> {
    let named = document.findings.iter().filter_map(|finding| Some((finding, finding.patch.as_ref()?)));
    named.filter_map(|(finding, path)| Some((finding.id.clone(), read(root, path)?))).collect()
}

/// The text of a file below the root. What a record names outside it is not read.
fn read(root: &Path, path: &str) -> Option<String> {
    let path = Path::new(path);
    if path.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
        return None;
    }
    let whole = root.join(path);
    let is_short = std::fs::metadata(&whole).is_ok_and(|data| data.is_file() && data.len() <= LONGEST_FILE);
    if is_short { std::fs::read_to_string(whole).ok() } else { None }
}

/// The name in pyproject.toml, or that of the folder.
fn project_name(root: &Path) -> String {
    let text = std::fs::read_to_string(root.join("pyproject.toml")).unwrap_or_default();
    let table: toml::Table = text.parse().unwrap_or_default();
    let name = table.get("project").and_then(|project| project.get("name")).and_then(toml::Value::as_str);
    let folder = || root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.map(str::to_owned).unwrap_or_else(folder)
}

/// The commit, and whether files differ from it; nothing without git.
fn revision(root: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short", "HEAD"])?;
    let is_changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(if is_changed { format!("{commit} with changes") } else { commit })
}

fn history(root: &Path) -> Vec<PastRun> {
    let text = temper_store::read_file(root, HISTORY).ok().flatten().unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Adds a run to the trend. It is a convenience: what cannot be kept is not shown later.
pub fn remember(root: &Path, document: &Document) {
    let mut runs = history(root);
    runs.push(PastRun {
        day: day::today(),
        command: document.command().to_owned(),
        subjects: document.subjects.len(),
        findings: document.findings.iter().filter(|finding| !document.is_known(finding)).count(),
    });
    let first = runs.len().saturating_sub(MOST_PAST_RUNS);
    if let Ok(text) = serde_json::to_string(&runs[first..]) {
        let _ = temper_store::write_file(root, HISTORY, &text);
    }
}
