//! What shrinking leaves, beside proptest on the same properties: the shrunk counterexamples of several seeds, and the
//! mean length of their text.

use proptest::collection::vec as proptest_vec;
use proptest::prelude::{Just, Strategy, any as proptest_any};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::fmt::Debug;
use temper::prelude::*;

const SEEDS: u8 = 10;

/// The shrunk counterexamples of both tools, as text, one per seed.
fn compare<D: Domain, S: Strategy<Value = D::Value>>(
    name: &str,
    domain: D,
    strategy: S,
    property: impl Fn(&D::Value) -> bool,
) where
    D::Value: Debug,
{
    let ours = |seed: u8| {
        let report = forall(&domain).budget(100_000).seed(seed.into()).run(&property);
        report.value().map(|value| format!("{value:?}"))
    };
    let theirs = |seed: u8| {
        let config =
            Config { cases: 100_000, failure_persistence: None, max_shrink_iters: 100_000, ..Config::default() };
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
        let holds = |value: D::Value| match property(&value) {
            true => Ok(()),
            false => Err(TestCaseError::fail("")),
        };
        match TestRunner::new_with_rng(config, rng).run(&strategy, holds) {
            Err(TestError::Fail(_, value)) => Some(format!("{value:?}")),
            _ => None,
        }
    };
    let ours: Vec<String> = (0..SEEDS).filter_map(ours).collect();
    let theirs: Vec<String> = (0..SEEDS).filter_map(theirs).collect();
    println!("| {name} | {} | {} | {} | {} |", mean_len(&ours), shown(&ours), mean_len(&theirs), shown(&theirs));
}

fn mean_len(texts: &[String]) -> String {
    format!("{:.1}", texts.iter().map(String::len).sum::<usize>() as f64 / texts.len() as f64)
}

/// The text of median length, cut for the table.
fn shown(texts: &[String]) -> String {
    let mut texts = texts.to_vec();
    texts.sort_by_key(String::len);
    let median = texts.get(texts.len() / 2).cloned().unwrap_or_default();
    let cut: String = median.chars().take(48).collect();
    let is_cut = cut.len() < median.len();
    format!("`{cut}{}`", if is_cut { "..." } else { "" })
}

/// Prints the table.
pub fn print() {
    println!(
        "\n| shrinking, {SEEDS} seeds | temper: mean length | median | proptest: mean length | median |\n|---|---|---|---|---|"
    );
    compare("integer at least 1,234,567", any::<i64>(), proptest_any::<i64>(), |&v| v < 1_234_567);
    compare("list with an item of 500 or more", vecs(ints(0..=1000)), list(1000, 42), |v| v.iter().all(|&x| x < 500));
    compare("list of 5 items or more", vecs(ints(0..=1000)), list(1000, 42), |v| v.len() < 5);
    compare("list with a sum of 1,500", vecs(ints(0..=1000)), list(1000, 42), |v| v.iter().sum::<i32>() < 1500);
    compare("list out of order", vecs(ints(0..=1000)), list(1000, 42), |v| v.is_sorted());
    compare("list with a 3 and a 7", vecs(ints(0..=9)), list(9, 42), |v| !(v.contains(&3) && v.contains(&7)));
    compare("list with a duplicate of 10 or more", vecs(ints(0..=99)), list(99, 42), |v| {
        let mut large: Vec<i32> = v.iter().copied().filter(|&x| x >= 10).collect();
        large.sort_unstable();
        large.windows(2).all(|w| w[0] != w[1])
    });
    let nested = vecs(vecs(ints(0..=100)).max_len(10)).max_len(10);
    compare("nested lists with 3 items", &nested, proptest_vec(list(100, 10), 0..=10), |v| {
        v.iter().map(Vec::len).sum::<usize>() < 3
    });
    compare("nested lists with an item of 60", &nested, proptest_vec(list(100, 10), 0..=10), |v| {
        v.iter().flatten().all(|&x| x < 60)
    });
    compare(
        "dependent length, item of 42 or more",
        ints(1..=10usize).and_then(|n| vecs(ints(0..=99)).len(n..=n)),
        (1..=10usize).prop_flat_map(|n| proptest_vec(0..=99i32, n)),
        |v| v.iter().all(|&x| x < 42),
    );
    compare(
        "length and list that must agree",
        ints(0..=20usize).and_then(|n| vecs(ints(0..=9)).len(n..=n).map(move |v| (n, v))),
        (0..=20usize).prop_flat_map(|n| (Just(n), proptest_vec(0..=9i32, n))),
        |(n, v)| *n < 4 || v.iter().all(|&x| x < 5),
    );
    compare("string with a Z", strings(), proptest_vec(char_between(), 0..=42).prop_map(String::from_iter), |s| {
        !s.contains('Z')
    });
    compare("float at least 3.2", floats(0.0..=1000.0), 0.0..=1000.0f64, |&x| x < 3.2);
    compare("float between 0.3 and 1", floats(0.0..1.0), 0.0..1.0f64, |&x| x < 0.3);
    compare("two integers with a sum of 1,200", (ints(0..=1000), ints(0..=1000)), (0..=1000, 0..=1000), |&(a, b)| {
        a + b < 1200
    });
    compare("two equal integers of 10 or more", (ints(0..=100), ints(0..=100)), (0..=100, 0..=100), |&(a, b)| {
        a != b || a < 10
    });
    compare("difference of 500", (any::<i32>(), any::<i32>()), proptest_any::<(i32, i32)>(), |&(a, b)| {
        (i64::from(a) - i64::from(b)).abs() < 500
    });
}

fn list(max: i32, len: usize) -> impl Strategy<Value = Vec<i32>> {
    proptest_vec(0..=max, 0..=len)
}

fn char_between() -> impl Strategy<Value = char> {
    proptest::char::range(' ', '~')
}
