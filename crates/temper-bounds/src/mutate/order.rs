//! In which order mutants are tried: the nearest to a test first (`nearness.rs`), at random among equally near ones, so that those
//! tried by any moment stand for all of these.
//!
//! Each test has its own order. Its mutants are spread evenly over files, functions and kinds (each such group takes part in
//! every stretch of the order in proportion to its size), and within a group the seed decides. Tests take turns; those whose bound
//! is far outside the spread of their values have two turns each, because there is most to gain. A longer budget goes further in
//! the same order.

use std::collections::BTreeMap;

use super::choice::Chosen;
use super::mutant_code::MutantForm;
use super::tighten::Tightened;
use crate::sample::scheduler::run_seed;

/// Turns of a test whose bound leaves room.
const TURNS_WITH_ROOM: usize = 2;

/// One turn: a mutant under one test, or under all its tests if the project must be loaded for it.
pub(super) struct Turn {
    pub(super) chosen: Chosen,
    /// Its place in the order of the test whose turn it is.
    pub(super) place: usize,
}

/// The whole order. `has_room` says which tests have a bound with room.
pub(super) fn turns(chosen: Vec<Chosen>, found: &Tightened, seed: u64, has_room: impl Fn(usize) -> bool) -> Vec<Turn> {
    let keys = keys(&chosen, found, seed);
    let mut by_test: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut sorted: Vec<usize> = (0..chosen.len()).collect();
    sorted.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]).then(a.cmp(&b)));
    for &index in &sorted {
        chosen[index].tests.iter().for_each(|&test| by_test.entry(test).or_default().push(index));
    }
    let mut lines: Vec<(usize, usize, std::vec::IntoIter<usize>)> = Vec::new();
    for (test, mut line) in by_test {
        // Stable: among equally near ones the order is random as before.
        line.sort_by_key(|&index| found.ring(chosen[index].mutant, test));
        lines.push((test, if has_room(test) { TURNS_WITH_ROOM } else { 1 }, line.into_iter()));
    }
    lines.sort_by_key(|(_, turns, _)| std::cmp::Reverse(*turns));
    let mut is_taken = vec![false; chosen.len()];
    let mut order = Vec::new();
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    while lines.iter().any(|(_, _, line)| line.len() > 0) {
        for (test, turns, line) in &mut lines {
            for index in line.by_ref().take(*turns) {
                let place = places.entry(*test).or_default();
                *place += 1;
                let each = &chosen[index];
                let tests = match each.form {
                    MutantForm::Replaced(_) => vec![*test],
                    MutantForm::Loaded if std::mem::replace(&mut is_taken[index], true) => continue,
                    MutantForm::Loaded => each.tests.clone(),
                };
                order.push(Turn { chosen: Chosen { tests, ..each.clone() }, place: *place - 1 });
            }
        }
    }
    order
}

/// Where each mutant stands, from 0 to 1. Those of a group are spread over the whole range, the seed says in which order and
/// where in their part of it.
fn keys(chosen: &[Chosen], found: &Tightened, seed: u64) -> Vec<f64> {
    let mut groups: BTreeMap<_, Vec<(u64, usize)>> = BTreeMap::new();
    for (index, each) in chosen.iter().enumerate() {
        let placed = &found.mutants[each.mutant];
        let drawn = run_seed(seed ^ placed.mutant.hash(&placed.path).0, "order", 0);
        let group = (&placed.path, &placed.mutant.function, placed.mutant.operator);
        groups.entry(group).or_default().push((drawn, index));
    }
    let mut keys = vec![0.0; chosen.len()];
    for group in groups.values_mut() {
        group.sort_unstable();
        for (at, (drawn, index)) in group.iter().enumerate() {
            let within = (run_seed(*drawn, "place", at) >> 11) as f64 / (1_u64 << 53) as f64;
            keys[*index] = (at as f64 + within) / group.len() as f64;
        }
    }
    keys
}

#[cfg(test)]
mod tests;
