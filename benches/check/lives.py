"""Bugs that need several calls on one object: found by lives, and for four classes by state machines of Hypothesis that are
written by hand. Processor time, one run each, default options. Classes without a bug must stay clean."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from temper.check import checker

PROJECT = Path(__file__).resolve().parents[2] / "fixtures" / "projects" / "check_lives"
sys.path.insert(0, str(PROJECT))
OPTIONS = {"root": str(PROJECT), "hints": False, "side": [], "free": True, "secs": 60.0, "draws": 200, "seed": 0}
KEYS = st.sampled_from("abcd")
# Processor seconds that one class may take.
MOST_SECS = 20.0
# By class, how many calls the shortest life has that ends in the bug; counted by hand.
SHORTEST = {
    "Cache": 6,
    "Checkpoints": 3,
    "Classifier": 3,
    "EarlyStopping": 4,
    "Loader": 3,
    "Pool": 3,
    "ReplayMemory": 5,
    "RingBuffer": 5,
    "RunningMean": 4,
    "Timer": 8,
    "Tokeniser": 3,
    "Vocabulary": 4,
    "Warmup": 4,
}


def machines(stateful):
    """By class, a machine that a user of Hypothesis would write for it."""

    class ReplayMemory(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.memory = stateful.ReplayMemory()

        @rule(reward=st.floats(-1, 1))
        def push(self, reward):
            self.memory.push(reward)

        @rule()
        def freeze(self):
            self.memory.freeze()

        @rule(n=st.integers(1, 3))
        def sample(self, n):
            self.memory.sample(n)

    class Cache(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.cache = stateful.Cache()

        @rule(key=KEYS, value=st.integers(0, 9))
        def put(self, key, value):
            self.cache.put(key, value)

        @rule(key=KEYS)
        def get(self, key):
            self.cache.get(key)

    class EarlyStopping(RuleBasedStateMachine):
        @initialize(patience=st.integers(1, 3))
        def start(self, patience):
            self.stopping = stateful.EarlyStopping(patience)

        @rule(loss=st.floats(0, 10))
        def update(self, loss):
            self.stopping.update(loss)

        @rule()
        def reset(self):
            self.stopping.reset()

        @rule()
        def last_best(self):
            self.stopping.last_best()

    class Checkpoints(RuleBasedStateMachine):
        @initialize(keep=st.integers(1, 3))
        def start(self, keep):
            self.checkpoints = stateful.Checkpoints(keep)

        @rule(step=st.integers(0, 50), score=st.floats(0, 1))
        def save(self, step, score):
            self.checkpoints.save(step, score)

        @rule()
        def restore(self):
            self.checkpoints.restore()

    return {machine.__name__: machine for machine in (ReplayMemory, Cache, EarlyStopping, Checkpoints)}


def with_hypothesis(machine):
    """Whether the machine's run with the default number of examples fails, and its processor time."""
    started = time.process_time()
    chosen = settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
    try:
        run_state_machine_as_test(machine, settings=chosen)
        found = False
    except Exception:
        found = True
    return found, time.process_time() - started


def classes(module):
    """The classes of a module whose lives are subjects."""
    found = checker.survey(module, {**OPTIONS, "search": True})["subjects"]
    return [each["name"] for each in found if "." not in each["name"]]


def with_temper(module, name):
    """The findings of a class, as numbers of calls, and the processor time."""
    started = time.process_time()
    reply = checker.check(module, name, {**OPTIONS, "search": True})
    spent = time.process_time() - started
    return [len(finding["call"].splitlines()) - 1 for finding in reply["findings"]], spent


def main():
    """Prints a line for each class, and sums up."""
    print("  class           temper: found, calls (shortest), CPU s      hypothesis: found, CPU s")
    in_time, shortest, names = 0, 0, classes("stateful")
    for name in names:
        sys.modules.pop("stateful", None)
        by_hand = machines(importlib.import_module("stateful")).get(name)
        theirs = with_hypothesis(by_hand) if by_hand is not None else None
        calls, spent = with_temper("stateful", name)
        in_time += bool(calls) and spent <= MOST_SECS
        shortest += calls == [SHORTEST[name]]
        shown = f"{theirs[0]!s:<6} {theirs[1]:6.2f}" if theirs is not None else ""
        lengths = f"{', '.join(map(str, calls))} ({SHORTEST[name]})"
        print(f"  {name:<15} {bool(calls)!s:<6} {lengths:<12} {spent:8.2f}               {shown}".rstrip())
    print(f"  found in at most {MOST_SECS:.0f} CPU s: {in_time} of {len(names)}, by the shortest life: {shortest}")
    steady = classes("steady")
    clean = sum(with_temper("steady", name)[0] == [] for name in steady)
    print(f"  without a bug: {clean} of {len(steady)} clean")


if __name__ == "__main__":
    main()
