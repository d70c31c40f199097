//! The evidence of an item as the page draws it: one function a kind, as in page.js.

use serde_json::{Map, Value, json};

use super::bins::{bins, points, rounded};
use super::members::{figure, members};
use crate::details::Details;
use crate::document::Document;
use crate::evidence::{
    BoundSide, CheckEvidence, ErrorNodeRecord, FindingEvidence, ModelDetails, SampleQuantiles, SiteEvidence,
    SiteFindingEvidence, SiteRow, SubjectEvidence,
};
use crate::finding::Finding;
use crate::subject::Subject;
use crate::text::short;

/// Single runs that a whole page shows: a run takes 35 bytes, and a page is to stay below a megabyte.
const ALL_POINTS: usize = 5_000;
/// Those of one finding.
const MOST_POINTS: usize = 1_000;

/// How many single runs each finding may show.
pub(super) struct PointBudget(usize);

impl PointBudget {
    /// The same for each of this many findings.
    pub(super) fn shared_by(findings: usize) -> PointBudget {
        PointBudget((ALL_POINTS / findings.max(1)).min(MOST_POINTS))
    }
}

/// The evidence of a finding.
pub(super) fn of_finding(document: &Document, finding: &Finding, budget: &mut PointBudget) -> Map<String, Value> {
    match &finding.evidence {
        FindingEvidence::Site(evidence) => {
            of_site(&evidence.site, document.site_row(finding), Some((evidence, budget.0)))
        }
        FindingEvidence::Call(evidence) => {
            let subject = document.subjects.iter().find(|subject| subject.name == finding.subject);
            let checked = subject.and_then(|subject| match &subject.evidence {
                SubjectEvidence::Check(evidence) => Some(evidence),
                _ => None,
            });
            members(json!({ "evidence": "call", "call_evidence": evidence, "reached": checked.map(reached) }))
        }
        FindingEvidence::Test(evidence) => {
            members(json!({ "evidence": "test", "test_evidence": evidence, "rate": evidence.failure_rate.share }))
        }
        FindingEvidence::Region(evidence) => {
            members(json!({ "evidence": "region", "region": evidence, "tree": error_tree(document) }))
        }
        FindingEvidence::Measured(evidence) => members(json!({ "evidence": "measured", "measured": evidence })),
        FindingEvidence::Leaf(evidence) => members(json!({ "evidence": "leaf", "leaf": evidence })),
        FindingEvidence::Property(evidence) => members(json!({ "evidence": "property", "property": evidence })),
    }
}

/// The values of an assertion, with what is proposed if it is a finding.
pub(super) fn of_site(
    site: &SiteEvidence,
    row: Option<&SiteRow>,
    found: Option<(&SiteFindingEvidence, usize)>,
) -> Map<String, Value> {
    let proposal = found.and_then(|(evidence, _)| evidence.proposal.as_ref());
    let remedy = proposal.and_then(|proposal| proposal.get("remedy"));
    let is_out = |number: f64| match (site.bound, site.direction) {
        (Some(bound), BoundSide::Upper) => number > bound || (site.is_strict && number >= bound),
        (Some(bound), BoundSide::Lower) => number < bound || (site.is_strict && number <= bound),
        (None, _) => false,
    };
    let drawn = found.map(|(_, most)| points(&site.numbers, &site.seeds, is_out, most));
    let mutants = row.and_then(|row| row.mutants.as_ref());
    let rate = site.failure_rate.share.filter(|_| site.failures > 0);
    members(json!({
        "evidence": "site",
        "rate": rate,
        "site": members(json!({
            "test": row.map(|row| &row.test),
            "runs": site.runs,
            "failures": site.failures,
            "share": site.failure_rate.share,
            "low": site.failure_rate.low,
            "high": site.failure_rate.high,
            "bound": site.bound,
            "new_bound": remedy.and_then(|remedy| remedy.get("bound")),
            "values": site.numbers.len(),
            "bins": bins(&site.numbers),
            "points": drawn,
            "quantiles": quantiles(&site.quantiles),
            "tail": remedy.and_then(|remedy| remedy.get("support")).or(Some(&site.rests_on)).and_then(tail),
            "levels": proposal.map(levels),
            "kill_score": mutants.map(|mutants| &mutants.kill_score),
            "mutants": mutants.map(|mutants| &mutants.killable),
        })),
    }))
}

/// How a model's errors are told from the rest, if it was judged on rows.
pub(super) fn error_tree(document: &Document) -> Option<&[ErrorNodeRecord]> {
    match &document.details {
        Details::Model { model: ModelDetails::Judged(run) } if !run.tree.is_empty() => Some(&run.tree),
        _ => None,
    }
}

/// What is known of a subject without a finding.
pub(super) fn of_subject(subject: &Subject) -> Map<String, Value> {
    match &subject.evidence {
        SubjectEvidence::Check(evidence) => members(json!({
            "reached": reached(evidence),
            "figures": [figure("valid inputs", evidence.valid as f64), figure("rejected", evidence.rejected as f64)],
        })),
        SubjectEvidence::ModelRows(evidence) => members(json!({
            "figures": [
                figure("rows", evidence.rows as f64),
                figure("wrong", evidence.errors as f64),
                figure("wrong in the reference", evidence.reference_errors as f64),
            ],
        })),
        _ => Map::new(),
    }
}

/// `[name, reached, all]` of lines and of branch outcomes.
fn reached(evidence: &CheckEvidence) -> Vec<Value> {
    let pairs = [("lines", evidence.lines), ("branch outcomes", evidence.branches)];
    pairs.into_iter().filter_map(|(name, pair)| pair.map(|pair| json!([name, pair.reached, pair.all]))).collect()
}

fn quantiles(known: &SampleQuantiles) -> Value {
    let shown = |value: Option<f64>| value.map(rounded);
    json!({ "p50": shown(known.p50), "p1": shown(known.p1), "p99": shown(known.p99), "p99.9": shown(known.p99_9) })
}

/// What a bound rests on, in words.
fn tail(support: &Value) -> Option<String> {
    let kind = support.get("kind")?.as_str()?;
    match kind {
        "extrapolated" => {
            let shape = support.get("shape").and_then(Value::as_f64).map(short).unwrap_or_default();
            let tail = support.get("tail").and_then(Value::as_str).unwrap_or("fitted");
            Some(format!("{tail}, shape {shape}, extrapolated from {} values", support.get("exceedances")?))
        }
        "observed" => Some("not needed: enough values lie beyond the bound".to_owned()),
        _ => None,
    }
}

/// `[share, bound, failures beyond it]` of each other target.
fn levels(proposal: &Map<String, Value>) -> Vec<Value> {
    let all = proposal.get("levels").and_then(Value::as_array).into_iter().flatten();
    let bound = |level: &Value, name: &str| level.get("bound").and_then(|bound| bound.get(name)).cloned();
    all.filter_map(|level| Some(json!([level.get("pass")?, bound(level, "text")?, bound(level, "fresh_failures")])))
        .collect()
}
