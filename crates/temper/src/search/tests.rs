use super::*;
use crate::domain::{Domain, bools, ints, vecs};

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

/// Two searches of which one copies the current tree for every neighbour, and the other only what it has to: every input and
/// every record is the same. What is recorded gives the input again, and becomes the current tree if it is accepted.
fn check_shared(method: Method, item: impl Domain<Value = u32>, is_one: bool) {
    let list = vecs((item, bools()).filter(|(value, is)| *is || value % 3 > 0)).max_len(40);
    for seed in 0..10 {
        let searches = [Search::new(method, seed), Search::new(method, seed)];
        let [mut sharing, mut copying] = searches;
        for test in 0..1500 {
            copying.shared = 0;
            let (one, other) = (list.draw(sharing.ask()), list.draw(copying.ask()));
            assert_eq!(one, other, "seed {seed}, test {test}");
            let tree = sharing.recorded(|choices| drop(list.draw(choices)));
            let mut replay = Choices::replay(&tree);
            assert!(
                one.is_err() || one == list.draw(&mut replay) && replay.recorded() == tree,
                "seed {seed}, test {test}"
            );
            let before = sharing.current.clone();
            let utilities =
                one.map(|list| [list.iter().map(|(value, _)| f64::from(*value)).sum(), -(list.len() as f64)]);
            for search in [&mut sharing, &mut copying] {
                let again = |choices: &mut Choices| drop(list.draw(choices));
                match utilities {
                    Ok(utilities) if !is_one => search.tell_several(&utilities, again),
                    _ => search.tell(utilities.ok().map(|utilities| (utilities[0] / 9.0).floor()), again),
                }
            }
            assert_eq!(sharing.current, copying.current, "seed {seed}, test {test}");
            assert!([before, tree.nodes].contains(&sharing.current), "seed {seed}, test {test}");
        }
    }
}

#[test]
fn neighbours_are_the_same_whatever_is_left_of_the_last_one() {
    check_shared(Method::Annealing, ints(0..=9u32), true);
    check_shared(Method::HillClimbing, ints(0..=5000u32), true);
    check_shared(Method::Annealing, ints(0..=5000u32), false);
    // The length is an answer, and lists lie in each other.
    let sum = ints(0..=6usize).and_then(|len| vecs(vecs(ints(0..=9u32))).len(len..=len));
    check_shared(Method::Annealing, sum.map(|lists| lists.concat().iter().sum()), true);
}
