//! What is run next. Decides only the order: verdicts depend on the runs of a test by their indices, never on when they came.
//!
//! Every test runs twice first, cheap ones before slow ones; most are decided by that. Further runs go where they tell most
//! for their cost: tests that fail now and then, then those near their bound. Later they go where a decision is expected to
//! cost least: a cheap test that only its last look can decide would otherwise take the time of all others.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use temper_store::Store;
use temper_worker::{Adaptive, Feed, Flow, LayerSpec, Memory, Outcome, Report, Task};

use crate::sample::looks::{EARLY, FIRST, TRIAGE};
use crate::sample::run_record::RunRecord;
use crate::sample::sample_store::{self, TracedRun};
use crate::sample::sampled_test::{SampledTest, Wanted};
use crate::sample::scheduler::{BoundsError, SuiteSampling, Watch, run_seed};
use crate::sample::shared_process::{self, Lacking};

/// Runs that may be lost when the program is killed.
const SAVED_AT_ONCE: usize = 10;
/// How much more a second of a test tells that has not run twice yet, or that failed in some of its runs.
const WEIGHT_OF_NEW: f64 = 10.0;
/// And of one whose values come near the bound, until its first look at a distribution.
const WEIGHT_OF_NEAR: f64 = 3.0;
/// And of one that has passed without reaching a site: its runs may show a failure elsewhere, but decide nothing.
const WEIGHT_OF_QUIET: f64 = 0.1;
/// Near: the worst value has gone at least a third of the way from the median to the bound.
const NEAR: f64 = 3.0;

/// The layers that runs are taken in.
pub(crate) struct Layers<'a> {
    /// With probes.
    pub(crate) probed: &'a Arc<LayerSpec>,
    /// As on disk.
    pub(crate) plain: &'a Arc<LayerSpec>,
}

/// How far tests are to be taken.
pub(crate) enum Goal<'a> {
    /// Until each is decided.
    Verdicts,
    /// Until these have so many runs.
    Runs(&'a [(usize, usize)]),
}

/// One thing to do for a test.
enum Order {
    /// Takes the first two runs, in one process as far as chance allows.
    FirstTwo,
    /// Takes runs.
    Runs(Lacking),
    /// Sees whether the first runs come out the same in one process.
    Comparison,
    /// Runs the test as it is on disk, with its own seeds.
    Baseline,
}

impl Order {
    /// Runs that it takes.
    fn runs(&self) -> usize {
        match self {
            Order::FirstTwo => TRIAGE,
            Order::Runs(lacking) => lacking.runs.len(),
            Order::Comparison => shared_process::COMPARED,
            Order::Baseline => 1,
        }
    }
}

/// The orders of one test.
#[derive(Default)]
struct TestOrders {
    waiting: VecDeque<Order>,
    /// Handed out and not reported.
    out: usize,
    /// Seconds of runs for what they are expected to tell.
    price: f64,
}

/// Feeds workers with the runs that tests lack.
pub(crate) struct Queue<'q, 'a> {
    suite: &'q mut SuiteSampling<'a>,
    layers: Layers<'q>,
    goal: Goal<'q>,
    store: &'q mut Store,
    watch: &'q mut dyn Watch,
    tests: Vec<TestOrders>,
    /// What was handed out, in order, with its test.
    handed: Vec<(usize, Order)>,
    failure: Option<BoundsError>,
}

impl<'q, 'a> Queue<'q, 'a> {
    pub(crate) fn new(
        suite: &'q mut SuiteSampling<'a>,
        layers: Layers<'q>,
        goal: Goal<'q>,
        store: &'q mut Store,
        watch: &'q mut dyn Watch,
    ) -> Self {
        let tests = suite.courses.iter().map(|_| TestOrders::default()).collect();
        let mut queue = Self { suite, layers, goal, store, watch, tests, handed: Vec::new(), failure: None };
        (0..queue.tests.len()).for_each(|test| queue.refill(test));
        queue
    }

    /// Whether nothing is to be done.
    pub(crate) fn is_empty(&self) -> bool {
        self.tests.iter().all(|test| test.waiting.is_empty())
    }

    /// What went wrong, if something did.
    pub(crate) fn end(self) -> Result<(), BoundsError> {
        self.failure.map_or(Ok(()), Err)
    }

    /// Asks a test what it lacks, when all that it asked for has come.
    fn refill(&mut self, test: usize) {
        let wanted = match self.goal {
            Goal::Verdicts => self.suite.advance(test),
            Goal::Runs(goal) => {
                let runs = goal.iter().filter(|(each, _)| *each == test).map(|(_, runs)| *runs).max();
                Wanted::Runs(self.suite.courses[test].missing(runs.unwrap_or(0)))
            }
        };
        let course = &self.suite.courses[test];
        let orders = &mut self.tests[test];
        orders.waiting.extend(match wanted {
            Wanted::Baseline => vec![Order::Baseline],
            Wanted::Runs(runs) if runs[..] == [0, 1] => vec![Order::FirstTwo],
            Wanted::Runs(runs) if course.may_share(runs.len()) => vec![Order::Comparison],
            Wanted::Runs(runs) => {
                let lacking = course.lack(self.suite.seed(), test, &runs);
                shared_process::chunked(&lacking).into_iter().map(Order::Runs).collect()
            }
        });
        let runs: usize = orders.waiting.iter().map(Order::runs).sum();
        orders.price = self.suite.expected_secs(test) * runs_worth(course, runs as f64);
    }

    /// Late in the job, gives up the runs that would only place a bound better.
    fn hurry(&mut self) {
        if !matches!(self.goal, Goal::Verdicts) || !self.watch.is_late() {
            return;
        }
        for (test, orders) in self.tests.iter_mut().enumerate() {
            let course = &self.suite.courses[test];
            if course.is_placing && !course.is_done {
                orders.waiting.clear();
                self.suite.place_now(test);
            }
        }
    }

    /// The test whose runs tell most for their cost; the first one of equals.
    fn best(&self) -> Option<usize> {
        let waiting = self.tests.iter().enumerate().filter(|(_, orders)| !orders.waiting.is_empty());
        waiting.min_by(|(_, a), (_, b)| a.price.total_cmp(&b.price)).map(|(test, _)| test)
    }

    fn task(&self, test: usize, order: &Order) -> Task {
        let (limits, node) = (self.suite.limits(), &self.suite.courses[test].test.node);
        let probed = Arc::clone(self.layers.probed);
        match order {
            Order::FirstTwo => {
                let seeds = [0, 1].map(|index| run_seed(self.suite.seed(), node, index));
                Task { layer: probed, pieces: vec![shared_process::first_two(node, seeds, limits)] }
            }
            Order::Runs(lacking) => shared_process::task(lacking, &probed, limits),
            Order::Comparison => {
                let piece = shared_process::comparison(node, &self.suite.courses[test].runs, limits);
                Task { layer: probed, pieces: vec![piece] }
            }
            Order::Baseline => {
                let piece = self.suite.piece(test, 0, Memory::AsFound);
                Task { layer: Arc::clone(self.layers.plain), pieces: vec![piece] }
            }
        }
    }

    fn take(&mut self, test: usize, order: &Order, report: &Report) {
        match order {
            Order::Baseline => self.failure = self.suite.take_baseline(self.store, test, report).err(),
            Order::Comparison => {
                let course = &mut self.suite.courses[test];
                course.is_together = Some(shared_process::is_like(report, &course.runs));
            }
            Order::FirstTwo | Order::Runs(_) if self.is_load_failure(report) => {}
            Order::FirstTwo => self.take_first_two(test, report),
            Order::Runs(lacking) => self.take_runs(test, lacking, report),
        }
    }

    /// Takes note if the probed source did not load.
    fn is_load_failure(&mut self, report: &Report) -> bool {
        let Outcome::LoadFailed(load) = &report.outcome else { return false };
        self.failure = Some(BoundsError::Probed(Box::new(load.clone())));
        true
    }

    /// The second of the first two runs counts if it shows that chance has no part in the test.
    fn take_first_two(&mut self, test: usize, report: &Report) {
        let (first, second) = shared_process::of_first_two(report);
        let is_fixed = |second: &RunRecord| self.suite.courses[test].is_fixed(&[&first, second]);
        let second = second.filter(is_fixed).map(|run| (1, run));
        self.keep(test, [(0, first)].into_iter().chain(second).collect(), report);
    }

    fn take_runs(&mut self, test: usize, lacking: &Lacking, report: &Report) {
        match shared_process::runs(report) {
            Some(runs) if runs.len() == lacking.runs.len() => {
                let runs = lacking.runs.iter().zip(runs).map(|(&(index, _), run)| (index, run.record)).collect();
                self.keep(test, runs, report);
            }
            _ => {
                self.suite.courses[test].is_together = Some(false);
                let alone = Lacking { is_together: false, ..lacking.clone() };
                self.tests[test].waiting.extend(shared_process::chunked(&alone).into_iter().map(Order::Runs));
            }
        }
    }

    fn keep(&mut self, test: usize, runs: Vec<(usize, RunRecord)>, report: &Report) {
        self.suite.taken += runs.len();
        // Under another limit such a run may end well, and nothing in the key would say so.
        let is_kept = !matches!(report.outcome, Outcome::Ended(end) if end.is_at_limit());
        let trace = if is_kept { self.suite.trace(test, report) } else { None };
        let course = &mut self.suite.courses[test];
        for (index, record) in runs {
            course.runs[index] = Some(record.clone());
            if let Some(trace) = &trace {
                course.unsaved.push(TracedRun { record, trace: Rc::clone(trace) });
            }
            if index == 0 {
                course.trace.clone_from(&trace);
            }
        }
        if course.unsaved.len() >= SAVED_AT_ONCE {
            self.failure = course.save(self.store).err().map(BoundsError::from);
        }
    }
}

/// The runs that are ordered.
fn wanted(tests: &[TestOrders]) -> usize {
    tests.iter().flat_map(|test| &test.waiting).map(Order::runs).sum()
}

/// The runs to the next look of a test, fewer if they tell more than others do; later those that a decision is expected to cost.
fn runs_worth(course: &SampledTest, to_next_look: f64) -> f64 {
    let known = course.runs_so_far();
    let is_early = course.looked < FIRST;
    match course.closeness {
        // It will be named whatever comes; where its bound belongs can wait.
        _ if course.is_flaky => to_next_look,
        _ if known.len() < TRIAGE || known.iter().any(|run| !run.is_pass()) => to_next_look / WEIGHT_OF_NEW,
        _ if course.deciding_looks.is_empty() => to_next_look / WEIGHT_OF_QUIET,
        Some(closeness) if closeness < NEAR && is_early => to_next_look / WEIGHT_OF_NEAR,
        // Two values tell nothing about how soon a test is decided.
        _ if course.looked < EARLY => to_next_look / course.deciding_looks.len() as f64,
        _ => course.runs_per_decision().unwrap_or(to_next_look),
    }
}

impl Feed for Queue<'_, '_> {
    fn next(&mut self) -> Option<Adaptive> {
        self.hurry();
        let test = self.best()?;
        let orders = &mut self.tests[test];
        let order = orders.waiting.pop_front()?;
        // The fewer runs are left to its look, the sooner they pay.
        orders.price -= orders.price / (orders.waiting.len() + 1) as f64;
        orders.out += 1;
        let task = self.task(test, &order);
        self.handed.push((test, order));
        Some(task.into())
    }

    fn report(&mut self, report: Report) -> Flow {
        let (test, order) = {
            let (test, order) = &mut self.handed[report.task];
            (*test, std::mem::replace(order, Order::Comparison))
        };
        self.take(test, &order, &report);
        self.tests[test].out -= 1;
        if self.tests[test].out == 0 && self.tests[test].waiting.is_empty() && self.failure.is_none() {
            self.refill(test);
        }
        let (suite, tests) = (&*self.suite, &self.tests);
        self.watch.step(&|| suite.progress(wanted(tests)));
        let is_over = self.is_empty() && self.tests.iter().all(|test| test.out == 0);
        self.suite.stopped = self.watch.stop().filter(|_| !is_over);
        if self.failure.is_some() || self.suite.is_stopped() { Flow::Stop } else { Flow::Continue }
    }
}

impl SuiteSampling<'_> {
    /// Takes the run of a test as it is on disk.
    fn take_baseline(&mut self, store: &mut Store, test: usize, report: &Report) -> Result<(), BoundsError> {
        let record = RunRecord::from_report(report);
        self.taken += 1;
        let trace = self.trace(test, report);
        let course = &mut self.courses[test];
        course.baseline = Some(record.end.clone());
        match trace {
            Some(trace) => {
                let run = TracedRun { record, trace };
                Ok(sample_store::add(store, &course.baseline_key, &course.test.node, &[run])?)
            }
            None => Ok(()),
        }
    }
}
