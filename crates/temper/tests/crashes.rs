//! Whatever panics, overflows or hangs, the input is shown.

use std::time::Duration;
use temper::prelude::*;

#[test]
fn a_panic_in_a_generator_shows_the_answers_and_the_seed() {
    let domain = vecs(ints(0..=1000)).map(|list: Vec<i32>| {
        assert!(list.len() < 3 || list[2] < 500, "item {} is too large", list[2]);
        list
    });
    let report = forall(&domain).budget(1000).seed(7).run(|_| true);
    assert!(!report.holds() && !report.is_found());
    let panic = report.drawing_panic.as_ref().expect("the domain panics");
    assert_eq!(panic.tree.to_string(), "0, 0, 500");
    let shown = report.to_string();
    assert!(shown.contains("the domain panicked while it drew an input"), "{shown}");
    assert!(shown.contains("item 500 is too large at "), "{shown}");
    assert!(shown.contains("answers: 0, 0, 500") && shown.contains("seed: 7"), "{shown}");
}

#[test]
fn a_panic_in_a_searched_generator_is_shown_too() {
    let domain = ints(0..=1_000_000).map(|n| {
        assert!(n < 999_000, "too large");
        n
    });
    let report = forall(&domain).maximize(|&n| f64::from(n)).run(|_| true);
    assert_eq!(report.drawing_panic.expect("the search comes there").tree.to_string(), "999000");
}

#[test]
fn a_panic_in_a_utility_is_a_counterexample() {
    let half = |&n: &i32| if n > 100 { panic!("no half of {n}") } else { f64::from(n) };
    let report = forall(ints(0..=1000)).maximize(half).seed(3).run(|_| true);
    assert_eq!(report.value(), Some(&101));
    let shown = report.to_string();
    assert!(shown.contains("no half of 101 (in the utility)") && shown.contains("seed: 3"), "{shown}");
}

fn depth(n: u64) -> u64 {
    if n == 0 { 0 } else { 1 + std::hint::black_box(depth(std::hint::black_box(n - 1))) }
}

#[test]
fn a_stack_overflow_shows_its_input() {
    let report = forall(ints(0..=10_000_000u64)).isolated().run(|&n| {
        if n >= 1000 {
            depth(u64::MAX);
        }
    });
    let found = report.found.as_ref().expect("the process ends");
    assert_eq!(found.value, 1000);
    assert!(found.outcome.to_string().contains("the process ended in it"), "{report}");
}

#[test]
fn a_hang_shows_its_input() {
    let property = forall(vecs(bools()).max_len(8)).timeout(Duration::from_millis(300));
    let report = property.run(|list| {
        while list.len() == 5 {
            std::thread::yield_now();
        }
    });
    let found = report.found.as_ref().expect("one length in nine hangs");
    assert_eq!(found.value.len(), 5);
    assert!(found.outcome.to_string().contains("it had not ended after 300ms"), "{report}");
}

#[test]
fn an_isolated_property_that_ends_well_is_reported_as_always() {
    let run = |is_isolated: bool| {
        let property = forall(ints(0..=1000)).budget(500).seed(5);
        let property = if is_isolated { property.isolated() } else { property };
        property.run(|&n| n < 700)
    };
    assert_eq!(run(true).to_string(), run(false).to_string());
}
