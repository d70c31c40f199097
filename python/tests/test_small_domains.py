"""Domains with fewer inputs than a run has tests, and utilities with names."""

import temper
from temper import bools, forall, froms, ints, lists, tuples


def run(property_, **given):
    """The report and the inputs that were tested, in order."""
    seen = []

    def noting(**arguments):
        seen.append(tuple(arguments.values()))
        return property_(**arguments)

    names = [name for name, value in given.items() if isinstance(value, temper.domains.domain.Domain)]
    scope = {"noting": noting}
    # `forall` reads the names of the arguments from the signature.
    exec(f"def test({', '.join(names)}): return noting({', '.join(f'{n}={n}' for n in names)})", scope)
    return forall(**given).run(scope["test"]), seen


def test_all_inputs_of_a_small_domain_are_tested_once():
    report, seen = run(lambda x: None, x=ints(-1000, 1000), draws=5000)
    assert sorted(seen) == [(x,) for x in range(-1000, 1001)]
    assert (report.tests, report.is_exhausted) == (2001, True)
    assert report.headline("counterexample") == "no counterexample: all inputs were tested, in 2,001 tests"


def test_the_arguments_are_enumerated_together():
    report, seen = run(lambda a, b: None, a=froms("xyz"), b=tuples(bools(), ints(1, 4)))
    assert len(seen) == len(set(seen)) == 3 * 2 * 4
    assert report.is_exhausted


def test_lists_of_a_small_domain_are_all_tested():
    _, seen = run(lambda xs: None, xs=lists(bools(), max_len=4).map(tuple))
    assert len(set(seen)) == 1 + 2 + 4 + 8 + 16


def test_a_rare_failure_of_a_small_domain_is_never_missed():
    for wrong in (0, 57, 149):
        report, _ = run(lambda x, wrong=wrong: x != wrong, x=ints(0, 149))
        assert report.found.arguments == {"x": wrong}
        assert not report.is_exhausted


def test_a_domain_with_more_inputs_than_tests_is_drawn():
    report, _ = run(lambda x: None, x=ints(0, 200))
    assert (report.tests, report.is_exhausted) == (200, False)


def test_enumeration_can_be_turned_off():
    report, _ = run(lambda x: None, x=bools(), enumerated=False)
    assert (report.tests, report.is_exhausted) == (200, False)


def test_conditions_may_leave_few_inputs_if_all_were_looked_at():
    report, _ = run(lambda x: temper.assume(x == 77), x=ints(0, 99))
    assert (report.tests, report.rejected, report.is_exhausted) == (100, 99, True)


def test_a_search_over_a_small_domain_tests_all_of_it_in_the_end():
    def away(x):
        temper.maximize(x)
        return x != 3

    report, _ = run(away, x=ints(0, 2000))
    assert report.found.arguments == {"x": 3}


def test_two_exact_conditions_are_met_by_name():
    def overflow(account, amount):
        temper.minimize(abs(account - 1_234_567), name="account")
        temper.minimize(abs(amount + 7_654_321), name="amount")
        return not (account == 1_234_567 and amount == -7_654_321)

    for seed in range(5):
        wide = ints(-(2**31), 2**31 - 1)
        report, _ = run(overflow, account=wide, amount=wide, seed=seed, budget=20_000)
        assert report.found.arguments == {"account": 1_234_567, "amount": -7_654_321}
        assert report.best_by_name == {"account": 0, "amount": 0}
        assert "  best amount: 0" in str(report)


def test_a_name_that_is_told_late_is_searched_for():
    def handshake(challenge, response):
        temper.minimize(abs(challenge - 4242), name="challenge")
        if challenge != 4242:
            return True
        temper.maximize(-abs(response - 31_337), name="response")
        return response != 31_337

    wide = ints(-(2**40), 2**40)
    report, _ = run(handshake, challenge=wide, response=wide, budget=20_000)
    assert report.found.arguments == {"challenge": 4242, "response": 31_337}
