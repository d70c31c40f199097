//! What is kept of the findings: for `temper replay` in the project's store, and as a baseline report that the user keeps.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value, json};
use temper_model::judge::baseline::{Baseline, BaselineOrigin};
use temper_model::subject::worker_model::ModelSource;
use temper_model::{Cell, Column, ColumnKind, Dataset};
use temper_report::Exit;
use temper_store::Store;

use super::Found;
use super::json::cell;
use super::setup::Opened;
use crate::commands::Context;
use crate::message::{Failure, Message};

/// Under this kind the store keeps what `temper replay` needs, by finding.
pub const RECORDS: &str = "model-replay";

/// What is asked again.
pub struct Kept {
    /// The table, relative to the project or absolute.
    pub data: String,
    pub target: String,
    pub source: ModelSource,
    pub seed: u64,
    pub property: String,
    pub expected: String,
    /// One cell for each column.
    pub input: Map<String, Value>,
}

impl Kept {
    /// What the store has under a finding's id.
    pub fn from_text(text: &str) -> Option<Kept> {
        let value: Value = serde_json::from_str(text).ok()?;
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        let name = text("name")?;
        let source = match text("kind")?.as_str() {
            "file" => ModelSource::File(name.into()),
            "callable" => ModelSource::Callable(name),
            _ => ModelSource::Train(name),
        };
        Some(Kept {
            data: text("data")?,
            target: text("target")?,
            source,
            seed: value.get("seed")?.as_u64()?,
            property: text("property")?,
            expected: text("expected")?,
            input: value.get("input")?.as_object()?.clone(),
        })
    }

    /// The input in the codes of a table; the name of a column for which it has none.
    pub fn codes(&self, data: &Dataset) -> Result<Vec<f64>, String> {
        let columns = data.schema.columns.iter();
        columns.map(|column| code(column, self.input.get(&column.name)).ok_or_else(|| column.name.clone())).collect()
    }
}

fn code(column: &Column, value: Option<&Value>) -> Option<f64> {
    match (value?, &column.kind) {
        (Value::Null, _) => column.missing,
        (Value::String(text), ColumnKind::Category(names)) => {
            names.iter().position(|name| name == text).map(|at| at as f64)
        }
        (Value::Bool(value), _) => Some(f64::from(u8::from(*value))),
        (value, ColumnKind::Integer | ColumnKind::Float) => value.as_f64(),
        _ => None,
    }
}

/// Keeps every finding for `temper replay`.
pub fn remember(context: &Context<'_>, found: &Found, opened: &Opened) -> Result<(), temper_store::StoreError> {
    if !found.is_judged || found.assessment.findings.is_empty() {
        return Ok(());
    }
    let mut store = Store::open(&context.root)?;
    let (kind, name) = match &opened.source {
        ModelSource::File(path) => ("file", path.display().to_string()),
        ModelSource::Callable(name) => ("callable", name.clone()),
        ModelSource::Train(text) => ("train", text.clone()),
    };
    let assessment = &found.assessment;
    let suites = [&assessment.coverage.0, &assessment.boundary.0];
    for finding in &assessment.findings {
        let first = finding.result.failing.first().map(|&(suite, at)| suites[suite].rows.row(at));
        let closest = finding.closest.as_ref().map(|closest| closest.input.as_slice());
        let Some(input) = closest.or(first) else { continue };
        let columns = opened.data.schema.columns.iter().zip(input);
        let cells: Map<String, Value> =
            columns.map(|(column, value)| (column.name.clone(), cell(column, *value))).collect();
        let class = assessment.surrogate.leaves[finding.result.leaf].class;
        let record = json!({
            "data": opened.path,
            "target": opened.data.target,
            "kind": kind,
            "name": name,
            "seed": found.seed,
            "property": finding.property,
            "expected": opened.data.classes[class].to_string(),
            "input": cells,
        });
        store.put_record(RECORDS, &finding.id, &record.to_string())?;
    }
    Ok(())
}

/// The findings of an earlier report that are no worse today: those whose failures are no more than chance adds to what they were.
pub fn known(found: &Found, path: &Path) -> Result<BTreeSet<String>, Failure> {
    let wrong = |said: String| {
        Message::error(format!("`{}` is no report of `temper model`", path.display()))
            .fact(said)
            .hint("write one with `--format json --output FILE`")
            .ends(Exit::Usage)
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let report: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if report.get("command").and_then(Value::as_str) != Some("model") {
        return Err(wrong("it does not come from `temper model`".to_owned()));
    }
    let earlier = report.get("findings").and_then(Value::as_array).cloned().unwrap_or_default();
    let count = |finding: &Value, key: &str| finding["evidence"][key].as_u64().unwrap_or(0) as usize;
    let is_known = |finding: &temper_model::assess::LeafFinding| {
        earlier.iter().any(|before| {
            let then = Baseline {
                errors: count(before, "failures"),
                rows: count(before, "inputs"),
                origin: BaselineOrigin::GivenRows,
            };
            before["id"] == *finding.id && then.p_value(finding.result.failures, finding.result.inputs) > 0.05
        })
    };
    Ok(found.assessment.findings.iter().filter(|each| is_known(each)).map(|each| each.id.clone()).collect())
}

/// A cell as Python source.
pub fn python_cell(column: &Column, value: f64) -> String {
    match column.cell(value) {
        Cell::Float(value) => format!("{value:?}"),
        Cell::Integer(value) => value.to_string(),
        Cell::Boolean(value) => if value { "True" } else { "False" }.to_owned(),
        Cell::Text(value) => python_text(value),
        Cell::Missing => "NAN".to_owned(),
    }
}

/// A text as a Python literal. JSON's escapes are Python's too.
pub fn python_text(text: &str) -> String {
    Value::from(text).to_string()
}
