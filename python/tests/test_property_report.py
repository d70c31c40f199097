"""`pytest --temper-report`: property tests are part of what `temper report` shows."""

import json
import subprocess
import sys

import pytest

TESTS = """
import temper


@temper.forall(n=temper.ints(0, 10**6))
def test_broken(n):
    temper.maximize(n)
    assert n < 900_000


@temper.forall(n=temper.ints(0, 3))
def test_holds(n):
    assert n < 4


def test_plain():
    assert True
"""


def run(folder, *command):
    return subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("more", [[], ["-n", "2"]])
def test_what_property_tests_found_is_reported(tmp_path, more):
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pyproject.toml").write_text("")
    pytest_run = ["pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *more]
    assert run(tmp_path, *pytest_run).returncode == 1
    assert not (tmp_path / ".temper").exists(), "nothing is kept unless it is asked for"
    assert run(tmp_path, *pytest_run, "--temper-report").returncode == 1
    record = json.loads((tmp_path / ".temper/records/properties.json").read_text())
    broken, holds = sorted(record["subjects"], key=lambda subject: subject["name"])
    assert (broken["verdict"], holds["verdict"]) == ("found", "clean")
    assert (broken["line"], holds["line"], holds["evidence"]["exhausted"]) == (5, 11, True)
    (finding,) = record["findings"]
    assert (finding["kind"], finding["call"]) == ("counterexample", "test_broken(n=900000)")
    assert finding["evidence"]["reproduce"] == "pytest test_it.py::test_broken"
    said = run(tmp_path, "temper", "report", "-v").stdout
    assert "property tests\n" in said and "counterexample  P" in said and "holds for all inputs, 4 tests" in said
    for form in ("html", "sarif", "junit", "md", "gitlab", "json"):
        done = run(tmp_path, "temper", "report", "--format", form)
        assert done.returncode == 0 and "test_broken" in done.stdout, (form, done.stderr)


def test_nothing_is_written_through_a_link(tmp_path):
    inside, elsewhere = tmp_path / "inside", tmp_path / "elsewhere"
    for folder in (inside, elsewhere):
        folder.mkdir()
    (inside / "test_it.py").write_text(TESTS)
    (inside / ".temper").symlink_to(elsewhere)
    done = run(inside, "pytest", "-q", "-p", "no:cacheprovider", "--temper-report")
    assert not list(elsewhere.iterdir())
    assert "what property tests found is not kept" in done.stdout
