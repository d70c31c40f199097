//! Mutants for programs: in the report of `temper bounds`, and as a file in the mutation-testing-elements format, which
//! other tools show.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use temper_bounds::findings::JudgedSite;
use temper_bounds::mutate::tighten::{
    self, Crash, Judged, MutantClass, MutantEffect, PlacedMutant, SiteKills, Tightened,
};
use temper_bounds::propose::advice::Advised;
use temper_bounds::propose::proposal::Remedy;
use temper_bounds::sample::scheduler::BoundsResult;
use temper_source::{Position, Span};

use super::mutants_text::class_word;

/// The part of the report that is about mutants.
pub fn report(found: &BoundsResult, rows: &[JudgedSite<'_>], advised: &Advised) -> Option<Value> {
    let tightened = found.tightened.as_ref()?;
    let mut by_mutant: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    let mut sites = Vec::new();
    for kills in &tightened.sites {
        let judged = judged(found, tightened, kills, rows, advised);
        for each in &judged {
            by_mutant.entry(each.mutant).or_default().push(json!({
                "test": kills.node,
                "site": kills.number,
                "class": class_word(each.class),
                "runs": each.runs,
                "killed_before": each.before,
                "killed_after": each.after,
                "values": values(tightened, kills, each.mutant),
            }));
        }
        let score =
            |score: temper_stats::kill::KillScore| json!({ "mean": score.mean, "low": score.low, "high": score.high });
        sites.push(json!({
            "test": kills.node,
            "site": kills.number,
            "mutants": kills.curve.len(),
            "kill_score": score(kills.before),
            "tightest": kills.tightening.map(|each| json!({ "bound": each.proposal.bound, "kill_score": score(each.after) })),
            "faser": kills.faser.as_ref().map(|faser| json!({
                "label": format!("{:?}", faser.label).to_lowercase(),
                "bound": faser.best.map(|best| best.bound),
                "pass": faser.best.map(|best| best.pass),
                "kill_score": faser.best.map(|best| best.kill),
            })),
        }));
    }
    let mutants: Vec<Value> = tightened
        .mutants
        .iter()
        .enumerate()
        .map(|(index, placed)| {
            let mut value = described(placed);
            value["trials"] = Value::Array(by_mutant.remove(&index).unwrap_or_default());
            value
        })
        .collect();
    let (runs_taken, runs_reused) = tightened.runs;
    Some(json!({
        "mutants": mutants,
        "not_reached": tightened.unreached.iter().map(described).collect::<Vec<_>>(),
        "same_bytecode": tightened.same_bytecode,
        "refused": tightened.refused.iter().map(|(test, said)| json!({ "test": test, "tried": said })).collect::<Vec<_>>(),
        "unrepeatable": tightened.unrepeatable,
        "sites": sites,
        "runs_taken": runs_taken,
        "runs_reused": runs_reused,
        "cpu_secs": tightened.cpu_secs,
    }))
}

/// The samples of a mutant at a site, in run order; none if it gave none or the same ones.
fn values<'a>(tightened: &'a Tightened, kills: &SiteKills, mutant: usize) -> &'a [f64] {
    let trials = tightened.trials.get(&kills.test).map(Vec::as_slice).unwrap_or_default();
    let effect = trials.iter().find(|trial| trial.mutant == mutant).and_then(|trial| trial.effects.get(&kills.number));
    match effect {
        Some(MutantEffect::None { values } | MutantEffect::Effective { values, .. }) => values,
        _ => &[],
    }
}

fn described(placed: &PlacedMutant) -> Value {
    let mutant = &placed.mutant;
    json!({
        "name": format!("{}:{}", placed.path, mutant.name(&placed.file)),
        "path": placed.path,
        "line": mutant.at.line,
        "column": mutant.at.column,
        "operator": mutant.operator.name(),
        "function": mutant.function,
        "replaced": placed.file.slice(mutant.span),
        "replacement": mutant.replacement,
    })
}

fn judged(
    found: &BoundsResult,
    tightened: &Tightened,
    kills: &SiteKills,
    rows: &[JudgedSite<'_>],
    advised: &Advised,
) -> Vec<Judged> {
    let row = rows.iter().find(|row| row.result.number == kills.number);
    let advice = row.and_then(|row| advised.by_id.get(&row.id)).and_then(|advice| advice.proposal.as_ref());
    let bound = advice.and_then(|proposal| match proposal.remedy {
        Remedy::Bound { bound, .. } => Some(bound),
        Remedy::Rerun { .. } => None,
    });
    let site = found.tests[kills.test].sites.iter().find(|site| site.number == kills.number);
    site.map(|site| tighten::judged(tightened, kills, &site.series, bound)).unwrap_or_default()
}

/// The document of mutation-testing-elements, version 1: every mutant with one status over all tests.
pub fn elements(found: &BoundsResult, rows: &[JudgedSite<'_>], advised: &Advised) -> Option<Value> {
    let tightened = found.tightened.as_ref()?;
    let mut by_mutant: BTreeMap<usize, Vec<(String, Judged)>> = BTreeMap::new();
    for kills in &tightened.sites {
        for each in judged(found, tightened, kills, rows, advised) {
            by_mutant.entry(each.mutant).or_default().push((kills.node.clone(), each));
        }
    }
    let mut files: BTreeMap<&str, (&PlacedMutant, Vec<Value>)> = BTreeMap::new();
    let all = tightened.mutants.iter().enumerate().map(|(index, placed)| (placed, by_mutant.get(&index)));
    let unreached = tightened.unreached.iter().map(|placed| (placed, None));
    for (number, (placed, trials)) in all.chain(unreached).enumerate() {
        let trials = trials.map(Vec::as_slice).unwrap_or_default();
        let is_reached = number < tightened.mutants.len();
        files
            .entry(&placed.path)
            .or_insert_with(|| (placed, Vec::new()))
            .1
            .push(element(number, placed, trials, is_reached));
    }
    let files: serde_json::Map<String, Value> = files
        .into_iter()
        .map(|(path, (placed, mutants))| {
            let file = json!({ "language": "python", "source": placed.file.text(), "mutants": mutants });
            (path.to_owned(), file)
        })
        .collect();
    Some(json!({ "schemaVersion": "1", "thresholds": { "high": 80, "low": 60 }, "files": files }))
}

fn element(number: usize, placed: &PlacedMutant, trials: &[(String, Judged)], is_reached: bool) -> Value {
    let mutant = &placed.mutant;
    let killers: Vec<&str> =
        trials.iter().filter(|(_, each)| status(each.class) == "Killed").map(|(node, _)| node.as_str()).collect();
    let first = trials.iter().map(|(_, each)| each.class).min_by_key(|class| order(status(*class)));
    json!({
        "id": number.to_string(),
        "mutatorName": mutant.operator.name(),
        "replacement": mutant.replacement,
        "location": { "start": place(mutant.at), "end": end(placed, mutant.span) },
        "status": if is_reached { first.map_or("Survived", status) } else { "NoCoverage" },
        "statusReason": first.map(class_word),
        "coveredBy": trials.iter().map(|(node, _)| node.as_str()).collect::<Vec<_>>(),
        "killedBy": killers,
    })
}

fn place(at: Position) -> Value {
    json!({ "line": at.line, "column": at.column })
}

fn end(placed: &PlacedMutant, span: Span) -> Value {
    place(placed.file.position(span.end))
}

/// The status of that format. A test that raises has noticed, whatever its bound.
fn status(class: MutantClass) -> &'static str {
    match class {
        MutantClass::Killed
        | MutantClass::Crashed(Crash::Raised | Crash::Died | Crash::OtherAssertion | Crash::NotFinite) => "Killed",
        MutantClass::Crashed(Crash::TimedOut) => "Timeout",
        MutantClass::Crashed(Crash::Unviable) => "RuntimeError",
        MutantClass::Crashed(Crash::Refused | Crash::Unrepeatable) => "Ignored",
        _ => "Survived",
    }
}

/// One kill is enough; a mutant that could not run under one test may have survived under another.
fn order(status: &str) -> usize {
    ["Killed", "Timeout", "Survived", "RuntimeError", "Ignored"].iter().position(|each| *each == status).unwrap_or(9)
}
