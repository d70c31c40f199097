//! Parts of a job on several machines, joined: what is judged then is what one machine would have judged.

#![expect(clippy::unwrap_used, reason = "a test that cannot start the program has failed")]

mod support;

use std::fs;

use serde_json::Value;
use support::run;
use temper_store::Store;
use temper_testkit::Project;

const TESTS: &str = "\
import random

def value():
    return 1.4

def test_sound():
    assert random.gauss(0, 1) < 9

def test_flaky():
    assert random.random() < 0.8

def test_constant():
    assert value() < 1.5

def test_near():
    assert random.gauss(0, 1) < 4.5
";

/// A checkout of the project on some machine.
fn checkout() -> Project {
    let project = Project::empty();
    project.write("test_work.py", TESTS);
    project
}

fn bounds(project: &Project, more: &[&str]) -> (i32, Value) {
    bounds_with_runs(project, "100", more)
}

fn bounds_with_runs(project: &Project, runs: &str, more: &[&str]) -> (i32, Value) {
    let common = ["bounds", "--no-mutants", "--runs", runs, "--verify-runs", "20", "--pass", "0.95", "-q"];
    let (code, text, said) = run(project, &[&common[..], &["--format", "json"], more].concat());
    (code, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{said}")))
}

/// What was found, without durations.
fn found(document: &Value) -> Value {
    fn without_secs(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.retain(|name, _| name != "secs");
                members.values_mut().for_each(without_secs);
            }
            Value::Array(items) => items.iter_mut().for_each(without_secs),
            _ => {}
        }
    }
    let mut found = serde_json::json!([document["subjects"], document["findings"], document["bounds"]["stopped"]]);
    without_secs(&mut found);
    found
}

fn runs_taken(document: &Value) -> u64 {
    document["bounds"]["runs_taken"].as_u64().unwrap() + document["bounds"]["runs_of_patches"].as_u64().unwrap()
}

fn merge(project: &Project, others: &[&Project]) -> (i32, String, String) {
    let folders: Vec<String> = others.iter().map(|other| other.root().display().to_string()).collect();
    run(project, &[&["merge"], &folders.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat())
}

#[test]
fn parts_of_a_job_join_into_the_whole() {
    let whole = checkout();
    let (exit, expected) = bounds(&whole, &[]);
    let parts: Vec<Project> = (0..3).map(|_| checkout()).collect();
    let taken: Vec<u64> = (1..)
        .zip(&parts)
        .map(|(number, part)| runs_taken(&bounds(part, &["--shard", &format!("{number}/3")]).1))
        .collect();
    assert_eq!(taken.iter().sum::<u64>(), runs_taken(&expected), "every run once: {taken:?}");
    assert!(taken.iter().all(|&runs| runs > 0), "{taken:?}");

    let joined = checkout();
    let (code, text, said) = merge(&joined, &[&parts[0], &parts[1], &parts[2]]);
    assert_eq!((code, said.as_str(), text.lines().count()), (0, "", 3), "{text}");
    assert!(text.lines().all(|line| line.contains(" runs joined")), "{text}");
    let (code, judged) = bounds(&joined, &["--no-run"]);
    assert_eq!((code, runs_taken(&judged)), (exit, 0));
    assert_eq!(found(&judged), found(&expected));

    // Again, and in another order, changes nothing.
    let (_, text, _) = merge(&joined, &[&parts[1]]);
    assert!(text.contains(": 0 runs joined, ") && text.contains(" were here already"), "{text}");
    let backwards = checkout();
    merge(&backwards, &[&parts[2], &parts[1], &parts[0]]);
    assert_eq!(bounds(&backwards, &["--no-run"]).1, bounds(&joined, &["--no-run"]).1, "to the byte");
}

#[test]
fn without_runs_what_is_missing_is_undecided() {
    let project = checkout();
    let (code, document) = bounds(&project, &["--no-run"]);
    assert_eq!((code, runs_taken(&document)), (4, 0));
    assert_eq!(document["bounds"]["stopped"], "no-run");
    bounds(&project, &["--shard", "1/2"]);
    let (code, document) = bounds(&project, &["--no-run"]);
    assert!(matches!(code, 1 | 4), "one half does not decide the whole: {code}");
    assert_eq!(document["bounds"]["stopped"], "no-run");
    let not_run = document["bounds"]["not_judged"].as_array().unwrap().len();
    assert_eq!((runs_taken(&document), not_run), (0, 2));
    let (_, _, said) = run(&project, &["bounds", "--no-run", "--no-mutants"]);
    assert!(said.contains("nothing was run, and what there is does not decide everything"), "{said}");
}

#[test]
fn long_tests_are_divided_by_their_runs() {
    let (first, second) = (checkout(), checkout());
    let tests = "import random, time\n\ndef test_long():\n    time.sleep(0.05)\n    assert random.random() < 0.9\n\n\
                 def test_short():\n    assert random.random() < 0.9\n";
    for part in [&first, &second] {
        part.write("test_work.py", tests);
        // Both begin with the same store, as jobs do that restore one cache.
        bounds_with_runs(part, "2", &[]);
    }
    let of_long = |part: &Project, shard: &str| {
        let (_, document) = bounds(part, &["--shard", shard]);
        let subjects = document["subjects"].as_array().unwrap().clone();
        (runs_taken(&document), subjects.iter().any(|subject| subject["name"].to_string().contains("short")))
    };
    // Two runs of each test are there, so that the first part lacks 49 of the even ones and the second 49 of the odd ones.
    let (one, other) = (of_long(&first, "1/2"), of_long(&second, "2/2"));
    assert_ne!(one.1, other.1, "the short test belongs to one part");
    assert_eq!(one.0.min(other.0), 49);
    merge(&first, &[&second]);
    let (_, judged) = bounds(&first, &["--no-run"]);
    assert_eq!(judged["bounds"]["runs_reused"].as_u64().unwrap() % 100, 0);
}

#[test]
fn what_does_not_fit_is_left_out_and_the_rest_goes_on() {
    let (part, broken, empty, joined) = (checkout(), checkout(), checkout(), checkout());
    bounds_with_runs(&part, "10", &[]);
    bounds_with_runs(&broken, "10", &[]);
    let store = broken.root().join(".temper/store.db");
    let bytes = fs::read(&store).unwrap();
    fs::write(&store, &bytes[..bytes.len() / 2]).unwrap();
    let (code, text, said) = merge(&joined, &[&broken, &empty, &part]);
    assert_eq!(code, 4);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(said.contains("its store is damaged") && said.contains("it holds no `.temper/`"), "{said}");
    let (_, document) = bounds_with_runs(&joined, "10", &["--no-run"]);
    assert!(document["bounds"]["runs_reused"].as_u64().unwrap() >= 32, "2 of the constant, 10 of the others");
}

#[test]
fn a_store_of_another_version_or_another_python_is_refused_with_the_reason() {
    let (newer, elsewhere, joined) = (checkout(), checkout(), checkout());
    for project in [&newer, &joined] {
        bounds_with_runs(project, "10", &[]);
    }
    let mine = Store::open(joined.root()).unwrap().records("environment").unwrap().remove(0).0;
    let store = |project: &Project| project.root().join(".temper/store.db");
    let mut bytes = fs::read(store(&newer)).unwrap();
    // Where the header of a database of SQLite has the number that its user chose.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(store(&newer), bytes).unwrap();
    Store::open(elsewhere.root()).unwrap().put_environment("cpython 3.0.1").unwrap();
    let (code, text, said) = merge(&joined, &[&newer, &elsewhere]);
    assert_eq!((code, text.as_str()), (4, ""));
    assert!(said.contains("another version of Temper wrote it: its form is 99"), "{said}");
    assert!(said.contains(&format!("its runs were taken with cpython 3.0.1, those here with {mine}")), "{said}");
    let (_, document) = bounds_with_runs(&joined, "10", &["--no-run"]);
    assert_eq!(document["bounds"]["runs_taken"], 0, "what was here is still here");
    assert!(document["bounds"]["runs_reused"].as_u64().unwrap() >= 32);
}

#[test]
fn a_part_that_is_none_is_refused() {
    let project = checkout();
    for shard in ["0/4", "5/4", "two"] {
        let (code, _, said) = run(&project, &["bounds", "--shard", shard]);
        assert!(code == 2 && said.contains("is no part of a job: write 1/4 for the first of four"), "{said}");
    }
}
