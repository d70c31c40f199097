//! Problems of other shapes than the benchmarks' (one number, an order, timed events, a chain of conditions), written as a
//! user would: with the same budget a search finds each from every seed, and drawing finds none.

use std::fmt::Debug;
use temper::prelude::*;

/// `judge` gives the utility of an input and whether it is the one that is searched for.
fn check<D: Domain>(domain: D, budget: usize, judge: impl Fn(&D::Value) -> (f64, bool))
where
    D::Value: Debug,
{
    let is_found = |method: Method, seed: u64| {
        let search = forall(&domain).method(method).budget(budget).seed(seed).shrink_budget(0);
        let report = search.run_with(|input, goal| {
            let (utility, is_wanted) = judge(input);
            goal.maximize(utility);
            !is_wanted
        });
        report.is_found()
    };
    for seed in 0..5 {
        assert!(is_found(Method::Annealing, seed), "annealing, seed {seed}");
        assert!(is_found(Method::HillClimbing, seed), "hill climbing, seed {seed}");
        assert!(!is_found(Method::Random, seed), "drawing is enough, seed {seed}");
    }
}

#[test]
fn one_number_among_four_billion_is_met() {
    check(any::<i32>(), 5_000, |&x| {
        let distance = (i64::from(x) - 123_456_789).abs();
        (-(distance as f64), distance == 0)
    });
}

/// The comparisons of a quicksort that takes the median of the first, the middle and the last item.
fn comparisons(items: &[u32]) -> usize {
    let [first, .., last] = *items else { return 0 };
    let mut three = [first, items[items.len() / 2], last];
    three.sort_unstable();
    let below: Vec<u32> = items.iter().copied().filter(|&item| item < three[1]).collect();
    let above: Vec<u32> = items.iter().copied().filter(|&item| item > three[1]).collect();
    items.len() - 1 + comparisons(&below) + comparisons(&above)
}

#[test]
fn an_order_that_makes_quicksort_slow_is_found() {
    check(permutations(0..40), 3_000, |order| (comparisons(order) as f64, comparisons(order) >= 270));
}

/// The most that a limiter lets through within any second. It counts from 0 in every full second, so that a burst before
/// and one after the stroke are both let through.
fn admitted(events: &[(u32, u32)]) -> u32 {
    let (mut now_ms, mut second, mut used) = (0, 0, 0);
    let mut log = Vec::new();
    for &(gap_ms, cost) in events {
        now_ms += gap_ms;
        if now_ms / 1000 > second {
            (second, used) = (now_ms / 1000, 0);
        }
        if used + cost <= 100 {
            used += cost;
            log.push((now_ms, cost));
        }
    }
    let within = |from: u32| log.iter().filter(|(at, _)| (from..from + 1000).contains(at)).map(|(_, cost)| cost).sum();
    log.iter().map(|&(at, _)| within(at)).max().unwrap_or(0)
}

#[test]
fn a_burst_across_the_stroke_of_a_second_is_found_with_a_small_budget() {
    let events = vecs((ints(0..=500u32), ints(1..=20u32)));
    check(events, 400, |events| (f64::from(admitted(events)), admitted(events) >= 180));
}

/// How many of its conditions an input meets, and how near it is to the next.
fn progress(&(whole, part, ref items): &(u32, u32, Vec<u32>)) -> f64 {
    let sum: u32 = items.iter().sum();
    let falls = items.windows(2).filter(|pair| pair[0] > pair[1]).count();
    let distances = [
        (whole % 97).abs_diff(13),
        (whole / 2 + 1).saturating_sub(part),
        5u32.saturating_sub(items.len() as u32),
        falls as u32,
        sum.abs_diff(part),
    ];
    let met = distances.iter().take_while(|&&distance| distance == 0).count();
    met as f64 + distances.get(met).map_or(0.0, |&distance| 1.0 / (1.0 + f64::from(distance)))
}

#[test]
fn the_end_of_a_chain_of_conditions_on_dependent_parts_is_reached() {
    let parts = ints(1..=1000u32).and_then(|whole| {
        ints(0..=whole).and_then(move |part| {
            vecs(ints(0..=part)).max_len(part as usize % 7 + 1).map(move |items| (whole, part, items))
        })
    });
    check(parts, 3_000, |input| (progress(input), progress(input) >= 5.0));
}
