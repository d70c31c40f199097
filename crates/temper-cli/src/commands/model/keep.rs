//! What is kept of the findings for `temper replay`, in the project's store.

use serde_json::{Map, Value, json};
use temper_model::assess::LeafFinding;
use temper_model::judge_model::{JudgedModel, RowFinding};
use temper_model::record::{ExaminedModel, cells};
use temper_model::record_rows::finding_id;
use temper_model::subject::worker_model::ModelSource;
use temper_model::{Cell, Column, ColumnChoice, ColumnKind, Dataset};
use temper_store::Store;

use super::setup::Opened;
use crate::commands::CommandContext;

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
    /// The probability from which the second class is answered.
    pub threshold: Option<f64>,
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
            threshold: value.get("threshold").and_then(Value::as_f64),
        })
    }

    /// The columns that the input has.
    pub fn columns(&self) -> ColumnChoice {
        ColumnChoice { only: self.input.keys().cloned().collect(), ..ColumnChoice::default() }
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
        (Value::String(text), ColumnKind::Moment(form)) => form.read(text),
        (Value::Bool(value), _) => Some(f64::from(u8::from(*value))),
        (value, ColumnKind::Integer | ColumnKind::Float) => value.as_f64(),
        _ => None,
    }
}

/// What is asked again of one finding.
pub struct Reproduction {
    /// The finding.
    pub id: String,
    /// What it says.
    pub property: String,
    /// The class that is expected.
    pub expected: String,
    /// One cell for each column.
    pub input: Map<String, Value>,
}

/// What leaves keep: the failing input that is closest to a row, or any.
pub fn of_leaves(found: &ExaminedModel, data: &Dataset) -> Vec<Reproduction> {
    let assessment = &found.assessment;
    let suites = [&assessment.coverage.0, &assessment.boundary.0];
    let one = |finding: &LeafFinding| {
        let first = finding.result.failing.first().map(|&(suite, at)| suites[suite].rows.row(at));
        let closest = finding.closest.as_ref().map(|closest| closest.input.as_slice());
        let class = assessment.surrogate.leaves[finding.result.leaf].class;
        Some(Reproduction {
            id: finding.id.clone(),
            property: finding.property.clone(),
            expected: data.classes[class].to_string(),
            input: cells(data, closest.or(first)?),
        })
    };
    assessment.findings.iter().filter(|_| found.is_judged).filter_map(one).collect()
}

/// What regions keep: a row that is wrong.
pub fn of_regions(judged: &JudgedModel<'_>) -> Vec<Reproduction> {
    let data = &judged.rows;
    let one = |finding: &RowFinding| {
        let row = finding.example?.row;
        Some(Reproduction {
            id: finding_id(finding, data),
            property: finding.test.counts.region.in_words(&data.schema),
            expected: data.classes[data.labels[row]].to_string(),
            input: cells(data, data.features.row(row)),
        })
    };
    judged.findings.iter().filter_map(one).collect()
}

/// Keeps findings for `temper replay`.
pub fn remember(
    context: &CommandContext<'_>,
    findings: &[Reproduction],
    opened: &Opened,
    seed: u64,
) -> Result<(), temper_store::StoreError> {
    if findings.is_empty() {
        return Ok(());
    }
    let mut store = Store::open(&context.root)?;
    let (kind, name) = match &opened.source {
        ModelSource::File(path) => ("file", path.display().to_string()),
        ModelSource::Callable(name) => ("callable", name.clone()),
        ModelSource::Train(text) => ("train", text.clone()),
    };
    for Reproduction { id, property, expected, input } in findings {
        let record = json!({
            "data": opened.path,
            "target": opened.data.target,
            "kind": kind,
            "name": name,
            "seed": seed,
            "property": property,
            "expected": expected,
            "input": input,
            "threshold": opened.threshold.as_ref().map(|threshold| threshold.share),
        });
        store.put_record(RECORDS, id, &record.to_string())?;
    }
    Ok(())
}

/// A cell as Python source.
pub fn python_cell(column: &Column, value: f64) -> String {
    match column.cell(value) {
        Cell::Float(value) => format!("{value:?}"),
        Cell::Integer(value) => value.to_string(),
        Cell::Boolean(value) => if value { "True" } else { "False" }.to_owned(),
        Cell::Text(value) => python_text(&value),
        Cell::Missing => "NAN".to_owned(),
    }
}

/// A text as a Python literal. JSON's escapes are Python's too.
pub fn python_text(text: &str) -> String {
    Value::from(text).to_string()
}
