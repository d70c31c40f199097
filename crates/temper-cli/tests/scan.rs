//! `temper scan` through the real program: what it says, and what it does with projects that are not as they should be.

use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use insta::assert_snapshot;
use temper_testkit::{Project, wait_for};

const TEMPER: &str = env!("CARGO_BIN_EXE_temper");

#[test]
fn the_whole_project_is_counted() {
    assert_snapshot!(Project::fixture("mixed_assertions").run(TEMPER, &["scan"]), @"
    exit 0
    --- stdout
    6 approximate assertions in 1 file, 3 files read
      form    3 compare · 2 assert-allclose · 1 approx
      seed    3 where a seed is fixed · 3 where random numbers are drawn without a seed
      bound   4 in the assertion · 1 by default of the function · 1 by name
      also    1 comparison of lengths, shapes and counts, which are exact
      unclear 1 that look approximate but are not understood (-v lists them)
    6 tests, 2 of them fix a seed
    1 annotated function in 1 file
    Next: temper bounds tests/test_numbers.py   runs its tests many times and judges 6 bounds
    Next: temper check   looks for inputs that crash the annotated functions
    --- stderr
    ");
}

#[test]
fn verbose_lists_every_site_and_what_is_not_understood() {
    assert_snapshot!(Project::fixture("mixed_assertions").run(TEMPER, &["scan", "-v"]), @"
    exit 0
    --- stdout
    tests/test_numbers.py:12:5  compare < 0.3  assert abs(np.random.randn(100).mean()) < 0.3
    tests/test_numbers.py:17:5  compare > -0.2  assert -0.2 < np.random.randn(100).mean() < 0.2
    tests/test_numbers.py:17:5  compare < 0.2  assert -0.2 < np.random.randn(100).mean() < 0.2
    tests/test_numbers.py:21:5  assert-allclose atol 0.6  npt.assert_allclose(np.random.rand(3), 0.5, atol=0.6)
    tests/test_numbers.py:22:5  assert-allclose rtol 1e-7  npt.assert_allclose([1.0], [1.0])
    tests/test_numbers.py:27:5  approx atol 0.05  assert random.gauss(1, 0.01) == pytest.approx(1, abs=TOLERANCE)
    tests/test_numbers.py:31:5  not understood: `helpers.assert_close_enough` looks like an approximate assertion, but its rule is not known  assert_close_enough(random.random(), 0.5)
    pkg/nets.py:5  annotated: layer
    6 approximate assertions in 1 file, 3 files read
      form    3 compare · 2 assert-allclose · 1 approx
      seed    3 where a seed is fixed · 3 where random numbers are drawn without a seed
      bound   4 in the assertion · 1 by default of the function · 1 by name
      also    1 comparison of lengths, shapes and counts, which are exact
      unclear 1 that look approximate but are not understood (listed above)
    6 tests, 2 of them fix a seed
    1 annotated function in 1 file
    Next: temper bounds tests/test_numbers.py   runs its tests many times and judges 6 bounds
    Next: temper check   looks for inputs that crash the annotated functions
    --- stderr
    ");
}

#[test]
fn json_has_everything() {
    let project = Project::fixture("mixed_assertions");
    assert_snapshot!(project.run(TEMPER, &["scan", "--format", "json", "tests/test_numbers.py"]), @r#"
    exit 0
    --- stdout
    {
      "schema_version": 1,
      "command": "scan",
      "versions": {
        "temper": "[VERSION]"
      },
      "seed": null,
      "subjects": [],
      "findings": [],
      "python": null,
      "inventory": {
        "files_found": 1,
        "files_read": 1,
        "files_failed": [],
        "tests": 6,
        "tests_with_seed": 2,
        "by_form": {
          "approx": 1,
          "assert-allclose": 2,
          "compare": 3
        },
        "sites": [
          {
            "path": "tests/test_numbers.py",
            "line": 12,
            "column": 5,
            "form": "compare",
            "owner": "test_mean_is_small",
            "direction": "upper",
            "is_strict": true,
            "bounds": [
              {
                "role": "value",
                "value": 0.3,
                "origin": "here"
              }
            ],
            "code": "assert abs(np.random.randn(100).mean()) < 0.3",
            "is_in_loop": false,
            "exact": null,
            "seed": "unfixed"
          },
          {
            "path": "tests/test_numbers.py",
            "line": 17,
            "column": 5,
            "form": "compare",
            "owner": "test_seeded_mean_is_small",
            "direction": "lower",
            "is_strict": true,
            "bounds": [
              {
                "role": "value",
                "value": -0.2,
                "origin": "here"
              }
            ],
            "code": "assert -0.2 < np.random.randn(100).mean() < 0.2",
            "is_in_loop": false,
            "exact": null,
            "seed": "fixed"
          },
          {
            "path": "tests/test_numbers.py",
            "line": 17,
            "column": 5,
            "form": "compare",
            "owner": "test_seeded_mean_is_small",
            "direction": "upper",
            "is_strict": true,
            "bounds": [
              {
                "role": "value",
                "value": 0.2,
                "origin": "here"
              }
            ],
            "code": "assert -0.2 < np.random.randn(100).mean() < 0.2",
            "is_in_loop": false,
            "exact": null,
            "seed": "fixed"
          },
          {
            "path": "tests/test_numbers.py",
            "line": 21,
            "column": 5,
            "form": "assert-allclose",
            "owner": "test_close",
            "direction": "upper",
            "is_strict": false,
            "bounds": [
              {
                "role": "relative",
                "value": 1e-7,
                "origin": "default"
              },
              {
                "role": "absolute",
                "value": 0.6,
                "origin": "here"
              }
            ],
            "code": "npt.assert_allclose(np.random.rand(3), 0.5, atol=0.6)",
            "is_in_loop": false,
            "exact": null,
            "seed": "unfixed"
          },
          {
            "path": "tests/test_numbers.py",
            "line": 22,
            "column": 5,
            "form": "assert-allclose",
            "owner": "test_close",
            "direction": "upper",
            "is_strict": false,
            "bounds": [
              {
                "role": "relative",
                "value": 1e-7,
                "origin": "default"
              },
              {
                "role": "absolute",
                "value": 0.0,
                "origin": "default"
              }
            ],
            "code": "npt.assert_allclose([1.0], [1.0])",
            "is_in_loop": false,
            "exact": null,
            "seed": "unfixed"
          },
          {
            "path": "tests/test_numbers.py",
            "line": 27,
            "column": 5,
            "form": "approx",
            "owner": "test_approx",
            "direction": "upper",
            "is_strict": false,
            "bounds": [
              {
                "role": "absolute",
                "value": 0.05,
                "origin": "module"
              }
            ],
            "code": "assert random.gauss(1, 0.01) == pytest.approx(1, abs=TOLERANCE)",
            "is_in_loop": false,
            "exact": null,
            "seed": "fixed"
          },
          {
            "path": "tests/test_numbers.py",
            "line": 35,
            "column": 5,
            "form": "compare",
            "owner": "test_shape",
            "direction": "lower",
            "is_strict": true,
            "bounds": [
              {
                "role": "value",
                "value": 2.0,
                "origin": "here"
              }
            ],
            "code": "assert len(np.zeros(3)) > 2",
            "is_in_loop": false,
            "exact": "length",
            "seed": "unseen"
          }
        ],
        "not_understood": [
          {
            "path": "tests/test_numbers.py",
            "line": 31,
            "column": 5,
            "reason": "`helpers.assert_close_enough` looks like an approximate assertion, but its rule is not known",
            "code": "assert_close_enough(random.random(), 0.5)"
          }
        ],
        "comparisons_outside_tests": 0,
        "annotated": [],
        "doctests": 0,
        "notebooks": 0
      }
    }
    --- stderr
    "#);
}

#[test]
fn excluded_folders_are_left_alone() {
    let transcript = Project::fixture("mixed_assertions").run(TEMPER, &["scan", "--exclude", "tests"]);
    assert_snapshot!(transcript, @"
    exit 0
    --- stdout
    0 approximate assertions, 2 files read
    1 annotated function in 1 file
    Temper looks for assertions such as `assert accuracy > 0.8` and `assert_allclose(x, y, rtol=1e-3)`.
    Next: temper check   looks for inputs that crash the annotated functions
    --- stderr
    ");
}

#[test]
fn excluded_paths_are_relative_to_the_project_whatever_is_named() {
    let project = Project::fixture("mixed_assertions");
    project.write("tests/data/test_more.py", "def test_more():\n    assert f() < 0.5\n");
    project.write("pyproject.toml", "[tool.temper]\nexclude = [\"tests/data\"]\n");
    for arguments in [vec!["scan"], vec!["scan", "tests"]] {
        let transcript = project.run(TEMPER, &arguments);
        assert!(transcript.contains("6 approximate assertions in 1 file"), "{transcript}");
    }
}

#[test]
fn below_the_root_the_current_folder_is_scanned() {
    let project = Project::fixture("mixed_assertions");
    let output = project.command(TEMPER).arg("scan").current_dir(project.root().join("pkg")).output().unwrap();
    let transcript = project.transcript(&output);
    assert!(transcript.contains("0 approximate assertions, 2 files read"), "{transcript}");
}

#[test]
fn the_interpreter_of_the_project_is_named() {
    let project = Project::fixture("mixed_assertions");
    project.write(".venv/bin/python", "").write(".venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.1\n");
    let transcript = project.run(TEMPER, &["scan"]);
    assert!(transcript.contains(".venv/bin/python 3.12.1"), "{transcript}");
}

#[test]
fn an_interpreter_that_is_not_there_is_a_usage_error() {
    assert_snapshot!(Project::fixture("mixed_assertions").run(TEMPER, &["scan", "--python", "no/python"]), @"
    exit 2
    --- stdout
    --- stderr
    error: there is no interpreter `[ROOT]/no/python`
    hint: name the program itself, as in `--python .venv/bin/python`
    ");
}

#[test]
fn a_wrong_path_is_a_usage_error() {
    assert_snapshot!(Project::fixture("mixed_assertions").run(TEMPER, &["scan", "test"]), @"
    exit 2
    --- stdout
    --- stderr
    error: there is no file or folder `test`
    hint: did you mean `tests`?
    ");
}

#[test]
fn an_empty_project_has_nothing_to_do() {
    assert_snapshot!(Project::empty().run(TEMPER, &["scan"]), @"
    exit 5
    --- stdout
    --- stderr
    warning: there are no Python files here
      --> [ROOT]
    hint: name the files or folders to read, as in `temper scan src tests`
    ");
}

#[test]
fn a_project_without_assertions_says_what_was_looked_for() {
    let project = Project::empty();
    project.write("main.py", "print('hello')\n");
    assert_snapshot!(project.run(TEMPER, &["scan"]), @"
    exit 0
    --- stdout
    0 approximate assertions, 1 file read
    Temper looks for assertions such as `assert accuracy > 0.8` and `assert_allclose(x, y, rtol=1e-3)`.
    --- stderr
    ");
}

#[test]
fn the_next_step_is_where_random_numbers_are_drawn_without_a_seed() {
    let project = Project::empty();
    project.write("test_formula.py", "def test_f(f):\n    assert f(1) < 0.5\n    assert f(2) < 0.7\n");
    project.write("test_noise.py", "import random\n\ndef test_noise():\n    assert random.gauss(0, 1) < 2.5\n");
    let said = project.run(TEMPER, &["scan"]);
    assert!(
        said.contains("Next: temper bounds test_noise.py   runs its tests many times and judges 1 bound\n"),
        "{said}"
    );
}

#[test]
fn a_syntax_error_costs_one_file() {
    let project = Project::fixture("mixed_assertions");
    project.write("tests/test_broken.py", "def test_it(:\n    assert x < 1\n");
    assert_snapshot!(project.run(TEMPER, &["scan"]), @"
    exit 0
    --- stdout
    6 approximate assertions in 1 file, 3 files read
      form    3 compare · 2 assert-allclose · 1 approx
      seed    3 where a seed is fixed · 3 where random numbers are drawn without a seed
      bound   4 in the assertion · 1 by default of the function · 1 by name
      also    1 comparison of lengths, shapes and counts, which are exact
      unclear 1 that look approximate but are not understood (-v lists them)
    6 tests, 2 of them fix a seed
    1 annotated function in 1 file
    Next: temper bounds tests/test_numbers.py   runs its tests many times and judges 6 bounds
    Next: temper check   looks for inputs that crash the annotated functions
    --- stderr
    warning: syntax error: Expected a parameter or the end of the parameter list
      --> tests/test_broken.py:1:13
    ");
}

#[test]
fn a_project_of_which_no_file_can_be_read_is_not_green() {
    let project = Project::empty();
    project.write("test_broken.py", "def test_it(:\n");
    assert_snapshot!(project.run(TEMPER, &["scan"]), @"
    exit 4
    --- stdout
    0 approximate assertions, 0 files read
    Temper looks for assertions such as `assert accuracy > 0.8` and `assert_allclose(x, y, rtol=1e-3)`.
    --- stderr
    warning: syntax error: Expected a parameter or the end of the parameter list
      --> test_broken.py:1:13
    ");
}

#[test]
fn an_unreadable_file_costs_one_file() {
    let project = Project::fixture("mixed_assertions");
    // Permissions do not stop a superuser, who runs the tests on some machines; a wrong encoding stops everybody.
    project.write("tests/test_bytes.py", b"# coding: utf-8\nx = '\xff'\n");
    assert_snapshot!(project.run(TEMPER, &["scan"]), @"
    exit 0
    --- stdout
    6 approximate assertions in 1 file, 3 files read
      form    3 compare · 2 assert-allclose · 1 approx
      seed    3 where a seed is fixed · 3 where random numbers are drawn without a seed
      bound   4 in the assertion · 1 by default of the function · 1 by name
      also    1 comparison of lengths, shapes and counts, which are exact
      unclear 1 that look approximate but are not understood (-v lists them)
    6 tests, 2 of them fix a seed
    1 annotated function in 1 file
    Next: temper bounds tests/test_numbers.py   runs its tests many times and judges 6 bounds
    Next: temper check   looks for inputs that crash the annotated functions
    --- stderr
    warning: byte 0xff at offset 21 of `tests/test_bytes.py` is not utf-8
    ");
}

#[test]
fn a_file_without_read_permission_costs_one_file() {
    let project = Project::fixture("mixed_assertions");
    let path = project.root().join("tests/test_locked.py");
    project.write("tests/test_locked.py", "");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&path).is_ok() {
        eprintln!("skipped: this user reads files whatever their permissions");
        return;
    }
    let transcript = project.run(TEMPER, &["scan"]);
    assert!(transcript.starts_with("exit 0"), "{transcript}");
    assert!(transcript.contains("Permission denied"), "{transcript}");
}

#[test]
fn ctrl_c_prints_what_there_is_and_ends_with_130() {
    let project = Project::empty();
    for number in 0..200 {
        project.write(&format!("test_{number:03}.py"), "def test_it():\n    assert abs(f()) < 0.5\n");
    }
    let mut command = project.command(TEMPER);
    let has_begun = project.root().join("begun");
    let fault = format!("slow:100:{}", has_begun.display());
    command.args(["scan", "--jobs", "2"]).env("TEMPER_TEST_FAULT", fault);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| has_begun.exists());
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let transcript = project.transcript(&child.wait_with_output().unwrap());
    assert!(transcript.starts_with("exit 130\n"), "{transcript}");
    assert!(transcript.contains("approximate assertions in"), "{transcript}");
    assert!(transcript.contains("warning: interrupted"), "{transcript}");
}

#[test]
fn quiet_keeps_the_results_and_drops_the_warnings() {
    let project = Project::fixture("mixed_assertions");
    project.write("tests/test_broken.py", "def test_it(:\n");
    let transcript = project.run(TEMPER, &["scan", "-q"]);
    assert!(transcript.ends_with("--- stderr\n"), "{transcript}");
}

#[test]
fn colour_is_used_only_when_it_is_wanted() {
    let project = Project::fixture("mixed_assertions");
    let scan = |variable: &str| {
        let output = project.command(TEMPER).args(["scan", "nowhere"]).env(variable, "1").output().unwrap();
        String::from_utf8_lossy(&output.stderr).contains('\x1b')
    };
    assert!(scan("FORCE_COLOR"));
    assert!(!scan("NO_COLOR"));
}
