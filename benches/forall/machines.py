"""State machines with classic bugs: searched, drawn, and by Hypothesis's stateful tests with `target()`, in one run.

A test is one sequence of at most 50 calls. Counted are the tests until the first failure; shrinking is left out. Run with
`python benches/forall/machines.py --seeds 10`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from functools import partial

import hypothesis
import temper
from hypothesis import HealthCheck, Phase, settings, stateful
from hypothesis import strategies as st
from temper import StateMachine, bools, ints, precondition, rule, test_machine

STEPS = 50
BUDGET = 10_000


class Ring:
    """A ring of 28 places whose full state is taken for the empty one."""

    def __init__(self):
        self.model, self.head, self.tail = [], 0, 0

    def push(self, item):
        self.model.append(item)
        self.tail = (self.tail + 1) % 28
        assert (self.tail - self.head) % 28 == len(self.model)

    def pop(self):
        self.head = (self.head + 1) % 28
        self.model.pop(0)


class Account:
    """An account whose fee is taken below its limit."""

    def __init__(self):
        self.balance = 0

    def deposit(self, amount):
        self.balance += amount

    def withdraw(self, amount):
        if self.balance - amount >= -1500:
            self.balance -= amount
        if self.balance < -1480:
            self.balance -= 20
        assert self.balance >= -1500


class Tasks:
    """Urgent tasks first: another one waits without end."""

    def __init__(self):
        self.urgent, self.waiting = 0, []

    def add(self, is_urgent):
        if is_urgent:
            self.urgent = min(3, self.urgent + 1)
        else:
            self.waiting.append(0)

    def run_next(self):
        if self.urgent:
            self.urgent -= 1
            self.waiting = [turns + 1 for turns in self.waiting]
        elif self.waiting:
            self.waiting.pop(0)
        assert all(turns < 18 for turns in self.waiting)


class Estimator:
    """The eighth fit in a row that adds to a model counts its trees wrong."""

    def __init__(self):
        self.is_warm, self.wanted, self.trees, self.fits = False, 0, 0, 0

    def set_warm(self, is_warm):
        self.is_warm = is_warm

    def set_trees(self, trees):
        self.wanted = trees

    def fit(self):
        self.fits = self.fits + 1 if self.is_warm and self.wanted > self.trees else 0
        self.trees = self.wanted + (self.fits == 8)
        assert self.fits < 8 or self.trees == self.wanted


# Name, system, utility of its state, and its calls: the argument for us and for Hypothesis, and when it may be called.
MACHINES = [
    (
        "ring buffer",
        Ring,
        lambda ring: len(ring.model),
        {
            "push": (("item", ints(0, 255), st.integers(0, 255)), lambda ring: len(ring.model) < 28),
            "pop": (None, lambda ring: bool(ring.model)),
        },
    ),
    (
        "overdraft",
        Account,
        lambda account: -account.balance,
        {
            "deposit": (("amount", ints(1, 100), st.integers(1, 100)), None),
            "withdraw": (("amount", ints(1, 100), st.integers(1, 100)), None),
        },
    ),
    (
        "scheduler",
        Tasks,
        lambda tasks: max(tasks.waiting, default=-1),
        {"add": (("is_urgent", bools(), st.booleans()), None), "run_next": (None, None)},
    ),
    (
        "warm start",
        Estimator,
        lambda estimator: estimator.fits - estimator.trees / 1000,
        {
            "set_warm": (("is_warm", bools(), st.booleans()), None),
            "set_trees": (("trees", ints(1, 100), st.integers(1, 100)), None),
            "fit": (None, lambda estimator: estimator.wanted > 0),
        },
    ),
]


def our_machine(system, utility, calls, is_searched):
    """The machine as a class of ours."""

    def method(name):
        def call(self, **arguments):
            getattr(self.system, name)(**arguments)
            if is_searched:
                self.best = max(self.best, utility(self.system))
                temper.maximize(self.best)

        return call

    def start(self):
        self.system, self.best = system(), float("-inf")

    methods = {"__init__": start}
    for name, (argument, holds) in calls.items():
        step = rule(**({} if argument is None else {argument[0]: argument[1]}))(method(name))
        if holds is not None:
            step = precondition(lambda self, holds=holds: holds(self.system))(step)
        methods[name] = step
    return type("Machine", (StateMachine,), methods)


def their_machine(system, utility, calls, tests):
    """The machine as a class of Hypothesis; its highest utility is the target of a sequence."""

    def method(name):
        def call(self, **arguments):
            getattr(self.system, name)(**arguments)
            self.best = max(self.best, utility(self.system))

        call.__name__ = name
        return call

    def start(self):
        stateful.RuleBasedStateMachine.__init__(self)
        self.system, self.best = system(), float("-inf")
        tests.append(1)

    def teardown(self):
        if self.best > float("-inf"):
            hypothesis.target(float(self.best))

    methods = {"__init__": start, "teardown": teardown}
    for name, (argument, holds) in calls.items():
        step = stateful.rule(**({} if argument is None else {argument[0]: argument[2]}))(method(name))
        if holds is not None:
            step = stateful.precondition(lambda self, holds=holds: holds(self.system))(step)
        methods[name] = step
    return type("Machine", (stateful.RuleBasedStateMachine,), methods)


def ours(system, utility, calls, is_searched, is_swarm, seed):
    kind = our_machine(system, utility, calls, is_searched)
    report = test_machine(kind, max_steps=STEPS, swarm=is_swarm, seed=seed, budget=BUDGET, draws=BUDGET).run()
    return report.tests if report.is_found else None


def theirs(system, utility, calls, budget, seed):
    tests = []
    kind = their_machine(system, utility, calls, tests)
    chosen = settings(
        max_examples=budget,
        stateful_step_count=STEPS,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.target],
        report_multiple_bugs=False,
        derandomize=False,
    )
    try:
        # One more object is made to find the rules; it counts as a test, which is in favour of nobody.
        stateful.run_state_machine_as_test(hypothesis.seed(seed)(kind), settings=chosen)
    except AssertionError:
        return len(tests)
    return None


def shown(run, seeds):
    started = time.process_time()
    found = [tests for tests in map(run, range(seeds)) if tests is not None]
    secs = time.process_time() - started
    median = f"{statistics.median(found):.0f}" if found else "-"
    return f"{len(found)}/{seeds} | {median} | {secs / seeds * 1000:.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--peer-seeds", type=int, default=3)
    parser.add_argument("--peer-budget", type=int, default=1000)
    asked = parser.parse_args()
    print(
        "| machine | searched: found | median tests | ms | drawn: found | median | ms | drawn, every rule equally likely:"
        " found | median | ms | Hypothesis: found | median | ms |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for name, system, utility, calls in MACHINES:
        parts = [
            shown(partial(ours, system, utility, calls, True, True), asked.seeds),
            shown(partial(ours, system, utility, calls, False, True), asked.seeds),
            shown(partial(ours, system, utility, calls, False, False), asked.seeds),
            shown(partial(theirs, system, utility, calls, asked.peer_budget), asked.peer_seeds),
        ]
        print(f"| {name} | {' | '.join(parts)} |", flush=True)


if __name__ == "__main__":
    main()
