//! Assertions wherever they stand and whatever they compare, through the real program.

#![expect(clippy::unwrap_used, reason = "a test that cannot run the program has failed")]

use serde_json::Value;
use temper_testkit::Project;

mod support;

use support::run;

fn judged(project: &Project, arguments: &[&str]) -> Value {
    let few = ["--verify-runs", "1", "--no-mutants", "--format", "json", "-q"];
    let (_, stdout, stderr) = run(project, &[&["bounds"], arguments, &few[..]].concat());
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"))
}

/// Each subject as `test line verdict`.
fn verdicts(document: &Value) -> Vec<String> {
    let line = |subject: &Value| {
        let test = subject["name"].as_str().unwrap().split("::").skip(1).collect::<Vec<_>>().join("::");
        let place = format!("{}:{}", subject["path"].as_str().unwrap(), subject["line"]);
        format!("{place} {} {}", test.split(' ').next().unwrap(), subject["evidence"]["verdict"].as_str().unwrap())
    };
    let mut lines: Vec<String> = document["subjects"].as_array().unwrap().iter().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn assertions_of_base_classes_helpers_and_testing_modules_are_judged_and_those_of_production_code_are_not() {
    let project = Project::fixture("bounds_helpers");
    let found = judged(&project, &["tests/test_model.py", "--runs", "60", "--pass", "0.9"]);
    assert_eq!(
        verdicts(&found),
        [
            "checks.py:7 TestLists::test_lists sound",
            "pkg/testing.py:2 test_small flaky",
            "pkg/testing.py:2 test_smaller sound",
            "tests/base.py:8 TestDouble::test_scaled flaky",
            "tests/base.py:8 TestPlain::test_scaled sound",
        ]
    );
    assert_eq!(found["bounds"]["left_out"], serde_json::json!({}), "the helper is not listed: it was sampled");
    let rows = found["bounds"]["sites"].as_array().unwrap();
    let said = |path: &str| rows.iter().find(|row| row["path"] == path).unwrap()["said"].to_string();
    let callers = "2 tests share this bound: tests/test_model.py::test_small, tests/test_model.py::test_smaller";
    assert!(said("pkg/testing.py").contains(callers), "{}", said("pkg/testing.py"));
    let callers = "2 tests share this bound: tests/test_model.py::TestDouble::test_scaled, tests/test_model.py::TestPlain::test_scaled";
    assert!(said("tests/base.py").contains(callers), "{}", said("tests/base.py"));
}

#[test]
fn frames_and_answers_are_judged() {
    let project = Project::fixture("bounds_helpers");
    let found = judged(&project, &["tests/test_answers.py", "--runs", "100", "--pass", "0.9"]);
    assert_eq!(
        verdicts(&found),
        [
            "tests/test_answers.py:13 test_answer[0.0-False] sound",
            "tests/test_answers.py:13 test_answer[0.7-True] sound",
            "tests/test_answers.py:18 test_wrong_now_and_then flaky",
            "tests/test_answers.py:23 test_frame flaky",
            "tests/test_answers.py:27 test_series sound",
            "tests/test_answers.py:31 test_xarray flaky",
        ]
    );
    let rows = found["bounds"]["sites"].as_array().unwrap();
    let answer = rows.iter().find(|row| row["line"] == 18).unwrap()["said"].to_string();
    assert!(answer.contains("the number decides both answers of the comparison"), "{answer}");
}

#[test]
fn scan_lists_assertions_of_base_classes_and_helpers() {
    let project = Project::fixture("bounds_helpers");
    let (_, stdout, _) = run(&project, &["scan", "--format", "json"]);
    let inventory = serde_json::from_str::<Value>(&stdout).unwrap()["inventory"].clone();
    let sites = inventory["sites"].as_array().unwrap();
    let mut paths: Vec<&str> = sites.iter().map(|site| site["path"].as_str().unwrap()).collect();
    paths.dedup();
    assert_eq!(paths, ["checks.py", "pkg/testing.py", "tests/base.py", "tests/test_answers.py"]);
    assert_eq!(inventory["not_understood"], serde_json::json!([]));
    assert_eq!(inventory["comparisons_outside_tests"], 1);
}
