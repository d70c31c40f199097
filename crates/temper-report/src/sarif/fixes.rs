//! Verified patches as SARIF's fixes.

use serde_json::{Value, json};

use super::artifact::artifact;
use crate::evidence::FindingEvidence;
use crate::finding::Finding;
use crate::report::ReportSurroundings;

/// The fix of a finding whose patch was tried. Nothing if the file is no longer the one that the patch was made for.
pub(super) fn of(finding: &Finding, surroundings: &ReportSurroundings) -> Option<Value> {
    let FindingEvidence::Site(evidence) = &finding.evidence else { return None };
    finding.patch.as_ref()?;
    let change = evidence.proposal.as_ref()?.get("change")?;
    let path = change.get("path")?.as_str()?;
    let source = surroundings.sources.get(path)?;
    let edits = change.get("edits")?.as_array()?.iter().map(|edit| replacement(edit, source));
    let replacements: Vec<Value> = edits.collect::<Option<_>>()?;
    Some(json!({
        "description": { "text": format!("temper apply {}", finding.id) },
        "artifactChanges": [{ "artifactLocation": artifact(path), "replacements": replacements }],
    }))
}

fn replacement(edit: &Value, source: &str) -> Option<Value> {
    let start = usize::try_from(edit.get("start")?.as_u64()?).ok()?;
    let (old, new) = (edit.get("old")?.as_str()?, edit.get("new")?.as_str()?);
    if source.get(start..start + old.len())? != old {
        return None;
    }
    let (start_line, start_column) = position(source, start);
    let (end_line, end_column) = position(source, start + old.len());
    Some(json!({
        "deletedRegion": {
            "startLine": start_line, "startColumn": start_column, "endLine": end_line, "endColumn": end_column,
        },
        "insertedContent": { "text": new },
    }))
}

/// Line and column in characters, from 1.
fn position(source: &str, offset: usize) -> (usize, usize) {
    let before = &source[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (1 + before.matches('\n').count(), 1 + before[line_start..].chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    const SOURCE: &str = "def test_ä():\n    assert x < 0.1\n";

    #[test]
    fn a_verified_patch_is_a_replacement_in_lines_and_columns() {
        let document = sample::flaky_document(2);
        let mut surroundings = ReportSurroundings::default();
        surroundings.sources.insert("t.py".into(), SOURCE.into());
        let fix = of(&document.findings[0], &surroundings).unwrap();
        assert_eq!(
            fix["artifactChanges"][0]["replacements"][0],
            json!({
                "deletedRegion": { "startLine": 2, "startColumn": 16, "endLine": 2, "endColumn": 19 },
                "insertedContent": { "text": "0.31" },
            })
        );
    }

    #[test]
    fn a_file_that_went_on_has_no_fix() {
        let document = sample::flaky_document(2);
        let mut surroundings = ReportSurroundings::default();
        surroundings.sources.insert("t.py".into(), SOURCE.replace("0.1", "0.2"));
        assert_eq!(of(&document.findings[0], &surroundings), None);
    }
}
