"""Ten small properties with a planted bug each: what is under test, and its domains for Temper and for Hypothesis."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from temper import dicts, floats, ints, lists, np_arrays, texts


def distinct_after_sorting(xs):
    assert len(sorted(set(xs))) == len(xs)


def mean_of_positives(xs):
    positive = [x for x in xs if x > 0]
    assert sum(positive) / len(positive) > 0


def midpoint(low, high):
    total = (low + high + 2**31) % 2**32 - 2**31
    assert min(low, high) <= total // 2 <= max(low, high)


def run_lengths_round_trip(text):
    packed = "".join(f"{len(list(run))}{character}" for character, run in itertools.groupby(text))
    unpacked, digits = "", ""
    for character in packed:
        if character.isdigit():
            digits += character
        else:
            unpacked, digits = unpacked + character * int(digits), ""
    assert unpacked == text


def chunks_keep_everything(xs, size):
    chunks = [xs[at : at + size] for at in range(0, len(xs) - size + 1, size)]
    assert [x for chunk in chunks for x in chunk] == xs


def merge_keeps_the_larger(left, right):
    merged = {**left, **right}
    assert all(merged[key] >= value for key, value in left.items())


def leap_years(year):
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 1000 == 0)
    assert is_leap == (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))


def rows_become_unit_length(rows):
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    with np.errstate(all="ignore"):
        assert not np.isnan(rows / lengths).any()


def sum_in_any_order(a, b, c):
    assert (a + b) + c == a + (b + c)


def second_largest(xs):
    first = second = 0
    for x in xs:
        if x > first:
            first, second = x, first
    assert second == sorted(xs)[-2]


LIST = lists(ints(0, 1000), max_len=20)
ST_LIST = st.lists(st.integers(0, 1000), max_size=20)
I32 = (-(2**31), 2**31 - 1)

# What is tested, with which domains.
PROPERTIES = [
    (distinct_after_sorting, {"xs": LIST}, {"xs": ST_LIST}),
    (
        mean_of_positives,
        {"xs": lists(ints(-100, 100), max_len=20)},
        {"xs": st.lists(st.integers(-100, 100), max_size=20)},
    ),
    (
        midpoint,
        {"low": ints(*I32), "high": ints(*I32)},
        {"low": st.integers(*I32), "high": st.integers(*I32)},
    ),
    (
        run_lengths_round_trip,
        {"text": texts(max_len=20)},
        {"text": st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20)},
    ),
    (
        chunks_keep_everything,
        {"xs": LIST, "size": ints(1, 10)},
        {"xs": ST_LIST, "size": st.integers(1, 10)},
    ),
    (
        merge_keeps_the_larger,
        {"left": dicts(ints(0, 20), ints(0, 9)), "right": dicts(ints(0, 20), ints(0, 9))},
        {
            "left": st.dictionaries(st.integers(0, 20), st.integers(0, 9), max_size=4),
            "right": st.dictionaries(st.integers(0, 20), st.integers(0, 9), max_size=4),
        },
    ),
    (leap_years, {"year": ints(1, 3000)}, {"year": st.integers(1, 3000)}),
    (
        rows_become_unit_length,
        {"rows": np_arrays("float64", "n:1..4 k:1..4", min=-10, max=10)},
        {
            "rows": hnp.arrays(
                np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=4), elements=st.floats(-10, 10)
            )
        },
    ),
    (
        sum_in_any_order,
        {name: floats(-1e6, 1e6) for name in "abc"},
        {name: st.floats(-1e6, 1e6) for name in "abc"},
    ),
    (
        second_largest,
        {"xs": lists(ints(0, 1000), min_len=2, max_len=20)},
        {"xs": st.lists(st.integers(0, 1000), min_size=2, max_size=20)},
    ),
]
