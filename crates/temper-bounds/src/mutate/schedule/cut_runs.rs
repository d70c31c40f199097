//! Cut runs, replayed from one that was not: `mlkit_trials.tsv` has the result of every mutant of `examples/mlkit` under every test,
//! and the order in which another seed would have tried them is that of the program. `benches/tighten/recorded_trials.py` writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use temper_source::{SourceFile, Wanted, mutants};
use temper_stats::kill::KillCurve;
use temper_stats::{Confidence, Direction};
use temper_worker::CodeChanges;

use super::super::choice::Chosen;
use super::super::early_stop::Crash;
use super::super::mutant_code::MutantForm;
use super::super::order::{Turn, turns};
use super::super::tighten::{MutantEffect, PlacedMutant, Tightened, Trialled};
use super::{ROUNDS, next_turns};

const TRIALS: &str = include_str!("mlkit_trials.tsv");
const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/mlkit");

/// The result of a mutant under a test.
#[derive(Clone, Copy)]
enum Recorded {
    Raised,
    /// It counts for no bound.
    Other,
    /// How many of its runs failed; mutants with the same fault count once.
    Counted {
        killed: usize,
        runs: usize,
        fault: usize,
    },
}

fn recorded(text: &str) -> Option<Recorded> {
    match text {
        "-" => None,
        "raised" => Some(Recorded::Raised),
        "other" => Some(Recorded::Other),
        counted => {
            let (share, fault) = counted.split_once('#').unwrap();
            let (killed, runs) = share.split_once('/').unwrap();
            let [killed, runs, fault] = [killed, runs, fault].map(|text| text.parse().unwrap());
            Some(Recorded::Counted { killed, runs, fault })
        }
    }
}

/// The whole run: the mutants that were tried, and their results by mutant and test.
struct WholeRun {
    chosen: Vec<Chosen>,
    found: Tightened,
    ends: BTreeMap<(usize, usize), Recorded>,
    /// Tests whose bound left room.
    roomy: Vec<bool>,
}

fn whole_run() -> WholeRun {
    let mut lines = TRIALS.lines().filter(|line| !line.starts_with('#'));
    let roomy: Vec<bool> = lines.next().unwrap().split('\t').skip(1).map(|text| text.ends_with(" room")).collect();
    let by_name: BTreeMap<&str, Vec<&str>> = lines
        .map(|line| {
            let mut cells = line.split('\t');
            (cells.next().unwrap(), cells.collect())
        })
        .collect();
    let mut run = WholeRun { chosen: Vec::new(), found: Tightened::default(), ends: BTreeMap::new(), roomy };
    let paths: BTreeSet<&str> = by_name.keys().map(|name| name.split_once(':').unwrap().0).collect();
    for path in paths {
        let text = std::fs::read_to_string(Path::new(PROJECT).join(path)).unwrap();
        let file = Arc::new(SourceFile::from_text(path, text).unwrap());
        for mutant in mutants(&file, &Wanted::default()).unwrap() {
            let Some(cells) = by_name.get(format!("{path}:{}", mutant.name(&file)).as_str()) else { continue };
            let index = run.found.mutants.len();
            let ends = cells.iter().enumerate().filter_map(|(test, text)| Some((test, recorded(text)?)));
            let tests: Vec<usize> = ends.clone().map(|(test, _)| test).collect();
            run.ends.extend(ends.map(|(test, end)| ((index, test), end)));
            let form = MutantForm::Replaced(Arc::new(CodeChanges(Vec::new())));
            run.chosen.push(Chosen { mutant: index, tests, form });
            run.found.mutants.push(PlacedMutant { file: Arc::clone(&file), path: path.to_owned(), mutant });
        }
    }
    assert!(run.chosen.len() > by_name.len() * 9 / 10, "the table is of another mlkit: record it again");
    run
}

impl WholeRun {
    /// The first pairs of a mutant and a test that a run with this seed judges.
    fn first_judged(&self, seed: u64, count: usize) -> BTreeSet<(usize, usize)> {
        let all = turns(self.chosen.clone(), &self.found, seed, |test| self.roomy[test]);
        let mut found = Tightened { mutants: self.found.mutants.clone(), ..Tightened::default() };
        let mut judged = BTreeSet::new();
        for round in &ROUNDS {
            let pair = |turn: &Turn| (turn.chosen.mutant, turn.chosen.tests[0]);
            let mut waiting: Vec<&Turn> =
                all.iter().filter(|turn| turn.place < round.places && !judged.contains(&pair(turn))).collect();
            while !waiting.is_empty() {
                for turn in next_turns(&mut waiting, &found) {
                    if judged.len() == count {
                        return judged;
                    }
                    let (mutant, test) = pair(turn);
                    judged.insert((mutant, test));
                    let effect = match self.ends[&(mutant, test)] {
                        Recorded::Raised => MutantEffect::Crashed(Crash::Raised),
                        _ => MutantEffect::Same,
                    };
                    let effects = BTreeMap::from([(0, effect)]);
                    found.trials.entry(test).or_default().push(Trialled { mutant, runs: 5, effects });
                }
            }
        }
        judged
    }

    /// The samples of the mutants that count, of those judged under a test; and the share that is judged.
    fn curve(&self, test: usize, judged: &BTreeSet<(usize, usize)>) -> (KillCurve, f64) {
        let of_test = || self.ends.iter().filter(|((_, of), _)| *of == test);
        let mut by_fault: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (pair, end) in of_test().filter(|(pair, _)| judged.contains(pair)) {
            if let Recorded::Counted { killed, runs, fault } = *end {
                let samples = (0..runs).map(|run| if run < killed { 1.0 } else { 0.0 });
                by_fault.entry(fault).or_insert_with(|| samples.collect());
            }
            debug_assert!(pair.1 == test);
        }
        let share = judged.iter().filter(|(_, of)| *of == test).count() as f64 / of_test().count().max(1) as f64;
        (KillCurve::new(by_fault.values().map(Vec::as_slice), Direction::Upper, true), share)
    }

    /// In how many of these seeds a run cut at this share of all pairs has an interval that covers the score of the whole, by test.
    fn covering(&self, share: f64, seeds: std::ops::Range<u64>) -> Vec<usize> {
        let all: BTreeSet<(usize, usize)> = self.ends.keys().copied().collect();
        let whole: Vec<f64> = (0..self.roomy.len()).map(|test| self.curve(test, &all).0.score(0.5)).collect();
        let mut covering = vec![0; whole.len()];
        for seed in seeds {
            let judged = self.first_judged(seed, (share * all.len() as f64) as usize);
            for (test, expected) in whole.iter().enumerate() {
                let (curve, share) = self.curve(test, &judged);
                let score = curve.score_of_share(0.5, Confidence::STANDARD, share);
                // Without any that counts the score is unknown, and so it is said.
                let covers = curve.is_empty() || (score.low..=score.high).contains(expected);
                covering[test] += usize::from(covers);
            }
        }
        covering
    }
}

#[test]
fn runs_of_mlkit_cut_at_a_quarter_have_intervals_that_cover_the_scores_of_the_whole_run() {
    let run = whole_run();
    let covering = run.covering(0.25, 0..20);
    assert!(covering.iter().all(|&count| count >= 18), "{covering:?}");
}
