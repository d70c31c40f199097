//! A stored run counts only while everything that it used is as it was.

#![expect(clippy::unwrap_used, reason = "a test that cannot start the program has failed")]

mod random_edits;
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::path::Path;

use support::{command, run};
use temper_testkit::Project;

const RUNS: &str = "8";

/// A project whose one value depends on the outside in every way that can be seen.
fn project() -> Project {
    let project = Project::empty();
    project.write(
        "test_scale.py",
        "import json, os, pathlib, random, sqlite3\n\
         import helper\n\
         HERE = pathlib.Path(__file__).parent\n\
         \n\
         \n\
         def test_scale(pytestconfig):\n\
         \x20   scale = float((HERE / 'scale.txt').read_text())\n\
         \x20   scale *= float(os.environ.get('SCALE', '1'))\n\
         \x20   scale *= helper.AT_IMPORT * float(pytestconfig.getoption('durations') or 1)\n\
         \x20   assert os.environ.get('TOKEN') != ''\n\
         \x20   scale *= len(os.listdir(HERE / 'parts'))\n\
         \x20   try:\n\
         \x20       scale *= json.loads((HERE / 'more.json').read_text())\n\
         \x20   except FileNotFoundError:\n\
         \x20       pass\n\
         \x20   import late\n\
         \x20   assert abs(random.gauss(0, 1)) * scale * late.FACTOR < 6\n\
         \n\
         \n\
         def test_other():\n\
         \x20   assert random.random() < 2\n",
    );
    project.write(
        "helper.py",
        "import pathlib\nAT_IMPORT = float(pathlib.Path(__file__).with_name('import.txt').read_text())\n",
    );
    project.write("late.py", "FACTOR = 1\n").write("scale.txt", "1").write("import.txt", "1").write("parts/one", "");
    project.write("unused.py", "").write("unused.txt", "").write("pytest.ini", "[pytest]\n");
    project
}

/// How many runs came from the store, and how many runs failed at the site of `test_scale`.
fn sampled(project: &Project, variables: &[(&str, &str)]) -> (u64, u64) {
    let arguments = ["bounds", "--runs", RUNS, "--no-mutants", "-q", "--format", "json"];
    let output = command(project, &arguments).envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let document: serde_json::Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)));
    let subjects = document["subjects"].as_array().unwrap();
    let scale = subjects.iter().find(|subject| subject["name"].as_str().unwrap().contains("test_scale")).unwrap();
    (document["bounds"]["runs_reused"].as_u64().unwrap(), scale["evidence"]["failures"].as_u64().unwrap_or(u64::MAX))
}

#[test]
fn whatever_a_run_used_sets_it_aside_when_it_changes() {
    let project = project();
    assert_eq!(sampled(&project, &[]), (0, 0));
    let (all, _) = sampled(&project, &[]);
    assert!(all > 0, "nothing was reused");
    let changes: [(&str, &str, &str); 7] = [
        ("scale.txt", "1", "100"),
        ("import.txt", "1", "100"),
        ("late.py", "FACTOR = 1\n", "FACTOR = 100\n"),
        ("helper.py", "", "AT_IMPORT = 100\n"),
        ("parts/two", "", ""),
        ("more.json", "", "100"),
        ("pytest.ini", "[pytest]\n", "[pytest]\naddopts = --durations=100\n"),
    ];
    for (file, _, text) in changes {
        let path = project.root().join(file);
        let before = fs::read(&path).ok();
        project.write(file, text);
        let (reused, failures) = sampled(&project, &[]);
        // `parts/two` doubles the value, which fails nothing: there only the store must not answer.
        assert!(reused < all, "{file}: {reused} of {all} runs were reused");
        assert!(failures > 0 || file == "parts/two", "{file}: no run failed");
        restore(&path, before.as_deref());
    }
    let secret = "71.25318906421";
    let (reused, failures) = sampled(&project, &[("SCALE", "100"), ("TOKEN", secret)]);
    assert!(reused < all && failures > 0, "SCALE: {reused} reused, {failures} failed");
    assert_eq!(sampled(&project, &[]), (all, 0), "all is as it was before");
    // No value of a variable is in the store.
    for entry in fs::read_dir(project.root().join(".temper")).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap_or_default();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
    }
}

fn restore(path: &Path, before: Option<&[u8]>) {
    match before {
        Some(bytes) => fs::write(path, bytes).unwrap(),
        None => fs::remove_file(path).unwrap(),
    }
}

#[test]
fn a_gate_that_was_green_fails_when_a_data_file_makes_the_test_fail() {
    let project = project();
    let arguments = ["bounds", "test_scale.py::test_scale", "--runs", RUNS, "--no-mutants", "-q"];
    let (before, _, stderr) = run(&project, &arguments);
    assert!(matches!(before, 0 | 4), "{before} {stderr}");
    project.write("scale.txt", "1000");
    let (after, stdout, _) = run(&project, &arguments);
    assert!(matches!(after, 1 | 3), "{after} {stdout}");
}

#[test]
fn what_no_run_used_sets_nothing_aside_nor_does_another_checkout_with_other_times() {
    let project = project();
    sampled(&project, &[]);
    let (all, _) = sampled(&project, &[]);
    assert!(all > 0, "nothing was reused");
    project
        .write("unused.py", "x = 1\n")
        .write("unused.txt", "other")
        .write("new.txt", "new")
        .write("README.md", "new");
    assert_eq!(sampled(&project, &[("UNUSED", "1"), ("HOME", "/elsewhere"), ("CI", "true")]), (all, 0));
    let checkout = self::project();
    fs::create_dir(checkout.root().join(".temper")).unwrap();
    for name in ["store.db", ".gitignore"] {
        fs::copy(project.root().join(".temper").join(name), checkout.root().join(".temper").join(name)).unwrap();
    }
    assert_eq!(sampled(&checkout, &[]), (all, 0));
}
