"""Drawing and searching, measured beside Hypothesis and numpy in the same run. Processor time, three repeats."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "fixtures" / "projects" / "check_nested_comparisons"))

from temper import (  # noqa: E402
    anys,
    args,
    bools,
    floats,
    froms,
    int_lists,
    ints,
    lists,
    np_arrays,
    permutations,
    records,
    require,
    texts,
    tuples,
)
from temper.check import checker, subjects  # noqa: E402
from temper.domains.compile import Subject  # noqa: E402

REPEATS = 3


@args(
    input_shape=tuples(ints(20, 70), ints(20, 70), ints(1, 3)),
    dense_blocks=ints(2, 5),
    dense_layers=anys(-1, ints(1, 5), int_lists(min_len=2, max_len=5, min=2, max=5)),
    growth_rate=ints(1, 20),
    nb_classes=ints(2, 22),
    dropout_rate=floats(0, 1, exclude_min=True, exclude_max=True),
    bottleneck=bools(),
    compression=floats(0, 1, exclude_min=True),
    weight_decay=floats(1e-4, 1e-2),
    depth=ints(10, 100),
)
@require("type(dense_layers) is not list or len(dense_layers) == dense_blocks")
def listing_2(
    input_shape,
    dense_blocks,
    dense_layers,
    growth_rate,
    nb_classes,
    dropout_rate,
    bottleneck,
    compression,
    weight_decay,
    depth,
):
    """Does nothing: what is measured is drawing, checking and calling."""


@args(x=np_arrays("float32", (256, 256, 3), min=0, max=1))
def image(x):
    """Does nothing."""


@args(x=np_arrays("float64", "n k"), w=np_arrays("float64", "k m"), b=np_arrays("float64", "m"))
def linear(x, w, b):
    """Fails if the shapes do not fit."""
    return x @ w + b


@args(words=lists(texts(max_len=8), max_len=12), least=ints(0, 8))
def words_of(words, least):
    """Does nothing."""


@args(
    config=records(
        {
            "lr": floats(1e-5, 1.0),
            "layers": lists(ints(1, 512), min_len=1, max_len=6),
            "optimiser": froms(["sgd", "adam", "rmsprop"]),
            "warmup?": ints(0, 1000),
            "name?": texts(max_len=12),
        }
    )
)
def configured(config):
    """Does nothing."""


@args(batch=ints(1, 64), start=ints(0, "batch"), stop=ints("start", "batch"), order=permutations(list(range(8))))
def window(batch, start, stop, order):
    """Does nothing: bounds follow from other arguments."""


def subject(function):
    (target,) = [t for t in subjects.targets_of(sys.modules[__name__]) if t.name == function.__name__]
    return Subject(target)


def rate(work, amount):
    """Units of work a processor second: the median and all repeats."""
    rates = []
    for _ in range(REPEATS):
        started = time.process_time()
        work(amount)
        rates.append(amount / (time.process_time() - started))
    return statistics.median(rates), rates


def temper_draws(function):
    made = subject(function)
    draw, accepts, call = made.program.draw, made.filter or (lambda values: True), made.call
    rejected = 0

    def work(count):
        nonlocal rejected
        for seed in range(count):
            values = draw(seed)
            if values is None or not accepts(values):
                rejected += 1
                continue
            call(values)

    return work, lambda: rejected


def hypothesis_draws(strategy, condition=lambda value: True):
    def work(count):
        seen = 0

        @settings(
            max_examples=count,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        @given(strategy)
        def test(value):
            nonlocal seen
            assume(condition(value))
            seen += 1

        test()
        assert seen >= 0.9 * count, seen

    return work


LISTING_2 = st.tuples(
    st.tuples(st.integers(20, 70), st.integers(20, 70), st.integers(1, 3)),
    st.integers(2, 5),
    st.one_of(st.just(-1), st.integers(1, 5), st.lists(st.integers(2, 5), min_size=2, max_size=5)),
    st.integers(1, 20),
    st.integers(2, 22),
    st.floats(0, 1, exclude_min=True, exclude_max=True),
    st.booleans(),
    st.floats(0, 1, exclude_min=True),
    st.floats(1e-4, 1e-2),
    st.integers(10, 100),
)


TEXTS = st.characters(min_codepoint=32, max_codepoint=126)


@st.composite
def linear_arguments(draw):
    """What a user of Hypothesis writes for shapes that agree."""
    n, k, m = (draw(st.integers(1, 8)) for _ in range(3))
    cells = st.floats(-1e6, 1e6)
    return [draw(hnp.arrays(np.float64, shape, elements=cells)) for shape in ((n, k), (k, m), (m,))]


@st.composite
def window_arguments(draw):
    """Bounds that follow from other arguments."""
    batch = draw(st.integers(1, 64))
    start = draw(st.integers(0, batch))
    return batch, start, draw(st.integers(start, batch)), draw(st.permutations(list(range(8))))


UNLIKE = {
    "arrays whose shapes agree": (linear, linear_arguments()),
    "lists of texts": (
        words_of,
        st.tuples(st.lists(st.text(TEXTS, max_size=8), max_size=12), st.integers(0, 8)),
    ),
    "a nested configuration": (
        configured,
        st.fixed_dictionaries(
            {
                "lr": st.floats(1e-5, 1.0),
                "layers": st.lists(st.integers(1, 512), min_size=1, max_size=6),
                "optimiser": st.sampled_from(["sgd", "adam", "rmsprop"]),
            },
            optional={"warmup": st.integers(0, 1000), "name": st.text(TEXTS, max_size=12)},
        ),
    ),
    "bounds and permutations": (window, window_arguments()),
}


def numpy_fill(count):
    generator = np.random.default_rng(0)
    for _ in range(count):
        generator.random((256, 256, 3), dtype=np.float32)


def show(name, value, rates, unit="a CPU second"):
    spread = f"{min(rates):,.0f} to {max(rates):,.0f}"
    print(f"  {name:<34} {value:>12,.0f} {unit}   ({spread})")


def bench_listing_2():
    print("listing 2 of the AnnoTest paper, a function that does nothing: valid draws")
    work, rejected = temper_draws(listing_2)
    ours, all_ours = rate(work, 100_000)
    theirs, all_theirs = rate(hypothesis_draws(LISTING_2, lambda v: type(v[2]) is not list or len(v[2]) == v[1]), 500)
    show("temper", ours, all_ours)
    show("hypothesis", theirs, all_theirs)
    print(f"  ratio {ours / theirs:,.0f}   (wanted: 200)   rejected draws of ours: {rejected()}   (wanted: 0)\n")


def bench_arrays():
    print("arrays of shape (256, 256, 3), float32, 0 to 1")
    work, _ = temper_draws(image)
    ours, all_ours = rate(work, 300)
    theirs, all_theirs = rate(
        hypothesis_draws(hnp.arrays(np.float32, (256, 256, 3), elements=st.floats(0, 1, width=32))), 40
    )
    numpys, all_numpys = rate(numpy_fill, 300)
    show("temper", ours, all_ours)
    show("hypothesis", theirs, all_theirs)
    show("numpy's own generator", numpys, all_numpys)
    print(f"  ratio {ours / theirs:,.0f} to hypothesis (wanted: 30), {ours / numpys:.2f} to numpy (wanted: 1)\n")


def bench_shapes():
    print('shapes "n k", "k m", "m"')
    work, rejected = temper_draws(linear)
    ours, all_ours = rate(work, 20_000)
    show("temper", ours, all_ours)
    print(f"  rejected draws: {rejected()}   (wanted: 0)\n")


def bench_unlike():
    print("four unlike functions that do nothing, or little: valid draws")
    for name, (function, strategy) in UNLIKE.items():
        work, rejected = temper_draws(function)
        ours, all_ours = rate(work, 20_000)
        theirs, all_theirs = rate(hypothesis_draws(strategy), 300)
        show(name, ours, all_ours)
        show("  hypothesis", theirs, all_theirs)
        print(f"    ratio {ours / theirs:,.0f}   rejected draws of ours: {rejected()}")
    print()


NESTED = ("plan", "linked", "remainder", "helped")


def bench_search(seeds):
    print(f"crashes behind three nested comparisons on whole numbers and a float, default budget, {seeds} seeds")
    root = str(REPOSITORY / "fixtures" / "projects" / "check_nested_comparisons")
    for name in NESTED:
        for with_search in (True, False):
            found, calls = 0, []
            for seed in range(seeds):
                options = {"root": root, "secs": 60.0, "draws": 200, "seed": seed, "search": with_search}
                report = checker.check("nested.deep", name, options)
                found += bool(report["findings"])
                calls.append(report["search_calls"])
            median = f"   median calls of the search: {statistics.median(calls):.0f}" if with_search else ""
            how = "with search" if with_search else "--no-search"
            print(f"  {name:<10} {how:<12} found for {found} of {seeds}{median}")
    print("  (wanted: at least 90 of 100, at most 10 of 100)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    chosen = parser.parse_args()
    bench_listing_2()
    bench_arrays()
    bench_shapes()
    bench_unlike()
    bench_search(chosen.seeds)


if __name__ == "__main__":
    main()
