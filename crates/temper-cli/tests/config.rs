//! `temper config` and everything that can be wrong with settings, through the real program.

use insta::assert_snapshot;
use temper_testkit::Project;

const TEMPER: &str = env!("CARGO_BIN_EXE_temper");

fn with_settings(table: &str) -> Project {
    let project = Project::empty();
    project.write("pyproject.toml", format!("[project]\nname = \"x\"\n\n[tool.temper]\n{table}\n"));
    project
}

#[test]
fn each_value_is_shown_with_its_origin() {
    let project = with_settings("exclude = [\"docs\"]\njobs = 3");
    let mut command = project.command(TEMPER);
    command.args(["config", "--python", "py"]).env("TEMPER_JOBS", "2");
    assert_snapshot!(project.transcript(&command.output().unwrap()), @r#"
    exit 0
    --- stdout
    paths            ["."]       default
    exclude          ["docs"]    pyproject.toml:5
    python           py          --python
    jobs             2           TEMPER_JOBS
    executor         local       default
    format           text        default
    output           -           default
    report           []          default
    seed             0           default
    draws            200         default
    runs             3000        default
    budget           none        default
    time-limit       60s         default
    memory-limit     16GB        default
    store-limit      1GB         default
    pass-env         []          default
    pass             0.999       default
    confidence       0.95        default
    seeds            keep        default
    method           calibrated  default
    empirical-width  0.25        default
    verify-runs      500         default
    operators        []          default
    mutant-fraction  1.0         default
    swaps            []          default
    --- stderr
    "#);
}

#[test]
fn json_has_the_same() {
    let project = with_settings("jobs = 3");
    assert_snapshot!(project.run(TEMPER, &["config", "--format", "json"]), @r#"
    exit 0
    --- stdout
    {
      "schema_version": 1,
      "command": "config",
      "versions": {
        "temper": "[VERSION]"
      },
      "seed": null,
      "subjects": [],
      "findings": [],
      "settings": [
        {
          "key": "paths",
          "value": [
            "."
          ],
          "origin": "default"
        },
        {
          "key": "exclude",
          "value": [],
          "origin": "default"
        },
        {
          "key": "python",
          "value": "auto",
          "origin": "default"
        },
        {
          "key": "jobs",
          "value": 3,
          "origin": "pyproject.toml:5"
        },
        {
          "key": "executor",
          "value": "local",
          "origin": "default"
        },
        {
          "key": "format",
          "value": "json",
          "origin": "--format"
        },
        {
          "key": "output",
          "value": "-",
          "origin": "default"
        },
        {
          "key": "report",
          "value": [],
          "origin": "default"
        },
        {
          "key": "seed",
          "value": 0,
          "origin": "default"
        },
        {
          "key": "draws",
          "value": 200,
          "origin": "default"
        },
        {
          "key": "runs",
          "value": 3000,
          "origin": "default"
        },
        {
          "key": "budget",
          "value": "none",
          "origin": "default"
        },
        {
          "key": "time-limit",
          "value": "60s",
          "origin": "default"
        },
        {
          "key": "memory-limit",
          "value": "16GB",
          "origin": "default"
        },
        {
          "key": "store-limit",
          "value": "1GB",
          "origin": "default"
        },
        {
          "key": "pass-env",
          "value": [],
          "origin": "default"
        },
        {
          "key": "pass",
          "value": 0.999,
          "origin": "default"
        },
        {
          "key": "confidence",
          "value": 0.95,
          "origin": "default"
        },
        {
          "key": "seeds",
          "value": "keep",
          "origin": "default"
        },
        {
          "key": "method",
          "value": "calibrated",
          "origin": "default"
        },
        {
          "key": "empirical-width",
          "value": 0.25,
          "origin": "default"
        },
        {
          "key": "verify-runs",
          "value": 500,
          "origin": "default"
        },
        {
          "key": "operators",
          "value": [],
          "origin": "default"
        },
        {
          "key": "mutant-fraction",
          "value": 1.0,
          "origin": "default"
        },
        {
          "key": "swaps",
          "value": [],
          "origin": "default"
        }
      ]
    }
    --- stderr
    "#);
}

#[test]
fn the_defaults_are_a_template_that_can_be_used_as_it_is() {
    let defaults = include_str!("../defaults.toml");
    let project = with_settings(defaults);
    let printed = project.command(TEMPER).args(["config", "--defaults"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&printed.stdout), defaults);
    assert!(printed.status.success());
}

#[test]
fn an_unknown_key_names_the_right_one() {
    assert_snapshot!(with_settings("excludes = []").run(TEMPER, &["config"]), @"
    exit 2
    --- stdout
    --- stderr
    error: `[tool.temper]` has no setting `excludes`
      --> pyproject.toml:5
    hint: did you mean `exclude`?
    ");
}

#[test]
fn a_key_like_no_other_points_to_the_list() {
    assert_snapshot!(with_settings("zzz = 1").run(TEMPER, &["config"]), @"
    exit 2
    --- stdout
    --- stderr
    error: `[tool.temper]` has no setting `zzz`
      --> pyproject.toml:5
    hint: `temper config` lists the settings
    ");
}

#[test]
fn a_bad_value_in_the_file_says_what_the_setting_takes() {
    assert_snapshot!(with_settings("jobs = 0").run(TEMPER, &["config"]), @r#"
    exit 2
    --- stdout
    --- stderr
    error: setting `jobs` cannot be `0`
      --> pyproject.toml:5
    hint: it takes a whole number from 1, or "auto"
    "#);
}

#[test]
fn a_bad_value_in_the_environment_names_the_variable() {
    let project = Project::empty();
    let output = project.command(TEMPER).arg("config").env("TEMPER_FORMAT", "pdf").output().unwrap();
    assert_snapshot!(project.transcript(&output), @r#"
    exit 2
    --- stdout
    --- stderr
    error: setting `format` cannot be `pdf`
      --> TEMPER_FORMAT
    hint: it takes "text", "json", "md", "github", "gitlab", "sarif", "junit" or "html"
    "#);
}

#[test]
fn a_broken_file_is_pointed_at() {
    let project = Project::empty();
    project.write("pyproject.toml", "[tool.temper]\njobs = \n");
    assert_snapshot!(project.run(TEMPER, &["config"]), @"
    exit 2
    --- stdout
    --- stderr
    error: `pyproject.toml` is not valid TOML
      --> pyproject.toml:2
      string values must be quoted, expected literal string
    ");
}

#[test]
fn results_can_be_written_to_a_file() {
    let project = Project::empty();
    let transcript = project.run(TEMPER, &["config", "--output", "out.txt"]);
    assert_eq!(transcript, "exit 0\n--- stdout\n--- stderr\n");
    let written = std::fs::read_to_string(project.root().join("out.txt")).unwrap();
    assert!(written.contains("output           out.txt     --output"), "{written}");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    assert_snapshot!(Project::empty().run(TEMPER, &["config", "--output", "no/such/folder"]), @"
    exit 2
    --- stdout
    --- stderr
    error: cannot write `no/such/folder`
      No such file or directory (os error 2)
    ");
}
