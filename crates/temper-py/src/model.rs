//! `_engine.judge_model`: the job of `temper model` on a model that lives in the caller's own process.

use std::cell::RefCell;
use std::rc::Rc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use temper_model::judge::baseline::{BaselineOrigin, FOLDS};
use temper_model::judge::cross_validation::cross_validate;
use temper_model::judge::folds::stratified_folds;
use temper_model::judge_model::{self as judge, ModelAnswers, ModelReference};
use temper_model::subject::predictor::{Predictor, Trainer, predict_in_batches};
use temper_model::{
    ColumnKind, Dataset, Label, Matrix, ModelError, PredictError, Schema, TargetKind, read_csv_with_labels,
};

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

/// How the model is judged: whether the rows are unseen, the margin as a share, the seed.
type JudgeChoice = (bool, Option<f64>, u64);

/// Judges a model. `table` is CSV text of the rows, `labels` go with them; `predict(columns, bytes)` asks the
/// model, `train(columns, bytes, classes)` gives such a function for a fresh one, classes being positions in the sorted list of
/// labels, and `against` is the name of a reference and a function that asks it. Gives the report, the findings as
/// JSON, the tree of errors as JSON, the word of the verdict, and what is missing to one if it is undecided.
#[pyfunction]
#[pyo3(signature = (name, table, labels, predict, train, against, choice))]
pub fn judge_model(
    name: &str,
    table: &str,
    labels: Vec<PyLabel>,
    predict: Py<PyAny>,
    train: Option<Py<PyAny>>,
    against: Option<(String, Py<PyAny>)>,
    choice: JudgeChoice,
) -> PyResult<(String, String, String, String, String)> {
    let raised = Raised::default();
    let labels: Vec<Label> = labels.into_iter().map(PyLabel::label).collect();
    let ended = |error: ModelError| raised.borrow_mut().take().unwrap_or(PyValueError::new_err(error.to_string()));
    let data = read_csv_with_labels(table.as_bytes(), ("y", TargetKind::Classes), &labels).map_err(ended)?;
    let (is_unseen, margin, seed) = choice;
    let ask = |predict: Py<PyAny>| {
        let mut model = InPython::new(predict, &data.schema, &raised);
        predict_in_batches(&mut model, &data.features, &data.classes, &mut |_| {})
            .map_err(|error| ended(ModelError::from(error)))
    };
    let is_crossed = train.is_some() && !is_unseen && against.is_none();
    let (predicted, origin) = match train.filter(|_| is_crossed) {
        Some(train) => {
            let mut trainer = TrainsInPython { train, raised: Rc::clone(&raised) };
            let folds = stratified_folds(&data.labels, FOLDS.min(data.rows()), seed as u32).map_err(ended)?;
            let crossed = cross_validate(&mut trainer, &data, &folds).map_err(|error| ended(error.into()))?;
            (crossed.predicted, BaselineOrigin::CrossValidation)
        }
        None => {
            let origin = if is_unseen { BaselineOrigin::Unseen } else { BaselineOrigin::GivenRows };
            (ask(predict)?, origin)
        }
    };
    let reference = match against {
        Some((name, predict)) => ModelReference::Answers { name, predicted: ask(predict)? },
        None => ModelReference::Challenger { training: None },
    };
    let answers = ModelAnswers { rows: &data, predicted, origin };
    let judged = judge::judge_model(answers, reference, margin, seed).map_err(ended)?;
    let report = temper_cli::report_model(name, &judged, seed);
    Ok((report.text, report.findings, report.tree, report.verdict, report.missing))
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
            ColumnKind::Float => ("float", serde_json::Value::Null),
            ColumnKind::Integer => ("integer", serde_json::Value::Null),
            ColumnKind::Boolean => ("boolean", serde_json::Value::Null),
            ColumnKind::Category(names) => ("category", names.clone().into()),
            ColumnKind::Moment(form) => ("moment", form.pattern().into()),
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
