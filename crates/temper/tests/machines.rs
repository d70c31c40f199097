//! State machines with classic bugs, drawn and searched. What is searched for is found in at most a tenth of the tests
//! that drawing needs, and shrinks to the calls that matter.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use temper::machine::{ConcurrentMachine, EarlierResult, StateMachine, machine, parallel};
use temper::prelude::*;

/// A machine with its start, what a step does, and a utility; written once for all machines here.
macro_rules! machine_of {
    ($name:ident, $state:ty, $step:ty, $start:expr, $allowed:expr, $run:expr, $utility:expr) => {
        struct $name;

        impl StateMachine for $name {
            type Step = $step;
            type State = $state;
            const IS_SEARCHED: bool = true;

            fn start(&self) -> $state {
                $start
            }

            fn steps(&self) -> impl Domain<Value = $step> {
                any::<$step>()
            }

            fn is_allowed(&self, state: &$state, step: &$step) -> bool {
                let allowed: fn(&$state, &$step) -> bool = $allowed;
                allowed(state, step)
            }

            fn run(&self, state: &mut $state, step: &$step) {
                let run: fn(&mut $state, &$step) = $run;
                run(state, step);
            }

            fn utility(&self, state: &$state) -> f64 {
                let utility: fn(&$state) -> f64 = $utility;
                utility(state)
            }
        }
    };
}

// A ring buffer of 32 places whose full state is taken for the empty one.
#[derive(Clone, Debug, Domain)]
enum Buffer {
    Push(u8),
    Pop,
}

#[derive(Default)]
struct Ring {
    places: [u8; 32],
    head: usize,
    tail: usize,
    model: VecDeque<u8>,
}

machine_of!(
    RingBuffer,
    Ring,
    Buffer,
    Ring::default(),
    |ring, step| match step {
        Buffer::Push(_) => ring.model.len() < 32,
        Buffer::Pop => !ring.model.is_empty(),
    },
    |ring, step| match step {
        Buffer::Push(item) => {
            ring.places[ring.tail] = *item;
            ring.tail = (ring.tail + 1) % 32;
            ring.model.push_back(*item);
            assert_eq!((ring.tail + 32 - ring.head) % 32, ring.model.len(), "the length is wrong");
        }
        Buffer::Pop => {
            assert_eq!(Some(ring.places[ring.head]), ring.model.pop_front());
            ring.head = (ring.head + 1) % 32;
        }
    },
    |ring| ring.model.len() as f64
);

// A cache of four keys that forgets how old a key is after its eleventh use in a row without being evicted.
#[derive(Clone, Debug, Domain)]
enum CacheCall {
    Put(#[domain(ints(0..=9))] u8),
    Get(#[domain(ints(0..=9))] u8),
}

#[derive(Default)]
struct Cache {
    uses: BTreeMap<u8, u32>,
    order: Vec<u8>,
}

machine_of!(
    LruCache,
    Cache,
    CacheCall,
    Cache::default(),
    |_, _| true,
    |cache, step| {
        let (CacheCall::Put(key) | CacheCall::Get(key)) = step;
        if cache.order.contains(key) {
            cache.order.retain(|other| other != key);
            cache.order.push(*key);
            *cache.uses.entry(*key).or_default() += 1;
        } else if matches!(step, CacheCall::Put(_)) {
            if cache.order.len() == 4 {
                let oldest = cache.order.remove(0);
                cache.uses.remove(&oldest);
            }
            cache.order.push(*key);
            cache.uses.insert(*key, 0);
        }
        assert!(cache.uses.values().all(|&uses| uses < 14), "a counter of uses overflows");
    },
    |cache| cache.uses.values().copied().max().unwrap_or(0).into()
);

// A tree whose deletion loses the keys right of the middle once there are more than 24.
#[derive(Clone, Debug, Domain)]
enum TreeCall {
    Insert(#[domain(ints(0..=63))] u8),
    Delete(EarlierResult),
}

#[derive(Default)]
struct Tree {
    keys: Vec<u8>,
    model: BTreeSet<u8>,
    inserted: Vec<u8>,
}

machine_of!(
    TreeDeletion,
    Tree,
    TreeCall,
    Tree::default(),
    |tree, step| match step {
        TreeCall::Insert(_) => true,
        TreeCall::Delete(earlier) => earlier.of(&tree.inserted).is_some_and(|key| tree.model.contains(key)),
    },
    |tree, step| {
        match step {
            TreeCall::Insert(key) => {
                if let Err(at) = tree.keys.binary_search(key) {
                    tree.keys.insert(at, *key);
                }
                tree.model.insert(*key);
                tree.inserted.push(*key);
            }
            TreeCall::Delete(earlier) => {
                let key = *earlier.of(&tree.inserted).expect("the step is allowed");
                let at = tree.keys.binary_search(&key).expect("the key is there");
                tree.keys.remove(at);
                if tree.keys.len() > 24 {
                    tree.keys.truncate(20);
                }
                tree.model.remove(&key);
            }
        }
        assert!(tree.keys.iter().eq(&tree.model), "keys are lost");
    },
    |tree| tree.model.len() as f64
);

// An account whose fee is taken below the limit of its overdraft.
#[derive(Clone, Debug, Domain)]
enum BankCall {
    Deposit(#[domain(ints(1..=100))] i32),
    Withdraw(#[domain(ints(1..=100))] i32),
}

const LIMIT: i32 = -1500;

machine_of!(
    Overdraft,
    i32,
    BankCall,
    0,
    |balance, step| match step {
        BankCall::Deposit(_) => true,
        BankCall::Withdraw(amount) => balance - amount >= LIMIT,
    },
    |balance, step| {
        match step {
            BankCall::Deposit(amount) => *balance += amount,
            BankCall::Withdraw(amount) => *balance -= amount,
        }
        if *balance < LIMIT + 20 {
            *balance -= 20;
        }
        assert!(*balance >= LIMIT, "the balance is {balance}");
    },
    |balance| -f64::from(*balance)
);

// Three replicas of a counter; merging counts twice what both have seen, once that is more than seven.
#[derive(Clone, Debug, Domain)]
enum CounterCall {
    Increment(#[domain(ints(0..=2))] usize),
    Merge(#[domain(ints(0..=2))] usize, #[domain(ints(0..=2))] usize),
}

#[derive(Default)]
struct Counters {
    seen: [[u32; 3]; 3],
    total: [u32; 3],
}

machine_of!(
    DistributedCounter,
    Counters,
    CounterCall,
    Counters::default(),
    |_, _| true,
    |counters, step| match *step {
        CounterCall::Increment(replica) => {
            counters.seen[replica][replica] += 1;
            counters.total[replica] += 1;
        }
        CounterCall::Merge(from, to) => {
            for replica in 0..3 {
                let (theirs, ours) = (counters.seen[from][replica], counters.seen[to][replica]);
                let is_wrong = from != to && theirs > 9 && theirs == ours;
                counters.seen[to][replica] = if is_wrong { theirs + ours } else { theirs.max(ours) };
            }
            assert!((0..3).all(|replica| counters.seen[to][replica] <= counters.total[replica]), "counted twice");
        }
    },
    |counters| {
        let shared = |replica: usize| {
            let mut seen: Vec<u32> = counters.seen.iter().map(|seen| seen[replica]).collect();
            seen.sort_unstable();
            f64::from(2 * seen[1]) + f64::from(seen[2]) / 100.0
        };
        (0..3).map(shared).fold(0.0, f64::max)
    }
);

// Folders in folders; a path of more than 14 parts is cut.
#[derive(Clone, Debug, Domain)]
enum FileCall {
    Make(#[domain(ints(0..=3))] u8),
    Enter(#[domain(ints(0..=3))] u8),
    Leave,
}

#[derive(Default)]
struct Files {
    folders: BTreeSet<Vec<u8>>,
    path: Vec<u8>,
}

machine_of!(
    FileSystem,
    Files,
    FileCall,
    Files::default(),
    |files, step| match step {
        FileCall::Enter(name) => files.folders.contains(&[files.path.as_slice(), &[*name]].concat()),
        FileCall::Make(_) => true,
        FileCall::Leave => !files.path.is_empty(),
    },
    |files, step| match step {
        FileCall::Make(name) => {
            let path = [files.path.as_slice(), &[*name]].concat();
            let kept = path[..path.len().min(8)].to_vec();
            assert!(kept == path, "the path is cut");
            files.folders.insert(path);
        }
        FileCall::Enter(name) => files.path.push(*name),
        FileCall::Leave => drop(files.path.pop()),
    },
    |files| files.path.len() as f64
);

// A scheduler that always runs the urgent task first: another one waits without end.
#[derive(Clone, Debug, Domain)]
enum SchedulerCall {
    Add { is_urgent: bool },
    RunNext,
}

#[derive(Default)]
struct Scheduler {
    urgent: u32,
    waiting: VecDeque<u32>,
}

machine_of!(
    Starvation,
    Scheduler,
    SchedulerCall,
    Scheduler::default(),
    |_, _| true,
    |scheduler, step| match step {
        SchedulerCall::Add { is_urgent: true } => scheduler.urgent = (scheduler.urgent + 1).min(3),
        SchedulerCall::Add { is_urgent: false } => scheduler.waiting.push_back(0),
        SchedulerCall::RunNext if scheduler.urgent > 0 => {
            scheduler.urgent -= 1;
            scheduler.waiting.iter_mut().for_each(|turns| *turns += 1);
            assert!(scheduler.waiting.front().is_none_or(|&turns| turns < 16), "a task waits for 16 turns");
        }
        SchedulerCall::RunNext => drop(scheduler.waiting.pop_front()),
    },
    |scheduler| scheduler.waiting.front().map_or(-1.0, |&turns| f64::from(turns)) + f64::from(scheduler.urgent) / 10.0
);

// An estimator with a warm start: the ninth fit that adds to the model counts its trees wrong.
#[derive(Clone, Debug, Domain)]
enum EstimatorCall {
    SetWarm(bool),
    SetTrees(#[domain(ints(1..=100))] u32),
    Fit,
}

#[derive(Default)]
struct Estimator {
    is_warm: bool,
    wanted: u32,
    trees: u32,
    warm_fits: u32,
}

machine_of!(
    WarmStart,
    Estimator,
    EstimatorCall,
    Estimator::default(),
    |estimator, step| !matches!(step, EstimatorCall::Fit) || estimator.wanted > 0,
    |estimator, step| match step {
        EstimatorCall::SetWarm(is_warm) => estimator.is_warm = *is_warm,
        EstimatorCall::SetTrees(trees) => estimator.wanted = *trees,
        EstimatorCall::Fit if estimator.is_warm && estimator.wanted > estimator.trees => {
            estimator.warm_fits += 1;
            estimator.trees = estimator.wanted + u32::from(estimator.warm_fits == 8);
            assert_eq!(estimator.trees, estimator.wanted, "the model has a tree too many");
        }
        EstimatorCall::Fit => {
            estimator.warm_fits = 0;
            estimator.trees = estimator.wanted;
        }
    },
    |estimator| f64::from(estimator.warm_fits) - f64::from(estimator.trees) / 1000.0
);

/// The mean number of tests over five seeds, searched and drawn; what is not found counts with the budget.
fn tests_of<M: StateMachine>(make: impl Fn() -> M) -> (f64, f64, usize) {
    let mean = |method: Option<Method>, budget: usize| {
        let tests = (0..5).map(|seed| {
            let test = machine(make()).budget(budget).seed(seed);
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
