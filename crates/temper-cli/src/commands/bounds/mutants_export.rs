//! `--mutants-to FILE`: mutants in the mutation-testing-elements format, which other tools show.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use temper_bounds::findings::JudgedSite;
use temper_bounds::mutate::tighten::{Crash, Judged, MutantClass, PlacedMutant, Tightened};
use temper_bounds::propose::advice::Advised;
use temper_bounds::record::mutants::judged;
use temper_bounds::sample::scheduler::BoundsResult;
use temper_bounds::wording::class_word;
use temper_source::{Position, Span};

/// The document of mutation-testing-elements, version 1: every mutant with one status over all tests.
pub fn elements(found: &BoundsResult, rows: &[JudgedSite<'_>], advised: &Advised) -> Value {
    let none = Tightened::default();
    let tightened = found.tightened.as_ref().unwrap_or(&none);
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
    json!({ "schemaVersion": "1", "thresholds": { "high": 80, "low": 60 }, "files": files })
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
        "status": if is_reached { first.map_or("Pending", status) } else { "NoCoverage" },
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
