//! What a first command says when it does not get far, and tests that fail by luck, through the real program.

#![expect(clippy::unwrap_used, reason = "a test that cannot run the program has failed")]

use std::path::PathBuf;
use std::process::Command;

use temper_testkit::Project;

mod support;

use support::{command, python, run};

/// A folder of the fixture, as a project by itself.
fn folder(project: &Project, name: &str) -> PathBuf {
    let folder = project.root().join(name);
    std::fs::create_dir_all(folder.join(".git")).unwrap();
    folder
}

/// Exit code and standard error of `temper bounds` in a folder of the fixture, with the interpreter as `PYTHON`.
fn refused(name: &str, arguments: &[&str]) -> (i32, String) {
    let project = Project::fixture("setup_hints");
    let arguments = [&["bounds"], arguments].concat();
    let output = command(&project, &arguments).current_dir(folder(&project, name)).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).replace(&python().display().to_string(), "PYTHON");
    (output.status.code().unwrap(), stderr)
}

fn hint(folder: &str) -> String {
    let (_, stderr) = refused(folder, &[]);
    let hint = stderr.lines().find_map(|line| line.strip_prefix("hint: "));
    hint.unwrap_or_else(|| panic!("{folder}: {stderr}")).to_owned()
}

#[test]
fn what_a_project_lacks_is_named_with_the_interpreter_and_the_command() {
    for (folder, expected) in [
        ("plugin", "`--cov` is an option of pytest-cov: `PYTHON -m pip install pytest-cov`"),
        ("src_layout", "`solver` lies in `src`, which is not installed: `PYTHON -m pip install -e .`"),
        ("monorepo", "`one` is a project below this folder: `cd packages/one`, and run Temper there"),
        (
            "missing_library",
            "`PYTHON -m pip install a_library_that_nobody_has`, or name another Python with `--python PATH`",
        ),
        ("extras", "`PYTHON -m pip install a_library_that_nobody_has`, or `PYTHON -m pip install -e '.[test]'`"),
        ("fixture", "the fixture `mocker` is one of pytest-mock: `PYTHON -m pip install pytest-mock`"),
    ] {
        assert_eq!(hint(folder), expected, "{folder}");
    }
    let (code, stderr) = refused("newer", &[]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("hint: the project asks for Python >=3.99, and `PYTHON` is 3."), "{stderr}");
    let (code, stderr) = refused("notes", &["analysis.ipynb"]);
    assert_eq!((code, stderr.lines().next().unwrap()), (2, "error: `analysis.ipynb` is a notebook"));
    assert!(stderr.contains("hint: Temper judges assertions of test files; notebooks and doctests are not read"));
}

#[test]
fn a_python_without_pytest_is_named() {
    let project = Project::fixture("bounds_luck");
    let bare = project.root().parent().unwrap().join("bare");
    let made = Command::new(python()).args(["-m", "venv", "--without-pip"]).arg(&bare).status().unwrap();
    assert!(made.success());
    let bare = bare.join("bin/python");
    let output = project
        .command(support::TEMPER)
        .args(["bounds", "--python"])
        .arg(&bare)
        .env("TEMPER_PACKAGE_DIR", support::package(&project))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let expected = format!("hint: `{} -m pip install pytest`, or name the Python that has it", bare.display());
    assert!(stderr.contains(&expected), "{stderr}");
}

#[test]
fn scan_says_what_it_does_not_read_and_where_to_go_on() {
    let project = Project::fixture("setup_hints");
    let scan = |name: &str| {
        let output = command(&project, &["scan"]).current_dir(folder(&project, name)).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let notes = scan("notes");
    assert!(
        notes.contains("not     1 file with doctests and 1 notebook: doctests and notebooks are not read"),
        "{notes}"
    );
    let monorepo = scan("monorepo");
    assert!(monorepo.contains("Next: cd packages/one && temper bounds tests/test_one.py "), "{monorepo}");
    let nested = "Note: this folder holds 2 projects (`packages/one`, `packages/two`): run Temper in each of them";
    assert!(monorepo.contains(nested), "{monorepo}");
}

#[test]
fn scan_goes_on_with_the_file_that_is_most_likely_random() {
    let project = Project::empty();
    let many =
        |value: &str| (0..9).map(|at| format!("def test_{at}():\n    assert {value} < {at}.5\n")).collect::<String>();
    project.write("test_exact.py", format!("from code import parse\n{}", many("parse()")));
    project.write(
        "test_seeded.py",
        "import random\ndef test_x():\n    random.seed(3)\n    assert random.random() < 0.5\n",
    );
    let next = || {
        let (_, stdout, _) = run(&project, &["scan"]);
        stdout.lines().find_map(|line| line.strip_prefix("Next: ")).unwrap().to_owned()
    };
    assert!(next().starts_with("temper bounds --seeds vary test_seeded.py   "), "{}", next());
    project.write("test_trained.py", "from code import train\ndef test_x():\n    assert train() < 0.5\n");
    assert!(next().starts_with("temper bounds test_trained.py   "), "{}", next());
    project.write("test_drawn.py", "import random\ndef test_x():\n    assert random.random() < 0.5\n");
    assert!(next().starts_with("temper bounds test_drawn.py   "), "{}", next());
}

#[test]
fn tests_that_fail_by_luck_outside_their_assertions_are_found_and_replayed() {
    let project = Project::fixture("bounds_luck");
    let few = ["--pass", "0.9", "--runs", "60", "--verify-runs", "1", "--no-mutants"];
    let (code, stdout, stderr) = run(&project, &[&["bounds", "-q"], &few[..]].concat());
    assert_eq!(code, 1, "{stdout}{stderr}");
    let found: Vec<&str> =
        stdout.lines().filter(|line| line.contains("fails outside its approximate assertions")).collect();
    assert_eq!(found.len(), 2, "{stdout}");
    assert!(found[0].starts_with("test_luck.py:4  ") && found[1].starts_with("test_luck.py:9  "), "{stdout}");
    assert!(stdout.contains("ValueError: the matrix is singular (test_luck.py:12)"), "{stdout}");
    assert!(stdout.contains(" failed: "), "{stdout}");
    let id = found[1].split_whitespace().last().unwrap();
    let (code, replayed, stderr) = run(&project, &["replay", id]);
    assert_eq!(code, 1, "{replayed}{stderr}");
    assert!(replayed.contains("ValueError: the matrix is singular"), "{replayed}");
}
