"""Recording: what `operand`, `judge`, `again` and `soft` make of hits, and that failed assertions go on."""

import asyncio
import math
import threading
import unittest

import numpy as np
import pytest
from temper.bounds import again, judge, operand, recording, soft


@pytest.fixture(autouse=True)
def records(monkeypatch):
    recording.clear()
    sent = []
    monkeypatch.setattr(recording, "_send", lambda number, state: sent.append((number, state.record())))
    return sent


UPPER = (1, "compare", True, True, "none", True, ())


def below(actual, bound, site=UPPER):
    assert judge((site,), operand(site[0], "actual", actual) < operand(site[0], "value", bound))


def test_a_failing_comparison_is_noted_and_the_test_goes_on():
    below(0.7, 0.5)
    below(0.2, 0.5)
    state = recording.states()[1]
    assert (state.hits, state.failed, state.worst) == (2, 1, {"value": (0.7, 0.5)})


def test_only_what_got_worse_is_sent(records):
    for value in (0.1, 0.05, 0.3, 0.2):
        below(value, 0.5)
    assert [record[6][0][1] for _, record in records] == [0.1, 0.3]


def test_nan_is_counted_on_its_own():
    below(math.nan, 0.5)
    state = recording.states()[1]
    assert (state.failed, state.nan, state.worst) == (1, 1, {})


def test_a_negated_comparison_passes_with_nan_as_python_says():
    site = (1, "compare", True, False, "none", False, ())
    assert not judge((site,), operand(1, "actual", math.nan) > operand(1, "value", 0.5))
    assert not judge((site,), operand(1, "actual", 0.9) > operand(1, "value", 0.5))
    state = recording.states()[1]
    assert (state.hits, state.failed, state.nan) == (2, 1, 1)


@pytest.mark.parametrize("truth", [True, None])
def test_arrays_of_answers_are_made_to_pass(truth):
    site = (1, "compare", True, True, "all", truth, ())
    answer = judge((site,), operand(1, "actual", np.array([0.1, 0.9])) < operand(1, "value", 0.5))
    assert answer.all() and answer.shape == (2,)
    assert recording.states()[1].worst == {"value": (0.9, 0.5)}


def test_any_over_a_generator_keeps_its_best_element():
    site = (1, "compare", True, True, "any", True, ())
    values = [0.9, 0.6, 0.8]
    found = any(judge((site,), operand(1, "actual", value) < operand(1, "value", 0.5)) for value in values)
    assert not found
    assert recording.states()[1].worst == {"value": (0.6, 0.5)}


def test_the_middle_of_a_chain_is_evaluated_once():
    low = (1, "compare", False, True, "none", True, ())
    high = (2, "compare", True, True, "none", True, ())
    calls = []

    def middle():
        calls.append(1)
        return 7.0

    assert judge((low,), operand(1, "value", 0.0) < operand(2, "actual", operand(1, "actual", middle()))) and judge(
        (high,), again(2, "actual") < operand(2, "value", 5.0)
    )
    assert len(calls) == 1
    assert recording.states()[1].failed == 0 and recording.states()[2].failed == 1
    assert recording.states()[2].worst == {"value": (7.0, 5.0)}


CLOSE = (3, "assert-allclose", True, False, "none", True, (("relative", 1e-7), ("absolute", 0.0)))


def test_an_asserting_function_is_softened():
    soft((CLOSE,), np.testing.assert_allclose)(
        operand(3, "actual", 1.5), operand(3, "reference", 1.0), rtol=operand(3, "relative", 0.1)
    )
    state = recording.states()[3]
    assert (state.hits, state.failed, state.worst["relative"]) == (1, 1, (0.5, 0.1))


def test_other_exceptions_pass_through():
    with pytest.raises(TypeError):
        soft((CLOSE,), np.testing.assert_allclose)(operand(3, "actual", 1.5))
    assert 3 not in recording.states()


def test_shapes_that_differ_are_a_failure_without_a_number():
    soft((CLOSE,), np.testing.assert_allclose)(operand(3, "actual", np.zeros(2)), operand(3, "reference", np.zeros(3)))
    state = recording.states()[3]
    assert (state.failed, state.unreadable, state.reason) == (1, 1, "the shapes differ")


def test_single_precision_never_contradicts_the_library():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        recording.clear()
        reference = rng.normal(size=3).astype(np.float32)
        actual = reference + np.float32(1e-3) * rng.choice([-1, 1], size=3).astype(np.float32)
        soft((CLOSE,), np.testing.assert_allclose)(
            operand(3, "actual", actual),
            operand(3, "reference", reference),
            rtol=operand(3, "relative", 0.0),
            atol=operand(3, "absolute", 1e-3),
        )
        state = recording.states()[3]
        assert state.unreadable == 0
        number, bound = state.worst["absolute"]
        assert (number > bound) == (state.failed == 1)


def test_two_sites_of_one_call_answer_for_their_own_side():
    low = (1, "compare", False, False, "none", True, ())
    high = (2, "compare", True, False, "none", True, ())

    def between(value, low, high):
        assert low <= value <= high

    value = operand(2, "actual", operand(1, "actual", 9.0))
    soft((low, high), between)(
        operand(2, "actual", operand(1, "actual", value)), operand(1, "value", 0.0), operand(2, "value", 5.0)
    )
    assert (recording.states()[1].failed, recording.states()[2].failed) == (0, 1)


def test_recursion_threads_and_coroutines_do_not_mix():
    def recurse(depth):
        site = (10 + depth, "compare", True, True, "none", True, ())
        if depth == 0:
            return 0.25
        assert judge((UPPER,), operand(1, "actual", recurse(depth - 1)) < operand(1, "value", 10.0 * depth))
        return 0.25 + depth + site[0] * 0

    recurse(3)
    # The margins are 0.25 - 10, 1.25 - 20 and 2.25 - 30.
    assert recording.states()[1].worst == {"value": (0.25, 10.0)}

    recording.clear()

    async def one(value):
        async def slow():
            await asyncio.sleep(0.001 * value)
            return float(value)

        assert judge((UPPER,), operand(1, "actual", await slow()) < operand(1, "value", 100.0))

    async def many():
        await asyncio.gather(*(one(value) for value in (5, 1, 3)))

    asyncio.run(many())
    threads = [threading.Thread(target=below, args=(float(value), 100.0)) for value in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    state = recording.states()[1]
    assert (state.hits, state.failed, state.worst) == (11, 0, {"value": (7.0, 100.0)})


def test_unittest_methods_are_softened():
    case = unittest.TestCase()
    site = (4, "unittest-almost-equal", True, False, "none", True, (("places", 7),))
    soft((site,), case.assertAlmostEqual)(first=operand(4, "actual", 1.0), second=operand(4, "reference", 1.5))
    assert recording.states()[4].worst == {"places": (0.5, 0.5e-7)}
