use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use temper_source::{SourceFile, Wanted, mutants};
use temper_stats::kill::KillCurve;
use temper_stats::{Confidence, Direction};
use temper_worker::CodeChanges;

use super::*;
use crate::mutate::tighten::{PlacedMutant, Reach, Trialled};

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

/// The samples of a mutant that changes the value: fewer of them fail in some functions than in others.
fn samples(found: &Tightened, mutant: usize) -> Option<[f64; 10]> {
    let function = found.mutants[mutant].mutant.function.as_deref().unwrap();
    let rate: usize = function.trim_start_matches('f').parse().unwrap();
    let drawn = |index| run_seed(mutant as u64, "sample", index) % 10;
    (drawn(99) < 6).then(|| std::array::from_fn(|index| if drawn(index) < rate as u64 { 1.0 } else { 0.0 }))
}

#[test]
fn a_run_cut_at_a_quarter_has_an_interval_that_covers_the_score_of_the_whole() {
    let (chosen, found) = found();
    let score = |mutants: &[usize], share: f64| {
        let all: Vec<[f64; 10]> = mutants.iter().filter_map(|&mutant| samples(&found, mutant)).collect();
        let curve = KillCurve::new(all.iter().map(|each| &each[..]), Direction::Upper, true);
        curve.score_of_share(0.5, Confidence::STANDARD, share)
    };
    let whole = score(&(0..chosen.len()).collect::<Vec<_>>(), 1.0).mean;
    let covered = (0..20).filter(|&seed| {
        let order: Vec<usize> = pairs(&turns(chosen.clone(), &found, seed, |_| false))
            .into_iter()
            .filter(|(_, test)| *test == 0)
            .map(|(mutant, _)| mutant)
            .collect();
        let cut = score(&order[..order.len() / 4], 0.25);
        (cut.low..=cut.high).contains(&whole)
    });
    assert!(covered.count() >= 18);
}

#[test]
fn the_nearest_come_first_and_are_random_among_themselves() {
    let (chosen, mut found) = found();
    let near: BTreeSet<usize> = (0..chosen.len()).filter(|mutant| mutant % 3 == 0).collect();
    let far = Arc::new(SourceFile::from_text(PathBuf::from("/project/far.py"), "x = 1\n").unwrap());
    for mutant in (0..chosen.len()).filter(|mutant| !near.contains(mutant)) {
        found.mutants[mutant].file = Arc::clone(&far);
    }
    found.rings = BTreeMap::from([(0, BTreeMap::from([(PathBuf::from("/project/far.py"), 1)]))]);
    let order = |seed| -> Vec<usize> {
        let all = pairs(&turns(chosen.clone(), &found, seed, |_| false));
        all.into_iter().filter(|(_, test)| *test == 0).map(|(mutant, _)| mutant).collect()
    };
    assert_eq!(order(1)[..near.len()].iter().copied().collect::<BTreeSet<_>>(), near);
    assert_ne!(order(1)[..near.len()], order(2)[..near.len()]);
    assert_ne!(order(1)[..near.len()], near.iter().copied().collect::<Vec<_>>());
}

#[test]
fn a_score_is_about_the_rings_that_are_judged_to_their_end_or_about_the_first() {
    let (chosen, mut found) = found();
    let far = Arc::new(SourceFile::from_text(PathBuf::from("/project/far/away.py"), "x = 1\n").unwrap());
    for placed in found.mutants.iter_mut().skip(10) {
        (placed.file, placed.path) = (Arc::clone(&far), "far/away.py".to_owned());
    }
    found.rings = BTreeMap::from([(0, BTreeMap::from([(PathBuf::from("/project/far/away.py"), 1)]))]);
    found.asked = chosen.iter().map(|each| (each.mutant, each.tests.clone())).collect();
    let all = chosen.len();
    let mut judge = |count: usize| {
        let trial = |mutant| Trialled { mutant, runs: 5, effects: BTreeMap::new() };
        found.trials = BTreeMap::from([(0, (0..count).map(trial).collect())]);
        let Reach { judged, nearest, all, place } = found.reach(0);
        (judged, nearest, all, place, found.rings_counted(0))
    };
    assert_eq!(judge(4), (4, 10, all, "code.py".to_owned(), 1));
    assert_eq!(judge(12), (10, 10, all, "code.py".to_owned(), 1));
    assert_eq!(judge(all), (all, all, all, "the project".to_owned(), usize::MAX));
}

#[test]
fn a_nearest_file_without_mutants_is_no_reason_to_count_none() {
    let (chosen, mut found) = found();
    let rings = [("/project/__init__.py", 0), ("/project/code.py", 1)];
    found.rings = BTreeMap::from([(0, rings.into_iter().map(|(path, ring)| (PathBuf::from(path), ring)).collect())]);
    found.asked = chosen.iter().map(|each| (each.mutant, each.tests.clone())).collect();
    let trial = |mutant| Trialled { mutant, runs: 5, effects: BTreeMap::new() };
    found.trials = BTreeMap::from([(0, (0..4).map(trial).collect())]);
    let Reach { judged, nearest, .. } = found.reach(0);
    assert_eq!((judged, nearest), (4, chosen.len()));
}
