//! `_engine.assess_model`: the job of `temper model` on a model that lives in the caller's own process.

use std::cell::RefCell;
use std::rc::Rc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use temper_model::assess::{ModelOptions, assess};
use temper_model::inputs::{InputMode, InputSettings, LeafSampling};
use temper_model::judge::baseline::measure;
use temper_model::subject::predictor::{Predictor, Trainer};
use temper_model::tree::Growth;
use temper_model::tree::surrogate::SurrogateKind;
use temper_model::{ColumnKind, Dataset, Label, Matrix, ModelError, PredictError, Schema, read_csv_with_labels};

/// A label as Python has it; the order is that in which kinds are tried.
#[derive(FromPyObject)]
pub enum PyLabel {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(String),
}

impl PyLabel {
    fn label(self) -> Label {
        match self {
            PyLabel::Boolean(value) => Label::Boolean(value),
            PyLabel::Integer(value) => Label::Integer(value),
            PyLabel::Float(value) => Label::Float(value),
            PyLabel::Text(value) => Label::Text(value),
        }
    }
}

/// What a callable raised first; it is raised again once the engine has returned.
type Raised = Rc<RefCell<Option<PyErr>>>;

/// How inputs are drawn and leaves grown: surrogate, sampling, draws, max_depth, min_leaf, seed.
type ModelChoice = (String, String, usize, Option<usize>, u32, u64);

/// Assesses a model. `table` is CSV text of the rows, `labels` go with them; `predict(columns, bytes)` asks the
/// model, and `train(columns, bytes, classes)` gives such a function for a fresh
/// one, classes being positions in the sorted list of labels. Gives the report, the findings as
/// JSON, and how many there are.
#[pyfunction]
#[pyo3(signature = (name, table, labels, predict, train, choice))]
pub fn assess_model(
    name: &str,
    table: &str,
    labels: Vec<PyLabel>,
    predict: Py<PyAny>,
    train: Option<Py<PyAny>>,
    choice: ModelChoice,
) -> PyResult<(String, String, usize)> {
    let raised = Raised::default();
    let labels: Vec<Label> = labels.into_iter().map(PyLabel::label).collect();
    let ended = |error: ModelError| raised.borrow_mut().take().unwrap_or(PyValueError::new_err(error.to_string()));
    let data = read_csv_with_labels(table.as_bytes(), "y", &labels).map_err(ended)?;
    let mut model = InPython::new(predict, &data.schema, &raised);
    let mut trainer = train.map(|train| TrainsInPython { train, raised: Rc::clone(&raised) });
    let options = options(&choice)?;
    let seed = choice.5;
    let as_trainer = trainer.as_mut().map(|trainer| trainer as &mut dyn Trainer);
    let (baseline, crossed) = measure(&data, &mut model, as_trainer, None, seed as u32).map_err(ended)?;
    let assessment = assess(&data, &mut model, &baseline, &options, &mut |_| {}).map_err(ended)?;
    let figures = crossed.map(|crossed| crossed.mean());
    let report = temper_cli::report_model(name, &data, assessment, baseline, figures, seed);
    Ok((report.text, report.findings, report.count))
}

fn options((surrogate, sampling, draws, max_depth, min_leaf, seed): &ModelChoice) -> PyResult<ModelOptions> {
    let sampling = match sampling.as_str() {
        "local" => LeafSampling::Local,
        "box" => LeafSampling::Box,
        other => return Err(PyValueError::new_err(format!("`sampling` is `{other}`; it takes \"local\" or \"box\""))),
    };
    let surrogate = match surrogate.as_str() {
        "forest" => SurrogateKind::default(),
        "labels" => SurrogateKind::SingleTree,
        other => {
            return Err(PyValueError::new_err(format!("`surrogate` is `{other}`; it takes \"forest\" or \"labels\"")));
        }
    };
    Ok(ModelOptions {
        surrogate,
        growth: Growth { max_depth: *max_depth, min_leaf: *min_leaf, seed: *seed as u32 },
        inputs: InputSettings {
            mode: InputMode::Clean(sampling),
            draws: *draws,
            seed: *seed,
            ..InputSettings::default()
        },
        ..ModelOptions::default()
    })
}

struct InPython {
    predict: Py<PyAny>,
    columns: String,
    raised: Raised,
}

impl InPython {
    fn new(predict: Py<PyAny>, schema: &Schema, raised: &Raised) -> Self {
        InPython { predict, columns: columns(schema), raised: Rc::clone(raised) }
    }
}

impl Predictor for InPython {
    fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
        let answer = Python::attach(|py| {
            let asked = self.predict.bind(py).call1((&self.columns, bytes(py, batch)))?;
            labels(asked.cast::<PyDict>()?)
        });
        answer.map_err(|error| kept(&self.raised, error, batch.rows()))?
    }
}

struct TrainsInPython {
    train: Py<PyAny>,
    raised: Raised,
}

impl Trainer for TrainsInPython {
    fn train(&mut self, rows: &Dataset) -> Result<Box<dyn Predictor>, PredictError> {
        let predict = Python::attach(|py| {
            let arguments = (columns(&rows.schema), bytes(py, &rows.features), rows.labels.clone());
            self.train.bind(py).call1(arguments).map(Bound::unbind)
        });
        let predict = predict.map_err(|error| kept(&self.raised, error, rows.rows()))?;
        Ok(Box::new(InPython::new(predict, &rows.schema, &self.raised)))
    }
}

fn kept(raised: &Raised, error: PyErr, rows: usize) -> PredictError {
    let message = error.to_string();
    raised.borrow_mut().get_or_insert(error);
    PredictError::Raised { rows, message, hint: None }
}

fn bytes<'p>(py: Python<'p>, batch: &Matrix) -> Bound<'p, PyBytes> {
    let bytes: Vec<u8> = batch.values().iter().flat_map(|value| value.to_le_bytes()).collect();
    PyBytes::new(py, &bytes)
}

/// The columns as `temper.model.rows` reads them.
fn columns(schema: &Schema) -> String {
    let column = |column: &temper_model::Column| {
        let (kind, names) = match &column.kind {
            ColumnKind::Float => ("float", None),
            ColumnKind::Integer => ("integer", None),
            ColumnKind::Boolean => ("boolean", None),
            ColumnKind::Category(names) => ("category", Some(names)),
        };
        serde_json::json!({ "name": column.name, "kind": kind, "names": names, "missing": column.missing })
    };
    serde_json::Value::from(schema.columns.iter().map(column).collect::<Vec<_>>()).to_string()
}

fn labels(answer: &Bound<'_, PyDict>) -> PyResult<Result<Vec<Label>, PredictError>> {
    if let Some(shape) = answer.get_item("shape")? {
        let shape: Vec<u64> = shape.extract()?;
        let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
        return Ok(Err(PredictError::NotLabels { shape: shape.join(" by ") }));
    }
    let item = |key: &str| answer.get_item(key)?.ok_or_else(|| PyValueError::new_err(format!("no `{key}`")));
    let distinct: Vec<PyLabel> = item("labels")?.extract()?;
    let distinct: Vec<Label> = distinct.into_iter().map(PyLabel::label).collect();
    let codes: Vec<u8> = item("codes")?.extract()?;
    let code = |bytes: &[u8]| bytes.try_into().map_or(usize::MAX, |bytes| u32::from_le_bytes(bytes) as usize);
    let found: Option<Vec<Label>> = codes.chunks(4).map(|bytes| distinct.get(code(bytes)).cloned()).collect();
    found.map(Ok).ok_or_else(|| PyValueError::new_err("a code without a label"))
}
