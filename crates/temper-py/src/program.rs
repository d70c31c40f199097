//! `_engine.Program`: draws, replays, shrinks and searches the arguments of one function.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyTuple};
use temper::choices::RecordedNumber;
use temper::domain::Encoder;
use temper::{Chain, ChoiceTree, Choices, Method, Regressions, Told, climb_plot};
use temper_domains::{AnnotationError, BuildError, Function, Plan, Program as Plans, Signature, ValueBuilder};

use crate::builder::{PyBuilder, Tools};
use crate::source::{Rejection, Source};

/// The plans of a subject and its generators, with what is needed to make Python objects of them.
#[pyclass(module = "temper._engine")]
pub struct Program {
    plans: Plans,
    signatures: Vec<Signature>,
    has_defaults: bool,
    tools: Tools,
    choices: Choices,
    /// Why the last draw gave no arguments, when that was not a rejection.
    error: Option<PyErr>,
    chain: Option<Chain>,
}

/// How far a chain is: tests, rejected ones, and the climb as pairs of test and best utility.
type Progress = (usize, usize, Vec<(usize, f64)>);

/// What is wrong with the annotations, as `(headline, line, fact, hint)`.
type Problem = (String, u32, Option<String>, String);

/// Checks the annotations of functions given as JSON; for each the problem with it, or `None`.
#[pyfunction]
pub fn problems(functions: Vec<String>) -> Vec<Option<Problem>> {
    functions.iter().map(|text| Plan::from_json(text).err().map(|error| problem(&error))).collect()
}

fn problem(error: &AnnotationError) -> Problem {
    (error.to_string(), error.line(), error.fact().map(str::to_owned), error.hint())
}

#[pymethods]
impl Program {
    /// `functions` are the descriptions as JSON, the subject first; `constants` and the callables are as `Tools` says.
    #[new]
    fn new(
        functions: Vec<String>,
        constants: Vec<(Py<PyAny>, Option<Py<PyAny>>)>,
        callers: Vec<Py<PyAny>>,
        filters: Vec<Py<PyAny>>,
        convert: Py<PyAny>,
        frame: Py<PyAny>,
    ) -> PyResult<Program> {
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
            signatures.push(signature(&function));
        }
        let tools = Tools { constants, callers, filters, empty: OnceLock::new(), convert, frame };
        let choices = Choices::random(0);
        Ok(Program { plans: Plans { plans }, signatures, has_defaults, tools, choices, error: None, chain: None })
    }

    /// The arguments that the seed gives, followed by the shape variables; `None` when rejected or failed.
    fn draw<'py>(&mut self, py: Python<'py>, seed: u64) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.choices.start_random(seed, true);
        self.build(py)
    }

    /// The arguments of a recorded draw; the simplest ones where the record has no answer.
    fn replay<'py>(&mut self, py: Python<'py>, tree: &[u8]) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.choices = Choices::replay(&parse(tree)?);
        self.build(py)
    }

    /// The parameters' own defaults where the annotations allow them, the simplest values elsewhere.
    fn defaults<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        if !self.has_defaults {
            return Ok(None);
        }
        let mut answers = Encoder::default();
        answers.index(1);
        self.choices = Choices::replay(&answers.finish());
        self.build(py)
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
        self.error.as_ref().map(|error| error.value(py).clone().into_any().unbind())
    }

    /// The record of the last draw.
    fn tree<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.last_choices().recorded().to_bytes())
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

    /// The call that a record stands for, as exact source text, without the arguments at the omitted places. `composed`
    /// are the texts of what composing functions return, by function, in the order of the draw.
    #[pyo3(signature = (tree, omitted=Vec::new(), composed=HashMap::new()))]
    fn text(&self, tree: &[u8], omitted: Vec<usize>, composed: HashMap<usize, Vec<String>>) -> PyResult<String> {
        let composed = composed.into_iter().map(|(function, texts)| (function, texts.into())).collect();
        let mut builder = ValueBuilder { signatures: self.signatures.clone(), composed };
        let values = self.plans.draw(&mut Choices::replay(&parse(tree)?), &mut builder);
        let mut values = values.map_err(|error| PyValueError::new_err(error.to_string()))?;
        values.truncate(self.plans.plans[0].arguments());
        Ok(self.signatures[0].call(values, &omitted))
    }

    /// The simplest record for which `fails(arguments)` still holds, after at most `max_tries` calls.
    fn shrink<'py>(
        &mut self,
        py: Python<'py>,
        tree: &[u8],
        max_tries: usize,
        fails: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let tree = parse(tree)?;
        let Program { plans, tools, .. } = self;
        let mut raised = None;
        let mut test = |choices: &mut Choices| {
            if raised.is_some() {
                return false;
            }
            let mut builder = PyBuilder { py, tools, error: None };
            let Ok(values) = plans.draw(choices, &mut builder) else { return false };
            let answer = PyTuple::new(py, values).and_then(|values| fails.call1((values,))?.is_truthy());
            answer.unwrap_or_else(|error| {
                raised = Some(error);
                false
            })
        };
        let (shrunk, _) = temper::shrink(tree, max_tries, &mut test);
        match raised {
            Some(error) => Err(error),
            None => Ok(PyBytes::new(py, &shrunk.to_bytes())),
        }
    }

    /// Starts a climb from a record and its utility; its course is fixed by the seed.
    #[pyo3(signature = (seed, tree=None, utility=0.0))]
    fn start_search(&mut self, seed: u64, tree: Option<&[u8]>, utility: f64) -> PyResult<()> {
        let mut chain = Chain::new(Some(Method::HillClimbing), seed);
        if let Some(tree) = tree {
            chain.start_from(&parse(tree)?, utility);
        }
        self.chain = Some(chain);
        Ok(())
    }

    /// Starts one chain of a property with so many tests at most: `annealing`, `hill-climbing`, `random`, or as the
    /// property decides.
    fn start_chain(&mut self, strategy: Option<&str>, seed: u64, budget: usize) -> PyResult<()> {
        let method = match strategy {
            None => None,
            Some("annealing") => Some(Method::Annealing),
            Some("hill-climbing") => Some(Method::HillClimbing),
            Some("random") => Some(Method::Random),
            Some(other) => return Err(PyValueError::new_err(format!("there is no strategy `{other}`"))),
        };
        let mut chain = Chain::new(method, seed);
        chain.set_budget(budget);
        chain.set_recording();
        self.chain = Some(chain);
        Ok(())
    }

    /// The next arguments of the chain; `None` when rejected or failed. Then comes `tell` or `reject`.
    fn ask<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Program { plans, tools, chain, error, .. } = self;
        let chain = chain.as_mut().ok_or_else(no_chain)?;
        *error = None;
        build(py, plans, tools, chain.ask(), error)
    }

    /// The utility of the arguments that were asked for last; `None` when they have none.
    fn tell(&mut self, utility: Option<f64>) {
        if let Some(chain) = &mut self.chain {
            chain.tell(Told::Tested(utility));
        }
    }

    /// The arguments that were asked for last are none that the property speaks about.
    fn reject(&mut self) {
        if let Some(chain) = &mut self.chain {
            chain.tell(Told::Rejected);
        }
    }

    /// The utility of the counterexample that ends the chain.
    fn note(&mut self, utility: Option<f64>) {
        if let Some(chain) = &mut self.chain {
            chain.note(utility);
        }
    }

    /// How far the chain is.
    fn progress(&self) -> PyResult<Progress> {
        let chain = self.chain.as_ref().ok_or_else(no_chain)?;
        Ok((chain.tests(), chain.rejected(), chain.climb().to_vec()))
    }

    /// The record of the arguments that were asked for last; call it before `tell`.
    fn asked_tree<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let chain = self.chain.as_mut().ok_or_else(no_chain)?;
        // Every chain here records as it goes; the domain is only needed for one that does not.
        let tree = chain.last_tree(&temper::domain::just(()));
        Ok(PyBytes::new(py, &tree.to_bytes()))
    }
}

/// A climb as a line of bars over so many tests.
#[pyfunction]
pub fn plot(climb: Vec<(usize, f64)>, tests: usize) -> String {
    climb_plot(&climb, tests)
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

fn no_chain() -> PyErr {
    PyValueError::new_err("no search was started")
}

impl Program {
    fn last_choices(&self) -> &Choices {
        &self.choices
    }

    fn build<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Program { plans, tools, choices, error, .. } = self;
        *error = None;
        build(py, plans, tools, choices, error)
    }
}

fn build<'py>(
    py: Python<'py>,
    plans: &Plans,
    tools: &Tools,
    choices: &mut Choices,
    error: &mut Option<PyErr>,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let mut builder = PyBuilder { py, tools, error: None };
    match plans.draw(choices, &mut builder) {
        Ok(values) if builder.error.is_none() => PyTuple::new(py, values).map(Some),
        Err(BuildError::Rejected) => Ok(None),
        Ok(_) | Err(BuildError::Failed) => {
            *error = builder.error;
            Ok(None)
        }
    }
}

fn signature(function: &Function) -> Signature {
    let arguments = function.arguments.iter().map(|argument| (argument.passing, argument.name.clone())).collect();
    let label = function.label.clone().unwrap_or_else(|| function.name.clone());
    Signature { label, arguments, is_attribute: function.is_attribute }
}

fn parse(tree: &[u8]) -> PyResult<ChoiceTree> {
    ChoiceTree::from_bytes(tree).map_err(|error| PyValueError::new_err(error.to_string()))
}
