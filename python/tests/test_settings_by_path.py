"""Settings that hold for some files only: `[[tool.temper.override]]` in pyproject.toml, through the real command."""

import json
import subprocess
import sys

import pytest

OVERRIDE = '[tool.temper]\ndraws = 30\n[[tool.temper.override]]\npaths = ["slow"]\ndraws = 7\nruns = 12\npass = 0.5\n'
FUNCTION = "from temper import arg, ints\n\n@arg('n', ints(0, 10**6))\ndef half(n):\n    return n // 2\n"
TEST = "import random\n\ndef test_luck():\n    assert random.random() < 0.8\n"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pyproject.toml").write_text(OVERRIDE)
    (tmp_path / "slow").mkdir()
    for folder in ("", "slow/"):
        (tmp_path / f"{folder}model.py").write_text(FUNCTION)
    (tmp_path / "test_quick.py").write_text(TEST)
    (tmp_path / "slow/test_slow.py").write_text(TEST)
    return tmp_path


def temper(project, *arguments):
    command = [sys.executable, "-m", "temper", *arguments]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def test_they_are_shown_with_their_paths_and_give_way_to_the_command_line(project):
    _, shown, _ = temper(project, "config")
    rows = [line.split(maxsplit=2) for line in shown.splitlines()]
    assert ["draws", "7", "pyproject.toml:5, for slow"] in rows and ["draws", "30", "pyproject.toml:2"] in rows
    _, document, _ = temper(project, "check", "--no-search", "--draws", "5", "--format", "json", "-q")
    assert {subject["evidence"]["valid"] for subject in json.loads(document)["subjects"]} == {5}


def test_functions_of_some_files_have_their_own_draws(project):
    _, document, _ = temper(project, "check", "--no-search", "--format", "json", "-q")
    drawn = {subject["path"]: subject["evidence"]["valid"] for subject in json.loads(document)["subjects"]}
    assert drawn == {"model.py": 30, "slow/model.py": 7}


def test_tests_of_some_files_have_their_own_runs_and_target(project):
    code, document, _ = temper(project, "bounds", "--no-mutants", "--verify-runs", "1", "--format", "json", "-q")
    # A fifth of the runs fail: too many for 0.999, and few for a half.
    found = {subject["path"]: subject["evidence"] for subject in json.loads(document)["subjects"]}
    quick, slow = found["test_quick.py"], found["slow/test_slow.py"]
    assert code == 1 and (quick["verdict"], quick["judged_at"]) == ("flaky", 0.999)
    assert slow["verdict"] != "flaky" and slow["judged_at"] == 0.5 and slow["runs"] <= 12 < quick["runs"]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("paths = ['a']\nconfidence = 0.9", "has no setting `confidence`"),
        ("runs = 3", "names no paths"),
        ("paths = 'a'\nruns = 3", "`paths` of an override cannot be read"),
        ("paths = ['a']\nruns = 0", "setting `runs` cannot be `0`"),
    ],
)
def test_what_cannot_differ_by_path_is_refused(tmp_path, table, said):
    (tmp_path / "pyproject.toml").write_text(f"[[tool.temper.override]]\n{table}\n")
    code, _, stderr = temper(tmp_path, "config")
    assert code == 2 and said in stderr and "pyproject.toml:" in stderr, stderr
