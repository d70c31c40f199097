use crate::prelude::*;
use std::fmt::Debug;

/// The shrunk counterexample of a property, from several seeds; all must agree with `expected`.
fn check<D: Domain>(domain: D, property: impl Fn(&D::Value) -> bool, expected: D::Value)
where
    D::Value: Debug + PartialEq,
{
    for seed in 0..5 {
        let report = forall(&domain).budget(100_000).seed(seed).run(&property);
        assert_eq!(report.value(), Some(&expected), "seed {seed}");
    }
}

#[test]
fn a_bound_is_found_by_halving() {
    check(any::<i64>(), |&v| v < 1_234_567, 1_234_567);
    check(any::<u64>(), |&v| v < 5_000_000_000, 5_000_000_000);
    check(any::<i64>(), |&v| v > -1000, -1000);
}

#[test]
fn lists_lose_what_does_not_matter() {
    check(vecs(ints(0..=1000)), |v| v.iter().all(|&x| x < 500), vec![500]);
    check(vecs(ints(0..=1000)), |v| v.len() < 5, vec![0; 5]);
    check(vecs(ints(0..=1000)), |v| v.iter().sum::<i32>() < 1500, vec![501, 999]);
}

#[test]
fn items_are_sorted_where_order_does_not_matter() {
    check(vecs(ints(0..=9)), |v| !(v.contains(&3) && v.contains(&7)), vec![3, 7]);
    check(vecs(ints(0..=9)), |v| v.windows(2).all(|w| w[0] <= w[1]), vec![1, 0]);
}

#[test]
fn arrays_shrink_below_the_size_at_which_their_cells_are_drawn_singly() {
    let arrays = ints(1..=500usize).and_then(|len| bulk_ints(ints(0..=9), len));
    check(&arrays, |v| v.windows(2).all(|w| w[0] <= w[1]), vec![1, 0]);
    check(&arrays, |v| v.len() < 3 || v.iter().all(|&x| x < 7), vec![0, 0, 7]);
}

#[test]
fn nested_lists_become_flat() {
    let nested = vecs(vecs(ints(0..=100)).max_len(10)).max_len(10);
    check(&nested, |v| v.iter().map(Vec::len).sum::<usize>() < 3, vec![vec![0, 0, 0]]);
    check(&nested, |v| v.iter().flatten().all(|&x| x < 60), vec![vec![60]]);
}

#[test]
fn dependent_lengths_shrink_with_their_lists() {
    let rows = ints(1..=10usize).and_then(|n| vecs(ints(0..=99)).len(n..=n));
    check(rows, |v| v.iter().all(|&x| x < 42), vec![42]);
}

/// A table of numbers that are drawn one after another, without a list around them.
struct NumberTable;

impl Domain for NumberTable {
    type Value = Vec<Vec<i64>>;

    fn draw(&self, choices: &mut Choices) -> Result<Self::Value, Rejected> {
        let mut number = |low, high| choices.integer(low, high, Spread::Uniform);
        let (rows, columns) = (number(1, 6), number(1, 6));
        Ok((0..rows).map(|_| (0..columns).map(|_| number(0, 99)).collect()).collect())
    }
}

#[test]
fn tables_lose_the_cells_before_the_one_that_matters() {
    check(NumberTable, |table| table.iter().flatten().all(|&cell| cell < 42), vec![vec![42]]);
}

#[test]
fn tables_lose_columns_next_to_the_cell_that_matters() {
    let is_small = |table: &Vec<Vec<i64>>, row: usize| table[row].iter().all(|&cell| cell < 42);
    check(NumberTable, |table| table.len() < 2 || is_small(table, 0), vec![vec![42], vec![0]]);
    check(NumberTable, |table| table.len() < 3 || is_small(table, 1), vec![vec![0], vec![42], vec![0]]);
}

#[test]
fn strings_end_at_a() {
    check(strings(), |s| s.len() < 3, "aaa".to_owned());
    check(strings(), |s| !s.contains('Z'), "Z".to_owned());
}

#[test]
fn floats_end_at_simple_numbers() {
    check(floats(0.0..=1000.0), |&x| x < 3.2, 4.0);
    check(floats(0.0..=1.0), |&x| x < 0.3, 1.0);
    check(floats(0.0..=1.0).filter(|&x| x < 1.0), |&x| x < 0.3, 0.5);
    check(floats(..), |&x| x > -10.5, -11.0);
}

#[test]
fn two_numbers_that_must_sum_end_with_the_first_small() {
    check((ints(0..=1000), ints(0..=1000)), |&(a, b)| a + b < 1200, (201, 999));
}

#[test]
fn equal_numbers_are_lowered_together() {
    check((ints(0..=100), ints(0..=100)), |&(a, b)| a != b || a < 10, (10, 10));
}

#[test]
fn subtrees_take_the_place_of_their_parents() {
    #[derive(Clone, Debug, PartialEq)]
    enum NumberTree {
        Leaf(i32),
        Node(Vec<NumberTree>),
    }
    fn has_large(tree: &NumberTree) -> bool {
        match tree {
            NumberTree::Leaf(v) => *v >= 7,
            NumberTree::Node(children) => children.iter().any(has_large),
        }
    }
    let trees = recursive(4, ints(0..=9).map(NumberTree::Leaf), |inner| vecs(inner).max_len(4).map(NumberTree::Node));
    check(trees, |tree| !has_large(tree), NumberTree::Leaf(7));
}

#[test]
fn shrinking_stops_at_its_budget() {
    let counted = std::cell::Cell::new(0);
    let report = forall(vecs(any::<i64>())).seed(3).shrink_budget(20).run(|v| {
        counted.set(counted.get() + 1);
        v.len() < 3
    });
    let found = report.found.unwrap();
    assert!(counted.get() <= report.tests + 20 + 1, "{} tests for a budget of 20", counted.get() - report.tests);
    assert!(found.value.len() >= 3);
}

#[test]
fn a_panic_is_shrunk_like_a_failure_and_keeps_its_message() {
    let report = forall(ints(0..=1000)).budget(1000).run(|&v| assert!(v < 77, "too large"));
    let found = report.found.unwrap();
    assert_eq!(found.value, 77);
    assert!(matches!(found.outcome, Outcome::Crashed(message) if message.contains("too large")));
}

#[test]
fn lengths_that_must_stay_odd_shrink_by_two() {
    check(vecs(ints(0..=9)).min_len(1), |v| v.len() % 2 == 0, vec![0]);
    check(vecs(ints(0..=9)).min_len(2), |v| v.len() % 2 == 0, vec![0; 3]);
}

#[test]
fn signs_that_must_agree_become_positive() {
    let is_small = |&(a, b): &(i32, i32)| a.checked_add(b).is_some();
    check(any::<(i32, i32)>(), is_small, (1, i32::MAX));
}

#[test]
fn counterexamples_far_apart_end_at_the_least() {
    let follows_the_rule = |year: &i32| {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 1000 == 0);
        is_leap == (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
    };
    check(ints(1..=3000), follows_the_rule, 400);
    check(floats(1.0..=3000.0).map(|x| x as i32), follows_the_rule, 400);
    check(ints(1_000_000..=1_002_000), |v| v % 977 != 0, 1_000_448);
}

#[test]
fn of_few_inputs_none_below_the_shrunk_one_fails() {
    let holds = |&(a, b, c): &(i32, i32, bool)| !((a * 7 + b * 11) % 13 == 5 && (a + b) % 3 == 1 && (c || a > b));
    for seed in 0..20 {
        let report = forall((ints(0..=30), ints(-30..=0), any::<bool>())).budget(10_000).seed(seed).run(holds);
        let &(a, b, c) = report.value().unwrap();
        let below = (0..=a).flat_map(|x| (b..=0).flat_map(move |y| [false, true].map(|z| (x, y, z))));
        let failing: Vec<_> = below.filter(|&(_, _, z)| c || !z).filter(|input| !holds(input)).collect();
        assert_eq!(failing, [(a, b, c)], "seed {seed}");
    }
}

#[test]
fn numbers_with_a_difference_are_lowered_together() {
    let numbers = || ints(1..=i32::MAX);
    let differs =
        |by: std::ops::RangeInclusive<u32>| move |&(a, b): &(i32, i32)| a < 10 || !by.contains(&a.abs_diff(b));
    check((numbers(), numbers()), differs(1..=4), (10, 6));
    check((numbers(), numbers()), differs(1..=1), (10, 9));
    check(vecs(ints(0..=1_000_000)).len(3..=3), |v| !(v[0] >= 7 && v[1] > v[0] && v[2] > v[1]), vec![7, 8, 9]);
}

#[test]
fn distinct_numbers_are_the_simplest_ones() {
    let count = |v: &Vec<i64>| v.iter().collect::<std::collections::HashSet<_>>().len();
    check(vecs(any::<i64>()), |v| count(v) < 3, vec![0, 1, -1]);
    let union = |v: &Vec<Vec<i64>>| v.iter().flatten().collect::<std::collections::HashSet<_>>().len();
    check(vecs(vecs(any::<i64>())), |v| union(v) < 5, vec![vec![0, 1, -1, 2, -2]]);
}

#[test]
fn items_that_make_up_a_total_become_few() {
    let orders = vecs((ints(0..=3), ints(1..=20))).max_len(42);
    check(&orders, |v| v.iter().map(|&(_, quantity)| quantity).sum::<i32>() < 100, vec![(0, 20); 5]);
    let load = |v: &Vec<(i32, i32)>| v.iter().filter(|order| order.0 == 2).map(|order| order.1).sum::<i32>();
    check(&orders, |v| load(v) < 60, vec![(2, 20); 3]);
}

#[test]
fn items_that_name_each_other_are_renumbered() {
    check(
        vecs(ints(0..=10usize)).max_len(10),
        |v| v.iter().any(|&x| x >= v.len()) || (0..v.len()).all(|i| v[i] == i || v[v[i]] != i),
        vec![1, 0],
    );
}

#[test]
fn parts_that_can_be_exchanged_are_put_in_order() {
    let list = || vecs(any::<i16>());
    let sum = |v: &[i16]| v.iter().fold(0i16, |sum, &x| sum.wrapping_add(x));
    check(
        (list(), list(), list()),
        |(a, b, c)| {
            let sums = [sum(a), sum(b), sum(c)];
            sums.iter().any(|&sum| sum >= 256) || sum(&sums) < 3 * 256
        },
        (vec![], vec![-1], vec![-32768]),
    );
}

#[test]
fn a_level_takes_the_place_of_the_one_around_it() {
    #[derive(Clone, Debug, PartialEq, Domain)]
    enum Tree {
        Leaf(u8),
        One(Box<Tree>),
        Two(Box<Tree>, Box<Tree>),
    }
    fn pairs(tree: &Tree) -> usize {
        match tree {
            Tree::Leaf(_) => 1,
            Tree::One(a) => pairs(a),
            Tree::Two(a, b) if pairs(a) == pairs(b) => pairs(a) + 1,
            Tree::Two(a, b) => pairs(a).max(pairs(b)),
        }
    }
    let leaf = || Box::new(Tree::Leaf(0));
    let two = || Box::new(Tree::Two(leaf(), leaf()));
    check(any::<Tree>(), |tree| pairs(tree) < 3, Tree::Two(two(), two()));
}

#[test]
fn a_list_of_100_000_items_shrinks_within_the_budget() {
    let calls = std::cell::Cell::new(0);
    let property = forall(vecs(ints(0..=1_000_000))).method(Method::Random).size(100_000).seed(3);
    let report = property.budget(200).shrink_budget(500).run(|v| {
        calls.set(calls.get() + 1);
        v.iter().filter(|&&x| x > 900_000).count() < 300 || v.len() < 50_000
    });
    let found = report.value().unwrap();
    assert_eq!(found.len(), 50_000);
    assert!(calls.get() <= report.tests + 503, "{} tests", calls.get());
}
