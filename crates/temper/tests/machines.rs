//! State machines with classic bugs, drawn and searched. What is searched for is found in at most a tenth of the tests
//! that drawing needs, and shrinks to the calls that matter.

mod systems;

use std::sync::atomic::{AtomicU64, Ordering};
use systems::{
    DistributedCounter, FileSystem, LruCache, Overdraft, RingBuffer, Starvation, TreeCall, TreeDeletion, WarmStart,
};
use temper::machine::{ConcurrentMachine, StateMachine, machine, parallel};
use temper::prelude::*;

/// The mean number of tests over five seeds, searched and drawn; what is not found counts with the budget. Plain drawing
/// is that in which every kind of step is equally likely.
fn tests_of<M: StateMachine>(make: impl Fn() -> M) -> (f64, f64, usize) {
    let mean = |method: Option<Method>, budget: usize| {
        let tests = (0..5).map(|seed| {
            let test = machine(make()).budget(budget).seed(seed).swarm(method.is_none());
            let report = if let Some(method) = method { test.method(method) } else { test }.run().report;
            (report.tests, report.is_found())
        });
        let tests: Vec<(usize, bool)> = tests.collect();
        (tests.iter().map(|test| test.0).sum::<usize>() as f64 / 5.0, tests.iter().filter(|test| test.1).count())
    };
    let (searched, found) = mean(None, 10_000);
    (searched, mean(Some(Method::Random), 20_000).0, found)
}

#[test]
fn a_search_finds_most_bugs_in_a_tenth_of_the_tests_of_drawing() {
    let results = [
        ("ring buffer", tests_of(|| RingBuffer)),
        ("cache", tests_of(|| LruCache)),
        ("tree deletion", tests_of(|| TreeDeletion)),
        ("overdraft", tests_of(|| Overdraft)),
        ("distributed counter", tests_of(|| DistributedCounter)),
        ("file system", tests_of(|| FileSystem)),
        ("scheduler", tests_of(|| Starvation)),
        ("warm start", tests_of(|| WarmStart)),
    ];
    let table: String = results
        .iter()
        .map(|(name, (s, d, found))| format!("\n{name}: {s} searched ({found} of 5), {d} drawn"))
        .collect();
    if std::env::var_os("TEMPER_SHOW").is_some() {
        panic!("{table}");
    }
    assert!(results.iter().all(|(_, (_, _, found))| *found == 5), "{table}");
    assert!(results.iter().filter(|(_, (searched, drawn, _))| searched * 10.0 <= *drawn).count() >= 5, "{table}");
}

#[test]
fn drawing_finds_what_needs_many_steps_of_one_kind() {
    for seed in 0..3 {
        let test = machine(RingBuffer).method(Method::Random).budget(1000).seed(seed);
        assert!(test.run().report.is_found(), "seed {seed}");
        assert!(!test.swarm(false).run().report.is_found(), "every step is equally likely, seed {seed}");
    }
}

#[test]
fn the_calls_that_fail_are_few_and_read_as_code() {
    let report = machine(RingBuffer).run();
    assert_eq!(report.report.value().map(Vec::len), Some(32));
    assert_eq!(report.trace[..2], ["let mut state = machine.start();", "machine.run(&mut state, &Push(0));"]);
    let shown = report.to_string();
    assert!(shown.contains("the length is wrong") && shown.contains("trace:"), "{shown}");
    let deletion = machine(TreeDeletion).run();
    let steps = deletion.report.value().expect("the tree loses keys");
    assert!(steps.len() <= 28 && matches!(steps.last(), Some(TreeCall::Delete(_))), "{deletion}");
}

/// A counter with a lost update, and one without.
struct Counter {
    is_atomic: bool,
}

#[derive(Clone, Debug, Domain)]
enum CountCall {
    Next,
    Read,
}

impl ConcurrentMachine for Counter {
    type Step = CountCall;
    type Response = u64;
    type Model = u64;
    type System = AtomicU64;

    fn model(&self) -> u64 {
        0
    }

    fn system(&self) -> AtomicU64 {
        AtomicU64::new(0)
    }

    fn steps(&self) -> impl Domain<Value = CountCall> {
        any::<CountCall>()
    }

    fn expected(&self, model: &mut u64, step: &CountCall) -> u64 {
        *model += u64::from(matches!(step, CountCall::Next));
        *model
    }

    fn call(&self, system: &AtomicU64, step: &CountCall) -> u64 {
        match step {
            CountCall::Read => system.load(Ordering::SeqCst),
            CountCall::Next if self.is_atomic => system.fetch_add(1, Ordering::SeqCst) + 1,
            CountCall::Next => {
                let seen = system.load(Ordering::SeqCst);
                // Long enough for the other thread to come between, on one processor too.
                (0..3).for_each(|_| std::thread::yield_now());
                system.store(seen + 1, Ordering::SeqCst);
                seen + 1
            }
        }
    }
}

#[test]
fn a_lost_update_has_no_order_that_explains_it() {
    let report = parallel(Counter { is_atomic: false }).budget(2000).run();
    let found = report.found.as_ref().expect("two threads lose an update");
    assert!(found.value.threads.iter().all(|calls| !calls.is_empty()), "{report}");
    parallel(Counter { is_atomic: true }).threads(3).budget(50).check();
}
