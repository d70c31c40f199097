//! Eight systems with classic bugs, as state machines. The benchmarks run the same ones next to other tools.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use temper::machine::{EarlierResult, StateMachine};
use temper::prelude::*;

/// A machine with its start, what a step does, and a utility; written once for all machines here.
macro_rules! machine_of {
    ($name:ident, $state:ty, $step:ty, $start:expr, $allowed:expr, $run:expr, $utility:expr) => {
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

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
pub enum Buffer {
    Push(u8),
    Pop,
}

#[derive(Default)]
pub struct Ring {
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
pub enum CacheCall {
    Put(#[domain(ints(0..=9))] u8),
    Get(#[domain(ints(0..=9))] u8),
}

#[derive(Default)]
pub struct Cache {
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
pub enum TreeCall {
    Insert(#[domain(ints(0..=63))] u8),
    Delete(EarlierResult),
}

#[derive(Default)]
pub struct Tree {
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
pub enum BankCall {
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
pub enum CounterCall {
    Increment(#[domain(ints(0..=2))] usize),
    Merge(#[domain(ints(0..=2))] usize, #[domain(ints(0..=2))] usize),
}

#[derive(Default)]
pub struct Counters {
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
pub enum FileCall {
    Make(#[domain(ints(0..=3))] u8),
    Enter(#[domain(ints(0..=3))] u8),
    Leave,
}

#[derive(Default)]
pub struct Files {
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
pub enum SchedulerCall {
    Add { is_urgent: bool },
    RunNext,
}

#[derive(Default)]
pub struct Scheduler {
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
pub enum EstimatorCall {
    SetWarm(bool),
    SetTrees(#[domain(ints(1..=100))] u32),
    Fit,
}

#[derive(Default)]
pub struct Estimator {
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
