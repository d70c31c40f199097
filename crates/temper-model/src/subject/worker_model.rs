//! Models in worker processes: loaded from a file, imported, or trained, and asked in batches.
//!
//! A model is what a project layer has prepared; a batch is one piece of work in a fork of it, with limits and contained: it
//! may read the project, and write, connect and start nothing. The Python half is `temper.model.serve`. [`Session::open`]
//! loads a model; [`Loaded::trainer`] trains further ones like it, which are kept in a scratch folder of the session and
//! loaded for each batch: a layer for each of them would cost more than it saves.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use temper_worker::{
    Call, CallResult, Driver, Exception, Flow, LayerSpec, Limits, LoadFailure, Outcome, Piece, Policy, Report,
    Subjects, Task, Value, Work, WorkerError,
};

use crate::data::dataset::Dataset;
use crate::data::label::Label;
use crate::data::matrix::Matrix;
use crate::data::schema::{ColumnKind, Schema};
use crate::error::PredictError;
use crate::subject::predictor::{Predictor, Probabilities, Trainer};

/// The module of our package that serves in the worker.
const SERVER: &str = "temper.model.serve";

/// Most time for one batch or one load. Batches are of at most ten thousand rows.
const ASK_SECS: u64 = 600;

/// Most time for one training.
const TRAIN_SECS: u64 = 7200;

/// Where a model comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelSource {
    /// A file of joblib or pickle. Loading it runs what is in it.
    File(PathBuf),
    /// `package.module:name` of a function or of an object with `predict`.
    Callable(String),
    /// `package.module:expression` of an untrained estimator.
    Train(String),
}

/// What a model says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Its name, for people.
    pub name: String,
    /// Whether copies of it can be trained.
    pub can_train: bool,
    can_predict: bool,
}

/// What all models of one run share: the workers, the project, the meaning of the columns.
pub struct Session {
    driver: RefCell<Driver>,
    root: PathBuf,
    /// Folder for trained models; the caller removes it.
    scratch: PathBuf,
    policy: Policy,
    seed: u64,
    kept: RefCell<usize>,
}

impl Session {
    /// A session on started workers. `scratch` exists and belongs to the caller.
    pub fn new(driver: Driver, root: PathBuf, scratch: PathBuf, seed: u64) -> Rc<Session> {
        let policy = Policy { allow_write: vec![scratch.clone()], ..Policy::contained() };
        Rc::new(Session { driver: RefCell::new(driver), root, scratch, policy, seed, kept: RefCell::new(0) })
    }

    /// Loads a model.
    ///
    /// # Errors
    /// When it cannot be loaded, or is none.
    pub fn open(self: &Rc<Self>, source: &ModelSource) -> Result<LoadedModel, PredictError> {
        let layer = self.layer(source);
        let answer = match self.call(&layer, "describe", Vec::new(), ASK_SECS)? {
            Err(failure) => return Err(not_loaded(source, &failure)),
            Ok(answer) => answer?,
        };
        let flag = |key: &str| answer.get(key).and_then(Value::as_bool).unwrap_or(false);
        let described = Described {
            name: answer.get("name").and_then(Value::to_text).unwrap_or_default(),
            can_train: flag("can_train"),
            can_predict: flag("can_predict"),
        };
        if !described.can_predict {
            return Err(PredictError::NoPredict { model: described.name });
        }
        Ok(LoadedModel { session: Rc::clone(self), layer, described })
    }

    /// A table of a format that the project's pandas reads, as CSV text.
    ///
    /// # Errors
    /// When pandas or the file says no.
    pub fn read_table(&self, path: &Path) -> Result<String, PredictError> {
        let subjects = Subjects::Modules(vec![SERVER.to_owned()]);
        let answer = self.ask(&self.layer_of(subjects), "table", vec![Value::from_path(path)], ASK_SECS)?;
        let text = |key: &str| answer.get(key).and_then(Value::to_text);
        text("text").ok_or_else(|| PredictError::Table {
            file: path.display().to_string(),
            message: text("raised").unwrap_or_default(),
        })
    }

    fn layer(&self, source: &ModelSource) -> Arc<LayerSpec> {
        let (kind, name) = match source {
            ModelSource::File(path) => ("file", Value::from_path(path)),
            ModelSource::Callable(name) => ("callable", name.as_str().into()),
            ModelSource::Train(text) => ("train", text.as_str().into()),
        };
        self.layer_of(Subjects::Prepared {
            module: SERVER.to_owned(),
            function: "prepare".to_owned(),
            arguments: vec![Value::map([("kind", kind.into()), ("name", name)])],
        })
    }

    fn layer_of(&self, subjects: Subjects) -> Arc<LayerSpec> {
        let paths = Some(self.root.join("src")).filter(|folder| folder.is_dir()).into_iter().collect();
        let policy = self.policy.clone();
        let limits = limits(ASK_SECS);
        Arc::new(LayerSpec { paths, policy, limits, ..LayerSpec::new(self.root.clone(), subjects) })
    }

    /// Makes one call of the server in a fork of a layer that has been loaded before.
    fn ask(
        &self,
        layer: &Arc<LayerSpec>,
        function: &str,
        arguments: Vec<Value>,
        secs: u64,
    ) -> Result<Value, PredictError> {
        self.call(layer, function, arguments, secs)?.unwrap_or_else(|failure| {
            Err(PredictError::Ended { how: format!("could not be started again: {}", load_failure(&failure)) })
        })
    }

    /// Makes one call of the server in a fork of the layer. The inner results: whether the layer could be loaded, and what
    /// the call gave.
    fn call(
        &self,
        layer: &Arc<LayerSpec>,
        function: &str,
        arguments: Vec<Value>,
        secs: u64,
    ) -> Result<Result<Result<Value, PredictError>, Box<LoadFailure>>, PredictError> {
        let call = Call { arguments, keywords: Vec::new(), seed: self.seed };
        let work = Work::Calls { module: SERVER.to_owned(), function: function.to_owned(), calls: vec![call] };
        let piece = Piece::new(work, self.seed, limits(secs));
        let mut answer = None;
        let run = self.driver.borrow_mut().run([Task { layer: Arc::clone(layer), pieces: vec![piece] }], |report| {
            answer = Some(returned(report));
            Flow::Continue
        });
        run.map_err(failed)?;
        answer.ok_or_else(|| PredictError::Ended { how: "gave no answer".to_owned() })
    }

    fn next_file(&self) -> PathBuf {
        *self.kept.borrow_mut() += 1;
        self.scratch.join(format!("model-{}.pickle", self.kept.borrow()))
    }
}

/// A model that is loaded.
pub struct LoadedModel {
    session: Rc<Session>,
    layer: Arc<LayerSpec>,
    /// What it says about itself.
    pub described: Described,
}

impl LoadedModel {
    /// The model as it is, to be asked about rows of this meaning.
    pub fn predictor(&self, schema: &Schema) -> Box<dyn Predictor> {
        let (session, layer) = (Rc::clone(&self.session), Arc::clone(&self.layer));
        Box::new(InWorker { session, layer, columns: columns(schema), hint: hint(schema), form: None, file: None })
    }

    /// Trains further models like it; `None` when it cannot be trained.
    pub fn trainer(&self) -> Option<Box<dyn Trainer>> {
        let (session, layer) = (Rc::clone(&self.session), Arc::clone(&self.layer));
        self.described.can_train.then(|| Box::new(TrainsInWorker { session, layer }) as Box<dyn Trainer>)
    }
}

struct InWorker {
    session: Rc<Session>,
    layer: Arc<LayerSpec>,
    columns: Value,
    /// What to do when it raises, as far as the table tells.
    hint: Option<String>,
    /// The form in which it has answered a batch.
    form: Option<String>,
    /// The scratch file that holds it, if it was trained here.
    file: Option<PathBuf>,
}

impl Predictor for InWorker {
    fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
        let answer = self.answer(batch, "labels")?;
        labels(&answer).ok_or(PredictError::Ended { how: "answered something unreadable".to_owned() })
    }

    fn quantities(&mut self, batch: &Matrix) -> Result<Vec<f64>, PredictError> {
        Ok(self.numbers(batch, "quantities")?.0.values().to_vec())
    }

    fn probabilities(&mut self, batch: &Matrix) -> Result<Probabilities, PredictError> {
        let (shares, classes) = self.numbers(batch, "probabilities")?;
        Ok(Probabilities { classes, shares })
    }

    fn with_columns(&self, order: &[usize]) -> Option<Box<dyn Predictor>> {
        // A model that was trained here is in a file that goes with it.
        let columns = self.columns.as_list().filter(|_| self.file.is_none())?;
        let columns = order.iter().map(|&at| columns.get(at).cloned()).collect::<Option<Value>>()?;
        let (session, layer) = (Rc::clone(&self.session), Arc::clone(&self.layer));
        Some(Box::new(InWorker { session, layer, columns, hint: self.hint.clone(), form: None, file: None }))
    }
}

impl InWorker {
    /// Asks for numbers: one row of them for each row of the batch, and the classes that their columns are of.
    fn numbers(&mut self, batch: &Matrix, wanted: &str) -> Result<(Matrix, Vec<Label>), PredictError> {
        let answer = self.answer(batch, wanted)?;
        let read = || {
            let Value::Bytes(bytes) = answer.get("numbers")? else { return None };
            let width = usize::try_from(answer.get("width")?.as_i64()?).ok().filter(|width| *width > 0)?;
            let number = |bytes: &[u8]| Some(f64::from_le_bytes(bytes.try_into().ok()?));
            let numbers: Option<Vec<f64>> = bytes.chunks(8).map(number).collect();
            let classes: Option<Vec<Label>> = answer.get("classes")?.as_list()?.iter().map(label).collect();
            Some((Matrix::from_values(width, numbers?), classes?))
        };
        read().ok_or(PredictError::Ended { how: "answered something unreadable".to_owned() })
    }

    /// What the worker answers, if the model did.
    fn answer(&mut self, batch: &Matrix, wanted: &str) -> Result<Value, PredictError> {
        let form = self.form.as_deref().map_or(Value::None, Value::from);
        let file = self.file.as_deref().map_or(Value::None, Value::from_path);
        let arguments = vec![self.columns.clone(), bytes(batch), form, file, wanted.into()];
        let answer = self.session.ask(&self.layer, "predict", arguments, ASK_SECS)?;
        if let Some(message) = answer.get("refused").and_then(Value::to_text) {
            return Err(match wanted {
                "quantities" => PredictError::NotNumber { message },
                _ => PredictError::NoProbabilities { message },
            });
        }
        if let Some(message) = answer.get("raised").and_then(Value::to_text) {
            return Err(PredictError::Raised { rows: batch.rows(), message, hint: self.hint.clone() });
        }
        if let Some(shape) = answer.get("shape").and_then(Value::as_list) {
            let shape = shape.iter().filter_map(Value::as_i64).map(|length| length.to_string()).collect::<Vec<_>>();
            return Err(PredictError::NotLabels { shape: shape.join(" by ") });
        }
        self.form = answer.get("form").and_then(Value::to_text);
        Ok(answer)
    }
}

impl Drop for InWorker {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // What cannot be removed now goes with the scratch folder.
            let _ = temper_files::remove_file(file);
        }
    }
}

struct TrainsInWorker {
    session: Rc<Session>,
    layer: Arc<LayerSpec>,
}

impl Trainer for TrainsInWorker {
    fn train(&mut self, rows: &Dataset) -> Result<Box<dyn Predictor>, PredictError> {
        let file = self.session.next_file();
        let targets = match &rows.quantity {
            Some(values) => values.iter().map(|&value| Value::from(value)).collect(),
            None => rows.labels.iter().map(|&class| label_value(&rows.classes[class])).collect(),
        };
        let columns = columns(&rows.schema);
        let arguments = vec![columns.clone(), bytes(&rows.features), targets, Value::from_path(&file)];
        let answer = self.session.ask(&self.layer, "train", arguments, TRAIN_SECS)?;
        let said = |key: &str| answer.get(key).and_then(Value::to_text);
        let hint = hint(&rows.schema);
        if let Some(message) = said("raised") {
            return Err(PredictError::NotTrained { rows: rows.rows(), message, hint });
        }
        if let Some(message) = said("unpicklable") {
            return Err(PredictError::Unpicklable { message });
        }
        let (session, layer) = (Rc::clone(&self.session), Arc::clone(&self.layer));
        Ok(Box::new(InWorker { session, layer, columns, hint, form: None, file: Some(file) }))
    }
}

fn limits(secs: u64) -> Limits {
    let time = Duration::from_secs(secs);
    Limits { wall: time, cpu: time, ..Limits::default() }
}

fn columns(schema: &Schema) -> Value {
    let column = |column: &crate::data::schema::Column| {
        let (kind, names) = match &column.kind {
            ColumnKind::Float => ("float", Value::None),
            ColumnKind::Integer => ("integer", Value::None),
            ColumnKind::Boolean => ("boolean", Value::None),
            ColumnKind::Category(names) => ("category", names.iter().map(String::as_str).collect()),
            // How the text is made from the number.
            ColumnKind::Moment(form) => ("moment", form.pattern().into()),
        };
        let missing = column.missing.map_or(Value::None, Value::from);
        Value::map([
            ("name", column.name.as_str().into()),
            ("kind", kind.into()),
            ("names", names),
            ("missing", missing),
        ])
    };
    schema.columns.iter().map(column).collect()
}

fn bytes(matrix: &Matrix) -> Value {
    Value::Bytes(matrix.values().iter().flat_map(|value| value.to_le_bytes()).collect())
}

fn label_value(label: &Label) -> Value {
    match label {
        Label::Boolean(value) => (*value).into(),
        Label::Integer(value) => Value::Int(*value),
        Label::Float(value) => (*value).into(),
        Label::Text(value) => value.as_str().into(),
    }
}

fn labels(answer: &Value) -> Option<Vec<Label>> {
    let distinct: Option<Vec<Label>> = answer.get("labels")?.as_list()?.iter().map(label).collect();
    let distinct = distinct?;
    let Value::Bytes(codes) = answer.get("codes")? else { return None };
    let code = |bytes: &[u8]| Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize);
    codes.chunks(4).map(|bytes| distinct.get(code(bytes)?).cloned()).collect()
}

fn label(value: &Value) -> Option<Label> {
    match value {
        Value::Bool(value) => Some(Label::Boolean(*value)),
        Value::Int(value) => Some(Label::Integer(*value)),
        Value::Float(value) => Some(Label::Float(*value)),
        other => other.to_text().map(Label::Text),
    }
}

/// The likeliest reason for a model to raise, as far as the table shows it.
fn hint(schema: &Schema) -> Option<String> {
    if let Some(column) = schema.columns.iter().find(|column| column.is_text()) {
        let example = column.cell(column.min);
        let act = "encode it, or give a model that encodes it itself";
        return Some(format!("column `{}` holds text such as `{example}`: {act}", column.name));
    }
    let column = schema.columns.iter().find(|column| column.missing.is_some())?;
    Some(format!("column `{}` has empty cells: fill them, or give a model that takes them", column.name))
}

fn returned(report: Report) -> Result<Result<Value, PredictError>, Box<LoadFailure>> {
    let ended = |how: String| Err(PredictError::Ended { how });
    Ok(match (report.outcome, report.calls.into_iter().next()) {
        (Outcome::Called, Some(CallResult::Returned(value))) => Ok(value),
        (Outcome::Called, Some(CallResult::Raised(exception))) | (Outcome::Raised(exception), _) => {
            ended(format!("raised {}", said(&exception)))
        }
        (Outcome::LoadFailed(failure), _) => return Err(Box::new(failure)),
        (Outcome::MemoryLimit(_), _) => ended("ran out of memory".to_owned()),
        (Outcome::Ended(end), _) => ended(end_in_words(&end)),
        _ => ended("gave no answer".to_owned()),
    })
}

fn end_in_words(end: &temper_worker::End) -> String {
    use temper_worker::End;
    match end {
        End::WallLimit | End::CpuLimit => "took longer than it may".to_owned(),
        End::ProcessLimit => "started too many processes".to_owned(),
        End::Signal(signal) => format!("was ended by signal {signal}"),
        End::Exited(code) => format!("exited with code {code}"),
        End::LostResult | End::LayerLost => "was lost".to_owned(),
    }
}

fn said(exception: &Exception) -> String {
    let message = exception.message.trim();
    if message.is_empty() { exception.type_name.clone() } else { format!("{}: {message}", exception.type_name) }
}

fn load_failure(failure: &LoadFailure) -> String {
    match failure {
        LoadFailure::Import(exception) => said(exception),
        LoadFailure::Collection { output, .. } => output.text().trim().to_owned(),
        LoadFailure::Ended { end, .. } => format!("the process {}", end_in_words(end)),
    }
}

fn not_loaded(source: &ModelSource, failure: &LoadFailure) -> PredictError {
    let message = load_failure(failure);
    let kind = match failure {
        LoadFailure::Import(exception) => exception.type_name.as_str(),
        _ => "",
    };
    let (model, hint) = match source {
        ModelSource::File(path) => {
            (path.display().to_string(), "a model file is one that joblib or pickle has written")
        }
        ModelSource::Callable(name) => (name.clone(), "`pkg.module:name` names a function or an object with `predict`"),
        ModelSource::Train(text) => (text.clone(), "`pkg.module:Estimator(...)` names a module and makes an estimator"),
    };
    let is_absent = kind == "ModuleNotFoundError";
    let hint = if is_absent { "install it there, or choose another interpreter with `--python`" } else { hint };
    PredictError::NotLoaded { model, message, hint: Some(hint.to_owned()) }
}

fn failed(error: WorkerError) -> PredictError {
    match error {
        WorkerError::Cancelled => PredictError::Interrupted,
        error => PredictError::Workers { message: error.to_string() },
    }
}
