//! `temper bounds --seeds vary` through the real program: every way to fix a seed, and what is said about it.

#![expect(clippy::unwrap_used, reason = "a test that cannot run the program has failed")]

use std::collections::BTreeMap;

use serde_json::Value;
use temper_testkit::Project;

mod support;

use support::run;

/// By test: the verdict on its assertion, and the row of it.
type Judged = BTreeMap<String, (String, Value)>;

fn judged(project: &Project, file: &str, seeds: &str) -> Judged {
    let few = ["--runs", "30", "--verify-runs", "1", "--no-mutants", "--format", "json", "-q"];
    let arguments = [&["bounds", file, "--seeds", seeds], &few[..]].concat();
    let (_, stdout, stderr) = run(project, &arguments);
    let document: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
    let rows = document["bounds"]["sites"].as_array().unwrap();
    let subjects = document["subjects"].as_array().unwrap();
    let verdict = |row: &Value| {
        let subject = subjects.iter().find(|subject| subject["name"] == row["subject"]).unwrap();
        subject["evidence"]["verdict"].as_str().unwrap().to_owned()
    };
    let name = |row: &Value| row["test"].as_str().unwrap().split("::").nth(1).unwrap().to_owned();
    rows.iter().map(|row| (name(row), (verdict(row), row.clone()))).collect()
}

fn verdicts(judged: &Judged) -> BTreeMap<&str, &str> {
    judged.iter().map(|(name, (verdict, _))| (name.as_str(), verdict.as_str())).collect()
}

const CONSTANT: [&str; 3] = ["test_equal_seeds_stay_equal", "test_library_keeps_its_own", "test_made_at_import"];

#[test]
fn fixed_seeds_are_varied_wherever_the_number_comes_from() {
    let project = Project::fixture("bounds_seeds");
    let kept = judged(&project, "test_seeds.py", "keep");
    let is_unseeded = |name: &str| name == "test_wrong_seed_is_refused_as_ever";
    for (name, verdict) in verdicts(&kept).into_iter().filter(|(name, _)| !is_unseeded(name)) {
        assert!(matches!(verdict, "deterministic" | "fails always"), "{name} is {verdict} with its own seed");
    }
    let varied = judged(&project, "test_seeds.py", "vary");
    assert_eq!(varied.len(), 17);
    for (name, verdict) in verdicts(&varied).into_iter().filter(|(name, _)| !is_unseeded(name)) {
        let expected = if CONSTANT.contains(&name) { "deterministic" } else { "flaky" };
        assert_eq!(verdict, expected, "{name}");
    }
    let green = |test: &str| varied[test].1["green_seed"].as_str().unwrap_or_default().to_owned();
    assert_eq!(green("test_default_of_a_helper"), "1234, helpers.py:10");
    assert_eq!(green("test_fixture"), "42, test_seeds.py:22");
    assert_eq!(green("test_estimator"), "9, test_seeds.py:63");
    let said = |test: &str| varied[test].1["said"][0].as_str().unwrap().to_owned();
    assert!(said("test_equal_seeds_stay_equal").contains("also under other seeds than its own (11, test_seeds.py:72)"));
    assert!(said("test_made_at_import").contains("the seed 3 in line 9 takes effect at import"));
}

#[test]
fn seeds_of_other_libraries_are_varied_also_under_names_imported_from_them() {
    let project = Project::fixture("bounds_seeds");
    let varied = judged(&project, "test_libraries.py", "vary");
    assert_eq!(varied.len(), 8);
    for (name, verdict) in verdicts(&varied) {
        let expected = if name == "test_jax_while_it_traces" { "deterministic" } else { "flaky" };
        assert_eq!(verdict, expected, "{name}");
    }
}

#[test]
fn the_text_of_a_pull_request_says_which_seed_keeps_the_test_green() {
    let project = Project::empty();
    project.write(
        "test_one.py",
        "import random\n\ndef test_one():\n    random.seed(4)\n    assert random.random() < 0.7\n",
    );
    let few = ["--pass", "0.9", "--runs", "100", "--verify-runs", "5", "--no-mutants", "--format", "json", "-q"];
    let (_, stdout, _) = run(&project, &[&["bounds", "--seeds", "vary"], &few[..]].concat());
    let document: Value = serde_json::from_str(&stdout).unwrap();
    let id = document["findings"][0]["id"].as_str().unwrap_or_else(|| panic!("{stdout}"));
    let (code, text, stderr) = run(&project, &["report", "--pr", id]);
    assert_eq!(code, 0, "{stderr}");
    assert!(text.contains("passes today only because of seed 4, test_one.py:4: with other seeds"), "{text}");
}
