"""Problems on which Hypothesis needed fewer tests than we did, both tools in one run, and texts next to lists of numbers.

A test counts until the first failure; shrinking is left out. Run with `python benches/forall/few_tests.py --seeds 20`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from functools import partial

import hypothesis
import hypothesis.extra.numpy as hnp
import numpy as np
import temper
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from temper import forall, ints, lists, np_arrays, texts

BUDGET = 10_000
PAIRS = {")": "(", "]": "[", "}": "{"}


def depth(characters):
    """How deep brackets are nested before one does not fit."""
    stack, most = [], 0
    for each in characters:
        if each in "([{":
            stack.append(each)
            most = max(most, len(stack))
        elif each in PAIRS and (not stack or stack.pop() != PAIRS[each]):
            break
    return most


def brackets(codes):
    deep = depth(map(chr, codes))
    return deep, deep < 10


def bracket_text(text):
    deep = depth(text)
    return deep, deep < 10


MAGIC = [0x89, 0x50, 0x4E, 0x47]


def framed(message):
    """How far a message is from one that starts with the magic number and whose last byte is its checksum."""
    away = sum(abs(message[i] - MAGIC[i]) if i < len(message) else 256 for i in range(4))
    gap = 256 if len(message) < 6 else abs(sum(message[4:-1]) % 256 - message[-1])
    return -(away + gap), away + gap > 0


def text_away(text):
    wanted = "Temper!"
    away = sum(min(abs(ord(a) - ord(b)), 95) for a, b in zip(text, wanted, strict=False))
    away += 95 * abs(len(text) - len(wanted))
    return -away, away > 0


def correlated(array):
    with np.errstate(all="ignore"):
        found = np.abs(np.corrcoef(array, rowvar=False)[np.triu_indices(3, 1)])
    highest = float(np.nanmax(found, initial=0.0))
    return highest, highest <= 0.95


def codes_of(property_):
    return lambda codes: property_("".join(map(chr, codes)))


PRINTABLE = st.integers(32, 126)
# Name, utility with whether it holds, our domain, the strategy of Hypothesis.
PROBLEMS = [
    ("brackets as a list", brackets, lists(ints(32, 126), max_len=100), st.lists(PRINTABLE, max_size=100)),
    (
        "prefix and checksum",
        framed,
        lists(ints(0, 255), max_len=64),
        st.lists(st.integers(0, 255), max_size=64),
    ),
    (
        "correlation above 0.95",
        correlated,
        np_arrays("float64", shape=(20, 3), min=-1e6, max=1e6),
        hnp.arrays(np.float64, (20, 3), elements=st.floats(-1e6, 1e6)),
    ),
    (
        "a text, as numbers",
        codes_of(text_away),
        lists(ints(32, 126), max_len=40),
        st.lists(PRINTABLE, max_size=40),
    ),
    (
        "a text, as `texts`",
        text_away,
        texts(0, 40),
        st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40),
    ),
    ("brackets as `texts`", bracket_text, texts(0, 100), None),
]


def ours(holds, domain, is_searched, seed):
    def test(x):
        utility, is_fine = holds(x)
        if is_searched:
            temper.maximize(utility)
        return is_fine

    report = forall(x=domain, seed=seed, budget=BUDGET, draws=BUDGET).run(test)
    return report.tests if report.is_found else None


def theirs(holds, strategy, is_searched, seed):
    tests, first = 0, None

    @hypothesis.seed(seed)
    @settings(
        max_examples=BUDGET,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.target] if is_searched else [Phase.generate],
        report_multiple_bugs=False,
    )
    @given(strategy)
    def test(x):
        nonlocal tests, first
        tests += 1
        utility, is_fine = holds(x)
        if is_searched:
            hypothesis.target(float(utility))
        if not is_fine:
            first = first or tests
        assert is_fine

    try:
        test()
    except AssertionError:
        pass
    return first


def shown(run, seeds):
    started = time.process_time()
    found = [tests for tests in (run(seed) for seed in range(seeds)) if tests is not None]
    secs = time.process_time() - started
    mean = f"{statistics.mean(found):.0f} | {statistics.median(found):.0f}" if found else "- | -"
    return f"{len(found)}/{seeds} | {mean} | {secs / seeds * 1000:.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--random", action="store_true", help="draw, without a utility")
    asked = parser.parse_args()
    print("| problem | temper: found | mean tests | median | ms a run | Hypothesis: found | mean | median | ms a run |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, holds, domain, strategy in PROBLEMS:
        if asked.only in name:
            left = shown(partial(ours, holds, domain, not asked.random), asked.seeds)
            right = "- | - | - | -"
            if strategy is not None:
                right = shown(partial(theirs, holds, strategy, not asked.random), asked.seeds)
            print(f"| {name} | {left} | {right} |", flush=True)


if __name__ == "__main__":
    main()
