//! `temper model` through the real program: findings, replay, reports, what it writes, and every way in which data or a model
//! can be wrong. Models are plain functions, so that no library has to be imported.

#![expect(clippy::unwrap_used, reason = "a test that cannot run the program has failed")]

mod measures;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use temper_report::{Document, without_colour};
use temper_testkit::{Project, is_process_named, repository_root, wait_for};

const TEMPER: &str = env!("CARGO_BIN_EXE_temper");

/// The package as workers need it: without the compiled engine, which this program is.
fn package(project: &Project) -> PathBuf {
    let folder = project.root().parent().unwrap().join("package");
    let temper = folder.join("temper");
    if !temper.exists() {
        std::fs::create_dir_all(&temper).unwrap();
        std::fs::write(temper.join("__init__.py"), "").unwrap();
        for part in ["worker", "model"] {
            let from = repository_root().join("python/temper").join(part);
            std::os::unix::fs::symlink(from, temper.join(part)).unwrap();
        }
    }
    folder
}

fn python() -> PathBuf {
    let venv = || repository_root().join(".venv/bin/python");
    let python = std::env::var_os("TEMPER_TEST_PYTHON").map_or_else(venv, PathBuf::from);
    assert!(python.exists(), "no interpreter at `{}`: run `make venv`, or set TEMPER_TEST_PYTHON", python.display());
    python
}

fn project() -> Project {
    Project::fixture("model_mixed")
}

fn command(project: &Project, arguments: &[&str]) -> Command {
    let mut command = project.command(TEMPER);
    command.args(arguments).arg("--python").arg(python()).env("TEMPER_PACKAGE_DIR", package(project));
    command
}

fn run(project: &Project, arguments: &[&str]) -> (i32, String, String) {
    let output = command(project, arguments).output().unwrap();
    let text = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes)
            .replace(&project.root().display().to_string(), "[ROOT]")
            .replace(&python().display().to_string(), "[PYTHON]")
    };
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn model(project: &Project, function: &str, more: &[&str]) -> (i32, String, String) {
    let name = format!("scoring:{function}");
    let mut arguments = vec!["model", "plain.csv", "--target", "y", "--model", &name, "-q"];
    arguments.extend(more);
    run(project, &arguments)
}

fn report(project: &Project, function: &str, more: &[&str]) -> Value {
    let mut arguments = vec!["--format", "json"];
    arguments.extend(more);
    let (_, stdout, stderr) = model(project, function, &arguments);
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"))
}

#[test]
fn a_right_model_is_clean() {
    let (code, stdout, stderr) = model(&project(), "right", &["--unseen"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.contains("wrong on 0 of 400 rows that it has not seen: 0.0 %"), "{stdout}");
    assert!(stdout.contains("not shown to be worse than a "), "{stdout}");
}

#[test]
fn rows_that_the_model_may_have_seen_decide_nothing() {
    let (code, stdout, stderr) = model(&project(), "right", &[]);
    assert_eq!(code, 4, "{stdout}{stderr}");
    assert!(stdout.contains("nothing can be concluded: the model may have been trained on these rows"), "{stdout}");
    // What is worse although it may have been seen is worse.
    assert_eq!(model(&project(), "wrong_in_a_part", &[]).0, 1);
}

#[test]
fn a_wrong_part_is_found_explained_and_replayed_until_it_is_right() {
    let project = project();
    let (code, stdout, stderr) = model(&project, "wrong_in_a_part", &["--unseen"]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("worse: a > ") && stdout.contains("b > 0.7"), "{stdout}");
    assert!(stdout.contains("error there 100.0 %"), "{stdout}");
    assert!(stdout.contains("\n    model says   0       1\n"), "{stdout}");
    let saved = std::fs::read_to_string(project.root().join(".temper/records/model.json")).unwrap();
    let record = Document::from_json(&saved).unwrap();
    assert_eq!(without_colour(&record.text(false)), stdout, "the saved record reads as the run did");
    let id = stdout.lines().find_map(|line| line.strip_prefix("  reproduce: temper replay ")).unwrap().to_owned();
    let (code, stdout, stderr) = run(&project, &["replay", &id]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.ends_with("  model says 0, the property 1: still fails\n"), "{stdout}");
    let fixed = std::fs::read_to_string(project.root().join("scoring.py")).unwrap();
    project.write("scoring.py", fixed.replace(" and row[1] <= 0.75", ""));
    let (code, stdout, stderr) = run(&project, &["replay", &id]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.ends_with("  model says 1, the property 1: passes now\n"), "{stdout}");
}

#[test]
fn a_report_has_the_region_and_a_row_that_shows_it() {
    let found = report(&project(), "wrong_in_a_part", &["--unseen"]);
    assert_eq!(found["command"], "model");
    assert_eq!(found["subjects"][0]["verdict"], "found");
    let evidence = &found["findings"][0]["evidence"];
    assert!(evidence["errors"].as_u64().unwrap() > 20, "{evidence}");
    assert_eq!(evidence["example"]["predicted"], "0");
    assert_eq!(found["model"]["judged_on"]["origin"], "unseen rows");
    assert_eq!(found["model"]["reference"]["kind"], "challenger");
}

#[test]
fn one_seed_gives_one_report() {
    let project = project();
    let first = report(&project, "wrong_in_a_part", &["--seed", "3"]);
    assert_eq!(first, report(&project, "wrong_in_a_part", &["--seed", "3"]));
}

#[test]
fn against_an_earlier_model_only_what_became_worse_fails() {
    let project = project();
    let against = |new: &str, old: &str| model(&project, new, &["--unseen", "--against", old]);
    assert_eq!(against("wrong_in_a_part", "scoring:wrong_in_a_part").0, 0, "an old weakness fails nothing");
    assert_eq!(against("right", "scoring:wrong_in_a_part").0, 0);
    let (code, stdout, stderr) = against("wrong_in_a_part", "scoring:right");
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("reference   scoring:right is wrong on 0: 0.0 %"), "{stdout}");
    assert!(stdout.contains("difference  +12.5 points"), "{stdout}");
    assert_eq!(model(&project, "never_one", &["--unseen", "--against", "scoring:right", "--margin", "90"]).0, 0);
}

#[test]
fn against_an_earlier_report_the_same_rows_are_paired_and_others_are_compared_by_their_rates() {
    let project = project();
    let saved = ["--unseen", "--format", "json", "--output", "known.json"];
    assert_eq!(model(&project, "right", &saved).0, 0);
    let against = |function: &str, more: &[&str]| {
        let mut arguments = vec!["--unseen", "--against", "known.json"];
        arguments.extend(more);
        model(&project, function, &arguments)
    };
    assert_eq!(against("right", &[]).0, 0);
    let (code, stdout, stderr) = against("wrong_in_a_part", &[]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("known.json is wrong on 0: 0.0 %"), "{stdout}");
    let table = std::fs::read_to_string(project.root().join("plain.csv")).unwrap();
    let fewer: Vec<&str> = table.lines().enumerate().filter(|(at, _)| at % 5 != 3).map(|(_, line)| line).collect();
    project.write("plain.csv", fewer.join("\n"));
    assert_eq!(against("right", &[]).0, 0);
    let (code, stdout, stderr) = against("wrong_in_a_part", &[]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("known.json had 0.0 % wrong, on other rows"), "{stdout}");
    assert!(stdout.contains("worse: b > 0.7"), "{stdout}");
    project.write("other.json", "{}");
    let (code, _, stderr) = model(&project, "right", &["--against", "other.json"]);
    assert_eq!(code, 2);
    assert!(stderr.starts_with("error: `other.json` is no report of a model that was judged\n"), "{stderr}");
}

#[test]
fn a_holdout_is_what_the_model_is_judged_on() {
    let project = project();
    let table = std::fs::read_to_string(project.root().join("plain.csv")).unwrap();
    let half: Vec<&str> = table.lines().enumerate().filter(|(at, _)| at % 2 == 0).map(|(_, line)| line).collect();
    project.write("half.csv", half.join("\n"));
    let found = report(&project, "right", &["--holdout", "half.csv"]);
    assert_eq!(found["model"]["judged_on"], serde_json::json!({ "origin": "holdout", "errors": 0, "rows": 200 }));
}

#[test]
fn options_of_surrogate_sampling_and_growth_change_what_is_asked() {
    let project = project();
    let explained = |more: &[&str]| report(&project, "right", &[&["--surrogate", "model"], more].concat());
    let inputs = |more: &[&str]| explained(more)["model"]["coverage"]["inputs"].as_u64().unwrap();
    let leaves = |more: &[&str]| explained(more)["model"]["surrogate"]["leaves"].as_u64().unwrap();
    assert_eq!(leaves(&[]), 3);
    assert_eq!(leaves(&["--max-depth", "1"]), 2);
    assert_eq!(leaves(&["--min-leaf", "150"]), 2);
    assert_eq!(inputs(&["--draws", "7"]), 21);
    assert_eq!(inputs(&["--sampling", "box", "--fill", "class", "--slice", "5"]), 300);
    let paper = report(&project, "right", &["--paper", "--free-values", "3"]);
    assert_eq!((&paper["seed"], &paper["model"]["coverage"]["inputs"]), (&42.into(), &300.into()));
    let (code, stdout, _) = model(&project, "wrong_in_a_part", &["--surrogate", "model"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("0.5 < b ≤ 0.75 → 1"), "{stdout}");
    assert!(stdout.ends_with("its leaves explain the model, and nothing was judged.\n"), "{stdout}");
}

#[test]
fn text_truth_values_and_empty_cells_reach_the_model_as_they_are() {
    let project = project();
    let arguments = ["model", "mixed.csv", "--target", "buys", "--model", "scoring:buys", "--unseen", "-q"];
    let (code, stdout, stderr) = run(&project, &arguments);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("wrong on 0 of 240 rows"), "{stdout}");
    let explained = [&arguments[..6], &["--surrogate", "model", "-q"]].concat();
    let (code, stdout, stderr) = run(&project, &explained);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("region is one of"), "{stdout}");
    assert!(stdout.contains("or age is missing)"), "{stdout}");
    assert!(stdout.contains("→ yes"), "{stdout}");
}

/// 400 visits: the day decides, a name and a colour do not; a model that is wrong in March.
fn visits(project: &Project, separator: &str) {
    let row = |at: usize| {
        let day = format!("2020-{:02}-{:02}", at % 12 + 1, at / 12 % 28 + 1);
        let hours = format!("{},{}", at * 7 % 24, at % 10);
        let cells = [day, format!("guest {at}"), ["red", "green", "blue"][at % 3].to_owned(), hours];
        format!("{}{separator}{}\n", cells.join(separator), if at % 12 + 1 > 6 { "late" } else { "early" })
    };
    let header = ["day", "name", "hue", "hours", "when"].join(separator);
    project.write("visits.csv", format!("{header}\n{}", (0..400).map(row).collect::<String>()));
    let right = "\"late\" if cells[\"day\"] > \"2020-06-30\" else \"early\"";
    let wrong = "\"late\" if cells[\"day\"][5:7] == \"03\" else right(cells)";
    project.write("visits.py", format!("def right(cells):\n    assert isinstance(cells, dict)\n    return {right}\n\n\ndef wrong(cells):\n    return {wrong}\n"));
}

#[test]
fn dates_decimal_commas_and_functions_of_one_dict_are_read_and_said() {
    let project = project();
    visits(&project, ";");
    let arguments = ["model", "visits.csv", "--target", "when", "--unseen", "--model"];
    let (code, stdout, stderr) = run(&project, &[&arguments[..], &["visits:right"]].concat());
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stderr.contains("warning: cells are separated by `;`\n"), "{stderr}");
    assert!(stderr.contains("warning: column `hours` has decimal commas\n"), "{stderr}");
    let unread = "the model's answers do not depend on 3 of the columns: no finding is about them\n  columns: `name`, `hue`, `hours`\n";
    assert!(stderr.contains(unread), "{stderr}");
    let (code, stdout, stderr) = run(&project, &[&arguments[..], &["visits:wrong"]].concat());
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("worse: 2020-02-") && stdout.contains(" < day ≤ 2020-03-"), "{stdout}");
    assert!(stdout.lines().all(|line| line.chars().count() <= 80), "{stdout}");
    let id = stdout.lines().find_map(|line| line.strip_prefix("  reproduce: temper replay ")).unwrap().to_owned();
    let (code, stdout, stderr) = run(&project, &["replay", &id]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("  day = 2020-03-"), "{stdout}");
}

#[test]
fn properties_need_no_labels_and_show_the_closest_pair() {
    let project = project();
    let (code, stdout, stderr) = model(&project, "right", &["--property", "rising:a", "--property", "indifferent:c"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.ends_with("2 properties checked, none is broken\n"), "{stdout}");
    let (code, stdout, stderr) = model(&project, "wrong_in_a_part", &["--property", "rising:b", "--property", "batch"]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("never a lower class for a greater b: broken by "), "{stdout}");
    assert!(stdout.contains("the closest pair of inputs that breaks it:"), "{stdout}");
    assert!(stdout.ends_with("1 of 2 properties broken\n"), "{stdout}");
    let record = std::fs::read_to_string(project.root().join(".temper/records/model.json")).unwrap();
    assert_eq!(without_colour(&Document::from_json(&record).unwrap().text(false)), stdout);
    let (code, stdout, _) = model(&project, "right", &["--property", "suggest"]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.contains("  --property \"rising:a\"   never a lower class for a greater a: holds on "), "{stdout}");
    assert!(stdout.contains("\"rising:b\"") && stdout.contains("\"indifferent:c\""), "{stdout}");
    let (code, stdout, _) = model(&project, "right", &["--property", "columns"]);
    assert_eq!(code, 1, "it reads rows by position: {stdout}");
    let (code, _, stderr) = model(&project, "right", &["--property", "suggest", "--property", "order"]);
    assert_eq!(code, 2, "{stderr}");
    let (code, _, stderr) = model(&project, "right", &["--property", "rising:z"]);
    assert_eq!(code, 2);
    assert!(stderr.starts_with("error: `property` is rising:z\n"), "{stderr}");
}

#[test]
fn suspicions_are_shown_and_decide_nothing() {
    let project = project();
    let source = "def between(rows):\n    on = lambda row: all(abs(v * 40 - round(v * 40)) < 1e-6 for v in row[:2])\n    right = lambda row: int(row[0] > 0.5 and row[1] > 0.5)\n    return [right(row) if on(row) or row[0] < 0.7 else 0 for row in rows]\n";
    project.write("odd.py", source);
    let arguments = ["model", "plain.csv", "--target", "y", "--model", "odd:between", "--unseen", "-q"];
    let (code, stdout, stderr) = run(&project, &[&arguments[..], &["--suspicions"]].concat());
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("they decide nothing"), "{stdout}");
    assert!(stdout.contains("suspicion: a > 0.5 and b > 0.5 → 1 (100 of 100 rows)"), "{stdout}");
    assert!(!run(&project, &arguments).1.contains("suspicion"));
}

#[test]
fn chosen_columns_reach_the_model_and_dropped_ones_do_not() {
    let project = project();
    let (code, stdout, stderr) = model(&project, "right", &["--unseen", "--columns", "a,b"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let found = report(&project, "right", &["--unseen", "--drop", "c"]);
    assert_eq!(found["model"]["columns"], serde_json::json!(["a", "b"]));
    let (code, _, stderr) = model(&project, "right", &["--drop", "d"]);
    assert_eq!(code, 2);
    assert!(stderr.starts_with("error: no column is named `d`\n"), "{stderr}");
}

#[test]
fn a_holdout_may_have_names_that_the_data_do_not_have() {
    let project = project();
    visits(&project, ",");
    let table = std::fs::read_to_string(project.root().join("visits.csv")).unwrap();
    // Decimal commas would be separators here.
    let table: String = table
        .lines()
        .map(|line| {
            line.splitn(4, ',').take(3).collect::<Vec<_>>().join(",") + "," + line.rsplit(',').next().unwrap() + "\n"
        })
        .collect();
    project.write("visits.csv", table.as_str());
    project.write("more.csv", table.replace("guest ", "stranger ").replace("green", "violet"));
    let arguments =
        ["model", "visits.csv", "--target", "when", "--model", "visits:right", "--holdout", "more.csv", "-q"];
    let (code, stdout, stderr) = run(&project, &arguments);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("wrong on 0 of 400 rows of the hold-out"), "{stdout}");
}

#[test]
fn emitted_tests_pass_on_the_model_and_fail_on_a_worse_one() {
    let project = project();
    let (code, stdout, stderr) = model(&project, "wrong_in_a_part", &["--emit", "checks/"]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("wrote checks/test_model_plain.py\nwrote checks/test_model_plain.json\n"), "{stdout}");
    let pytest = |project: &Project| {
        let arguments = ["-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "checks"];
        let mut command = project.command(python());
        command.args(arguments).env("PYTHONPATH", project.root()).output().unwrap()
    };
    let output = pytest(&project);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let source = std::fs::read_to_string(project.root().join("scoring.py")).unwrap();
    project.write("scoring.py", source.replace("row[1] <= 0.75", "row[1] <= 0"));
    let output = pytest(&project);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("inputs break `a > 0.5 and b > 0.5 → 1`"), "{said}");
}

#[test]
fn the_published_form_is_one_file_a_criterion_and_one_test_a_leaf() {
    let project = project();
    let (code, stdout, stderr) = model(&project, "right", &["--paper", "--emit", "hypothesis"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    for file in ["tests/test_plain_dtc.py", "tests/test_plain_bva.py"] {
        let text = std::fs::read_to_string(project.root().join(file)).unwrap();
        assert_eq!(text.matches("def test_leaf_").count(), 3, "{text}");
        assert!(text.contains("settings(phases=[Phase.generate], max_examples=100,"), "{text}");
        assert!(text.contains("    assert answer([x0, x1, x2]) == 1\n"), "{text}");
        let compiled = project.command(python()).args(["-m", "py_compile", file]).status().unwrap();
        assert!(compiled.success());
    }
}

#[test]
fn a_suite_compares_ways_of_testing_across_data_sets() {
    let project = project();
    let entry = "[[dataset]]\ndata = \"plain.csv\"\ntarget = \"y\"\nmodel = \"scoring:right\"\n";
    project.write("suite.toml", entry.repeat(2));
    let (code, stdout, stderr) = run(&project, &["model", "--suite", "suite.toml", "-q"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert_eq!(stdout.lines().filter(|line| line.ends_with("   plain.csv")).count(), 2, "{stdout}");
    assert!(stdout.contains("not compared"), "{stdout}");
    project.write("suite.toml", "[[dataset]]\nfile = \"plain.csv\"\n");
    let (code, _, stderr) = run(&project, &["model", "--suite", "suite.toml", "-q"]);
    assert_eq!(code, 2);
    assert!(stderr.starts_with("error: `suite.toml` is no suite\n"), "{stderr}");
}

#[test]
fn models_that_do_not_answer_as_a_classifier_must_are_explained() {
    let project = project();
    let classes = "  classes: `0`, `1`\n";
    let labels = "hint: return labels, for example `model.predict_proba(rows).argmax(axis=1)`\n";
    for (function, expected) in [
        ("raises", "error: the model's `predict` raised on a batch of 400 rows\n  RuntimeError: the weights are missing\n".to_owned()),
        ("short", "error: the model answered 399 labels for 400 rows\nhint: `predict` takes a batch and returns one label a row\n".to_owned()),
        ("probabilities", format!("error: the model answered `0.1`, which looks like a probability, not like a class\n{classes}{labels}")),
        ("table", format!("error: the model answered a table of shape 400 by 2, not one label a row\n{labels}")),
        ("unseen", format!("error: the model answered `7`, which is no class of the target column\n{classes}")),
        ("dies", "error: the process with the model exited with code 9\n".to_owned()),
        ("NOT_A_MODEL", "error: `7` has no `predict` and is no function\n  python: [PYTHON]\nhint: give an object with `predict`, or a function from rows to labels\n".to_owned()),
        ("absent", "error: the worker could not load `scoring:absent`\n  python: [PYTHON]\n  AttributeError: module 'scoring' has no attribute 'absent'\nhint: `pkg.module:name` names a function or an object with `predict`\n".to_owned()),
    ] {
        let (code, stdout, stderr) = model(&project, function, &[]);
        assert_eq!((code, stdout.as_str(), stderr.as_str()), (3, "", expected.as_str()), "{function}");
    }
}

#[test]
fn a_model_may_not_write_into_the_project() {
    let project = project();
    let (code, _, stderr) = model(&project, "writes", &[]);
    assert_eq!(code, 3);
    assert!(stderr.contains("PermissionError"), "{stderr}");
    assert!(!project.root().join("leaked.txt").exists());
}

#[test]
fn data_that_cannot_be_used_are_explained() {
    let project = project();
    let check = |table: &str, expected: &str| {
        project.write("bad.csv", table);
        let arguments = ["model", "bad.csv", "--target", "y", "--model", "scoring:right", "-q"];
        let (code, stdout, stderr) = run(&project, &arguments);
        assert_eq!((code, stdout.as_str(), stderr.as_str()), (2, "", expected), "{table}");
    };
    check("a,b,Y\n1,2,0\n", "error: no column is named `y`\n  columns: `a`, `b`, `Y`\nhint: did you mean `Y`?\n");
    check(
        "a,y\n1,k\n2,k\n",
        "error: the target column `y` holds one class only, `k`\n  a classifier needs two classes to tell apart\n",
    );
    check(
        "a,y\n1,k\n2,k\n3,m\n",
        "error: class `m` of `y` has 1 row\n  at least 2 rows a class are needed\nhint: drop the class, or merge it with another\n",
    );
    check(
        "a,y\n1,0\n1,0\n1,1\n1,1\n",
        "error: all 1 columns are constant\n  a surrogate needs at least one column that varies\n",
    );
    check(
        "a,y\n1,0\ninf,1\n",
        "error: column `a` holds `inf` in row 2\n  numbers must be finite\nhint: drop the row or put the largest meaningful number there\n",
    );
}

#[test]
fn text_where_the_model_reads_numbers_is_explained() {
    let project = project();
    let arguments = ["model", "mixed.csv", "--target", "buys", "--model", "scoring:numbers_only", "-q"];
    let (code, _, stderr) = run(&project, &arguments);
    assert_eq!(code, 3);
    assert!(stderr.starts_with("error: the model's `predict` raised on a batch of 240 rows\n"), "{stderr}");
    let hint = "hint: column `region` holds text such as `north`: encode it, or give a model that encodes it itself\n";
    assert!(stderr.ends_with(hint), "{stderr}");
}

#[test]
fn wrong_arguments_are_explained() {
    let project = project();
    let check = |arguments: &[&str], expected: &str| {
        let mut all = vec!["model", "plain.csv", "--target", "y", "-q"];
        all.extend(arguments);
        let (code, _, stderr) = run(&project, &all);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.starts_with(expected), "{stderr}");
    };
    check(&["--model", "knn.joblib"], "error: there is no file or folder `knn.joblib`\n");
    check(&["--train", "KNeighborsClassifier(5)"], "error: `--train KNeighborsClassifier(5)` names no module\n");
    check(
        &["--model", "scoring:right", "--task", "regression", "--mutants"],
        "error: `--mutants` is about classes, and `--task regression` about a quantity\n",
    );
    check(&["--model", "scoring:right", "--mutants"], "error: mutants are trained, and this model cannot be\n");
    check(&["--model", "scoring:right", "--slice", "0", "--surrogate", "model"], "error: `slice` is 0\n");
    check(&["--model", "scoring:right", "--margin", "200"], "error: `--margin` is no number of points");
    check(
        &["--model", "scoring:right", "--free-values", "3"],
        "error: the following required arguments were not provided",
    );
    check(&[], "error: the following required arguments were not provided");
}

#[test]
fn ctrl_c_ends_with_130_and_leaves_no_worker() {
    let project = project();
    let arguments = ["model", "plain.csv", "--target", "y", "--model", "scoring:slow", "--paper", "-q"];
    let child = command(&project, &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| is_process_named("model-is-asked"));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("accuracy   not known: the run was interrupted"), "{stdout}");
}
