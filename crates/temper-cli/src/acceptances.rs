//! Findings that somebody has accepted: `temper.accepted.toml` in the project, which is committed, and comments in the
//! source. An acceptance has a reason, counts until its day, and does not cover what has become worse.

use std::path::Path;

use serde::{Deserialize, Serialize};
use temper_report::{AcceptanceReason, Accepted, Document, Exit, Finding, FindingKind};

use crate::day;
use crate::message::{Failure, Message};
use crate::surroundings;

/// The committed file.
pub const FILE: &str = "temper.accepted.toml";
/// What a comment begins with, before the kind in brackets.
const COMMENT: &str = "temper: accept[";

/// One accepted finding in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedRow {
    pub id: String,
    pub kind: String,
    pub path: String,
    pub reason: String,
    /// The last day on which it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The greatest share of runs in which it may show: the high end of the interval when it was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedFile {
    #[serde(default)]
    pub accept: Vec<AcceptedRow>,
}

impl AcceptedFile {
    /// Reads the file of a project; no file accepts nothing.
    pub fn read(root: &Path) -> Result<AcceptedFile, Failure> {
        let text = match std::fs::read_to_string(root.join(FILE)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(AcceptedFile::default()),
            Err(error) => {
                return Err(Message::error(format!("cannot read `{FILE}`")).fact(error.to_string()).ends(Exit::Usage));
            }
        };
        let file: AcceptedFile = toml::from_str(&text).map_err(|error| {
            Message::error(format!("`{FILE}` is not a list of accepted findings"))
                .fact(error.message())
                .hint("`temper accept ID --reason \"...\"` writes it")
                .ends(Exit::Usage)
        })?;
        match file.accept.iter().find(|row| row.until.as_ref().is_some_and(|until| !day::is_day(until))) {
            Some(row) => Err(Message::error(format!(
                "`{}` of {} in `{FILE}` is no day",
                row.until.as_deref().unwrap_or_default(),
                row.id
            ))
            .hint("write it as in 2026-12-31")
            .ends(Exit::Usage)),
            None => Ok(file),
        }
    }

    /// The file as it is written.
    pub fn to_text(&self) -> Result<String, toml::ser::Error> {
        let rows = toml::to_string_pretty(self)?;
        Ok(format!(
            "# Findings that fail nothing, each with the reason. `temper accept ID --reason \"...\"` adds one.\n\n{rows}"
        ))
    }
}

/// What is accepted of the findings of a record, and what is said about acceptances that no longer count.
pub fn of(file: &AcceptedFile, document: &Document, root: &Path) -> (Accepted, Vec<Message>) {
    let mut accepted = Accepted::new();
    let mut messages = Vec::new();
    let today = day::today();
    let sources = surroundings::sources(root, document);
    for finding in &document.findings {
        let row = file.accept.iter().find(|row| row.id == finding.id && row.kind == finding.kind.word());
        match row.map(|row| (row, objection(row, finding, &today))) {
            Some((row, None)) => {
                let AcceptedRow { reason, until, .. } = row.clone();
                accepted.insert(finding.id.clone(), AcceptanceReason { reason, until, place: FILE.to_owned() });
                continue;
            }
            Some((_, Some(message))) => messages.push(message),
            None => {}
        }
        let comment = sources.get(&finding.path).and_then(|text| comment(text, finding));
        accepted.extend(comment.map(|acceptance| (finding.id.clone(), acceptance)));
    }
    (accepted, messages)
}

/// Why an acceptance no longer counts.
fn objection(row: &AcceptedRow, finding: &Finding, today: &str) -> Option<Message> {
    if let Some(until) = row.until.as_deref().filter(|until| *until < today) {
        return Some(Message::warning(format!("{} was accepted until {until}, and counts again", row.id)).at(FILE));
    }
    let (rate, (low, _)) = row.rate.zip(finding.evidence.rate())?;
    let percent = |share: f64| temper_report::percent((share * 1e4).round() / 1e4);
    (low > rate).then(|| {
        Message::warning(format!("{} has become worse than what was accepted", row.id)).at(FILE).fact(format!(
            "it shows in {} of runs or more; {} were accepted",
            percent(low),
            percent(rate)
        ))
    })
}

/// A comment `# temper: accept[flaky] reason` on the line of the finding or on the one above it.
fn comment(text: &str, finding: &Finding) -> Option<AcceptanceReason> {
    let line = finding.line as usize;
    [line, line.saturating_sub(1)].into_iter().filter(|line| *line > 0).find_map(|number| {
        let (_, comment) = text.lines().nth(number - 1)?.split_once('#')?;
        let (_, rest) = comment.split_once(COMMENT)?;
        let (kinds, reason) = rest.split_once(']')?;
        let is_meant = kinds.split(',').any(|kind| FindingKind::of(kind.trim()) == Some(finding.kind));
        let reason = reason.trim();
        (is_meant && !reason.is_empty()).then(|| AcceptanceReason {
            reason: reason.to_owned(),
            until: None,
            place: format!("{}:{number}", finding.path),
        })
    })
}
