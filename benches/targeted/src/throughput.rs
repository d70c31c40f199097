//! Tests per CPU second of the random method beside proptest and quickcheck, on the same properties in the same run. Each
//! tool draws from its own ranges where it has no others: the domains are chosen so that values have about the same size.

use crate::cpu::Stopwatch;
use crate::problems::graph;
use proptest::collection::vec as proptest_vec;
use proptest::prelude::{Strategy, any as proptest_any};
use proptest::test_runner::{Config, TestRunner};
use quickcheck::{Arbitrary, Gen, QuickCheck};
use std::hint::black_box;
use temper::prelude::*;

const TESTS: usize = 500_000;
const ROUNDS: usize = 5;

fn temper<D: Domain>(domain: D) -> f64
where
    D::Value: std::fmt::Debug,
{
    best(|| {
        let report = forall(&domain).budget(TESTS).run(|value| {
            black_box(value);
        });
        assert_eq!(report.tests, TESTS);
    })
}

fn proptest<S: Strategy>(strategy: S) -> f64 {
    best(|| {
        let config =
            Config { cases: TESTS as u32, failure_persistence: None, max_local_rejects: u32::MAX, ..Config::default() };
        let result = TestRunner::new(config).run(&strategy, |value| {
            black_box(&value);
            Ok(())
        });
        assert!(result.is_ok());
    })
}

fn quickcheck<A: Arbitrary + std::fmt::Debug>(property: fn(A) -> bool) -> f64 {
    best(|| {
        let tests = TESTS as u64;
        let mut runner = QuickCheck::new().rng(Gen::new(42)).tests(tests).max_tests(tests);
        assert!(matches!(runner.quicktest(property), Ok(n) if n == tests));
    })
}

/// The best rate of some rounds.
fn best(round: impl Fn()) -> f64 {
    let rate = |_| {
        let watch = Stopwatch::start();
        round();
        TESTS as f64 / watch.seconds()
    };
    (0..ROUNDS).map(rate).fold(0.0, f64::max)
}

/// An edge for quickcheck, drawn again until its first end is the smaller, and the list of them.
#[derive(Clone, Debug)]
struct Edges(Vec<(u32, u32)>);

impl Arbitrary for Edges {
    fn arbitrary(g: &mut Gen) -> Self {
        let nodes: Vec<u32> = (1..=graph::NODES).collect();
        let node = |g: &mut Gen| *g.choose(&nodes).unwrap_or(&1);
        let lengths: Vec<usize> = (0..=42).collect();
        let len = *g.choose(&lengths).unwrap_or(&0);
        let edge = |g: &mut Gen| loop {
            let (a, b) = (node(g), node(g));
            if a < b {
                return (a, b);
            }
        };
        Edges((0..len).map(|_| edge(g)).collect())
    }
}

/// Prints the table.
pub fn print() {
    println!(
        "\n| random method, {TESTS} tests, best of {ROUNDS} | temper | proptest | quickcheck |\n|---|---|---|---|"
    );
    let line = |name: &str, rates: [f64; 3]| {
        println!("| {name} | {:.0} | {:.0} | {:.0} |", rates[0], rates[1], rates[2]);
    };
    line(
        "pair of i32",
        [
            temper(any::<(i32, i32)>()),
            proptest(proptest_any::<(i32, i32)>()),
            quickcheck::<(i32, i32)>(|v| black_box(v) == v),
        ],
    );
    line(
        "vector of i32, 0 to 42 items",
        [
            temper(any::<Vec<i32>>()),
            proptest(proptest_vec(proptest_any::<i32>(), 0..=42)),
            quickcheck::<Vec<i32>>(|v| black_box(v).len() < 100),
        ],
    );
    line(
        "vector of f64, 0 to 42 items",
        [
            temper(vecs(floats(0.0..=1.0))),
            proptest(proptest_vec(0.0..=1.0f64, 0..=42)),
            quickcheck::<Vec<f64>>(|v| black_box(v).len() < 100),
        ],
    );
    line(
        "string, 0 to 42 characters",
        [
            temper(any::<String>()),
            proptest(proptest_vec(proptest_any::<char>(), 0..=42).prop_map(String::from_iter)),
            quickcheck::<String>(|v| black_box(v).len() < 1000),
        ],
    );
    let node = || 1..=graph::NODES;
    line(
        "edges of B1, 0 to 42",
        [
            temper(vecs(graph::edge(graph::NODES))),
            proptest(proptest_vec((node(), node()).prop_filter("a < b", |(a, b)| a < b), 0..=42)),
            quickcheck::<Edges>(|v| black_box(v).0.len() < 100),
        ],
    );
}
