//! The store of a project through the commands that use it: shared, cleaned, bounded, and set aside when it cannot be used.

#![expect(clippy::unwrap_used, reason = "a test that cannot start the program has failed")]

mod support;

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use serde_json::Value;
use support::{command, python, run};
use temper_testkit::{Project, wait_for};

const GAUSS: &str = "\
import random

def test_gauss():
    assert abs(random.gauss(0, 1)) < 2.5
";

fn project() -> Project {
    let project = Project::empty();
    project.write("test_gauss.py", GAUSS);
    project
}

fn bounds(project: &Project, more: &[&str]) -> Value {
    let mut arguments = vec!["bounds", "--no-mutants", "--verify-runs", "20", "-q", "--format", "json"];
    arguments.extend(more);
    let (_, text, said) = run(project, &arguments);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{said}"))
}

/// Runs some SQL on the store, as another machine or an earlier day would have left it.
fn change_store(project: &Project, sql: &str) {
    let script = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\nc.executescript(sys.argv[2])\nc.commit()\n";
    let store = project.root().join(".temper/store.db");
    let done = Command::new(python()).args(["-c", script]).arg(store).arg(sql).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn clean(project: &Project, more: &[&str]) -> (i32, String, String) {
    run(project, &[&["clean"], more].concat())
}

#[test]
fn clean_tells_ages_and_sizes_and_removes_what_is_named() {
    let project = project();
    let (code, text, _) = clean(&project, &[]);
    assert_eq!((code, text.as_str()), (0, "nothing is kept: there is no `.temper/` in this project\n"));
    bounds(&project, &["--runs", "30"]);
    let (_, text, _) = clean(&project, &[]);
    assert!(text.contains("used today") && text.contains("30 runs"), "{text}");
    assert!(text.lines().next().unwrap().starts_with(".temper/"), "{text}");
    change_store(&project, "UPDATE series SET used = used - 40 * 86400");
    let (_, text, _) = clean(&project, &[]);
    assert!(text.contains("used earlier"), "{text}");
    let (code, text, _) = clean(&project, &["--older-than", "30d"]);
    assert!(code == 0 && text.starts_with("removed 30 runs that no command used for 30 days"), "{text}");
    assert!(text.contains("no runs are kept"), "{text}");
    let (code, _, said) = clean(&project, &["--older-than", "soon"]);
    assert!(code == 2 && said.contains("`soon` is no age"), "{said}");
    let (code, text, _) = clean(&project, &["--all"]);
    assert!(code == 0 && text.starts_with("removed `.temper/`"), "{text}");
    assert!(!project.root().join(".temper").exists());
    assert!(project.root().join("test_gauss.py").exists());
}

#[test]
fn runs_that_count_today_are_not_old() {
    let project = project();
    bounds(&project, &["--runs", "30"]);
    change_store(&project, "UPDATE series SET used = used - 40 * 86400");
    bounds(&project, &["--runs", "30"]);
    let (_, text, _) = clean(&project, &["--older-than", "1d"]);
    assert!(text.starts_with("removed 0 runs"), "{text}");
}

#[test]
fn a_store_above_its_limit_drops_the_runs_that_were_used_longest_ago() {
    let project = project();
    bounds(&project, &["--runs", "100"]);
    project.write("test_gauss.py", GAUSS.replace("2.5", "2.6"));
    let (_, _, said) = {
        let mut limited = command(&project, &["bounds", "--no-mutants", "--verify-runs", "20", "--runs", "40"]);
        let output = limited.env("TEMPER_STORE_LIMIT", "60KB").output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    assert!(said.contains("the store was larger than `store-limit`"), "{said}");
    assert!(fs::metadata(project.root().join(".temper/store.db")).unwrap().len() <= 60 << 10);
    // What this call took is younger than what the first one took.
    let again = bounds(&project, &["--runs", "40"]);
    assert!(again["bounds"]["runs_reused"].as_u64().unwrap() > 0, "{}", again["bounds"]);
}

#[test]
fn the_second_of_two_commands_says_whom_it_waits_for_and_then_shares_the_runs() {
    let project = project();
    // The first command is at work for as long as this file is missing.
    project.write(
        "test_gauss.py",
        "import pathlib, random, time\n\ndef test_gauss():\n    began = pathlib.Path('began')\n    \
         while not pathlib.Path(__file__).with_name('go').exists():\n        time.sleep(0.01)\n    \
         assert abs(random.gauss(0, 1)) < 50\n",
    );
    let arguments = ["bounds", "--no-mutants", "--runs", "10", "--format", "json"];
    let mut first = command(&project, &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(|| project.root().join(".temper/lock").exists());
    let mut second = command(&project, &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let mut letter = [0];
    let mut stderr = second.stderr.take().unwrap();
    while !said.ends_with('\n') && stderr.read(&mut letter).unwrap() == 1 {
        said.push(char::from(letter[0]));
    }
    assert_eq!(said, format!("waiting for `temper bounds` (process {}) on this project\n", first.id()));
    let (code, _, refused) = clean(&project, &["--all"]);
    assert!(code == 4 && refused.contains("is at work on this project"), "{refused}");
    project.write("go", "");
    first.wait().unwrap();
    let output = second.wait_with_output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["bounds"]["runs_taken"], 0, "{}", document["bounds"]);
}

#[test]
fn a_budget_also_ends_the_wait_for_another_command() {
    let project = project();
    bounds(&project, &["--runs", "10"]);
    let lock = fs::OpenOptions::new().write(true).open(project.root().join(".temper/lock")).unwrap();
    lock.lock().unwrap();
    let (code, _, said) = run(&project, &["bounds", "--no-mutants", "--budget", "1s"]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("the budget was spent waiting for `temper bounds`"), "{said}");
}

#[test]
fn a_store_that_cannot_be_used_is_set_aside_with_a_line() {
    let project = project();
    bounds(&project, &["--runs", "10"]);
    change_store(&project, "PRAGMA user_version = 99");
    let (_, _, said) = run(&project, &["bounds", "--no-mutants", "--runs", "10"]);
    assert!(said.contains("warning: the store of a later version of Temper is set aside"), "{said}");
    assert!(project.root().join(".temper/store-of-version-99.db").exists());
    fs::write(project.root().join(".temper/store.db"), "no database at all, but a text").unwrap();
    let (code, _, said) = run(&project, &["bounds", "--no-mutants", "--runs", "10"]);
    assert!(said.contains("warning: the store is damaged, and a new one is made"), "{code} {said}");
}

const ELSEWHERE: &str = "UPDATE series SET trace = replace(trace, '- machine ', '- machine Other ')";

#[test]
fn runs_of_another_kind_of_machine_count_if_their_values_agree() {
    let project = project();
    bounds(&project, &["--runs", "60"]);
    change_store(&project, ELSEWHERE);
    let again = bounds(&project, &["--runs", "60"]);
    let pooled = &again["bounds"]["pooled"][0];
    assert_eq!((&pooled["runs"], &pooled["is_counted"]), (&Value::from(30), &Value::from(true)), "{pooled}");
    assert!(pooled["machines"][0].as_str().unwrap().starts_with("Other "), "{pooled}");
    assert_eq!((&again["bounds"]["runs_taken"], &again["bounds"]["runs_reused"]), (&30.into(), &30.into()));
    let (_, text, _) = run(&project, &["bounds", "--no-mutants", "--verify-runs", "20", "--runs", "60", "-q"]);
    assert!(text.contains("30 of the runs from the store are of other machines (Other "), "{text}");
}

#[test]
fn runs_of_another_kind_of_machine_are_set_aside_if_their_values_differ() {
    let project = project();
    project.write("scale.txt", "1");
    project.write(
        "test_gauss.py",
        "import pathlib, random\n\ndef test_gauss():\n    scale = float(pathlib.Path(__file__).with_name('scale.txt').read_text())\n    \
         assert abs(random.gauss(0, 1)) * scale < 2.5\n",
    );
    project.write("scale.txt", "4");
    bounds(&project, &["--runs", "60"]);
    project.write("scale.txt", "1");
    bounds(&project, &["--runs", "2"]);
    // The runs with the other scale, as if they had been taken with this one on another machine.
    change_store(
        &project,
        "CREATE TEMP TABLE ours AS SELECT trace FROM series ORDER BY id DESC LIMIT 1;
         UPDATE series SET trace = replace((SELECT trace FROM ours), '- machine ', '- machine Other ') WHERE id = 1",
    );
    let again = bounds(&project, &["--runs", "60"]);
    let pooled = &again["bounds"]["pooled"][0];
    assert_eq!(pooled["is_counted"], false, "{pooled}");
    assert_eq!(again["bounds"]["runs_taken"], 58, "{}", again["bounds"]);
}

#[test]
fn a_verbose_run_says_what_stored_runs_cannot_show() {
    let project = project();
    let (_, _, said) = run(&project, &["bounds", "--no-mutants", "--runs", "10", "-v"]);
    assert!(said.contains("not seen: the network, the clock, and files that are only asked for"), "{said}");
    let (_, _, said) = run(&project, &["bounds", "--no-mutants", "--runs", "10"]);
    assert!(!said.contains("not seen"), "{said}");
}

/// On a busy machine the clock may come first.
fn is_stopped_at_a_limit(said: &str) -> bool {
    let which = ["processor time", "time on the clock"];
    which.iter().any(|which| said.contains(&format!("was stopped at its limit of {which}: `--time-limit` raises it")))
}

#[test]
fn a_test_that_needs_more_than_its_limit_says_which_and_is_judged_with_a_higher_one() {
    let project = Project::empty();
    project.write(
        "test_slow.py",
        "import time\n\ndef test_slow():\n    began = time.process_time()\n    \
         while time.process_time() - began < 1.5:\n        pass\n    assert began < 1e9\n",
    );
    let (code, _, said) = run(&project, &["bounds", "--no-mutants", "--runs", "2", "--time-limit", "1s"]);
    assert_eq!(code, 3, "{said}");
    assert!(is_stopped_at_a_limit(&said), "{said}");
    let (code, text, said) = run(&project, &["bounds", "--no-mutants", "--runs", "2", "--time-limit", "20s"]);
    assert!(text.contains("1 approximate assertion in 1 test"), "{code} {text}{said}");
}

#[test]
fn an_import_at_its_limit_says_which_and_how_to_raise_it() {
    let project = project();
    project.write(
        "conftest.py",
        "import time\nbegan = time.process_time()\nwhile time.process_time() - began < 2.5:\n    pass\n",
    );
    let (code, _, said) = run(&project, &["bounds", "--no-mutants", "--runs", "2", "--time-limit", "1s"]);
    assert_eq!(code, 3, "{said}");
    assert!(is_stopped_at_a_limit(&said), "{said}");
    let (code, _, said) = run(&project, &["bounds", "--memory-limit", "much"]);
    assert!(code == 2 && said.contains("it takes a size such as \"512MB\" or \"16GB\""), "{said}");
}
