"""Frames of pandas, polars and xarray: the number that Temper measures passes exactly if the library's own assertion does."""

import random

import numpy as np
import pandas as pd
import pytest
from temper.bounds import recording
from temper.bounds.rules import measure
from temper.bounds.values import Unreadable

pl = pytest.importorskip("polars")
xr = pytest.importorskip("xarray")


def _passes(assertion, *arguments, **keywords):
    try:
        assertion(*arguments, **keywords)
    except AssertionError:
        return False
    return True


def _is_inside(form, actual, reference, relative, absolute):
    slots = {"actual": actual, "reference": reference, "relative": relative, "absolute": absolute}
    needed = measure(form, True, "none", slots).needed
    return all(number <= bound for number, bound in needed.values())


def _pandas(values):
    return pd.DataFrame({"x": values, "name": "a"}), pd.testing.assert_frame_equal, "pandas-equal", ("rtol", "atol")


def _pandas_series(values):
    return pd.Series(values), pd.testing.assert_series_equal, "pandas-equal", ("rtol", "atol")


def _polars(values):
    from polars.testing import assert_frame_equal

    return (
        pl.DataFrame({"x": values, "n": [1] * len(values)}),
        assert_frame_equal,
        "polars-equal",
        ("rel_tol", "abs_tol"),
    )


def _xarray(values):
    return xr.DataArray(values, dims="t"), xr.testing.assert_allclose, "xarray-close", ("rtol", "atol")


def _dataset(values):
    return xr.Dataset({"x": ("t", values)}), xr.testing.assert_allclose, "xarray-close", ("rtol", "atol")


@pytest.mark.parametrize("make", [_pandas, _pandas_series, _polars, _xarray, _dataset])
def test_the_number_passes_if_and_only_if_the_assertion_does(make):
    rng = random.Random(7)
    seen = set()
    for _ in range(300):
        expected = [rng.choice([0.0, 1.0, -3.0, 250.0]) * rng.uniform(0.5, 2) for _ in range(3)]
        relative, absolute = rng.choice([0.0, 1e-3, 0.1]), rng.choice([0.0, 1e-3, 0.1])
        actual = [
            number + rng.uniform(-2.5, 2.5) * (absolute + relative * abs(number)) * rng.random() for number in expected
        ]
        left, assertion, form, names = make(actual)
        right = make(expected)[0]
        passes = _passes(assertion, left, right, **dict(zip(names, (relative, absolute), strict=True)))
        assert _is_inside(form, left, right, relative, absolute) == passes, (actual, expected, relative, absolute)
        seen.add(passes)
    assert seen == {True, False}


def test_columns_without_a_fraction_need_no_tolerance():
    frame = pd.DataFrame({"n": [1, 2], "text": ["a", "b"]})
    needed = measure("pandas-equal", True, "none", {"actual": frame, "reference": frame, "relative": 1e-5}).needed
    assert needed["relative"] == (0.0, 1e-5)


def test_rows_in_another_order_are_compared_by_their_label():
    frame = pd.DataFrame({"x": [1.0, 2.0]}, index=["a", "b"])
    slots = {"actual": frame.iloc[::-1], "reference": frame, "relative": 1e-5, "absolute": 1e-8}
    assert measure("pandas-equal", True, "none", slots).needed["relative"][0] == 0.0


def test_missing_values_are_equal_and_other_columns_are_refused():
    frame = pd.DataFrame({"x": [1.0, np.nan]})
    slots = {"actual": frame, "reference": frame, "relative": 1e-5, "absolute": 1e-8}
    assert measure("pandas-equal", True, "none", slots).has_equal_nan
    with pytest.raises(Unreadable, match="columns differ"):
        measure("pandas-equal", True, "none", {**slots, "reference": frame.rename(columns={"x": "y"})})


def test_a_failed_comparison_of_polars_is_recorded_and_passed_over():
    from polars.testing import assert_frame_equal

    recording.clear()
    sites = ((7, "polars-equal", True, False, "none", True, (("absolute", 1e-8),)),)
    for value in (1.0, 1.2):
        recording.soft(sites, assert_frame_equal)(
            recording.operand(7, "actual", pl.DataFrame({"x": [value]})),
            recording.operand(7, "reference", pl.DataFrame({"x": [1.0]})),
            rel_tol=recording.operand(7, "relative", 0.1),
        )
    state = recording.states()[7]
    assert (state.hits, state.failed) == (2, 1)
    assert state.worst["relative"][0] == pytest.approx(0.2 / 1.2)
