//! State machines with classic bugs: by Temper, searched and drawn, by proptest-state-machine and by hegeltest with its target, in
//! one run: `cargo run --release --manifest-path benches/targeted/peers/Cargo.toml -- [seeds] [seeds of hegeltest]`.
//!
//! A test is one sequence of at most 60 calls. Counted are the tests until the first failure; shrinking is left out. A call
//! that its state does not allow is passed over, and rejected in hegeltest.

#[path = "../../../../crates/temper/tests/systems/mod.rs"]
mod systems;

use hegel::generators as gs;
use hegel::stateful::{Invariant, Rule};
use hegel::{Hegel, Phase, Settings, TestCase, Verbosity};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestCaseError, TestRunner};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Instant;
use systems::{
    BankCall, Buffer, CacheCall, CounterCall, DistributedCounter, EstimatorCall, FileCall, FileSystem, LruCache,
    Overdraft, RingBuffer, SchedulerCall, Starvation, TreeCall, TreeDeletion, WarmStart,
};
use temper::Method;
use temper::machine::{EarlierResult, StateMachine, machine};

const STEPS: usize = 60;
const BUDGET: usize = 10_000;
/// hegeltest takes up to a millisecond a test.
const HEGEL_BUDGET: u64 = 2_000;

/// How the peers make the steps of a machine.
trait PeerSteps: StateMachine<Step: Clone + 'static> + Default + 'static {
    fn strategy() -> BoxedStrategy<Self::Step>;
    fn rules() -> Vec<Rule<HegelMachine<Self>>>;
}

macro_rules! steps {
    ($machine:ty, $strategy:expr, $($name:literal: $step:expr),+) => {
        impl PeerSteps for $machine {
            fn strategy() -> BoxedStrategy<Self::Step> {
                $strategy.boxed()
            }

            fn rules() -> Vec<Rule<HegelMachine<Self>>> {
                vec![$(Rule::new($name, 1.0, |machine, tc| {
                    let make: fn(&TestCase) -> Self::Step = $step;
                    machine.step(&make(&tc), &tc);
                })),+]
            }
        }
    };
}

fn number(tc: &TestCase, min: u32, max: u32) -> u32 {
    tc.draw_silent(gs::integers::<u32>().min_value(min).max_value(max))
}

fn flag(tc: &TestCase) -> bool {
    tc.draw_silent(gs::booleans())
}

steps!(
    RingBuffer,
    prop_oneof![any::<u8>().prop_map(Buffer::Push), Just(Buffer::Pop)],
    "push": |tc| Buffer::Push(number(tc, 0, 255) as u8),
    "pop": |_| Buffer::Pop
);
steps!(
    LruCache,
    prop_oneof![(0..=9u8).prop_map(CacheCall::Put), (0..=9u8).prop_map(CacheCall::Get)],
    "put": |tc| CacheCall::Put(number(tc, 0, 9) as u8),
    "get": |tc| CacheCall::Get(number(tc, 0, 9) as u8)
);
steps!(
    TreeDeletion,
    prop_oneof![
        (0..=63u8).prop_map(TreeCall::Insert),
        any::<u16>().prop_map(|earlier| TreeCall::Delete(EarlierResult(earlier)))
    ],
    "insert": |tc| TreeCall::Insert(number(tc, 0, 63) as u8),
    "delete": |tc| TreeCall::Delete(EarlierResult(number(tc, 0, 65_535) as u16))
);
steps!(
    Overdraft,
    prop_oneof![(1..=100i32).prop_map(BankCall::Deposit), (1..=100i32).prop_map(BankCall::Withdraw)],
    "deposit": |tc| BankCall::Deposit(number(tc, 1, 100) as i32),
    "withdraw": |tc| BankCall::Withdraw(number(tc, 1, 100) as i32)
);
steps!(
    DistributedCounter,
    prop_oneof![
        (0..=2usize).prop_map(CounterCall::Increment),
        (0..=2usize, 0..=2usize).prop_map(|(from, to)| CounterCall::Merge(from, to))
    ],
    "increment": |tc| CounterCall::Increment(number(tc, 0, 2) as usize),
    "merge": |tc| CounterCall::Merge(number(tc, 0, 2) as usize, number(tc, 0, 2) as usize)
);
steps!(
    FileSystem,
    prop_oneof![(0..=3u8).prop_map(FileCall::Make), (0..=3u8).prop_map(FileCall::Enter), Just(FileCall::Leave)],
    "make": |tc| FileCall::Make(number(tc, 0, 3) as u8),
    "enter": |tc| FileCall::Enter(number(tc, 0, 3) as u8),
    "leave": |_| FileCall::Leave
);
steps!(
    Starvation,
    prop_oneof![
        any::<bool>().prop_map(|is_urgent| SchedulerCall::Add { is_urgent }),
        Just(SchedulerCall::RunNext)
    ],
    "add": |tc| SchedulerCall::Add { is_urgent: flag(tc) },
    "run_next": |_| SchedulerCall::RunNext
);
steps!(
    WarmStart,
    prop_oneof![
        any::<bool>().prop_map(EstimatorCall::SetWarm),
        (1..=100u32).prop_map(EstimatorCall::SetTrees),
        Just(EstimatorCall::Fit)
    ],
    "set_warm": |tc| EstimatorCall::SetWarm(flag(tc)),
    "set_trees": |tc| EstimatorCall::SetTrees(number(tc, 1, 100)),
    "fit": |_| EstimatorCall::Fit
);

/// A machine as hegeltest wants it.
struct HegelMachine<M: StateMachine> {
    machine: M,
    state: M::State,
    best: Rc<Cell<f64>>,
}

impl<M: StateMachine> HegelMachine<M> {
    fn step(&mut self, step: &M::Step, tc: &TestCase) {
        tc.assume(self.machine.is_allowed(&self.state, step));
        self.machine.run(&mut self.state, step);
        self.machine.check(&self.state);
        self.best.set(self.best.get().max(self.machine.utility(&self.state)));
    }
}

impl<M: PeerSteps> hegel::stateful::StateMachine for HegelMachine<M> {
    fn rules(&self) -> Vec<Rule<Self>> {
        M::rules()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        Vec::new()
    }
}

fn by_hegel<M: PeerSteps>(seed: u64) -> Option<usize> {
    let tests = Rc::new(Cell::new(0));
    let (counted, first) = (Rc::clone(&tests), Rc::new(Cell::new(None)));
    let noted = Rc::clone(&first);
    let test = move |tc: TestCase| {
        counted.set(counted.get() + 1);
        let best = Rc::new(Cell::new(f64::NEG_INFINITY));
        let machine = M::default();
        let state = machine.start();
        let machine = HegelMachine { machine, state, best: Rc::clone(&best) };
        let ended = catch_unwind(AssertUnwindSafe(|| {
            hegel::stateful::machine(machine).steps(STEPS as i64).run(tc.clone());
        }));
        if let Err(panic) = ended {
            let is_failure = panic.is::<String>() || panic.is::<&str>();
            if is_failure && noted.get().is_none() {
                noted.set(Some(counted.get()));
            }
            std::panic::resume_unwind(panic);
        }
        if best.get().is_finite() {
            tc.target(best.get());
        }
    };
    let settings = Settings::new()
        .test_cases(HEGEL_BUDGET)
        .seed(Some(seed))
        .database(None)
        .verbosity(Verbosity::Quiet)
        .phases([Phase::Generate, Phase::Target])
        .report_multiple_failures(false)
        .suppress_health_check(hegel::HealthCheck::all());
    let _ = catch_unwind(AssertUnwindSafe(|| Hegel::new(test).settings(settings).run()));
    first.get()
}

/// A machine as proptest wants it: all that its state does not allow is passed over.
struct ProptestMachine<M>(PhantomData<M>);

thread_local! {
    static TESTS: Cell<usize> = const { Cell::new(0) };
}

impl<M: PeerSteps> ReferenceStateMachine for ProptestMachine<M> {
    type State = ();
    type Transition = M::Step;

    fn init_state() -> BoxedStrategy<()> {
        Just(()).boxed()
    }

    fn transitions((): &()) -> BoxedStrategy<M::Step> {
        M::strategy()
    }

    fn apply((): (), _: &M::Step) {}
}

impl<M: PeerSteps> StateMachineTest for ProptestMachine<M> {
    type SystemUnderTest = (M, M::State);
    type Reference = Self;

    fn init_test((): &()) -> (M, M::State) {
        TESTS.set(TESTS.get() + 1);
        let machine = M::default();
        let state = machine.start();
        (machine, state)
    }

    fn apply((machine, mut state): (M, M::State), (): &(), step: M::Step) -> (M, M::State) {
        if machine.is_allowed(&state, &step) {
            machine.run(&mut state, &step);
            machine.check(&state);
        }
        (machine, state)
    }
}

fn by_proptest<M: PeerSteps>(seed: u64) -> Option<usize> {
    TESTS.set(0);
    let config = Config {
        cases: BUDGET as u32,
        max_shrink_iters: 0,
        failure_persistence: None,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(seed),
        ..Config::default()
    };
    let mut runner = TestRunner::new(config.clone());
    let sequences = ProptestMachine::<M>::sequential_strategy(1..=STEPS);
    let found = Cell::new(None);
    // It panics when it looks at the failing sequence again and may not shrink it, so the failure is noted here.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        runner.run(&sequences, |(start, steps, seen)| {
            let test = || <ProptestMachine<M> as StateMachineTest>::test_sequential(config.clone(), start, steps, seen);
            catch_unwind(AssertUnwindSafe(test)).map_err(|_| {
                found.set(found.get().or(Some(TESTS.get())));
                TestCaseError::fail("the machine panics")
            })
        })
    }));
    found.get()
}

fn by_temper<M: PeerSteps>(method: Option<Method>, is_swarm: bool, seed: u64) -> Option<usize> {
    let test = machine(M::default()).max_steps(STEPS).budget(BUDGET).seed(seed).swarm(is_swarm);
    let test = if let Some(method) = method { test.method(method) } else { test };
    let report = test.shrink_budget(0).run().report;
    report.is_found().then_some(report.tests)
}

/// How often a bug was found, the median of the tests it took, and milliseconds a run.
fn shown(seeds: u64, run: impl Fn(u64) -> Option<usize>) -> String {
    let start = Instant::now();
    let mut found: Vec<usize> = (0..seeds).filter_map(run).collect();
    let ms = start.elapsed().as_millis() as u64 / seeds;
    found.sort_unstable();
    let median = found.get(found.len() / 2).map_or("-".to_owned(), ToString::to_string);
    format!("{}/{seeds} | {median} | {ms}", found.len())
}

fn row<M: PeerSteps>(name: &str, seeds: u64, hegel_seeds: u64) {
    let random = Some(Method::Random);
    println!(
        "| {name} | {} | {} | {} | {} | {} |",
        shown(seeds, |seed| by_temper::<M>(None, true, seed)),
        shown(seeds, |seed| by_temper::<M>(random, true, seed)),
        shown(seeds, |seed| by_temper::<M>(random, false, seed)),
        shown(seeds, by_proptest::<M>),
        shown(hegel_seeds, by_hegel::<M>),
    );
}

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let mut numbers = std::env::args().skip(1).map(|text| text.parse().unwrap_or(20));
    let seeds = numbers.next().unwrap_or(20);
    let hegel_seeds = numbers.next().unwrap_or(5);
    println!(
        "| machine | searched: found | median tests | ms | drawn: found | median | ms | drawn, every step equally likely: \
         found | median | ms | proptest-state-machine: found | median | ms | hegeltest: found | median | ms |"
    );
    println!("|{}", "---|".repeat(16));
    row::<RingBuffer>("ring buffer", seeds, hegel_seeds);
    row::<LruCache>("cache", seeds, hegel_seeds);
    row::<TreeDeletion>("tree deletion", seeds, hegel_seeds);
    row::<Overdraft>("overdraft", seeds, hegel_seeds);
    row::<DistributedCounter>("distributed counter", seeds, hegel_seeds);
    row::<FileSystem>("file system", seeds, hegel_seeds);
    row::<Starvation>("scheduler", seeds, hegel_seeds);
    row::<WarmStart>("warm start", seeds, hegel_seeds);
}
