"""``pytest --temper-record``: ordinary test runs as samples for ``temper bounds --no-run``."""

import json
import re
import subprocess
import sys

import pytest

FAILING = """\
import unittest

import numpy as np
import pytest
from helper import f, close


def test_message():
    x = 0.9
    assert f(x) < 0.5, "too large"


def test_function():
    np.testing.assert_allclose(np.array([1.0, 2.0]), np.array([1.0, 2.1]), rtol=1e-3)


def test_array():
    x = np.arange(4.0)
    assert (x < 3).all()


def test_chain():
    assert 0.1 < f(0.25) < 0.05 + f(0)


def test_approx():
    assert f(1.0) == pytest.approx(2.1, rel=1e-3)


def test_both():
    assert f(0.5) < 3.0 and abs(f(0.25) - 2) < 0.25


def test_negated():
    assert not f(1.0) > 1.5


def test_helper():
    close(f(1.0), 2.5)


def test_raises_in_the_comparison():
    assert f("a") < 2.0


class TestUnit(unittest.TestCase):
    def test_almost(self):
        self.assertAlmostEqual(f(1.0), 2.2, places=3)


@pytest.mark.parametrize("k", [1, 3])
def test_parameters(k):
    assert k * f(0.0) <= 2.5
"""
HELPER = """\
def f(x):
    return x + 1


def close(a, b):
    assert abs(a - b) < 0.1
"""
RANDOM = """\
import random


def test_flaky():
    assert random.random() < 0.9


def test_sound():
    assert random.gauss(0, 1) < 40.0


def test_seeded():
    random.seed(7)
    assert random.random() < 0.5
"""


def project(folder, **files):
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def run_pytest(folder, *arguments):
    command = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", "-q", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


def recorded(folder):
    """The lines of all files, without the first ones."""
    files = sorted((folder / ".temper" / "recorded").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()[1:]]


def bounds(folder, *arguments):
    command = [sys.executable, "-m", "temper", "bounds", "-q", "--format", "json", "--no-mutants", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    return done.returncode, json.loads(done.stdout)


def verdicts(document):
    return {subject["name"]: subject["evidence"]["verdict"] for subject in document["subjects"]}


@pytest.mark.parametrize("style", ["auto", "native"])
def test_what_pytest_says_stays_as_it_is_to_the_letter(tmp_path, style):
    folder = project(tmp_path, test_failing=FAILING, helper=HELPER)
    said = [run_pytest(folder, f"--tb={style}", *more).stdout for more in ([], ["--temper-record"])]
    plain, noted = (re.sub(r"in [\d.]+s|0x[0-9a-f]+", "", text) for text in said)
    assert plain == noted
    assert "11 failed, 1 passed" in said[0]


def test_the_numbers_of_assertions_are_noted(tmp_path):
    folder = project(tmp_path, test_failing=FAILING, helper=HELPER)
    run_pytest(folder, "--temper-record")
    lines = {line["test"].partition("::")[2]: line for line in recorded(folder)}
    worst = {
        test: [float(site[6][0][1]) for site in line["sites"].values()] for test, line in lines.items() if line["sites"]
    }
    expected = {
        "test_message": [1.9],
        "test_function": [0.1 / 2.1],
        "test_array": [3.0],
        "test_chain": [1.25, 0.2],
        "test_approx": [0.1 / 2.1],
        "test_both": [1.5, 0.75],
        "test_negated": [2.0],
        "test_helper": [0.5],
        "TestUnit::test_almost": [0.2],
        "test_parameters[1]": [1.0],
        "test_parameters[3]": [3.0],
    }
    assert set(worst) == set(expected)
    for test, numbers in expected.items():
        assert worst[test] == pytest.approx(numbers), test
    # A failure that its numbers explain is no other failure; one that they do not is.
    assert lines["test_message"]["end"] == "passed"
    assert lines["test_raises_in_the_comparison"]["end"] == "error"


def test_recorded_runs_are_judged(tmp_path):
    folder = project(tmp_path, test_random=RANDOM)
    for _ in range(2):
        run_pytest(folder, "--temper-record")
    assert len(recorded(folder)) == 6
    # What 200 more sessions would have written.
    (file, *_) = (folder / ".temper" / "recorded").glob("*.jsonl")
    header, *tests = file.read_text().splitlines()
    by_test = {json.loads(line)["test"]: json.loads(line) for line in tests}
    for session in range(200):
        text = [header]
        for test, line in by_test.items():
            ((number, site),) = line["sites"].items()
            same = float(site[6][0][1])
            value = {"flaky": (session * 7 % 200) / 200, "sound": (session * 11 % 200) / 100, "seeded": same}
            found = next(value for name, value in value.items() if test.endswith(name))
            bound = float(site[6][0][2])
            site = [1, int(found >= bound), 0, 0, 0, "", [["value", repr(found), repr(bound)]]]
            text.append(json.dumps({**line, "sites": {number: site}}))
        (file.parent / f"session{session}.jsonl").write_text("\n".join(text))
    file.unlink()
    code, document = bounds(folder, "--no-run")
    assert document["bounds"]["runs_taken"] == 0
    found = {name.partition("::")[2].split(" ")[0]: verdict for name, verdict in verdicts(document).items()}
    assert found == {"test_flaky": "flaky", "test_sound": "sound", "test_seeded": "deterministic"}
    assert code == 1
    (flaky,) = [entry for entry in document["bounds"]["recorded"] if entry["test"].endswith("test_flaky")]
    assert flaky["runs"] == 201


# Sessions forked from a process that has imported pytest: as good as new ones, in a fraction of their time.
SESSIONS = """
import os
import sys

import pytest

for _ in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        try:
            pytest.main(["-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--temper-record"])
        finally:
            os._exit(0)
    os.waitpid(child, 0)
"""


def test_recorded_sessions_give_the_verdicts_of_sampled_runs(tmp_path):
    names = ("recorded", "sampled")
    for name in names:
        (tmp_path / name).mkdir()
        project(tmp_path / name, test_random=RANDOM.replace("< 0.9", "< 0.5"))
    recorded_in, sampled_in = (tmp_path / name for name in names)
    command = [sys.executable, "-c", SESSIONS, "30"]
    subprocess.run(command, cwd=recorded_in, capture_output=True, check=True, timeout=600)
    assert len(recorded(recorded_in)) == 90
    (_, noted), (_, sampled) = bounds(recorded_in, "--no-run"), bounds(sampled_in, "--runs", "30", "--verify-runs", "1")
    assert noted["bounds"]["runs_taken"] == 0
    assert verdicts(noted) == verdicts(sampled)
    assert sorted(verdicts(noted).values()) == ["deterministic", "flaky", "sound"]


def test_a_change_of_the_code_that_moves_values_is_drift(tmp_path):
    test = (
        "import random\nfrom code_under_test import shift\n\n\ndef test_it():\n    assert random.random() + shift < 9\n"
    )
    folder = project(tmp_path, test_drift=test, code_under_test="shift = 0\n")
    run_pytest(folder, "--temper-record")
    (folder / "code_under_test.py").write_text("shift = 3\n")
    run_pytest(folder, "--temper-record")
    store = folder / ".temper" / "recorded"
    # Thirty sessions of each state of the code.
    for file in list(store.glob("*.jsonl")):
        header, line = file.read_text().splitlines()
        for copy in range(30):
            ((number, site),) = json.loads(line)["sites"].items()
            value = float(site[6][0][1]) // 1 + copy / 31
            changed = {**json.loads(line), "sites": {number: [*site[:6], [["value", repr(value), "9.0"]]]}}
            (store / f"{file.stem}{copy}.jsonl").write_text(f"{header}\n{json.dumps(changed)}")
        file.unlink()
    _, document = bounds(folder, "--no-run")
    (found,) = document["bounds"]["recorded"]
    assert (found["runs"], found["drift"]["runs"]) == (30, 30)
    assert found["drift"]["p"] < 1e-6
    # An edit of the file with the assertion: its sites may be others now.
    (folder / "test_drift.py").write_text("\n" + test)
    _, document = bounds(folder, "--no-run")
    assert document["bounds"].get("recorded", []) == []


@pytest.mark.parametrize("plugin", ["xdist", "rerunfailures", "cov"])
def test_other_plugins_next_to_it_change_nothing(tmp_path, plugin):
    folder = project(tmp_path, test_failing=FAILING, helper=HELPER)
    options = {
        "xdist": ["-n", "2"],
        "rerunfailures": ["--reruns", "1", "-p", "no:flaky"],
        "cov": ["--cov", "helper"],
    }[plugin]
    done = run_pytest(folder, "--temper-record", *options)
    assert "11 failed, 1 passed" in done.stdout, done.stdout
    counts = {"xdist": 12, "rerunfailures": 23, "cov": 12}
    assert len(recorded(folder)) == counts[plugin]


def test_tests_in_another_order_are_noted_under_their_names(tmp_path):
    pytest.importorskip("pytest_randomly")
    folder = project(tmp_path, test_failing=FAILING, helper=HELPER)
    noted = []
    for seed in ("1", "2"):
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            f"--randomly-seed={seed}",
            "--temper-record",
        ]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
        assert f"Using --randomly-seed={seed}" in done.stdout and "11 failed, 1 passed" in done.stdout, done.stdout
        (file,) = set((folder / ".temper" / "recorded").glob("*.jsonl")) - {path for path, _ in noted}
        noted.append((file, [json.loads(line) for line in file.read_text().splitlines()[1:]]))
    first, second = ({line["test"]: line["sites"] for line in lines} for _, lines in noted)
    assert first == second and len(first) == 12
    assert [line["test"] for line in noted[0][1]] != [line["test"] for line in noted[1][1]]


def test_fixed_seeds_vary_if_asked(tmp_path):
    folder = project(tmp_path, test_random=RANDOM)
    for _ in range(3):
        run_pytest(folder, "--temper-record", "--temper-seeds", "vary")
    values = set()
    for line in recorded(folder):
        if line["test"].endswith("seeded"):
            values |= {site[6][0][1] for number, site in line["sites"].items() if int(number) >= 0}
    assert len(values) == 3


def test_nothing_is_written_through_a_link(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    folder = project(inside, test_random=RANDOM)
    (tmp_path / "elsewhere").mkdir()
    (folder / ".temper").symlink_to(tmp_path / "elsewhere")
    run_pytest(folder, "--temper-record")
    assert not list((tmp_path / "elsewhere").iterdir())
