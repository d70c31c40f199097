//! `temper accept ID --reason "..."`: a finding that is to fail nothing, written into the committed file.

use temper_report::{Document, Exit, Finding};

use super::{CommandContext, cannot_write, report};
use crate::acceptances::{AcceptedFile, AcceptedRow, FILE};
use crate::args::Accept;
use crate::day;
use crate::message::{Failure, Message};

/// Adds the finding to the file, or replaces what the file says about it.
pub fn run(context: &CommandContext<'_>, arguments: &Accept) -> Result<Exit, Failure> {
    if arguments.reason.trim().is_empty() {
        return Err(Message::error("`--reason` is empty")
            .hint("say why it may stay, for those who come after")
            .ends(Exit::Usage));
    }
    if let Some(until) = arguments.until.as_deref().filter(|until| !day::is_day(until)) {
        return Err(Message::error(format!("`--until {until}` is no day"))
            .hint("write it as in 2026-12-31")
            .ends(Exit::Usage));
    }
    let documents = report::records(context)?;
    let mut file = AcceptedFile::read(&context.root)?;
    for id in &arguments.ids {
        let row = row(named(&documents, id)?, arguments);
        file.accept.retain(|each| each.id != row.id);
        file.accept.push(row);
    }
    file.accept.sort_by(|left, right| (&left.path, &left.id).cmp(&(&right.path, &right.id)));
    let text = file.to_text().map_err(|error| cannot_write(FILE, &error.to_string()))?;
    temper_files::write_output(&context.root.join(FILE), text.as_bytes())
        .map_err(|error| cannot_write(FILE, &error.reason()))?;
    context.write_results(&format!("{} accepted in {FILE}; commit it\n", arguments.ids.join(", ")))?;
    Ok(Exit::Clean)
}

fn named<'d>(documents: &'d [Document], id: &str) -> Result<&'d Finding, Failure> {
    let mut findings = documents.iter().flat_map(|document| &document.findings);
    findings.find(|finding| finding.id == id).ok_or_else(|| {
        Message::error(format!("no finding `{id}` in the records of the last runs"))
            .hint("`temper report` lists the findings with their ids")
            .ends(Exit::Usage)
    })
}

fn row(finding: &Finding, arguments: &Accept) -> AcceptedRow {
    AcceptedRow {
        id: finding.id.clone(),
        kind: finding.kind.word().to_owned(),
        path: finding.path.clone(),
        reason: arguments.reason.trim().to_owned(),
        until: arguments.until.clone(),
        rate: finding.evidence.rate().map(|(_, high)| (high * 1e4).ceil() / 1e4),
    }
}
