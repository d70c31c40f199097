"""The numbers of `temper.bounds.rules` against the accept or reject decisions of the functions they stand for.

For each form, operands are drawn and the library is asked twice: with a bound a little beyond the number we say is needed
(it must accept) and a little short of it (it must reject). The library is the oracle; nothing here repeats our formula.
"""

import math
import random
import unittest
from functools import partial

import numpy as np
import pytest
from temper.bounds.rules import measure

CASES = 200
case = unittest.TestCase()


def accepts(function, *arguments, **keywords):
    try:
        return function(*arguments, **keywords) is not False
    except AssertionError:
        return False


def draw_scalar(rng):
    return rng.choice(
        [0.0, 1.0, -2.5, rng.gauss(0, 1), rng.gauss(0, 1e6), rng.gauss(0, 1e-6), np.float64(rng.gauss(3, 1))]
    )


def draw_pair(rng, near=True):
    reference = draw_scalar(rng)
    return (reference + rng.gauss(0, 1) * rng.choice([1.0, 1e-3, 1e-7]) if near else draw_scalar(rng)), reference


def draw_arrays(rng):
    shape = rng.choice([(3,), (2, 3), ()])
    reference = np.array([draw_scalar(rng) for _ in range(int(np.prod(shape)))]).reshape(shape)
    noise = np.array([rng.gauss(0, 1) for _ in range(reference.size)]).reshape(shape)
    return reference + noise * rng.choice([1.0, 1e-4]), reference


def check_edge(needed, role, accept, other=None):
    """`accept(bound)` changes its mind at the number that we say is needed."""
    number, _ = needed[role]
    if math.isinf(number):
        assert not accept(1e300)
        return
    step = 1e-9 * max(abs(number), 1e-9 if other is None else other)
    if number + step >= 0:
        assert accept(number + step)
    if number - step >= 0:
        assert not accept(number - step)


def each_case(seed, draw):
    rng = random.Random(seed)
    for _ in range(CASES):
        yield rng, *draw(rng)


@pytest.mark.parametrize(
    ("form", "function"),
    [
        ("assert-allclose", lambda a, d, r, t: accepts(np.testing.assert_allclose, a, d, rtol=r, atol=t)),
        ("allclose", lambda a, d, r, t: bool(np.allclose(a, d, rtol=r, atol=t))),
    ],
)
@pytest.mark.parametrize("draw", [draw_pair, draw_arrays])
def test_tolerances_that_add_up_agree_with_numpy(form, function, draw):
    for rng, actual, reference in each_case(1, draw):
        relative, absolute = rng.choice([0.0, 1e-3, 0.1]), rng.choice([0.0, 1e-4, 0.2])
        slots = {"actual": actual, "reference": reference, "relative": relative, "absolute": absolute}
        needed = measure(form, True, "none", slots).needed
        size = float(np.max(np.abs(np.asarray(reference)))) + 1
        check_edge(needed, "absolute", partial(function, actual, reference, relative), size)
        # What is close by the absolute tolerance alone needs no relative one.
        if needed.get("relative", (0,))[0] > 1e-9:
            number = needed["relative"][0]
            if math.isinf(number):
                assert not function(actual, reference, 1e300, absolute)
            else:
                assert function(actual, reference, number * (1 + 1e-6), absolute)
                assert not function(actual, reference, number * (1 - 1e-6), absolute)


def is_approx(actual, reference, rel, abs):
    return actual == pytest.approx(reference, rel=rel, abs=abs)


def test_approx_agrees_with_pytest():
    for rng, actual, reference in each_case(2, draw_pair):
        relative, absolute = rng.choice([1e-6, 0.1]), rng.choice([1e-12, 1e-3])
        slots = {"actual": actual, "reference": reference, "relative": relative, "absolute": absolute}
        needed = measure("approx", True, "none", slots).needed
        for role, accept in [
            ("relative", partial(is_approx, actual, reference, abs=absolute)),
            ("absolute", partial(is_approx, actual, reference, relative)),
        ]:
            number = needed[role][0]
            if number == 0.0 or math.isinf(number):
                assert accept(1e-300 if number == 0.0 else 1e300) == (number == 0.0)
            else:
                assert accept(number * (1 + 1e-9)) and not accept(number * (1 - 1e-9))


def test_approx_with_an_absolute_tolerance_alone_has_no_relative_one():
    slots = {"actual": 10.5, "reference": 10.0, "absolute": 0.25}
    assert measure("approx", True, "none", slots).needed == {"absolute": (0.5, 0.25)}


def test_approx_takes_sequences_and_mappings():
    slots = {"actual": [1.0, 2.5], "reference": (1.25, 2.0), "absolute": 0.1}
    assert measure("approx", True, "none", slots).needed["absolute"] == (0.5, 0.1)
    slots = {"actual": {"a": 1.0, "b": 5.0}, "reference": {"b": 4.0, "a": 1.5}, "absolute": 0.1}
    assert measure("approx", True, "none", slots).needed["absolute"] == (1.0, 0.1)


def test_math_isclose_agrees_with_python():
    for rng, actual, reference in each_case(3, draw_pair):
        absolute = rng.choice([0.0, 1e-3])
        slots = {"actual": actual, "reference": reference, "relative": 1e-9, "absolute": absolute}
        number = measure("math-isclose", True, "none", slots).needed.get("relative", (0.0,))[0]
        if number > 1.0:
            # Numbers of different sign: Python allows no relative tolerance of one and more to matter.
            continue
        assert math.isclose(actual, reference, rel_tol=number * (1 + 1e-9), abs_tol=absolute)
        assert number == 0.0 or not math.isclose(actual, reference, rel_tol=number * (1 - 1e-9), abs_tol=absolute)


@pytest.mark.parametrize(
    ("form", "function"),
    [
        ("assert-almost-equal", np.testing.assert_almost_equal),
        ("assert-array-almost-equal", np.testing.assert_array_almost_equal),
    ],
)
@pytest.mark.parametrize("draw", [draw_pair, draw_arrays])
def test_decimals_agree_with_numpy(form, function, draw):
    for rng, actual, reference in each_case(4, draw):
        decimal = rng.randint(-1, 8)
        slots = {"actual": actual, "reference": reference, "decimal": decimal}
        number, bound = measure(form, True, "none", slots).needed["decimal"]
        assert (number < bound) == accepts(function, actual, reference, decimal=decimal)


def test_decimals_of_complex_numbers_agree_with_numpy():
    rng = random.Random(8)
    for _ in range(CASES):
        actual, reference = complex(rng.gauss(0, 0.01), rng.gauss(0, 0.01)), complex(rng.gauss(0, 0.01), 0)
        slots = {"actual": actual, "reference": reference, "decimal": 2}
        number, bound = measure("assert-almost-equal", True, "none", slots).needed["decimal"]
        assert (number < bound) == accepts(np.testing.assert_almost_equal, actual, reference, decimal=2)


def test_significant_digits_agree_with_numpy():
    for rng, actual, reference in each_case(5, draw_pair):
        significant = rng.randint(1, 8)
        slots = {"actual": actual, "reference": reference, "significant": significant}
        number, bound = measure("assert-approx-equal", True, "none", slots).needed["significant"]
        assert (number < bound) == accepts(np.testing.assert_approx_equal, actual, reference, significant=significant)


def test_places_and_delta_agree_with_unittest():
    for rng, actual, reference in each_case(6, draw_pair):
        places, delta = rng.randint(0, 8), abs(rng.gauss(0, 1))
        slots = {"actual": actual, "reference": reference, "places": places}
        number, bound = measure("unittest-almost-equal", True, "none", slots).needed["places"]
        assert (number <= bound) == accepts(case.assertAlmostEqual, actual, reference, places=places)
        assert (number > bound) == accepts(case.assertNotAlmostEqual, actual, reference, places=places)
        slots = {"actual": actual, "reference": reference, "places": None, "delta": delta}
        number, bound = measure("unittest-almost-equal", True, "none", slots).needed["delta"]
        assert (number <= bound) == accepts(case.assertAlmostEqual, actual, reference, delta=delta)


def test_order_takes_the_element_nearest_to_failing():
    values = np.array([[0.1, 0.7], [0.3, 0.2]])

    def check(is_upper, reduction):
        return measure("compare", is_upper, reduction, {"actual": values, "value": 0.5}).needed["value"]

    assert check(True, "all") == (0.7, 0.5)
    assert check(False, "all") == (0.1, 0.5)
    assert check(True, "any") == (0.1, 0.5)
    assert check(False, "any") == (0.7, 0.5)


def test_two_computed_sides_give_their_difference_against_zero():
    slots = {"actual": [1.0, 4.0], "reference": [2.0, 3.5]}
    assert measure("margin", True, "all", slots).needed == {"margin": (0.5, 0.0)}
    slots = {"actual": np.array([1, 4], dtype=np.uint8), "reference": np.array([2, 3], dtype=np.uint8)}
    assert measure("assert-array-less", True, "all", slots).needed == {"margin": (1.0, 0.0)}


def test_single_precision_is_subtracted_in_single_precision():
    actual, reference = np.float32(1000.1), np.float32(1000)
    slots = {"actual": actual, "reference": reference, "relative": 0.0, "absolute": 0.1}
    number, _ = measure("assert-allclose", True, "none", slots).needed["absolute"]
    assert number == float(np.abs(actual - reference))


@pytest.mark.parametrize("make", [lambda value: value, lambda value: np.array([1.0, value])])
def test_nan_and_infinity_are_seen_and_give_no_number(make):
    found = measure("compare", True, "all", {"actual": make(math.nan), "value": 0.5})
    assert found.is_nan and not found.is_infinite
    found = measure("compare", True, "all", {"actual": make(math.inf), "value": 0.5})
    assert found.is_infinite and not found.is_nan
    slots = {"actual": make(math.nan), "reference": 1.0, "relative": 0.1, "absolute": 0.0}
    assert measure("allclose", True, "none", slots).is_nan
    slots["actual"] = make(math.inf)
    assert measure("allclose", True, "none", slots).is_infinite


def test_an_infinity_on_the_side_where_it_passes_is_no_fault():
    import numpy as np

    for is_upper, infinity in ((True, -math.inf), (False, math.inf)):
        found = measure("compare", is_upper, "all", {"actual": infinity, "value": 0.0})
        assert not found.is_infinite and not found.needed
        array = np.array([infinity, -0.25 if is_upper else 0.25])
        found = measure("assert-array-less", is_upper, "all", {"actual": array, "value": 0.0})
        assert not found.is_infinite and found.needed == {"value": (array[1], 0.0)}
        # One good element is enough for `any`; the wrong infinity is one where all must pass.
        found = measure("compare", is_upper, "all", {"actual": np.array([-infinity, infinity]), "value": 0.0})
        assert found.is_infinite
        found = measure("compare", is_upper, "any", {"actual": np.array([-infinity, infinity]), "value": 0.0})
        assert not found.is_infinite


def test_equal_infinities_and_equal_nans_are_no_distance():
    slots = {"actual": [math.inf, 1.0], "reference": [math.inf, 1.5], "relative": 0.0, "absolute": 0.1}
    assert measure("allclose", True, "none", slots).needed["absolute"] == (0.5, 0.1)
    slots = {
        "actual": np.array([math.nan, 1.0]),
        "reference": np.array([math.nan, 1.5]),
        "relative": 0.0,
        "absolute": 0.1,
    }
    found = measure("assert-allclose", True, "none", slots)
    assert found.needed["absolute"] == (0.5, 0.1) and found.has_equal_nan and not found.is_nan


def test_scalars_and_arrays_of_one_element_give_the_same_numbers():
    for rng, actual, reference in each_case(7, draw_pair):
        bounds = {"relative": rng.choice([0.0, 0.1]), "absolute": rng.choice([0.0, 1e-3])}
        for form in ("assert-allclose", "approx", "math-isclose"):
            one = measure(form, True, "none", {"actual": actual, "reference": reference, **bounds}).needed
            slots = {"actual": np.array([actual]), "reference": np.array([reference]), **bounds}
            assert measure(form, True, "none", slots).needed == one


class Tensor:
    """What tensors of other libraries have in common: they can become numpy arrays."""

    def __init__(self, values):
        self.values = np.array(values)

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


def test_tensors_of_other_libraries_are_read_as_arrays():
    slots = {"actual": Tensor([1.0, 2.0]), "reference": Tensor([1.0, 2.5]), "relative": 0.0, "absolute": 0.1}
    assert measure("torch-assert-close", True, "none", slots).needed["absolute"] == (0.5, 0.1)
    assert measure("compare", True, "none", {"actual": Tensor(0.25), "value": 0.5}).needed["value"] == (0.25, 0.5)
