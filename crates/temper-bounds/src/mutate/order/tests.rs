use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use temper_source::{SourceFile, Wanted, mutants};
use temper_worker::CodeChanges;

use super::*;
use crate::mutate::tighten::PlacedMutant;

/// Mutants of ten functions; the first test reaches all, the second those of one half, by turns.
fn found() -> (Vec<Chosen>, Tightened) {
    let function = |n: usize| format!("def f{n}(x, y):\n    return x * {n} + y - 2 * x / (y + 3)\n");
    let text: String = (0..10).map(function).collect();
    let file = Arc::new(SourceFile::from_text(PathBuf::from("/project/code.py"), text).unwrap());
    let placed = |mutant| PlacedMutant { file: Arc::clone(&file), path: "code.py".to_owned(), mutant };
    let all: Vec<PlacedMutant> = mutants(&file, &Wanted::default()).unwrap().into_iter().map(placed).collect();
    let form = || MutantForm::Replaced(Arc::new(CodeChanges(Vec::new())));
    let tests = |mutant: usize| if mutant.is_multiple_of(2) { vec![0, 1] } else { vec![0] };
    let chosen = (0..all.len()).map(|mutant| Chosen { mutant, tests: tests(mutant), form: form() }).collect();
    (chosen, Tightened { mutants: all, ..Tightened::default() })
}

fn pairs(turns: &[Turn]) -> Vec<(usize, usize)> {
    turns.iter().flat_map(|turn| turn.chosen.tests.iter().map(|test| (turn.chosen.mutant, *test))).collect()
}

#[test]
fn every_mutant_has_its_turn_under_every_test_and_the_seed_fixes_the_order() {
    let (chosen, found) = found();
    let asked: usize = chosen.iter().map(|each| each.tests.len()).sum();
    let order = |seed| pairs(&turns(chosen.clone(), &found, seed, |_| false));
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
    assert_eq!(order(1).into_iter().collect::<BTreeSet<_>>().len(), asked);
    assert_eq!(order(1).len(), asked);
}

#[test]
fn a_quarter_of_the_order_has_about_a_quarter_of_every_function() {
    let (chosen, found) = found();
    let all = turns(chosen, &found, 7, |_| false);
    let of_first: Vec<usize> =
        pairs(&all).into_iter().filter(|(_, test)| *test == 0).map(|(mutant, _)| mutant).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for mutant in &of_first[..of_first.len() / 4] {
        *counts.entry(found.mutants[*mutant].mutant.function.as_deref().unwrap()).or_default() += 1;
    }
    let each = of_first.len() / 40;
    assert_eq!(counts.len(), 10);
    assert!(counts.values().all(|count| count.abs_diff(each) <= each / 2), "{each} {counts:?}");
}

#[test]
fn tests_with_room_come_first_and_have_twice_the_turns() {
    let (chosen, found) = found();
    let all = pairs(&turns(chosen, &found, 7, |test| test == 1));
    let tests: Vec<usize> = all.iter().take(6).map(|(_, test)| *test).collect();
    assert_eq!(tests, [1, 1, 0, 1, 1, 0]);
}

#[test]
fn a_mutant_that_must_be_loaded_has_one_turn_with_all_its_tests() {
    let (mut chosen, found) = found();
    chosen.iter_mut().for_each(|each| each.form = MutantForm::Loaded);
    let count = chosen.len();
    let all = turns(chosen, &found, 7, |_| false);
    assert_eq!(all.len(), count);
    assert!(all.iter().any(|turn| turn.chosen.tests == [0, 1]));
}
