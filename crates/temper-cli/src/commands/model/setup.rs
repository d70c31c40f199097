//! What `temper model` works on: the table, the model in its worker, the options; and errors as messages.

use std::fs::File;
use std::io::{BufReader, Read};
use std::num::NonZeroUsize;
use std::path::Path;
use std::rc::Rc;

use temper_model::assess::{GrownOn, ModelOptions};
use temper_model::boundary::interval_ends::IntervalEnd;
use temper_model::inputs::{BoxFill, InputMode, InputSettings, LeafSampling};
use temper_model::mersenne::RandomState;
use temper_model::subject::predictor::{AtThreshold, Predictor, Trainer};
use temper_model::subject::worker_model::{LoadedModel, ModelSource, Session};
use temper_model::tree::Growth;
use temper_model::tree::surrogate::SurrogateKind;
use temper_model::{
    ColumnChoice, Dataset, Label, ModelError, PredictError, Remark, TargetKind, read_csv_columns, read_csv_like,
};
use temper_report::Exit;

use crate::args::{self, Model, ModelTask};
use crate::commands::{CommandContext, no_such_path};
use crate::interpreter::Interpreter;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::workers;

/// Folds of cross-validation, as in the paper.
pub const FOLDS: usize = temper_model::judge::baseline::FOLDS;

/// The seed of the published tool.
const PAPER_SEED: u64 = 42;

/// The workers of a command with a scratch folder for trained models, which goes when they go.
pub struct Bench {
    pub session: Rc<Session>,
    pub python: Interpreter,
    /// Held so that the folder lives as long as the workers.
    _scratch: temper_files::PrivateFolder,
}

impl Bench {
    /// Starts one worker: the model answers one batch at a time.
    pub fn start(context: &CommandContext<'_>, interrupt: &Interrupt, seed: u64) -> Result<Bench, Failure> {
        let (driver, python) = workers::start_fenced(context, interrupt, NonZeroUsize::MIN)?;
        let scratch = workers::scratch()?;
        let session = Session::new(driver, context.root.clone(), scratch.path().to_owned(), seed);
        Ok(Bench { session, python, _scratch: scratch })
    }

    /// Reads labelled rows. What Rust does not read, the project's pandas does.
    pub fn read(
        &self,
        context: &CommandContext<'_>,
        path: &Path,
        target: &str,
        columns: &ColumnChoice,
    ) -> Result<Dataset, Failure> {
        let shown = context.shown(path);
        read_csv_columns(self.table(context, path)?, &shown, target, columns).map_err(failure)
    }

    /// Reads rows with the columns and classes of another table.
    pub fn read_like(&self, context: &CommandContext<'_>, path: &Path, like: &Dataset) -> Result<Dataset, Failure> {
        read_csv_like(self.table(context, path)?, &context.shown(path), like).map_err(failure)
    }

    /// The text of a table, as it is read.
    pub fn table(&self, context: &CommandContext<'_>, path: &Path) -> Result<Box<dyn Read>, Failure> {
        let full = context.current.join(path);
        if !full.is_file() {
            return Err(no_such_path(&context.current, path));
        }
        if path.extension().is_some_and(|end| end == "parquet" || end == "feather") {
            let text = self.session.read_table(&full).map_err(|error| failure(error.into()))?;
            return Ok(Box::new(std::io::Cursor::new(text.into_bytes())));
        }
        let file = File::open(&full).map_err(|error| {
            failure(ModelError::Unreadable { file: context.shown(path), reason: error.to_string() })
        })?;
        Ok(Box::new(BufReader::new(file)))
    }
}

/// A table and a model, ready.
pub struct Opened {
    pub data: Dataset,
    /// The table as the user named it.
    pub path: String,
    pub holdout: Option<Dataset>,
    pub source: ModelSource,
    pub loaded: LoadedModel,
    /// The model as the user named it.
    pub name: String,
    pub bench: Bench,
    /// The second of two classes is answered from this probability on, if the user says so.
    pub threshold: Option<Threshold>,
}

/// A probability from which the second of two classes is answered.
#[derive(Clone)]
pub struct Threshold {
    pub share: f64,
    pub classes: [Label; 2],
}

impl Threshold {
    /// The threshold that was asked for, if the target has two classes.
    fn of(arguments: &Model, data: &Dataset) -> Result<Option<Threshold>, Failure> {
        let Some(share) = arguments.threshold else { return Ok(None) };
        let wrong = |text: String| Err(Message::error(text).ends(Exit::Usage));
        if !(0.0..=1.0).contains(&share) {
            return wrong(format!("`--threshold {share}` is no probability from 0 to 1"));
        }
        match data.classes.as_slice() {
            [first, second] => Ok(Some(Threshold { share, classes: [first.clone(), second.clone()] })),
            others => wrong(format!("`--threshold` is for two classes, and `{}` has {}", data.target, others.len())),
        }
    }

    /// The model, answering by its probabilities if there is a threshold.
    pub fn apply(threshold: Option<&Threshold>, model: Box<dyn Predictor>) -> Box<dyn Predictor> {
        match threshold.cloned() {
            Some(Threshold { share, classes }) => Box::new(AtThreshold { model, classes, threshold: share }),
            None => model,
        }
    }
}

impl Opened {
    pub fn new(context: &CommandContext<'_>, arguments: &Model, interrupt: &Interrupt) -> Result<Opened, Failure> {
        let (Some(path), Some(target)) = (&arguments.data, &arguments.target) else {
            return Err(Message::error("no table was named").ends(Exit::Usage));
        };
        let model = (arguments.model.as_deref(), arguments.train.as_deref());
        Opened::named(context, arguments, (path, target), model, interrupt)
    }

    /// A table with its target, and the model or the estimator that stands for `--model` or `--train`.
    pub fn named(
        context: &CommandContext<'_>,
        arguments: &Model,
        (path, target): (&Path, &str),
        model: (Option<&str>, Option<&str>),
        interrupt: &Interrupt,
    ) -> Result<Opened, Failure> {
        let bench = Bench::start(context, interrupt, seed(context, arguments))?;
        let target_kind = target_kind(arguments)?;
        let columns =
            ColumnChoice { only: arguments.columns.clone(), drop: arguments.drop.clone(), target: target_kind };
        let mut data = bench.read(context, path, target, &columns)?;
        let holdout = arguments.holdout.as_ref().map(|path| bench.read_like(context, path, &data)).transpose()?;
        if let Some(holdout) = &holdout {
            // Its columns also have what only the hold-out holds.
            data.schema = holdout.schema.clone();
        }
        let (source, name) = match model {
            (Some(model), _) => (source(context, model)?, model.to_owned()),
            (None, Some(text)) => (trained(text)?, text.to_owned()),
            (None, None) => {
                let message = Message::error(format!("no model is named for `{}`", context.shown(path)));
                return Err(message.hint("give `model` or `train`").ends(Exit::Usage));
            }
        };
        let loaded = open(&bench, &source)?;
        let path = context.shown(path);
        let threshold = Threshold::of(arguments, &data)?;
        Ok(Opened { data, path, holdout, source, loaded, name, bench, threshold })
    }

    /// The rows that the model is judged on: the hold-out if there is one.
    pub fn judged_rows(&self) -> &Dataset {
        self.holdout.as_ref().unwrap_or(&self.data)
    }

    /// Notes the columns that the model does not read.
    pub fn leave_out(&mut self, unread: &[usize]) {
        if unread.is_empty() {
            return;
        }
        let tables = [Some(&mut self.data), self.holdout.as_mut()];
        for schema in tables.into_iter().flatten().map(|table| &mut table.schema) {
            unread.iter().for_each(|&column| schema.columns[column].is_unread = true);
        }
        let columns = unread.iter().map(|&column| self.data.schema.columns[column].name.clone()).collect();
        self.data.remarks.push(Remark::Unread { columns });
    }

    /// Trains models like the one under test, and says so each time; `None` when it cannot be trained.
    pub fn trainer<'a>(&self, on_trained: impl Fn() + 'a) -> Option<WatchedTrainer<'a>> {
        let threshold = self.threshold.clone();
        self.loaded.trainer().map(|inner| WatchedTrainer { inner, threshold, on_trained: Box::new(on_trained) })
    }

    /// The model as it was loaded.
    pub fn predictor(&self) -> Box<dyn Predictor> {
        Threshold::apply(self.threshold.as_ref(), self.loaded.predictor(&self.data.schema))
    }
}

/// A trainer that says when it has trained.
pub struct WatchedTrainer<'a> {
    inner: Box<dyn Trainer>,
    threshold: Option<Threshold>,
    on_trained: Box<dyn Fn() + 'a>,
}

impl Trainer for WatchedTrainer<'_> {
    fn train(&mut self, rows: &Dataset) -> Result<Box<dyn Predictor>, PredictError> {
        let trained = self.inner.train(rows);
        (self.on_trained)();
        trained.map(|model| Threshold::apply(self.threshold.as_ref(), model))
    }
}

/// What the target is taken for. Leaves, properties and what is made from them are about classes.
fn target_kind(arguments: &Model) -> Result<TargetKind, Failure> {
    let is_model_tree = arguments.surrogate == args::SurrogateChoice::Model;
    let needs_classes = [
        (arguments.paper, "--paper"),
        (arguments.suite.is_some(), "--suite"),
        (!arguments.property.is_empty(), "--property"),
        (arguments.suspicions, "--suspicions"),
        (arguments.calibration, "--calibration"),
        (arguments.threshold.is_some(), "--threshold"),
        (!arguments.emit.is_empty(), "--emit"),
        (arguments.mutants, "--mutants"),
        (is_model_tree, "--surrogate model"),
    ];
    let option = needs_classes.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option);
    match (arguments.task, option) {
        (Some(ModelTask::Regression), Some(option)) => {
            Err(Message::error(format!("`{option}` is about classes, and `--task regression` about a quantity"))
                .hint("leave one of them out")
                .ends(Exit::Usage))
        }
        (Some(ModelTask::Regression), None) => Ok(TargetKind::Quantity),
        (None, None) => Ok(TargetKind::AsItLooks),
        (Some(ModelTask::Classification), _) | (None, Some(_)) => Ok(TargetKind::Classes),
    }
}

/// The share that `--margin` gives, if it does.
pub fn margin(arguments: &Model) -> Result<Option<f64>, Failure> {
    let margin = arguments.margin.map(|points| points / 100.0);
    if margin.is_some_and(|margin| !(0.0..1.0).contains(&margin)) {
        return Err(Message::error("`--margin` is no number of points from 0 to 100").ends(Exit::Usage));
    }
    Ok(margin)
}

/// Loads a model in its worker.
pub fn open(bench: &Bench, source: &ModelSource) -> Result<LoadedModel, Failure> {
    bench.session.open(source).map_err(|error| {
        let mut failed = failure(error.into());
        if failed.exit == Exit::TestsFail {
            failed.message.facts.insert(0, format!("python: {}", bench.python.shown));
        }
        failed
    })
}

/// The source that `--model` and `--against` name: a file, or else a name to import.
pub fn source(context: &CommandContext<'_>, text: &str) -> Result<ModelSource, Failure> {
    let path = context.current.join(text);
    if path.is_file() {
        return Ok(ModelSource::File(path));
    }
    if text.contains(':') && !text.contains(std::path::MAIN_SEPARATOR) {
        return Ok(ModelSource::Callable(text.to_owned()));
    }
    Err(no_such_path(&context.current, Path::new(text)))
}

/// The source that `--train` names.
pub fn trained(text: &str) -> Result<ModelSource, Failure> {
    let is_named = text.split_once(':').is_some_and(|(module, made)| !module.is_empty() && !made.is_empty());
    if is_named {
        return Ok(ModelSource::Train(text.to_owned()));
    }
    Err(Message::error(format!("`--train {text}` names no module"))
        .hint("write module, colon and estimator, as in \"sklearn.neighbors:KNeighborsClassifier(5)\"")
        .ends(Exit::Usage))
}

/// The seed of all draws, of the trees and of the folds.
pub fn seed(context: &CommandContext<'_>, arguments: &Model) -> u64 {
    if arguments.paper && !context.options.is_chosen("seed") { PAPER_SEED } else { context.settings.seed }
}

/// What an assessment is told.
pub fn options(arguments: &Model, seed: u64, explains_all: bool) -> ModelOptions {
    let chosen = [IntervalEnd::Lower, IntervalEnd::Upper][RandomState::like_python(seed as u32).choose_of_two()];
    let mode = match (arguments.paper, arguments.sampling) {
        (true, _) => InputMode::Paper { free_values: arguments.free_values as usize, chosen },
        (false, args::Sampling::Local) => InputMode::Clean(LeafSampling::Local),
        (false, args::Sampling::Box) => InputMode::Clean(LeafSampling::Box),
    };
    let fill = match arguments.fill {
        args::Fill::Global => BoxFill::Global,
        args::Fill::Class => BoxFill::Class,
    };
    let is_forest = arguments.surrogate == args::SurrogateChoice::Forest && !arguments.paper;
    ModelOptions {
        surrogate: if is_forest { SurrogateKind::default() } else { SurrogateKind::SingleTree },
        grown_on: if arguments.surrogate == args::SurrogateChoice::Model {
            GrownOn::Predictions
        } else {
            GrownOn::Labels
        },
        growth: Growth { max_depth: arguments.max_depth, min_leaf: arguments.min_leaf, seed: seed as u32 },
        inputs: InputSettings {
            mode,
            draws: arguments.draws as usize,
            slice_percent: arguments.slice,
            fill,
            seed,
            ..InputSettings::default()
        },
        explained: if explains_all { usize::MAX } else { ModelOptions::default().explained },
        ..ModelOptions::default()
    }
}

/// An error of the job as the end of the command: what the user gave is wrong, the model does not work, or the workers failed.
pub fn failure(error: ModelError) -> Failure {
    let exit = match &error {
        ModelError::Predict(PredictError::Interrupted) => {
            return Message::warning("interrupted before anything was found").ends(Exit::Interrupted);
        }
        ModelError::Predict(PredictError::Workers { .. }) => Exit::Inconclusive,
        ModelError::Predict(PredictError::Table { .. }) => Exit::Usage,
        ModelError::Predict(_) => Exit::TestsFail,
        ModelError::Statistics(_) => Exit::Internal,
        _ => Exit::Usage,
    };
    message(&error.to_string(), false).ends(exit)
}

/// A text of headline, facts and hint as a message.
pub fn message(text: &str, is_warning: bool) -> Message {
    let mut lines = text.lines();
    let headline = lines.next().unwrap_or_default();
    let first = if is_warning { Message::warning(headline) } else { Message::error(headline) };
    lines.fold(first, |message, line| match line.strip_prefix("hint: ") {
        Some(hint) => message.hint(hint),
        None => message.fact(line.trim_start()),
    })
}
