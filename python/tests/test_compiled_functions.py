"""What numba compiles in one run is found by the next, which are forks of a layer; and `temper check` leaves its code alone."""

import subprocess
import sys

import pytest
from test_check import check_json

pytest.importorskip("numba", reason="needs numba")

MODULE = """
import constants
import numba

FACTOR = 3

@numba.njit
def inner(x):
    return x + FACTOR

@numba.njit
def outer(x):
    return 2 * inner(x) + constants.inner.TABLE[0]
"""
# Each line that a fork prints: whether `outer` had to be compiled, its result, what was noted of files and chance.
LAYER = """
import os, sys
from temper.worker import compiled_functions, randomness, scratch, seeds, trace
scratch.enter(sys.argv[1])
trace.install()
seeds.reseed(0)
compiled_functions.install()
sys.path.insert(0, sys.argv[2])
import fast

def run(before=""):
    sys.stdout.flush()
    if os.fork() == 0:
        scratch.enter(os.path.join(sys.argv[1], "run"))
        exec(before)
        seeds.reseed(1)
        randomness.watch_entropy()
        trace.begin(sys.argv[2])
        result = fast.outer(1)
        trace.pause()
        ours = [file for file, _ in trace.taken()["files"] if file.startswith(sys.argv[1])]
        print(bool(fast.outer.stats.cache_misses), result, ours, randomness.used()["unseeded"])
        sys.stdout.flush()
        os._exit(0)
    os.wait()
"""


def runs(tmp_path, *lines):
    (tmp_path / "scratch").mkdir()
    (tmp_path / "fast.py").write_text(MODULE)
    (tmp_path / "constants").mkdir()
    (tmp_path / "constants/__init__.py").write_text("from constants import inner")
    (tmp_path / "constants/inner.py").write_text("import numpy\nTABLE = numpy.array([0, 1])")
    script = LAYER + "\n".join(lines)
    command = [sys.executable, "-W", "error", "-c", script, tmp_path / "scratch", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_what_one_run_compiles_the_next_one_finds_and_neither_is_seen_to_use_files_or_chance(tmp_path):
    assert runs(tmp_path, "run()", "run()") == ["True 8 [] []", "False 8 [] []"]


def test_other_values_of_global_names_are_compiled_again(tmp_path):
    found = runs(tmp_path, "run()", "run('fast.FACTOR = 4')", "run('fast.FACTOR = 4')", "run()")
    assert found == ["True 8 [] []", "True 10 [] []", "False 10 [] []", "False 8 [] []"]


def test_so_are_other_values_in_modules(tmp_path):
    other = "run('import numpy; fast.constants.inner.TABLE = numpy.array([5, 1])')"
    assert runs(tmp_path, "run()", other, "run()") == ["True 8 [] []", "True 13 [] []", "False 8 [] []"]


def test_a_run_with_other_code_finds_nothing(tmp_path):
    assert runs(tmp_path, "run()", "run('compiled_functions.rest()')") == ["True 8 [] []", "True 8 [] []"]


CHECKED = """
import functools

import numba
from temper import arg, ints, np_arrays


@numba.njit
def _is_size(x):
    return x[0] == x.size


def noted(function):
    @functools.wraps(function)
    def inner(*arguments):
        return function(*arguments)

    return inner


@noted
@numba.njit
def _half(n):
    return 0 if n < 3 else n // 2


@arg("x", np_arrays("int64", "n:1..4", min=0, max=9))
def sized(x):
    return _is_size(x)


@arg("n", ints(0, 9))
def half(n):
    return _half(n)


@arg("n", ints(1, 1000000))
@numba.njit
def itself(n):
    return 1 if n == 4711 else 1 // n


@arg("n", ints(0, 1000000))
def searched(n):
    if n == 4711:
        raise KeyError(n)
    return _half(n)
"""


def test_functions_that_numba_compiles_are_called_as_they_were_written(tmp_path):
    (tmp_path / "checked.py").write_text(CHECKED)
    code, document, stderr = check_json(cwd=tmp_path)
    assert {each["name"]: each["verdict"] for each in document["subjects"]} == {
        "sized": "clean",
        "half": "clean",
        "itself": "clean",
        "searched": "found",
    }, stderr
    assert [each["exception"] for each in document["findings"]] == ["KeyError: 4711"]
    assert code == 1
