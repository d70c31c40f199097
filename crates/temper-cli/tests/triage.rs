//! How few runs decide a test: two if chance has no part in it, ten if it is far inside its bound.

#![expect(clippy::unwrap_used, reason = "a test that cannot start the program has failed")]

mod support;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{command, run};
use temper_testkit::Project;

fn bounds(project: &Project, more: &[&str]) -> Value {
    let mut arguments = vec!["bounds", "--no-mutants", "-q", "--format", "json"];
    arguments.extend(more);
    let (_, text, said) = run(project, &arguments);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{said}"))
}

/// Verdict and runs of each test that has one site.
fn verdicts(document: &Value) -> BTreeMap<String, (String, u64)> {
    let verdict = |subject: &Value| {
        let name = subject["name"].as_str()?.split("::").nth(1)?.split(' ').next()?.to_owned();
        let evidence = &subject["evidence"];
        Some((name, (evidence["verdict"].as_str()?.to_owned(), evidence["runs"].as_u64()?)))
    };
    document["subjects"].as_array().unwrap().iter().filter_map(verdict).collect()
}

const SOURCES: &str = "\
import importlib, joblib, multiprocessing.process, random, tempfile, uuid
import numpy as np

def test_plain():
    assert len('a') / 4 < 0.5

def test_seeded_random():
    random.seed(3)
    assert random.random() < 2

def test_seeded_numpy():
    np.random.seed(3)
    assert np.random.rand() < 2

def test_seeded_generator():
    assert np.random.default_rng(3).random() < 2

def test_named_temporary_file():
    with tempfile.NamedTemporaryFile() as file:
        assert len(file.name) / 1000 < 0.5

def test_key_of_processes():
    importlib.reload(multiprocessing.process)
    assert len('a') / 4 < 0.5

def test_name_that_a_library_gives():
    joblib.Parallel()
    assert len('a') / 4 < 0.5

def test_drawn_before_it_is_seeded():
    random.random()
    random.seed(3)
    assert random.random() < 2

def test_drawn_and_put_back():
    state = np.random.get_state()
    np.random.rand()
    np.random.set_state(state)
    assert len('a') / 4 < 0.5

def test_unseeded_generator():
    np.random.default_rng()
    assert len('a') / 4 < 0.5

def test_entropy():
    uuid.uuid4()
    assert len('a') / 4 < 0.5
";

#[test]
fn two_runs_decide_a_test_that_takes_nothing_from_chance() {
    let project = Project::empty();
    project.write("test_sources.py", SOURCES);
    let found = verdicts(&bounds(&project, &["--runs", "60"]));
    assert_eq!(found.len(), 11, "{found:?}");
    for (test, (verdict, runs)) in &found {
        assert_eq!(verdict, "deterministic", "{test}");
        let is_chance = ["drawn", "unseeded", "entropy"].iter().any(|word| test.contains(word));
        assert_eq!(*runs, if is_chance { 30 } else { 2 }, "{test}");
    }
}

#[test]
fn with_other_seeds_only_what_has_no_seed_is_decided_by_two_runs() {
    let project = Project::empty();
    project.write("test_sources.py", SOURCES);
    let found = verdicts(&bounds(
        &project,
        &["--runs", "60", "--seeds", "vary", "--", "-k", "plain or seeded_random or seeded_gen"],
    ));
    assert_eq!(found["test_plain"], ("deterministic".to_owned(), 2));
    assert!(found["test_seeded_random"].1 > 2 && found["test_seeded_generator"].1 > 2, "{found:?}");
}

#[test]
fn ten_runs_decide_what_is_far_inside_and_a_test_that_always_fails_stops_early() {
    let project = Project::empty();
    project.write(
        "test_far.py",
        "import random\n\n\
         def test_far():\n    assert 3 + random.randrange(3) <= 1000\n\n\
         def test_near():\n    assert random.gauss(0, 1) < 5\n\n\
         def test_missing(no_such_fixture):\n    assert random.random() < 2\n\n\
         def test_raises():\n    value = random.random()\n    assert value < 2\n    raise ValueError('always')\n",
    );
    let document = bounds(&project, &["--runs", "60"]);
    let found = verdicts(&document);
    assert_eq!(found["test_far"], ("sound".to_owned(), 10));
    assert_eq!(found["test_near"].1, 60);
    let rests_on = |name: &str| {
        let subjects = document["subjects"].as_array().unwrap();
        subjects.iter().find(|each| each["name"].as_str().unwrap().contains(name)).unwrap()["evidence"]["rests_on"]
            .clone()
    };
    assert_eq!(rests_on("test_far")["kind"], "far-inside");
    // 10 of the far one, 60 of the near one, 2 without the fixture, 10 that raise.
    assert_eq!(document["bounds"]["runs_taken"], 82, "{document}");
}

#[test]
fn a_budget_ends_whatever_is_running() {
    let sleeping_test = "import time\ndef test_slow():\n    time.sleep(60)\n    assert len('a') / 4 < 0.5\n";
    let sleeping_import = "import time\ntime.sleep(60)\ndef test_quick():\n    assert len('a') / 4 < 0.5\n";
    let quick = "def test_quick():\n    assert len('a') / 4 < 0.5\n";
    let cases = [("", sleeping_test), ("", sleeping_import), ("import time\ntime.sleep(60)\n", quick)];
    for (conftest, test) in cases {
        let project = Project::empty();
        project.write("conftest.py", conftest).write("test_it.py", test);
        let started = Instant::now();
        let output = command(&project, &["bounds", "--budget", "2s", "--no-mutants"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        // Far below what sleeps, far above what a busy machine adds.
        assert!(started.elapsed() < Duration::from_secs(30), "{said}");
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains("the budget"), "{said}");
    }
}

#[test]
fn a_short_budget_makes_progress_each_time() {
    let project = Project::empty();
    project.write(
        "test_slow.py",
        "import random, time\n\ndef test_slow():\n    time.sleep(0.2)\n    assert random.random() < 0.5\n",
    );
    let mut runs = Vec::new();
    for _ in 0..40 {
        let document = bounds(&project, &["--budget", "3s", "--runs", "30"]);
        runs.push(verdicts(&document).get("test_slow").map_or(0, |(_, runs)| *runs));
        if runs.last() == Some(&30) {
            return;
        }
    }
    panic!("40 times three seconds were not enough: {runs:?}");
}
