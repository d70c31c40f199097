"""`temper.forall` beside Hypothesis, in one run: the problems of targeted testing, and ten planted bugs.

Counts of tests depend on the seeds only; rates are per second of processor time.
"""

from __future__ import annotations

import argparse
import statistics
import time
from unittest import mock

import hypothesis
import temper
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from planted import PROPERTIES
from problems import MAZE_1, MAZE_2, MOVES, NODES, longest_path, total
from temper import args, forall, froms, generator, ints, lists, objs, require
from temper.properties import run as temper_run

# A list that a search may grow: fresh ones have up to 42 items.
MAX_LEN = 2000


def is_edge(a, b):
    return a < b


@generator
@require(is_edge)
@args(a=ints(1, NODES), b=ints(1, NODES))
def edge(a, b):
    """Two nodes, drawn again until the first is the smaller."""
    return a, b


@generator
@args(edges=lists(objs(edge), max_len=MAX_LEN))
def graph(edges):
    """A list of edges, sorted and without duplicates."""
    return sorted(set(edges))


NODE = st.integers(1, NODES)
GRAPH = st.lists(st.tuples(NODE, NODE).filter(lambda edge: is_edge(*edge))).map(lambda edges: sorted(set(edges)))


def path_is_short(length):
    def utility_and_holds(edges):
        far = longest_path(edges)
        return far, far < length

    return utility_and_holds


def is_not_doubled(spells):
    power = total(spells)
    return power, power < 100


def finds_no_exit(maze):
    def utility_and_holds(steps):
        distance = maze.walk(steps)
        return (0.0, False) if distance is None else (-distance, True)

    return utility_and_holds


# Name, utility with property, domain, strategy, budget, and the mean that the same problem has in Rust.
PROBLEMS = [
    ("B1 path 21", path_is_short(21), objs(graph), GRAPH, 100_000, 294),
    ("B1 path 30", path_is_short(30), objs(graph), None, 100_000, 1251),
    ("B2 spells", is_not_doubled, lists(froms(range(20)), max_len=MAX_LEN), st.lists(st.integers(0, 19)), 10_000, 541),
    *[
        (
            f"B3 maze {number}",
            finds_no_exit(maze),
            lists(froms(list(MOVES)), max_len=MAX_LEN),
            st.lists(st.sampled_from(list(MOVES))),
            7_500,
            mean,
        )
        for number, maze, mean in ((1, MAZE_1, 152), (2, MAZE_2, 348))
    ],
]


class Runs:
    """What the runs of one problem gave."""

    def __init__(self):
        self.found, self.tests, self.secs = [], 0, 0.0

    def take(self, tests, is_found, secs):
        self.tests += tests
        self.secs += secs
        if is_found:
            self.found.append(tests)

    @property
    def rate(self):
        return self.tests / self.secs

    def shown(self, runs):
        if not self.found:
            return f"0/{runs} | - | -"
        return f"{len(self.found)}/{runs} | {statistics.mean(self.found):.0f} | {statistics.median(self.found):.0f}"


def temper_search(holds, domain, budget, seeds):
    def property_(value):
        utility, is_fine = holds(value)
        temper.maximize(utility)
        return is_fine

    runs = Runs()
    # What is compared is the search; shrinking is measured with the planted bugs.
    with mock.patch.object(temper_run, "_SHRINK_TRIES", 0):
        for seed in range(seeds):
            started = time.process_time()
            report = forall(value=domain, seed=seed, budget=budget).run(property_)
            runs.take(report.tests, report.is_found, time.process_time() - started)
    return runs


def hypothesis_search(holds, strategy, budget, seeds):
    runs = Runs()
    for seed in range(seeds):
        tests = 0

        @hypothesis.seed(seed)
        @settings(
            max_examples=budget,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.target],
        )
        @given(strategy)
        def test(value):
            nonlocal tests
            tests += 1
            utility, is_fine = holds(value)
            hypothesis.target(float(utility))
            assert is_fine

        started = time.process_time()
        try:
            test()
            is_found = False
        except AssertionError:
            is_found = True
        runs.take(tests, is_found, time.process_time() - started)
    return runs


def bench_search(seeds, peer_seeds, peer_budget):
    print(
        f"## Targeted: {seeds} seeds; Hypothesis with `target()`: {peer_seeds} seeds, at most {peer_budget:,} tests\n"
    )
    print(
        "| problem | found | mean tests | median | in Rust | tests/CPU s | Hypothesis: found | mean | median | /CPU s | ratio |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, holds, domain, strategy, budget, in_rust in PROBLEMS:
        ours = temper_search(holds, domain, budget, seeds)
        line = f"| {name} | {ours.shown(seeds)} | {in_rust} | {ours.rate:,.0f} |"
        if strategy is not None:
            theirs = hypothesis_search(holds, strategy, peer_budget, peer_seeds)
            line += f" {theirs.shown(peer_seeds)} | {theirs.rate:,.0f} | {ours.rate / theirs.rate:.0f} |"
        else:
            line += " - | - | - | - | - |"
        print(line, flush=True)


def temper_planted(function, domains, seed, tests):
    report = forall(domains, draws=tests, seed=seed).run(function)
    return [report.found.arguments] if report.is_found else []


def hypothesis_planted(function, strategies, seed, tests):
    last = []

    @hypothesis.seed(seed)
    @settings(
        max_examples=tests,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
    )
    @given(**strategies)
    def test(**arguments):
        try:
            function(**arguments)
        except Exception:
            # The last input that fails is the minimal one, run once more at the end.
            last[:] = [arguments]
            raise

    try:
        test()
    except Exception:
        return last
    return []


def size(arguments):
    """How much there is to read: the characters of the values."""
    return sum(len(repr(getattr(value, "tolist", lambda value=value: value)())) for value in arguments.values())


def bench_planted(seeds, tests, peer_tests):
    print(
        f"\n## Planted bugs: {seeds} seeds, {tests} tests and {peer_tests} of Hypothesis at most, shrinking included\n"
    )
    print("| property | found | mean size | CPU ms a run | Hypothesis: found | mean size | CPU ms | smallest of both |")
    print("|---|---|---|---|---|---|---|---|")
    for function, domains, strategies in PROPERTIES:
        cells = []
        smallest = None
        for tool, given_domains, most in (
            (temper_planted, domains, tests),
            (hypothesis_planted, strategies, peer_tests),
        ):
            started = time.process_time()
            found = [each for seed in range(seeds) for each in tool(function, given_domains, seed, most)]
            secs = time.process_time() - started
            sizes = [size(each) for each in found]
            cells.append(f"{len(found)} | {statistics.mean(sizes) if sizes else 0:.1f} | {secs / seeds * 1000:.1f}")
            smallest = min([*found, *([smallest] if smallest else [])], key=size, default=None)
        shown = {name: getattr(value, "tolist", lambda value=value: value)() for name, value in smallest.items()}
        print(f"| {function.__name__} | {cells[0]} | {cells[1]} | `{shown}` |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--peer-seeds", type=int, default=1, help="runs of Hypothesis on each targeted problem")
    parser.add_argument("--peer-budget", type=int, default=500, help="tests of each of them")
    parser.add_argument(
        "--tests", type=int, default=200, help="tests of each run on a planted bug; the default of `forall`"
    )
    parser.add_argument("--peer-tests", type=int, default=100, help="the same for Hypothesis, and its default")
    parser.add_argument("--only", choices=["search", "planted"])
    chosen = parser.parse_args()
    if chosen.only != "planted":
        bench_search(chosen.seeds, chosen.peer_seeds, chosen.peer_budget)
    if chosen.only != "search":
        bench_planted(chosen.seeds, chosen.tests, chosen.peer_tests)


if __name__ == "__main__":
    main()
