//! `temper bounds --tighten` through the real program: every kind of code is mutated, hostile mutants harm nothing, a loose
//! bound gets a verified patch, and what was run is not run again.

#![expect(clippy::unwrap_used, reason = "a test that cannot run the program has failed")]

mod support;

use serde_json::Value;
use temper_testkit::Project;

fn run(project: &Project, arguments: &[&str]) -> (i32, String, String) {
    support::run(project, &[&["bounds", "-q", "--tighten"], arguments].concat())
}

fn report(project: &Project, arguments: &[&str]) -> Value {
    let (_, stdout, stderr) = run(project, &[&["--format", "json"], arguments].concat());
    let document: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
    document["bounds"]["mutants"].clone()
}

/// Name and class of every mutant, under its first test.
fn classes(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("not tried").to_owned();
    let mutants = report["mutants"].as_array().unwrap();
    mutants.iter().map(|each| (text(&each["name"]), text(&each["trials"][0]["class"]))).collect()
}

const QUICK: [&str; 6] = ["--pass", "0.9", "--runs", "100", "--operators", "arithmetic"];

#[test]
fn mutants_run_in_every_kind_of_code() {
    let project = Project::fixture("mutant_kinds");
    let found = report(&project, &QUICK);
    let classes = classes(&found);
    let functions = [
        "everything.py:11:19: replace + with - in Method.value",
        "everything.py:16:19: replace + with - in closure.<locals>.inner",
        "everything.py:32:15: replace + with - in decorated",
        "everything.py:36:14: replace + with - in generator",
        "everything.py:41:31: replace + with - in the module",
        "everything.py:45:15: replace + with - in imported_by_name",
        "everything.py:53:15: replace + with - in coroutine",
        "everything.py:56:20: replace + with - in the module",
        "settings.py:3:12: replace + with - in the module",
    ];
    let expected: Vec<String> = functions.iter().map(|name| format!("kinds/{name}")).collect();
    assert_eq!(classes.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), expected);
    for (name, class) in classes {
        assert_ne!(class, "change nothing measurable", "{name}");
    }
    let mutants = found["mutants"].as_array().unwrap();
    let apart: Vec<(u64, &str)> =
        mutants.iter().filter_map(|each| Some((each["line"].as_u64()?, each["loaded_apart"].as_str()?))).collect();
    assert_eq!(apart, [(41, "code of a class"), (3, "code of the module")]);

    // The same mutants, each in a project layer.
    let loaded = Project::fixture("mutant_kinds");
    let arguments = [&["bounds", "-q", "--tighten", "--format", "json"], &QUICK[..]].concat();
    let output = support::command(&loaded, &arguments).env("TEMPER_TEST_FAULT", "load-mutants").output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["bounds"]["mutants"]["mutants"], found["mutants"]);
}

#[test]
fn a_share_of_the_mutants_is_the_same_one_wherever_the_project_lies() {
    let names = |_| {
        let found = report(&Project::fixture("mutant_kinds"), &[&QUICK[..], &["--mutant-fraction", "0.5"]].concat());
        classes(&found).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    let [here, there] = [0, 1].map(names);
    assert_eq!(here, there);
    assert!((1..9).contains(&here.len()), "{here:?}");
}

#[test]
fn hostile_mutants_are_classified_and_harm_nothing() {
    let project = Project::fixture("mutant_hostile");
    let found = report(&project, &QUICK);
    let class = |function: &str, line: u64| {
        let mutants = found["mutants"].as_array().unwrap();
        let each = mutants.iter().find(|each| {
            each["function"].as_str().unwrap_or("module") == function && each["line"].as_u64() == Some(line)
        });
        each.map(|each| each["trials"][0]["class"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(class("module", 8).as_deref(), Some("unviable"));
    assert_eq!(class("loops", 14).as_deref(), Some("timed out"));
    // To fill memory takes time: on a busy machine the limit of time may come first.
    assert!(matches!(class("exhausts", 19).as_deref(), Some("died" | "timed out")));
    assert_eq!(class("segfaults", 24).as_deref(), Some("died"));
    assert_eq!(class("deletes", 30).as_deref(), Some("refused"));
    // Contained as well when all share one layer: only the module's own code is loaded apart.
    assert_eq!(found["loaded_apart"], serde_json::json!({ "code of the module": 1 }));
    for file in ["precious.txt", "precious/file.txt"] {
        assert_eq!(std::fs::read_to_string(project.root().join(file)).unwrap(), "still here\n");
    }
}

/// A project of a few lines whose one bound is far too wide.
fn loose_project() -> Project {
    let project = Project::empty();
    project.write(
        "noise.py",
        "import numpy as np\n\n\ndef error(n):\n    x = np.random.normal(size=n)\n    return abs(np.mean(x)) + 0.1\n\n\ndef unused(n):\n    return n + 1\n",
    );
    project.write("test_noise.py", "from noise import error\n\n\ndef test_error():\n    assert error(100) < 5.0\n");
    project
}

/// More runs than mutants are compared with: the greatest of them is the bound only if they are taken at the end.
const LOOSE: [&str; 6] = ["--pass", "0.99", "--runs", "400", "--operators", "arithmetic,swap,argument"];

#[test]
fn a_loose_bound_gets_a_verified_tighter_patch_and_nothing_is_run_twice() {
    let project = loose_project();
    let export = project.root().join("mutants.json");
    let (code, stdout, stderr) = run(&project, &[&LOOSE[..], &["--mutants-to", "mutants.json"]].concat());
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("test_noise.py:5:5  assert error(100) < 5.0  loose  B"), "{stdout}");
    assert!(stdout.contains("at most 1 failure in 100 runs (95 % confidence, observed)"), "{stdout}");
    assert!(stdout.contains("    noise.py:6:"), "{stdout}");
    assert!(stdout.contains("verified   500 runs with the patch, "), "{stdout}");
    assert!(stdout.contains("on lines that no test reaches: 1 more"), "{stdout}");
    assert!(
        stdout.contains("  the tests notice ") && stdout.contains(" mutants that change what they compare"),
        "{stdout}"
    );
    let id = stdout.split("loose  ").nth(1).unwrap().split_whitespace().next().unwrap();
    let patch = std::fs::read_to_string(project.root().join(".temper/patches").join(format!("{id}.patch"))).unwrap();
    assert!(patch.contains("-    assert error(100) < 5.0\n+    assert error(100) < 0."), "{patch}");

    let (_, again, _) = run(&project, &LOOSE);
    assert!(again.contains(" mutants, 0 runs of them, and "), "{again}");

    let document: Value = serde_json::from_str(&std::fs::read_to_string(export).unwrap()).unwrap();
    assert_eq!(document["schemaVersion"], "1");
    let mutants = document["files"]["noise.py"]["mutants"].as_array().unwrap();
    let statuses: Vec<&str> = mutants.iter().map(|each| each["status"].as_str().unwrap()).collect();
    assert!(statuses.contains(&"Survived") && statuses.contains(&"NoCoverage"), "{statuses:?}");
}

#[test]
fn a_bound_on_a_time_is_not_tightened() {
    let project = Project::empty();
    project.write("work.py", "def slowness(start, end):\n    return (end - start) * 1.0\n");
    project.write(
        "test_time.py",
        "import time\n\nfrom work import slowness\n\n\ndef test_time():\n    assert slowness(time.perf_counter() - 0.01, time.perf_counter()) < 50.0\n",
    );
    let (_, text, _) = run(&project, &["--pass", "0.9", "--runs", "100", "--verify-runs", "10"]);
    assert!(text.contains("its bounds are not tightened"), "{text}");
    assert!(!text.contains("loose") && !text.contains("looks possible"), "{text}");
}

/// A value that some mutants take from memory which nobody wrote, in a test whose runs share processes and in one whose
/// runs do not.
fn unwritten_project() -> Project {
    let project = Project::empty();
    project.write(
        "noise.py",
        "import numpy as np\n\n\ndef error(n):\n    x = np.empty(n)\n    for i in range(n):\n        if i >= 0:\n            x[i] = np.random.normal()\n    return abs(x.mean())\n",
    );
    project.write(
        "test_noise.py",
        "from noise import error\n\nruns = []\n\n\ndef test_error():\n    assert error(300) < 5.0\n\n\ndef test_leftovers():\n    runs.append(1)\n    assert error(300) + len(runs) < 6.0\n",
    );
    project
}

#[test]
fn a_mutant_that_reads_what_nobody_wrote_is_named_and_all_reports_are_the_same() {
    let options = ["--pass", "0.9", "--runs", "100", "--verify-runs", "10", "--operators", "comparison,swap"];
    let [one, other] = [0, 1].map(|_| {
        let mut found = report(&unwritten_project(), &options);
        found["cpu_secs"] = Value::Null;
        found
    });
    assert!(one == other, "{one}\n{other}");
    assert_eq!(one["unrepeatable"], serde_json::json!([]));
    // `i > 0` leaves one number unwritten, `i < 0` all of them; swaps leave none.
    let mutants = one["mutants"].as_array().unwrap();
    assert_eq!(mutants.iter().filter(|mutant| mutant["operator"] == "comparison").count(), 2);
    for mutant in mutants {
        let trials = mutant["trials"].as_array().unwrap();
        assert_eq!(trials.len(), 2, "{mutant}");
        for trial in trials {
            let is_unwritten = mutant["operator"] == "comparison";
            assert_eq!(trial["class"] == "not repeatable", is_unwritten, "{} {}", mutant["name"], trial["class"]);
        }
    }
}

#[test]
fn a_mutant_that_changes_nothing_reads_the_variable_and_the_home_file_of_its_original() {
    let project = Project::empty();
    project.write(
        "noise.py",
        "import os\nimport pathlib\nimport random\n\n\ndef error():\n    \
         scale = float(os.environ['NOISE_SCALE']) * float((pathlib.Path.home() / 'noise.txt').read_text())\n    \
         return random.random() * scale + 0.0\n",
    );
    project.write("test_noise.py", "from noise import error\n\n\ndef test_error():\n    assert error() < 50\n");
    let home = project.root().parent().unwrap().join("home");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("noise.txt"), "2").unwrap();
    let quick = ["bounds", "-q", "--tighten", "--format", "json", "--pass", "0.9", "--runs", "40"];
    let mut tighten = support::command(&project, &[&quick[..], &["--operators", "arithmetic"]].concat());
    let output = tighten.env("NOISE_SCALE", "3").env("HOME", &home).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = classes(&document["bounds"]["mutants"]);
    let class = |of: &str| found.iter().find(|(name, _)| name.contains(of)).map(|(_, class)| class.as_str());
    assert_eq!(class("replace + with -"), Some("change nothing measurable"), "{found:?}");
    assert!(found.iter().all(|(_, class)| class != "refused" && class != "raise"), "{found:?}");
}

#[test]
fn the_papers_method_runs_everything_a_hundred_times() {
    let project = loose_project();
    let found = report(&project, &["--method", "faser", "--operators", "swap"]);
    let (mutants, site) = (found["mutants"].as_array().unwrap(), &found["sites"][0]);
    assert_eq!(mutants.len(), 5, "{mutants:?}");
    for mutant in mutants {
        assert_eq!(mutant["trials"][0]["runs"], 100, "{mutant}");
        assert_eq!(mutant["trials"][0]["values"].as_array().unwrap().len(), 100, "{mutant}");
    }
    assert_eq!(site["faser"]["label"], "loose", "{site}");
    assert!(site["faser"]["bound"].as_f64().unwrap() < 1.5, "{site}");
}

#[test]
fn wrong_settings_are_usage_errors_that_say_what_is_right() {
    let project = loose_project();
    let (code, _, stderr) = run(&project, &["--operators", "constant,strings"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("it takes some of arithmetic, comparison, boolean"), "{stderr}");
    let (code, _, stderr) = run(&project, &["--mutant-fraction", "1.5"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("it takes a number above 0 and up to 1"), "{stderr}");
    project.write("pyproject.toml", "[tool.temper]\nswaps = [\"sum\"]\n");
    let (code, _, stderr) = run(&project, &[]);
    assert_eq!(code, 2);
    assert!(stderr.contains("`sum` is no swap: write it as in `numpy.sum -> mean max`"), "{stderr}");
}

#[test]
fn a_wider_bound_is_shown_with_the_mutants_that_it_lets_live() {
    let project = loose_project();
    project.write("test_noise.py", "from noise import error\n\n\ndef test_error():\n    assert error(100) < 0.2\n");
    let (code, stdout, _) = support::run(&project, &["bounds", "-q", "--pass", "0.95", "--runs", "300"]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("flaky"), "{stdout}");
    assert!(stdout.contains("mutants killed "), "{stdout}");
}

#[test]
fn a_value_that_mutants_move_away_from_failing_gets_a_bound_on_the_other_side() {
    let project = Project::empty();
    project.write("pytest.ini", "[pytest]\npythonpath = .\n");
    project.write("scoring.py", "from random import random\n\n\ndef score():\n    return 1.0 + random()\n");
    project.write("test_scoring.py", "from scoring import score\n\n\ndef test_score():\n    assert score() < 5.0\n");
    let (_, stdout, stderr) = run(&project, &QUICK);
    let line = stdout.lines().find(|line| line.trim_start().starts_with("other side")).unwrap_or_default();
    assert!(line.contains("< score() < 5.0` would also kill 1 of 1 mutants"), "{stdout}{stderr}");
}
