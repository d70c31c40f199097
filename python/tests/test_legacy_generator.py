"""Old generators of numpy: whether a run seeded them is known, and programs see nothing of it."""

import subprocess
import sys

import pytest

BEFORE = """
import copy, pickle
import numpy as np
from temper.worker import randomness, seeds

seeds.reseed(5)


def unseeded():
    return randomness.used()["unseeded"]


"""


def run(script):
    # numpy is changed for the whole process.
    done = subprocess.run([sys.executable, "-c", BEFORE + script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "made",
    [
        "np.random.RandomState(42)",
        "np.random.RandomState([1, 2])",
        "copy.deepcopy(np.random.RandomState(7))",
        "pickle.loads(pickle.dumps(np.random.RandomState(7)))",
        "np.random.default_rng(3)",
        "np.random.Generator(np.random.MT19937(3))",
    ],
)
def test_a_generator_with_a_seed_takes_nothing_from_chance(made):
    run(f"rng = {made}\nrng.normal(size=2000)\nassert unseeded() == [], unseeded()")


@pytest.mark.parametrize("made", ["np.random.RandomState()", "np.random.RandomState(None)", "np.random.default_rng()"])
def test_a_generator_without_one_does(made):
    run(f"{made}.normal(size=2000)\nassert unseeded() == ['entropy'], unseeded()")
    run(f"{made}\nnp.random.RandomState(3)\nassert unseeded() == ['entropy'], unseeded()")


def test_a_state_that_is_set_is_a_seed_and_each_run_begins_without():
    run(
        """
rng = np.random.RandomState()
assert unseeded() == ["entropy"]
rng.set_state(np.random.RandomState(3).get_state())
assert unseeded() == [] and rng.normal() == np.random.RandomState(3).normal()
np.random.RandomState()
seeds.reseed(6)
assert unseeded() == []
"""
    )


def test_a_second_seed_does_not_stand_for_that_of_another_generator():
    run("np.random.RandomState(3).seed(4)\nnp.random.RandomState()\nassert unseeded() == ['entropy'], unseeded()")


def test_classes_numbers_and_errors_are_those_of_numpy():
    run(
        """
rng = np.random.RandomState(42)
assert rng.normal() == 0.4967141530112327
assert type(rng) is np.random.RandomState and isinstance(rng._bit_generator, np.random.MT19937)
assert type(rng._bit_generator).__name__ == "MT19937"
try:
    np.random.RandomState(-1)
except ValueError as error:
    assert "Seed must be between" in str(error)
else:
    raise AssertionError("no error")
"""
    )
    plain = "import pickle, sys, numpy; assert pickle.loads(sys.stdin.buffer.read()).normal() == 0.4967141530112327"
    script = f"""
import subprocess, sys
data = pickle.dumps(np.random.RandomState(42))
subprocess.run([sys.executable, "-c", {plain!r}], input=data, check=True)
"""
    run(script)
