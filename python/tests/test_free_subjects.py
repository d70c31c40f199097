"""Functions, methods and constructors that need no argument, and domains that are small enough to be enumerated."""

import sys
import textwrap

from temper.check import checker
from test_check import check_json, copy, run

OPTIONS = {"hints": False, "side": [], "free": True, "secs": 600.0, "draws": 200, "seed": 0, "search": True}


def check(text, name, tmp_path, monkeypatch, **options):
    """The check of one function of a module with this text."""
    module = f"free_{tmp_path.name}"
    (tmp_path / f"{module}.py").write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop(module, None)
    return checker.check(module, name, {**OPTIONS, "root": str(tmp_path), **options})


def test_what_needs_no_argument_is_a_subject_of_a_module_that_is_named(tmp_path):
    project = copy("check_free", tmp_path)
    code, document, stderr = check_json("free.py", cwd=project)
    assert code == 1, stderr
    lines = (project / "free.py").read_text().splitlines()
    marked = {number for number, line in enumerate(lines, 1) if "# BUG" in line}
    assert {finding["line"] for finding in document["findings"]} == marked
    assert all(finding["evidence"]["recurs"] for finding in document["findings"])
    names = {subject["name"] for subject in document["subjects"]}
    functions = {"default_layers", "attention", "main", "Config.__init__"}
    assert names == functions | {"Meter.__init__", "Meter.mean", "Meter.stop", "Meter"}
    for subject in document["subjects"]:
        assert subject["evidence"]["valid"] == 1 or subject["name"] == "Meter", subject


def test_a_project_without_annotations_is_told_what_there_would_be(tmp_path):
    project = copy("check_free", tmp_path)
    code, stdout, stderr = run("check", cwd=project)
    assert (code, stdout) == (5, "")
    assert "hint: `temper check --suggest` proposes annotations for 10 functions" in stderr
    code, stdout, _ = run("scan", cwd=project)
    assert "Next: temper check --suggest   proposes annotations for 10 functions" in stdout


def test_tests_fixtures_and_what_needs_an_instance_of_nobody_knows_what_are_left_alone(tmp_path, monkeypatch):
    text = """
        import pytest

        def test_something():
            assert False

        @pytest.fixture
        def data():
            return 1 / 0

        class Net:
            def __init__(self, layers):
                self.layers = layers

            def depth(self):
                return 1 / 0

        def main():
            raise SystemExit(2)
    """
    reply = check(text, "main", tmp_path, monkeypatch)
    assert (reply["findings"], reply["documented"]) == ([], 1)
    found = checker.survey(f"free_{tmp_path.name}", {**OPTIONS, "root": str(tmp_path)})["subjects"]
    assert [subject["name"] for subject in found] == ["main"]


def test_a_function_without_arguments_is_called_once(tmp_path, monkeypatch):
    text = """
        CALLS = []

        def count():
            CALLS.append(len(CALLS))
            if len(CALLS) > 2:
                return 1
    """
    reply = check(text, "count", tmp_path, monkeypatch)
    assert (reply["valid"], reply["search_calls"]) == (1, 0)
    assert len(sys.modules[f"free_{tmp_path.name}"].CALLS) == 1


def test_a_small_domain_is_enumerated_and_then_left(tmp_path, monkeypatch):
    text = """
        from temper import args, bools, froms, ints

        SEEN = []

        @args(n=ints(1, 3), flag=bools(), mode=froms(["a", "b"]))
        def grow(n, flag, mode="b"):
            SEEN.append((n, flag, mode))
            if n == 3 and flag and mode == "a":
                raise KeyError(n)
    """
    reply = check(text, "grow", tmp_path, monkeypatch)
    assert (reply["valid"], reply["search_calls"]) == (12, 0)
    assert [finding["call"] for finding in reply["findings"]] == ["grow(3, flag=True, mode='a')"]
    assert len(set(sys.modules[f"free_{tmp_path.name}"].SEEN)) == 12


def test_an_input_that_ended_its_process_is_not_enumerated_again(tmp_path, monkeypatch):
    text = """
        from temper import arg, ints

        @arg("n", ints(1, 3))
        def grow(n):
            return n
    """
    assert check(text, "grow", tmp_path, monkeypatch, enumerate=False)["valid"] == 200


def test_a_call_that_is_broken_off_is_late_whatever_is_raised_in_its_place(tmp_path, monkeypatch):
    """Compilers of functions turn every exception that passes through them into another one."""
    text = """
        import time

        from temper import arg, froms

        @arg("n", froms([1]))
        def compiled(n):
            try:
                time.sleep(600)
            except BaseException as error:
                raise TypeError("cannot be compiled") from error
    """
    monkeypatch.setattr("temper.check.judge.SLOW_SECS", 0.2)
    reply = check(text, "compiled", tmp_path, monkeypatch, search=False)
    assert (reply["slow"], reply["findings"]) == (1, [])
