use super::*;
use crate::prelude::*;

fn draw_pair(c: &mut Choices, hi: i64) -> (Vec<i64>, i64) {
    let mut list = c.begin_list(0, 100, true);
    let mut items = Vec::new();
    while c.more(&mut list) {
        items.push(c.integer(0, hi, Spread::Uniform));
    }
    c.end_list(list);
    (items, c.integer(0, hi, Spread::Uniform))
}

#[test]
fn a_recording_replays_exactly() {
    for seed in 0..200 {
        let mut first = Choices::random(seed);
        let value = draw_pair(&mut first, 1000);
        let mut again = Choices::replay(&first.recorded());
        assert_eq!(draw_pair(&mut again, 1000), value);
        assert_eq!(again.recorded(), first.recorded());
    }
}

#[test]
fn numbers_outside_a_new_range_are_clamped_and_the_rest_kept() {
    let mut first = Choices::random(5);
    let (items, last) = draw_pair(&mut first, 1000);
    let mut narrow = Choices::replay(&first.recorded());
    let expected: Vec<i64> = items.iter().map(|&v| v.min(300)).collect();
    assert_eq!(draw_pair(&mut narrow, 300), (expected, last.min(300)));
}

#[test]
fn what_a_list_has_too_much_does_not_shift_what_follows() {
    let mut first = Choices::random(8);
    let mut list = first.begin_list(6, 6, true);
    while first.more(&mut list) {
        first.integer(0, 9, Spread::Uniform);
    }
    first.end_list(list);
    let tail = first.integer(0, 1_000_000, Spread::Uniform);

    for len in [2, 6, 9] {
        let mut other = Choices::replay(&first.recorded());
        let mut list = other.begin_list(len, len, true);
        while other.more(&mut list) {
            other.integer(0, 9, Spread::Uniform);
        }
        other.end_list(list);
        assert_eq!(other.integer(0, 1_000_000, Spread::Uniform), tail, "list of {len}");
    }
}

#[test]
fn an_answer_of_another_kind_is_drawn_again() {
    let mut first = Choices::random(8);
    first.flag(0.5);
    let kept = first.integer(5, 900, Spread::Uniform);
    let mut other = Choices::replay(&first.recorded());
    assert_eq!(other.index(7), 0, "the simplest answer stands for a missing one");
    assert_eq!(other.integer(0, 900, Spread::Uniform), kept);
}

#[test]
fn spans_that_the_tree_lacks_are_drawn_apart() {
    let mut first = Choices::random(8);
    first.open("b");
    let b = first.integer(1, 1000, Spread::Uniform);
    first.close();
    let mut other = Choices::replay(&first.recorded());
    assert!(!other.open("a"));
    assert_eq!(other.integer(0, 1000, Spread::Uniform), 0);
    other.close();
    assert!(other.open("b"));
    assert_eq!(other.integer(0, 1000, Spread::Uniform), b);
    other.close();
}

#[test]
fn a_filter_leaves_only_its_accepted_draw_in_the_record() {
    let even = ints(0..=1000).filter(|v| v % 2 == 0);
    for seed in 0..100 {
        let mut choices = Choices::random(seed);
        let value = even.draw(&mut choices).unwrap();
        assert_eq!(choices.recorded().len(), 1);
        assert_eq!(even.draw(&mut Choices::replay(&choices.recorded())), Ok(value));
    }
}

#[test]
fn a_hopeless_filter_rejects() {
    let none = ints(0..=1000).filter(|_| false);
    assert_eq!(none.draw(&mut Choices::random(1)), Err(Rejected));
}

#[test]
fn a_filter_tries_again_fifty_times() {
    let tries = std::cell::Cell::new(0);
    let never = ints(0..=9).filter(|_| {
        tries.set(tries.get() + 1);
        false
    });
    assert_eq!(never.draw(&mut Choices::random(1)), Err(Rejected));
    assert_eq!(tries.get(), 51);
}
