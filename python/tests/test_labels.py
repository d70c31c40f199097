"""Labels, coverage, all failures, warnings, profiles and explanations of properties, and a shared folder of failures."""

import warnings

import pytest
import temper
from temper import ints, lists


def test_labels_are_counted_over_the_tested_inputs():
    def holds(n):
        temper.event("even" if n % 2 == 0 else "odd")
        temper.classify(n > 5, "large")
        return True

    report = temper.forall(n=ints(0, 9), draws=1000, enumerated=False).run(holds)
    counts = report.labels.counts
    assert counts["even"] + counts["odd"] == 1000 == report.labels.tests
    # 4 of 10 are large: 1,000 draws are more than 6 standard deviations from these ends with a chance below 1e-8.
    assert 300 < counts["large"] < 500
    assert "label: large:" in str(report)


def test_labels_that_are_too_rare_are_an_error():
    statement = temper.forall(n=ints(0, 999), draws=500, cover={"tiny": 0.5})
    with pytest.raises(temper.PropertyError, match=r"are `tiny`; 50\.0% were asked for"):
        statement.run(lambda n: temper.classify(n < 5, "tiny"))
    assert (
        temper.forall(n=ints(0, 9), cover={"small": 0.2}).run(lambda n: temper.classify(n < 5, "small")).found is None
    )


def test_all_failures_are_found_by_key():
    def fails_in_two_ways(n):
        if n > 500:
            raise ValueError(n)
        if n > 50:
            raise KeyError(n)

    report = temper.forall(n=ints(0, 999), draws=500, failures=5).run(fails_in_two_ways)
    assert sorted(found.arguments["n"] for found in report.all_found) == [51, 501]
    assert "also found" in str(report)


def test_what_does_not_matter_is_explained():
    report = temper.forall(a=ints(0, 999), b=ints(0, 999), explain=True).run(lambda a, b: a < 300)
    assert report.found.arguments == {"a": 300, "b": 0}
    assert [line.split(":")[1].split()[0] for line in report.explained] == ["`b`"]


def test_runs_that_leave_out_much_are_warned_about():
    with pytest.warns(temper.TemperWarning, match="left out"):
        temper.forall(n=ints(0, 9_999), draws=200).run(lambda n: temper.assume(n < 3_000))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        temper.forall(n=ints(0, 9_999), draws=200).run(lambda n: temper.assume(n < 9_000))


def test_large_inputs_are_warned_about():
    with pytest.warns(temper.TemperWarning, match="bytes of choices"):
        temper.forall(n=lists(ints(0, 2**40), len=60_000), draws=20).run(lambda n: True)


def test_slow_draws_are_warned_about(monkeypatch):
    # Without a time of the test's making: no draw takes no time at all.
    monkeypatch.setattr("temper.properties.health._SLOW_SECS", 0.0)
    with pytest.warns(temper.TemperWarning, match="drawing one input of .* takes .* ms"):
        temper.forall(n=ints(0, 9_999), draws=200).run(lambda n: True)


def test_a_profile_sets_what_a_test_does_not(monkeypatch):
    temper.profile("tiny", draws=7)
    monkeypatch.setenv("TEMPER_PROFILE", "tiny")
    assert temper.forall(n=ints(0, 9)).run(lambda n: True).tests == 7
    assert temper.forall(n=ints(0, 9), draws=9).run(lambda n: True).tests == 9
    monkeypatch.setenv("TEMPER_PROFILE", "absent")
    with pytest.raises(temper.PropertyError, match="there is no profile `absent`"):
        temper.forall(n=ints(0, 9)).run(lambda n: True)


def test_a_recursion_error_is_shrunk():
    def depth(n):
        return 0 if n < 1000 else 1 + depth(n)

    report = temper.forall(n=ints(0, 10**6), draws=500).run(depth)
    assert report.found.arguments == {"n": 1000}


def test_a_hang_shows_its_input(capfd):
    import time

    # The property ends by itself long after the watchdog has spoken, however slow the machine is.
    def slow(n):
        until = time.monotonic() + 60
        while n == 3 and time.monotonic() < until:
            time.sleep(0.01)
            shown = capfd.readouterr().err
            if "call:" in shown:
                raise AssertionError(shown)

    report = temper.forall(n=ints(0, 3), watchdog="50ms").run(slow)
    shown = str(report.found.error)
    assert "has been running for more than 0.05 s on one input" in shown
    assert "slow(n=3)" in shown and "seed: 0" in shown
