//! The results of `temper model` as the JSON document.

use serde::Serialize;
use serde_json::{Map, Value, json};
use temper_model::Dataset;
use temper_model::assess::LeafFinding;
use temper_model::explain::closest::Closest;
use temper_model::explain::property_text::rule_in_words;
use temper_model::inputs::InputSuite;
use temper_model::judge::baseline::BaselineOrigin;
use temper_model::judge::metrics::Metrics;
use temper_model::mutants::detection::Challenge;
use temper_model::tree::leaf::Leaf;
use temper_report::Document;

use super::Found;
use crate::interpreter::Interpreter;

/// What `temper model` has beyond subjects and findings.
#[derive(Serialize)]
pub struct Own {
    pub model: Value,
}

/// The document of one run on one data set.
pub fn document(found: &Found, data: &Dataset, path: &str, python: &Interpreter) -> Document<Own> {
    let mut document = empty(found.seed, python, one_run(found, data, path));
    document.subjects.push(subject(found, path));
    document.findings = findings(found, data, path);
    document
}

/// The findings of one run; none where nothing was judged.
pub fn findings(found: &Found, data: &Dataset, path: &str) -> Vec<temper_report::Finding> {
    let judged = found.assessment.findings.iter().filter(|_| found.is_judged);
    judged.map(|each| finding(each, found, data, path)).collect()
}

/// A document without subjects and findings.
pub fn empty(seed: u64, python: &Interpreter, model: Value) -> Document<Own> {
    let mut document = Document::new("model", Own { model });
    document.seed = Some(seed);
    if let Some(version) = &python.version {
        document.versions.insert("python".to_owned(), version.clone());
    }
    document
}

/// The model as a subject.
pub fn subject(found: &Found, path: &str) -> temper_report::Subject {
    use temper_report::Verdict;
    let assessment = &found.assessment;
    let verdict = if !found.is_judged || assessment.leaves.is_empty() || assessment.is_interrupted {
        Verdict::Undecided
    } else if assessment.findings.is_empty() {
        Verdict::Clean
    } else {
        Verdict::Found
    };
    let mut evidence = Map::new();
    evidence.insert("leaves_tested".to_owned(), json!(assessment.leaves.len()));
    evidence.insert("inputs".to_owned(), json!(assessment.coverage.0.len() + assessment.boundary.0.len()));
    let name = found.model.clone();
    temper_report::Subject { name, path: path.to_owned(), line: 1, verdict, evidence }
}

/// Everything else about one run.
pub fn one_run(found: &Found, data: &Dataset, path: &str) -> Value {
    let assessment = &found.assessment;
    let fidelity = &assessment.fidelity;
    let origin = match found.baseline.origin {
        BaselineOrigin::CrossValidation => "cross-validation",
        BaselineOrigin::Holdout => "holdout",
        BaselineOrigin::GivenRows => "given rows",
    };
    let leaves: Vec<Value> = assessment.leaves.iter().map(|result| leaf(result, found, data)).collect();
    let totals = match &found.totals {
        Some(totals) => {
            json!({ "of": "fold models", "coverage": metrics(&totals.coverage), "boundary": metrics(&totals.boundary) })
        }
        None => {
            json!({ "of": "model", "coverage": metrics(&assessment.coverage.1.metrics), "boundary": metrics(&assessment.boundary.1.metrics) })
        }
    };
    json!({
        "data": path,
        "target": data.target,
        "rows": data.rows(),
        "classes": data.classes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "surrogate": {
            "leaves": fidelity.leaves,
            "tied_leaves": fidelity.tied_leaves,
            "depth": fidelity.depth,
            "training_accuracy": fidelity.training_accuracy,
            "fidelity": fidelity.to_model,
        },
        "baseline": { "origin": origin, "errors": found.baseline.errors, "rows": found.baseline.rows },
        "coverage": suite(&assessment.coverage.0),
        "boundary": suite(&assessment.boundary.0),
        "totals": totals,
        "cross_validation": found.crossed.as_ref().map(metrics),
        "leaves": leaves,
        "known": found.known.iter().collect::<Vec<_>>(),
        "interrupted": assessment.is_interrupted,
        "mutants": found.mutants.as_ref().map(|mutants| challenge(mutants, data)),
    })
}

fn suite(suite: &InputSuite) -> Value {
    json!({ "inputs": suite.len(), "different": suite.unique(), "drawn": suite.drawn })
}

/// Figures of agreement.
pub fn metrics(metrics: &Metrics) -> Value {
    let averages = |of: &temper_model::judge::metrics::Averages| json!({ "precision": of.precision, "recall": of.recall, "f1": of.f1 });
    json!({
        "accuracy": metrics.accuracy,
        "weighted": averages(&metrics.weighted),
        "macro": averages(&metrics.macro_average),
    })
}

fn leaf(result: &temper_model::judge::findings::LeafResult, found: &Found, data: &Dataset) -> Value {
    let leaf = &found.assessment.surrogate.leaves[result.leaf];
    json!({
        "id": temper_model::assess::leaf_id(leaf, data),
        "property": rule_in_words(leaf, data),
        "conditions": conditions(leaf, data),
        "class": data.classes[leaf.class].to_string(),
        "rows": leaf.rows(),
        "rows_of_class": leaf.counts[leaf.class],
        "inputs": result.inputs,
        "failures": result.failures,
        "pass_rate": result.pass_rate.share,
        "pass_rate_low": result.pass_rate.low,
        "pass_rate_high": result.pass_rate.high,
        "p_value": result.p_value,
        "is_finding": found.is_judged && result.is_finding,
    })
}

/// The intervals of a leaf, column by column; categories and missing cells as the codes that the tree compares.
pub fn conditions(leaf: &Leaf, data: &Dataset) -> Vec<Value> {
    let condition = |(feature, interval): &(usize, temper_model::tree::leaf::LeafInterval)| json!({ "column": data.schema.columns[*feature].name, "above": interval.lo, "up_to": interval.hi });
    leaf.intervals.iter().map(condition).collect()
}

fn finding(finding: &LeafFinding, found: &Found, data: &Dataset, path: &str) -> temper_report::Finding {
    let result = &finding.result;
    let mut evidence = Map::new();
    let mut put = |key: &str, value: Value| evidence.insert(key.to_owned(), value);
    put("property", json!(finding.property));
    put("inputs", json!(result.inputs));
    put("failures", json!(result.failures));
    put("pass_rate", json!([result.pass_rate.low, result.pass_rate.share, result.pass_rate.high]));
    put("p_value", json!(result.p_value));
    put("known", json!(found.known.contains(&finding.id)));
    if let Some(closest) = &finding.closest {
        put("closest", closest_json(closest, data));
    }
    temper_report::Finding {
        id: finding.id.clone(),
        kind: "leaf".to_owned(),
        subject: found.model.clone(),
        path: path.to_owned(),
        line: 1,
        message: format!("{} of {} inputs break `{}`", result.failures, result.inputs, finding.property),
        evidence,
        exception: None,
        call: None,
        seed: Some(found.seed),
        patch: None,
    }
}

fn closest_json(closest: &Closest, data: &Dataset) -> Value {
    let row = |values: &[f64]| -> Map<String, Value> {
        let columns = data.schema.columns.iter().zip(values);
        columns.map(|(column, value)| (column.name.clone(), cell(column, *value))).collect()
    };
    json!({
        "input": row(&closest.input),
        "expected": data.classes[closest.expected].to_string(),
        "predicted": data.classes[closest.predicted].to_string(),
        "nearest_row": closest.row + 1,
        "nearest": row(data.features.row(closest.row)),
        "differs": closest.differs.iter().map(|&at| data.schema.columns[at].name.clone()).collect::<Vec<_>>(),
    })
}

/// A cell as JSON has it; a missing one is null.
pub fn cell(column: &temper_model::Column, value: f64) -> Value {
    use temper_model::Cell;
    match column.cell(value) {
        Cell::Float(value) => json!(value),
        Cell::Integer(value) => json!(value),
        Cell::Boolean(value) => json!(value),
        Cell::Text(value) => json!(value),
        Cell::Missing => Value::Null,
    }
}

fn challenge(challenge: &Challenge, data: &Dataset) -> Value {
    let fate = |fate: &temper_model::mutants::model_mutant::Fate| {
        json!({
            "mutant": fate.mutant.in_words(&data.schema),
            "killed_by_inputs": fate.killed_by_suite,
            "killed_by_holdout": fate.killed_by_holdout,
        })
    };
    json!({
        "held_out": challenge.held_out,
        "inputs": challenge.inputs,
        "unviable": challenge.unviable.iter().map(|mutant| mutant.in_words(&data.schema)).collect::<Vec<_>>(),
        "fates": challenge.fates.iter().map(fate).collect::<Vec<_>>(),
    })
}
