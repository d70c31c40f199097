//! The recorded samples of fixtures/oracles/tighten through the way that `--method faser` takes. Tolerances are those that its
//! README suggests. `TEMPER_ORACLES=DIR` reads `DIR/tighten` instead.

use std::path::PathBuf;

use serde_json::Value;
use temper_source::Role;
use temper_stats::Direction;
use temper_stats::kill::faser::FaserLabel;

use super::*;

fn cases() -> Vec<(String, Value)> {
    let own = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/oracles"));
    let folder = std::env::var_os("TEMPER_ORACLES").map_or_else(own, PathBuf::from).join("tighten");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let read = |path: &PathBuf| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    paths.iter().map(|path| (path.display().to_string(), read(path))).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().filter_map(Value::as_f64).collect()
}

fn series(input: &Value) -> SiteSamples {
    let op = input["assert_op"].as_str().unwrap();
    let numbers = numbers(&input["original"]);
    SiteSamples {
        direction: if op.starts_with('l') { Direction::Upper } else { Direction::Lower },
        is_strict: op.ends_with('t'),
        role: Role::Value,
        is_distance: false,
        known_range: temper_stats::bound::Range::default(),
        is_green: false,
        is_fixed: false,
        bound: input["original_bound"].as_f64().unwrap(),
        is_margin: false,
        seeds: (0..numbers.len() as u64).collect(),
        runs: numbers.len(),
        reached: numbers.len(),
        numbers,
        failures: 0,
        nan: 0,
        infinite: 0,
        unreadable: 0,
        reason: String::new(),
        errors: 0,
        odd_seeds: Vec::new(),
        in_force: Vec::new(),
    }
}

fn is_close(ours: f64, theirs: &Value, absolute: f64, relative: f64) -> bool {
    let theirs = theirs.as_f64().unwrap();
    (ours - theirs).abs() <= absolute + relative * theirs.abs()
}

#[test]
fn the_papers_answers_are_those_of_the_oracle() {
    let cases = cases();
    assert!(!cases.is_empty());
    for (name, case) in cases {
        let (input, expected) = (&case["input"], &case["expected"]);
        let series = series(input);
        let measure = Measure::of_numbers(series.direction, series.numbers.clone());
        let mutants = input["mutants"].as_array().unwrap();
        let mut effects: Vec<MutantEffect> =
            mutants.iter().map(|each| MutantEffect::None { values: numbers(each) }).collect();
        settle_site(TightenMethod::Faser, &measure, effects.iter_mut().collect());
        let is_effective = |effect: &MutantEffect| matches!(effect, MutantEffect::Effective { .. });
        for (effect, ks) in effects.iter().zip(expected["ks"].as_array().unwrap()) {
            assert_eq!(is_effective(effect), ks["effective"].as_bool().unwrap(), "{name}");
        }
        let curve = curve_of(TightenMethod::Faser, effects.iter(), &series);
        let found = by_the_paper(&series, &curve);
        let optimum = &expected["optimum"]["paper"];
        let Some(found) = found else {
            assert!(optimum.is_null(), "{name}");
            continue;
        };
        let label = match found.label {
            FaserLabel::Loose => "loose",
            FaserLabel::Tight => "tight",
            FaserLabel::Infeasible => "infeasible",
        };
        assert_eq!(label, optimum["label"].as_str().unwrap(), "{name}");
        assert!(is_close(found.original.1, &optimum["ms_original"], 1e-9, 0.0), "{name}");
        let (Some(best), theirs) = (found.best, &optimum["final"]) else { continue };
        assert!(is_close(best.bound, &theirs["theta_user"], 0.0, 1e-7), "{name} {} {theirs}", best.bound);
        assert!(is_close(best.kill, &theirs["ms"], 1e-9, 0.0), "{name}");
        assert!(is_close(best.pass, &theirs["passing"], 1e-9, 0.0), "{name}");
    }
}

#[test]
fn mutants_with_the_same_samples_in_the_same_runs_count_once() {
    let long = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
    let other = [0.1, 0.2, 0.3, 0.4, 0.51];
    assert_eq!(distinct(&[&long[..5], &long, &other]), [&long[..], &other]);
    // Few different values, or few values, may be equal by chance.
    let flat = [0.5; 6];
    assert_eq!(distinct(&[&flat, &flat, &long[..3], &long[..3]]).len(), 4);
}
