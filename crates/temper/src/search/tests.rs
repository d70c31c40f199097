use super::*;
use crate::domain::{Domain, ints};

/// Asks and tells with one utility for all inputs, and notes what each was and how far the climb was.
fn flat_search(budget: usize, tests: usize) -> Vec<(Asked, usize)> {
    let mut search = Search::new(Method::Annealing, 1);
    search.set_budget(budget);
    let mut one = || {
        ints(0..=1_000_000).draw(search.ask()).expect("every number is allowed");
        search.tell(Some(0.0), |choices| assert!(ints(0..=1_000_000).draw(choices).is_ok()));
        (search.asked, search.climb_tests)
    };
    (0..tests).map(|_| one()).collect()
}

#[test]
fn the_first_climb_follows_86_draws_or_a_tenth_of_the_budget() {
    let draws = |budget| flat_search(budget, 100).iter().take_while(|(asked, _)| *asked == Asked::Fresh).count();
    assert_eq!((draws(usize::MAX), draws(860), draws(200)), (86, 86, 20));
}

#[test]
fn a_climb_that_does_not_rise_for_two_hundred_tests_is_given_up() {
    let tests = flat_search(10, 1000);
    let first_climb = tests.windows(2).take_while(|pair| pair[1].1 > pair[0].1).count() + 1;
    // It rose with its first draw, and is given up when more than 200 tests have passed since.
    assert_eq!(first_climb, 1 + 201);
}
