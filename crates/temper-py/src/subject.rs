//! A Python object as the subject of a run: the engine's loop draws arguments, Python evaluates them.
//!
//! The object has a method `evaluate(values)`, where `values` is `None` if the draw gave no arguments. It returns
//! - `None`, a float or a list of floats: passed, without, with one or with several utilities;
//! - `"domain"`, `"precondition"` or `"property"`: rejected, and by what;
//! - a tuple of a key, evidence and utilities as above: failed;
//! - a tuple of a utility or `None`: no result.
//!
//! It may have the methods `is_over(evaluations)`, `is_search_over()`, `is_shrinking_over()`, `before_draw(seed)`,
//! `before_shrinking(key, tree)` and `next_input()`. The last returns `None`, the bytes of a record, a tuple of seed,
//! record and utility to start a climb, or `True` for the next neighbour of that climb. What any of them raises ends the
//! run.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyList, PyString, PyTuple};
use temper::run::{
    ChainReport, Drawing, Evaluation, FoundFailure, NextInput, RejectedBy, Rejections, RunBudget, RunPlan, RunReport,
    RunStage, TestSubject, Utilities, WhenFailed,
};
use temper::{ChoiceTree, Choices, Method};

use crate::source::parse;

/// The key of a failure; equal keys are equal in Python.
#[derive(Clone)]
pub struct PythonKey<'py>(Bound<'py, PyAny>);

impl PartialEq for PythonKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq(&other.0).unwrap_or(false)
    }
}

type PythonEvaluation<'py> = Evaluation<PythonKey<'py>, Bound<'py, PyAny>>;
type PythonReport<'py> = RunReport<PythonKey<'py>, Bound<'py, PyAny>>;

/// What draws the arguments.
pub trait DrawsArguments {
    /// The arguments that these choices give, kept as the last draw; nothing if they give none.
    fn built<'py>(&self, py: Python<'py>, choices: &mut Choices) -> PyResult<Option<Bound<'py, PyTuple>>>;

    /// Whether the last draw gave no arguments because it was rejected.
    fn is_rejected(&self) -> bool;
}

/// See the module description.
pub struct PythonSubject<'a, 'py> {
    program: &'a dyn DrawsArguments,
    evaluate: Bound<'py, PyAny>,
    is_over: Option<Bound<'py, PyAny>>,
    is_search_over: Option<Bound<'py, PyAny>>,
    is_shrinking_over: Option<Bound<'py, PyAny>>,
    before_draw: Option<Bound<'py, PyAny>>,
    before_shrinking: Option<Bound<'py, PyAny>>,
    next_input: Option<Bound<'py, PyAny>>,
    /// What ended the run: an exception of the object's methods.
    raised: Option<PyErr>,
}

impl<'a, 'py> PythonSubject<'a, 'py> {
    pub fn new(program: &'a dyn DrawsArguments, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let method = |name: &str| Ok::<_, PyErr>(object.getattr_opt(name)?.filter(|method| !method.is_none()));
        Ok(PythonSubject {
            program,
            evaluate: object.getattr("evaluate")?,
            is_over: method("is_over")?,
            is_search_over: method("is_search_over")?,
            is_shrinking_over: method("is_shrinking_over")?,
            before_draw: method("before_draw")?,
            before_shrinking: method("before_shrinking")?,
            next_input: method("next_input")?,
            raised: None,
        })
    }

    /// The report of a run that was not ended by an exception.
    pub fn finish(self, report: PythonReport<'py>) -> PyResult<PyRunReport> {
        match self.raised {
            Some(error) => Err(error),
            None => PyRunReport::of(self.evaluate.py(), report),
        }
    }

    /// What several chains found, as `chains()` returns it.
    pub fn chains(&mut self, chains: &Bound<'py, PyAny>) -> Vec<ChainReport> {
        let found = chains.call0().and_then(|found| found.extract::<Vec<PyChainReport>>());
        let found = found.and_then(|found| found.into_iter().map(PyChainReport::report).collect());
        self.keep(found).unwrap_or_default()
    }

    /// The value, or nothing and an exception that ends the run.
    fn keep<T>(&mut self, result: PyResult<T>) -> Option<T> {
        result.map_err(|error| self.raised = Some(error)).ok()
    }

    fn evaluation(&mut self, choices: &mut Choices) -> PyResult<PythonEvaluation<'py>> {
        let values = self.program.built(self.evaluate.py(), choices)?;
        evaluation_of(&self.evaluate.call1((values,))?)
    }

    fn asked(&mut self) -> PyResult<Option<NextInput>> {
        match &self.next_input {
            None => Ok(None),
            Some(next_input) => next_input_of(&next_input.call0()?),
        }
    }
}

impl<'py> TestSubject for PythonSubject<'_, 'py> {
    type Key = PythonKey<'py>;
    type Evidence = Bound<'py, PyAny>;

    fn evaluate(&mut self, choices: &mut Choices) -> PythonEvaluation<'py> {
        let nothing = Evaluation::Rejected { by: RejectedBy::Property };
        if self.raised.is_some() {
            return nothing;
        }
        let evaluated = self.evaluation(choices);
        self.keep(evaluated).unwrap_or(nothing)
    }

    fn draws_input(&mut self, choices: &mut Choices) -> Option<bool> {
        // A generator that raises is left to the draws of the run, which report it.
        let is_drawn = self.program.built(self.evaluate.py(), choices).ok()?.is_some();
        (is_drawn || self.program.is_rejected()).then_some(is_drawn)
    }

    fn is_over(&mut self, stage: RunStage, evaluations: usize) -> bool {
        let answer = match stage {
            RunStage::Drawing => self.is_over.as_ref().map(|method| method.call1((evaluations,))),
            RunStage::Searching => self.is_search_over.as_ref().map(|method| method.call0()),
            RunStage::Shrinking => self.is_shrinking_over.as_ref().map(|method| method.call0()),
        };
        let is_over = answer.and_then(|answer| self.keep(answer.and_then(|answer| answer.is_truthy())));
        is_over.unwrap_or(false) || self.raised.is_some()
    }

    fn before_draw(&mut self, seed: u64) {
        let noted = self.before_draw.as_ref().map(|method| method.call1((seed,)));
        noted.and_then(|noted| self.keep(noted));
    }

    fn next_input(&mut self) -> Option<NextInput> {
        let asked = self.asked();
        self.keep(asked)?
    }

    fn before_shrinking(&mut self, key: &PythonKey<'py>, tree: &ChoiceTree) -> bool {
        let answer = self.before_shrinking.as_ref().map(|method| {
            let record = PyBytes::new(method.py(), &tree.to_bytes());
            method.call1((&key.0, record)).and_then(|answer| answer.is_truthy())
        });
        let is_wanted = answer.is_none_or(|answer| self.keep(answer).unwrap_or(false));
        is_wanted && self.raised.is_none()
    }
}

fn evaluation_of<'py>(answer: &Bound<'py, PyAny>) -> PyResult<PythonEvaluation<'py>> {
    if answer.is_none() || answer.is_instance_of::<PyFloat>() || answer.is_instance_of::<PyList>() {
        return Ok(Evaluation::Passed { utility: utilities_of(answer)? });
    }
    if let Ok(by) = answer.cast::<PyString>() {
        return Ok(Evaluation::Rejected { by: rejected_by(by)? });
    }
    let parts = answer.cast::<PyTuple>()?;
    match parts.len() {
        1 => Ok(Evaluation::NoResult { utility: utilities_of(&parts.get_item(0)?)? }),
        3 => Ok(Evaluation::Failed {
            key: PythonKey(parts.get_item(0)?),
            evidence: parts.get_item(1)?,
            utility: utilities_of(&parts.get_item(2)?)?,
        }),
        count => Err(PyTypeError::new_err(format!("an evaluation has 1 or 3 parts, not {count}"))),
    }
}

fn utilities_of(told: &Bound<'_, PyAny>) -> PyResult<Option<Utilities>> {
    Ok(match told.cast::<PyList>() {
        Ok(several) => Some(Utilities::Several(several.extract()?)),
        Err(_) => told.extract::<Option<f64>>()?.map(Utilities::One),
    })
}

fn rejected_by(by: &Bound<'_, PyString>) -> PyResult<RejectedBy> {
    match &*by.to_cow()? {
        "domain" => Ok(RejectedBy::Domain),
        "precondition" => Ok(RejectedBy::Precondition),
        "property" => Ok(RejectedBy::Property),
        other => Err(PyValueError::new_err(format!("nothing is rejected by `{other}`"))),
    }
}

fn next_input_of(asked: &Bound<'_, PyAny>) -> PyResult<Option<NextInput>> {
    if asked.is_none() {
        return Ok(None);
    }
    if asked.is_instance_of::<PyBool>() {
        return Ok(Some(NextInput::Neighbour));
    }
    if let Ok(record) = asked.cast::<PyBytes>() {
        return Ok(Some(NextInput::Recorded(parse(record.as_bytes())?)));
    }
    let (seed, from, utility): (u64, Bound<'_, PyBytes>, f64) = asked.extract()?;
    Ok(Some(NextInput::Climb { seed, from: parse(from.as_bytes())?, utility }))
}

/// The plan of a run as a dictionary with exactly these keys.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PyRunPlan {
    /// `annealing`, `hill-climbing`, `random`, or `None` to let the subject decide. Unused with `skipped`.
    strategy: Option<String>,
    /// Seeds that are left out if each input is drawn from its own seed; `None` draws by the strategy.
    skipped: Option<Vec<u64>>,
    seed: u64,
    draws: usize,
    searches: usize,
    patience: usize,
    /// How many failures are collected; `None` ends the run with the first one.
    most_failures: Option<usize>,
    search_budget: usize,
    steering_seed: u64,
    shrink_budget: usize,
    saved: Vec<Vec<u8>>,
    first: Vec<Vec<u8>>,
    is_enumerated: bool,
}

impl PyRunPlan {
    pub fn plan(self) -> PyResult<RunPlan> {
        let trees = |records: &[Vec<u8>]| records.iter().map(|record| parse(record)).collect::<PyResult<Vec<_>>>();
        let drawing = match self.skipped {
            Some(skipped) => Drawing::BySeed { skipped },
            None => Drawing::ByMethod(method(self.strategy.as_deref())?),
        };
        let budget = RunBudget::Tests { draws: self.draws, searches: self.searches, patience: self.patience };
        Ok(RunPlan {
            saved: trees(&self.saved)?,
            first: trees(&self.first)?,
            drawing,
            when_failed: self.most_failures.map_or(WhenFailed::Stop, WhenFailed::Collect),
            search_budget: self.search_budget,
            steering_seed: self.steering_seed,
            shrink_budget: self.shrink_budget,
            is_recording: true,
            is_enumerated: self.is_enumerated,
            ..RunPlan::new(None, self.seed, budget)
        })
    }
}

fn method(strategy: Option<&str>) -> PyResult<Option<Method>> {
    match strategy {
        None => Ok(None),
        Some("annealing") => Ok(Some(Method::Annealing)),
        Some("hill-climbing") => Ok(Some(Method::HillClimbing)),
        Some("random") => Ok(Some(Method::Random)),
        Some(other) => Err(PyValueError::new_err(format!("there is no strategy `{other}`"))),
    }
}

/// What one chain found, as a tuple: evaluations; those rejected by domain, precondition and property; the climb; the
/// record of what it found or `None`.
#[derive(FromPyObject)]
pub struct PyChainReport(usize, (usize, usize, usize), Vec<(usize, f64)>, Option<Vec<u8>>);

impl PyChainReport {
    fn report(self) -> PyResult<ChainReport> {
        let PyChainReport(evaluations, (by_domain, by_precondition, by_property), climb, found) = self;
        let rejections = Rejections { by_domain, by_precondition, by_property };
        let found = found.map(|record| parse(&record)).transpose()?;
        Ok(ChainReport { evaluations, rejections, climb, found })
    }
}

/// What a run found.
#[pyclass(frozen, get_all, name = "RunReport", module = "temper._engine")]
pub struct PyRunReport {
    failures: Vec<Py<PyFoundFailure>>,
    /// The inputs evaluated, rejected ones counted.
    evaluations: usize,
    /// Those rejected by the domain, by a precondition and by the property.
    rejections: (usize, usize, usize),
    /// Those proposed or drawn around a failure.
    searched: usize,
    climb: Vec<(usize, f64)>,
    /// Whether every input of the domain was evaluated.
    is_exhausted: bool,
    /// Whether nothing was found, and too little was tested to say anything.
    is_too_few: bool,
}

/// One failure of a run; see `temper::run::FoundFailure`.
#[pyclass(frozen, get_all, name = "FoundFailure", module = "temper._engine")]
pub struct PyFoundFailure {
    key: Option<Py<PyAny>>,
    evidence: Option<Py<PyAny>>,
    utility: Option<f64>,
    tree: Py<PyBytes>,
    count: usize,
    is_saved: bool,
    is_stable: bool,
}

impl PyRunReport {
    fn of(py: Python<'_>, report: PythonReport<'_>) -> PyResult<PyRunReport> {
        let Rejections { by_domain, by_precondition, by_property } = report.rejections;
        let is_too_few = report.too_few_tests().is_some();
        let failures = report.failures.into_iter().map(|failure| Py::new(py, PyFoundFailure::of(py, failure)));
        Ok(PyRunReport {
            failures: failures.collect::<PyResult<_>>()?,
            evaluations: report.evaluations,
            rejections: (by_domain, by_precondition, by_property),
            searched: report.searched,
            climb: report.climb,
            is_exhausted: report.is_exhausted,
            is_too_few,
        })
    }
}

impl PyFoundFailure {
    fn of(py: Python<'_>, failure: FoundFailure<PythonKey<'_>, Bound<'_, PyAny>>) -> PyFoundFailure {
        PyFoundFailure {
            key: failure.key.map(|key| key.0.unbind()),
            evidence: failure.evidence.map(Bound::unbind),
            utility: failure.utility,
            tree: PyBytes::new(py, &failure.tree.to_bytes()).unbind(),
            count: failure.count,
            is_saved: failure.is_saved,
            is_stable: failure.is_stable,
        }
    }
}
