//! `temper bounds` through the real program: exit codes, a second run, replay, Ctrl-C and a kill in the middle.

#![expect(clippy::unwrap_used, reason = "a test that cannot run the program has failed")]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use temper_report::{Document, without_colour};
use temper_testkit::Project;

mod support;

use support::{command, run};

fn subjects(output: &Output) -> serde_json::Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let mut subjects = document["subjects"].clone();
    // How long the runs took is the machine's affair.
    for subject in subjects.as_array_mut().unwrap() {
        subject["evidence"].as_object_mut().unwrap().remove("secs");
    }
    subjects
}

/// What the last run saved.
fn record(project: &Project) -> Document {
    let text = std::fs::read_to_string(project.root().join(".temper/records/bounds.json")).unwrap();
    Document::from_json(&text).unwrap()
}

#[test]
fn a_flaky_assertion_is_found_kept_and_replayed() {
    let project = Project::fixture("bounds_kinds");
    let few = ["--pass", "0.99", "--runs", "100", "--verify-runs", "80", "-q"];
    let arguments = [&["bounds", "test_kinds.py::test_exponential"], &few[..]].concat();
    let (code, stdout, stderr) = run(&project, &arguments);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("assert np.random.exponential() < 2.0  flaky  B"), "{stdout}");
    assert!(stdout.contains("proposal   < "), "{stdout}");
    let id = stdout.split("temper replay ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let record = record(&project);
    assert_eq!(without_colour(&record.text(false)), stdout, "the saved record reads as the run did");
    assert_eq!(i32::from(record.exit().code()), code);

    let (code, again, _) = run(&project, &arguments);
    assert_eq!(code, 1);
    assert!(again.contains("nothing has changed: all 100 runs come from the store, none was taken"), "{again}");

    let (code, replayed, stderr) = run(&project, &["replay", &id]);
    assert_eq!(code, 1, "{replayed}{stderr}");
    assert!(replayed.contains("fails  assert np.random.exponential() < 2.0"), "{replayed}");
    assert!(replayed.contains("| AssertionError") || replayed.contains("assert np.random"), "{replayed}");
    assert_eq!(run(&project, &["replay", "B00000"]).0, 2);

    // 299 runs make the greatest value a bound for 0.99, the target that the finding was made for.
    assert!(stdout.contains("with 199 more runs ("), "{stdout}");
    assert!(stdout.contains(&format!("`temper bounds {id} --sharpen`")), "{stdout}");
    let (code, sharper, stderr) =
        run(&project, &["bounds", &id, "--sharpen", "--no-mutants", "--verify-runs", "80", "-q"]);
    assert_eq!(code, 1, "{sharper}{stderr}");
    assert!(
        sharper.contains("  299 runs, ") && sharper.contains("in 100 runs (95 % confidence, observed)"),
        "{sharper}"
    );
    assert_eq!(run(&project, &["bounds", "B00000", "--sharpen"]).0, 2);
    assert_eq!(run(&project, &["bounds", "--sharpen"]).0, 2);
}

#[test]
fn exit_codes_say_what_happened() {
    let project = Project::fixture("bounds_problems");
    let only = |test: &str| {
        run(&project, &["bounds", &format!("test_problems.py::{test}"), "--runs", "100", "--pass", "0.99", "-q"])
    };
    assert_eq!(only("test_good").0, 0);
    let (code, _, stderr) = only("test_fails_always");
    assert_eq!(code, 3);
    assert_eq!(record(&project).exit().code(), 3);
    assert!(stderr.contains("`test_problems.py::test_fails_always` fails in every run (30 of 30)"), "{stderr}");
    assert_eq!(only("test_skipped").0, 5);
    let (code, _, stderr) = run(&project, &["bounds", "test_broken_import.py"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("no_such_module_anywhere"), "{stderr}");
    let (code, _, stderr) = run(&project, &["bounds", "test_problem.py"]);
    assert_eq!(code, 2);
    let expected = "error: there is no file or folder `test_problem.py`\nhint: did you mean `test_problems.py`?\n";
    assert_eq!(stderr, expected);
    assert_eq!(run(&project, &["bounds", "--pass", "2"]).0, 2);
    assert_eq!(run(&project, &["bounds", "--since", "no-such-revision"]).0, 2);
}

#[test]
fn tests_that_pass_with_their_own_seed_are_no_failures() {
    let project = Project::fixture("bounds_own_seed");
    let only = |test: &str| {
        let node = format!("test_own_seed.py::{test}");
        run(&project, &["bounds", &node, "--seeds", "vary", "--runs", "30", "--pass", "0.9"])
    };
    let (code, stdout, stderr) = only("test_recorded");
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("1 approximate assertion in 1 test: 1 pinned"), "{stdout}");
    let (code, _, stderr) = only("test_exact");
    assert_eq!(code, 4, "{stderr}");
    let headline = "warning: 1 test fails with most seeds but its own, and is not judged with them\n";
    assert!(stderr.contains(headline), "{stderr}");
    assert!(stderr.ends_with("hint: `--seeds keep` judges tests as they are\n"), "{stderr}");
}

/// Starts the job, ends it with a signal once something is stored, and gives its exit code.
fn stopped(project: &Project, arguments: &[&str], signal: &str) -> Option<i32> {
    let child = command(project, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let store = project.root().join(".temper/store.db-wal");
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len());
    let before = size(&store);
    for _ in 0..600 {
        std::thread::sleep(Duration::from_millis(50));
        // Tables and the first batches.
        if size(&store) > before.max(120_000) {
            break;
        }
    }
    Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    child.wait_with_output().unwrap().status.code()
}

#[test]
fn an_interrupted_and_a_killed_job_go_on_to_the_same_numbers() {
    let few = ["--pass", "0.99", "--runs", "100", "--verify-runs", "80", "--format", "json", "-q"];
    let arguments = [&["bounds", "test_kinds.py"], &few[..], &["--", "-k", "heavy or discrete"]].concat();
    let whole = Project::fixture("bounds_kinds");
    let expected = command(&whole, &arguments).output().unwrap();
    let parts = Project::fixture("bounds_kinds");
    let code = stopped(&parts, &arguments, "-INT");
    assert!(code == Some(130) || code == Some(1), "{code:?}");
    assert_eq!(record(&parts).is_interrupted, code == Some(130));
    let code = stopped(&parts, &arguments, "-KILL");
    assert!(code.is_none() || code == Some(1), "{code:?}");
    let found = command(&parts, &arguments).output().unwrap();
    assert_eq!(found.status.code(), expected.status.code());
    assert_eq!(subjects(&found), subjects(&expected));
}

#[test]
fn since_takes_the_files_that_differ_from_a_revision_and_those_that_git_does_not_know() {
    let project = Project::empty();
    let test = |bound: &str| format!("from random import random\n\n\ndef test_x():\n    assert random() < {bound}\n");
    for name in ["test_same.py", "test_changed.py"] {
        project.write(name, test("2.0"));
    }
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-q", "-m", "first"]);
    let arguments = ["bounds", "--since", "HEAD", "--runs", "30", "--pass", "0.5", "--format", "json", "-q"];
    assert_eq!(run(&project, &arguments).0, 5, "nothing has changed");
    project.write("test_changed.py", test("3.0"));
    project.write("test_unknown.py", test("2.0"));
    let output = command(&project, &arguments).output().unwrap();
    let paths: Vec<String> =
        subjects(&output).as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(paths, ["test_changed.py", "test_unknown.py"]);
}

#[test]
fn since_takes_the_tests_whose_code_under_test_has_changed() {
    let project = Project::empty();
    project.write("model.py", "from random import random\n\n\ndef fit():\n    return random()\n");
    project.write("test_model.py", "from model import fit\n\n\ndef test_fit():\n    assert fit() < 2.0\n");
    project.write("test_other.py", "from random import random\n\n\ndef test_x():\n    assert random() < 2.0\n");
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-q", "-m", "first"]);
    project.write("model.py", "from random import random\n\n\ndef fit():\n    return 0.5 * random()\n");
    let arguments = ["bounds", "--since", "HEAD", "--runs", "30", "--pass", "0.5", "--format", "json", "-q"];
    let output = command(&project, &arguments).output().unwrap();
    let found = subjects(&output);
    let paths: Vec<&str> = found.as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["test_model.py"]);
}
