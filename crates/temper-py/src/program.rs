//! `_engine.Program`: draws and replays the arguments of one function, and runs a Python subject over them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyTuple};
use temper::choices::RecordedNumber;
use temper::domain::Encoder;
use temper::run::{explore, run, run_chains};
use temper::{ChoiceTree, Choices, Regressions, climb_plot};
use temper_domains::{AnnotationError, BuildError, Function, Plan, Program as Plans, Signature, ValueBuilder};

use crate::builder::{PyBuilder, Tools};
use crate::source::{Rejection, Source, parse};
use crate::subject::{DrawsArguments, PyRunPlan, PyRunReport, PythonSubject};

/// The plans of a subject and its generators, with what is needed to make Python objects of them.
#[pyclass(name = "Program", module = "temper._engine")]
pub struct PyProgram {
    plans: Plans,
    signatures: Vec<Signature>,
    has_defaults: bool,
    tools: Tools,
    /// Behind a lock, because a subject may draw and replay while a run of the same program evaluates it. The lock is
    /// never held while Python code runs.
    last: Mutex<LastDraw>,
}

/// The last draw of a program.
#[derive(Default)]
struct LastDraw {
    tree: ChoiceTree,
    /// Why it gave no arguments, when that was not a rejection.
    error: Option<PyErr>,
}

/// What is wrong with the annotations, as `(headline, line, fact, hint)`.
type PyAnnotationProblem = (String, u32, Option<String>, String);

/// Checks the annotations of functions given as JSON; for each the problem with it, or `None`.
#[pyfunction]
pub fn problems(functions: Vec<String>) -> Vec<Option<PyAnnotationProblem>> {
    functions.iter().map(|text| Plan::from_json(text).err().map(|error| problem(&error))).collect()
}

fn problem(error: &AnnotationError) -> PyAnnotationProblem {
    (error.to_string(), error.line(), error.fact().map(str::to_owned), error.hint())
}

#[pymethods]
impl PyProgram {
    /// `functions` are the descriptions as JSON, the subject first; `constants` and the callables are as `Tools` says.
    #[new]
    fn new(
        functions: Vec<String>,
        constants: Vec<(Py<PyAny>, Option<Py<PyAny>>)>,
        callers: Vec<Py<PyAny>>,
        filters: Vec<Py<PyAny>>,
    ) -> PyResult<PyProgram> {
        let mut plans = Vec::new();
        let mut signatures = Vec::new();
        let mut has_defaults = false;
        for text in &functions {
            let function: Function =
                serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
            plans.push(Plan::compile(&function).map_err(|error| PyValueError::new_err(error.to_string()))?);
            if signatures.is_empty() {
                has_defaults = function.arguments.iter().any(|argument| argument.default.is_some());
            }
            signatures.push(Signature::from(&function));
        }
        let tools = Tools::new(constants, callers, filters);
        Ok(PyProgram { plans: Plans { plans }, signatures, has_defaults, tools, last: Mutex::default() })
    }

    /// The arguments that the seed gives, followed by the shape variables; `None` when rejected or failed.
    fn draw<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.built(py, &mut Choices::random(seed))
    }

    /// The arguments of a recorded draw; the simplest ones if the record has no answer.
    fn replay<'py>(&self, py: Python<'py>, tree: &[u8]) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.built(py, &mut Choices::replay(&parse(tree)?))
    }

    /// The parameters' own defaults if the annotations allow them, else the simplest values.
    fn defaults<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        if !self.has_defaults {
            return Ok(None);
        }
        let mut answers = Encoder::default();
        answers.index(1);
        self.built(py, &mut Choices::replay(&answers.finish()))
    }

    /// The first argument, drawn from choices that were lent; for domains inside of composing functions.
    fn draw_from<'py>(&self, source: &Bound<'py, Source>) -> PyResult<Bound<'py, PyAny>> {
        let py = source.py();
        let mut error = None;
        let drawn = Source::lend(source, |choices| {
            choices.open(&self.signatures[0].label);
            let values = build(py, &self.plans, &self.tools, choices, &mut error);
            choices.close();
            values
        })??;
        match (drawn, error) {
            (Some(values), _) => values.get_item(0),
            (None, Some(error)) => Err(error),
            (None, None) => Err(Rejection::new_err("no value was found that the domain allows")),
        }
    }

    /// The exception that a generator raised in the last draw, or `None`.
    fn error(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.last().error.as_ref().map(|error| error.value(py).clone().into_any().unbind())
    }

    /// The record of the last draw; during a run, of the one that is evaluated.
    fn tree<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let record = self.last().tree.to_bytes();
        PyBytes::new(py, &record)
    }

    /// The numbers in a record, in order.
    fn numbers<'py>(&self, py: Python<'py>, tree: &[u8]) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let number = |number| match number {
            RecordedNumber::Int(value) => value.into_bound_py_any(py),
            RecordedNumber::Float(value) => value.into_bound_py_any(py),
        };
        parse(tree)?.numbers().into_iter().map(number).collect()
    }

    /// The record with another number at a place of `numbers`.
    fn with_number<'py>(
        &self,
        py: Python<'py>,
        tree: &[u8],
        place: usize,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let value = match value.cast::<PyInt>() {
            Ok(whole) => RecordedNumber::Int(whole.extract()?),
            Err(_) => RecordedNumber::Float(value.extract()?),
        };
        Ok(PyBytes::new(py, &parse(tree)?.with_number(place, value).to_bytes()))
    }

    /// The lists of a record that hold plain numbers without a sign, such as texts by the places of their characters.
    fn plain_lists(&self, tree: &[u8]) -> PyResult<Vec<Vec<u64>>> {
        Ok(parse(tree)?.plain_lists())
    }

    /// The record with other items in a list of `plain_lists`.
    fn with_plain_list<'py>(
        &self,
        py: Python<'py>,
        tree: &[u8],
        place: usize,
        items: Vec<u64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &parse(tree)?.with_plain_list(place, &items).to_bytes()))
    }

    /// The call that a record stands for, as exact source text, without the arguments at the omitted places. `composed`
    /// are the texts of what composing functions return, by function, in the order of the draw.
    #[pyo3(signature = (tree, omitted=Vec::new(), composed=HashMap::new()))]
    fn text(&self, tree: &[u8], omitted: Vec<usize>, composed: HashMap<usize, Vec<String>>) -> PyResult<String> {
        let composed = composed.into_iter().map(|(function, texts)| (function, texts.into())).collect();
        let mut builder = ValueBuilder { signatures: self.signatures.clone(), composed, values: Vec::new() };
        let drawn = self.plans.draw(&mut Choices::replay(&parse(tree)?), &mut builder);
        drawn.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut values = builder.values;
        values.truncate(self.plans.plans[0].arguments());
        Ok(self.signatures[0].call(values, &omitted))
    }

    /// Runs a subject by a plan: saved failures, draws and searches, shrinking. With `chains`, that function explores in
    /// several processes and returns what each of them found.
    #[pyo3(signature = (subject, plan, chains=None))]
    fn run<'py>(
        &self,
        subject: &Bound<'py, PyAny>,
        plan: PyRunPlan,
        chains: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<PyRunReport> {
        let plan = plan.plan()?;
        let mut subject = PythonSubject::new(self, subject)?;
        let report = match chains {
            Some(chains) => run_chains(&mut subject, &plan, |subject| subject.chains(chains)),
            None => run(&mut subject, &plan),
        };
        subject.finish(report)
    }

    /// One of several chains: draws and searches without shrinking.
    fn explore(&self, subject: &Bound<'_, PyAny>, plan: PyRunPlan) -> PyResult<PyRunReport> {
        let plan = plan.plan()?;
        let mut subject = PythonSubject::new(self, subject)?;
        let report = explore(&mut subject, &plan);
        subject.finish(report)
    }
}

/// A climb as a line of bars over a number of tests.
#[pyfunction]
pub fn plot(climb: Vec<(usize, f64)>, tests: usize) -> String {
    climb_plot(&climb, tests)
}

/// The answers of a record, in words.
#[pyfunction]
pub fn answers(tree: &[u8]) -> PyResult<String> {
    Ok(parse(tree)?.to_string())
}

/// The records saved in a file, in the order they were saved.
#[pyfunction]
pub fn saved_failures<'py>(py: Python<'py>, path: PathBuf) -> Vec<Bound<'py, PyBytes>> {
    let trees = Regressions::File(path).load();
    trees.iter().map(|tree| PyBytes::new(py, &tree.to_bytes())).collect()
}

/// Saves a record in a file, with the call it stands for, unless it is there.
#[pyfunction]
pub fn save_failure(path: PathBuf, tree: &[u8], shown: &str) -> PyResult<()> {
    Ok(Regressions::File(path).save(&parse(tree)?, shown)?)
}

impl PyProgram {
    fn last(&self) -> MutexGuard<'_, LastDraw> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DrawsArguments for PyProgram {
    fn built<'py>(&self, py: Python<'py>, choices: &mut Choices) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let mut error = None;
        let values = build(py, &self.plans, &self.tools, choices, &mut error);
        let mut last = self.last();
        choices.record_into(&mut last.tree);
        last.error = error;
        values
    }

    fn is_rejected(&self) -> bool {
        self.last().error.is_none()
    }
}

fn build<'py>(
    py: Python<'py>,
    plans: &Plans,
    tools: &Tools,
    choices: &mut Choices,
    error: &mut Option<PyErr>,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let mut builder = PyBuilder::new(py, tools);
    match plans.draw(choices, &mut builder) {
        Ok(()) if builder.error.is_none() => PyTuple::new(py, builder.values).map(Some),
        Err(BuildError::Rejected) => Ok(None),
        Ok(()) | Err(BuildError::Failed) => {
            *error = builder.error;
            Ok(None)
        }
    }
}
