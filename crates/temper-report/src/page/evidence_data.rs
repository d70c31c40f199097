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
const ALL_POINTS: usize = 4_000;
/// Those of one finding.
const MOST_POINTS: usize = 1_000;
/// Mutants that a whole page shows in the source: one takes 150 bytes.
const ALL_MUTANTS: usize = 1_000;
/// Those of one finding.
const MOST_MUTANTS: usize = 60;

/// How many single runs and mutants each finding may show.
#[derive(Clone, Copy)]
pub(super) struct PointBudget {
    points: usize,
    mutants: usize,
}

impl PointBudget {
    /// The same for each of this many findings.
    pub(super) fn shared_by(findings: usize) -> PointBudget {
        let share = |all: usize, most: usize| (all / findings.max(1)).min(most);
        PointBudget { points: share(ALL_POINTS, MOST_POINTS), mutants: share(ALL_MUTANTS, MOST_MUTANTS) }
    }
}

/// The evidence of a finding.
pub(super) fn of_finding(document: &Document, finding: &Finding, budget: PointBudget) -> Map<String, Value> {
    match &finding.evidence {
        FindingEvidence::Site(evidence) => {
            let row = document.site_row(finding);
            let mut item = of_site(&evidence.site, row, Some((evidence, budget.points)));
            let mutants = row.map(|row| mutants_in_source(document, row, budget.mutants)).unwrap_or_default();
            item.extend(members(json!({ "mutants_in_source": mutants })));
            item
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
        FindingEvidence::Counterexample(evidence) => members(json!({ "evidence": "search", "search": evidence })),
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
            "tails": proposal.map(tails),
            "levels": proposal.map(levels),
            "kill_score": mutants.map(|mutants| &mutants.kill_score),
            "mutants": mutants.map(|mutants| &mutants.killable),
            "opposite": mutants.and_then(|mutants| mutants.opposite.as_ref()),
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
        SubjectEvidence::Search(evidence) => members(json!({ "evidence": "search", "search": evidence })),
        _ => Map::new(),
    }
}

/// Mutants that were tried under the test of an assertion and change what it compares, with how often the assertion notices each,
/// before and after the change that is proposed. Those whose fate changes come first.
fn mutants_in_source(document: &Document, row: &SiteRow, most: usize) -> Vec<Value> {
    let Details::Bounds { bounds } = &document.details else { return Vec::new() };
    let mut found: Vec<(bool, Value)> = Vec::new();
    for mutant in bounds.mutants.iter().flat_map(|mutants| &mutants.mutants) {
        let trials = mutant.get("trials").and_then(Value::as_array).into_iter().flatten();
        let is_of_row = |trial: &&Value| trial.get("test").and_then(Value::as_str) == Some(row.test.as_str());
        let Some((before, after)) = trials.filter(is_of_row).find_map(kill_shares) else { continue };
        let shown = ["path", "line", "column", "replaced", "replacement"].map(|name| mutant.get(name));
        let changes = (before >= 0.5) != (after >= 0.5);
        found.push((
            !changes,
            json!([shown[0], shown[1], shown[2], shown[3], shown[4], rounded(before), rounded(after)]),
        ));
    }
    found.sort_by_key(|(is_same, _)| *is_same);
    found.into_iter().take(most).map(|(_, mutant)| mutant).collect()
}

/// How often a mutant is killed before and after; nothing if it was not judged.
fn kill_shares(trial: &Value) -> Option<(f64, f64)> {
    let before = trial.get("killed_before")?.as_f64()?;
    Some((before, trial.get("killed_after").and_then(Value::as_f64).unwrap_or(before)))
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

/// `[share, estimate, limit]` of what is extrapolated from the tail, the nearest first.
fn tails(proposal: &Map<String, Value>) -> Vec<Value> {
    let all = proposal.get("levels").and_then(Value::as_array).into_iter().flatten();
    let tail = |level: &Value| {
        let bound = level.get("bound")?;
        let estimate = bound.get("support")?.get("estimate")?.as_f64()?;
        Some(json!([level.get("pass")?, rounded(estimate), bound.get("bound")?]))
    };
    all.filter_map(tail).take(2).collect()
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
