"""`temper.forall` through the installed package: pytest runs on fixture projects, and library calls."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import temper
from temper import (
    bools,
    floats,
    forall,
    froms,
    generator,
    ints,
    lists,
    np_arrays,
    objs,
    tuples,
    untargeted,
    with_neighbours,
)

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "projects"


def copy(name, folder):
    target = folder / name
    shutil.copytree(FIXTURES / name, target, ignore=shutil.ignore_patterns("__pycache__", "regressions"))
    return target


def run_pytest(folder, *arguments):
    """Run pytest in a folder and give its exit code and standard output, without times."""
    # With CI set, pytest prints whole messages in its summary: the output would depend on where the tests run.
    ours = ("CI", "BUILD_NUMBER", "PYTEST_CURRENT_TEST")
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    plugins = ["-p", "no:randomly", "-p", "no:flaky"]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "--no-header", "-q", *plugins, *arguments],
        cwd=folder,
        env={**environment, "COLUMNS": "120", "PY_COLORS": "0"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    return result.returncode, filtered(result.stdout)


def filtered(output):
    """The output without what depends on the machine or on the constants of the search."""
    for pattern, name in (
        (r" in \d+\.\d+s( \(\d+:\d+:\d+\))?", " in TIME"),
        (r"after [\d,]+ tests", "after N tests"),
        (r"climb: \S+ [▁-█]+ \S+", "climb: FIRST BARS BEST"),
    ):
        output = re.sub(pattern, name, output)
    return output


# The whole output of a run.


FAILING = """\
F.FF                                                                                                             [100%]
======================================================= FAILURES =======================================================
______________________________________________ test_prices_stay_positive _______________________________________________

price = 1, percent = 101

    @temper.forall(price=ints(0, 10_000), percent=ints(0, 150))
    def test_prices_stay_positive(price, percent):
>       assert discounted(price, percent) >= 0
E       assert -0.01 >= 0
E        +  where -0.01 = discounted(1, 101)
E       found: a counterexample after N tests, seed 0
E         call: test_prices_stay_positive(price=1, percent=101)
E         saved: regressions/test_shop-test_prices_stay_positive.txt (commit it: it is tried first from now on)
E       reproduce: pytest test_shop.py::test_prices_stay_positive

test_shop.py:11: AssertionError
________________________________________________ test_a_walk_stays_near ________________________________________________

steps = ['right', 'right', 'right', 'right', 'right', 'right', ...]

    @temper.forall(steps=lists(froms(["left", "right", "stay"]), max_len=500))
    def test_a_walk_stays_near(steps):
        place = steps.count("right") - steps.count("left")
        temper.maximize(place)
>       assert place < 30
E       assert 30 < 30
E       found: a counterexample after N tests, seed 0
E         call: test_a_walk_stays_near(steps=['right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right'])
E         utility: 30
E         climb: FIRST BARS BEST
E         saved: regressions/test_shop-test_a_walk_stays_near.txt (commit it: it is tried first from now on)
E       reproduce: pytest test_shop.py::test_a_walk_stays_near

test_shop.py:23: AssertionError
______________________________________ test_some_square_is_three_less_than_a_cube ______________________________________
not found: no witness: all inputs were tested, in 1,998 tests
  climb: FIRST BARS BEST
reproduce: pytest test_shop.py::test_some_square_is_three_less_than_a_cube
=============================================== short test summary info ================================================
FAILED test_shop.py::test_prices_stay_positive - assert -0.01 >= 0
FAILED test_shop.py::test_a_walk_stays_near - assert 30 < 30
FAILED test_shop.py::test_some_square_is_three_less_than_a_cube - Failed: not found: no witness: all inputs were test...
3 failed, 1 passed in TIME
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="before Python 3.11 the report is printed, not noted")
def test_a_failing_run_reads_well(tmp_path):
    project = copy("forall_failing", tmp_path)
    code, output = run_pytest(project)
    assert (code, output) == (1, FAILING)


def test_a_failure_is_saved_to_be_committed_and_tried_first(tmp_path):
    project = copy("forall_failing", tmp_path)
    run_pytest(project)
    saved = sorted(path.name for path in (project / "regressions").iterdir())
    assert saved == ["test_shop-test_a_walk_stays_near.txt", "test_shop-test_prices_stay_positive.txt"]
    text = (project / "regressions" / saved[1]).read_text()
    assert "Commit this file" in text
    assert "# test_prices_stay_positive(price=1, percent=101)" in text
    _, output = run_pytest(project, "-k", "positive")
    assert "found: a counterexample that was saved by an earlier run" in output
    assert (project / "regressions" / saved[1]).read_text() == text


def test_failures_are_shared_by_a_folder(tmp_path):
    project = copy("forall_failing", tmp_path)
    shutil.copytree(project, project / "other")
    shared = ["--temper-regressions", "shared", "--import-mode=importlib", "-k", "positive"]
    run_pytest(project, *shared)
    saved = sorted(path.name for path in (project / "shared").iterdir())
    assert saved == [
        "other-test_shop-test_prices_stay_positive.txt",
        "test_shop-test_prices_stay_positive.txt",
    ], "two files of the same name do not share their failures"
    assert not (project / "regressions").exists()
    _, output = run_pytest(project, *shared)
    assert output.count("found: a counterexample that was saved by an earlier run") == 2


def test_last_failed_first_failure_and_distributed_runs_work(tmp_path):
    project = copy("forall_failing", tmp_path)
    _, output = run_pytest(project, "-x")
    assert "1 failed in TIME" in output
    _, output = run_pytest(project, "-k", "near or rise")
    assert "1 failed, 1 passed, 2 deselected in TIME" in output
    _, output = run_pytest(project, "--lf")
    assert "2 failed" in output and "passed" not in output.splitlines()[-1]
    _, output = run_pytest(project, "-n", "2")
    assert "3 failed, 1 passed in TIME" in output


def test_every_form_of_a_property_runs(tmp_path):
    project = copy("forall_forms", tmp_path)
    code, output = run_pytest(project)
    assert code == 0, output
    assert output.splitlines()[-1] == "17 passed, 1 skipped in TIME"
    assert not (project / "regressions").exists()


# What is wrong with a property.


PROBLEMS = """\
test_everything_is_rejected:
no inputs found for `test_everything_is_rejected`: all 1,000 draws were rejected
  1,000 by `temper.assume` in the property
hint: draw inputs that meet the condition by construction, such as a bound that names another argument (`ints(1, "n")`) or a generator, instead of leaving out those that do not
test_utility_is_nan:
`temper.maximize` was given NaN, which is neither better nor worse than other numbers
  call: test_utility_is_nan(xs=[])
hint: if NaN is the bug, `assert` that there is none before; else leave the input out with `temper.assume(...)`
test_utility_is_no_number:
`temper.minimize` takes a number, not [3, 4] of type `list`
  call: test_utility_is_no_number(n=3)
hint: give it one number, such as a length, a distance or `float(values.max())`
test_utility_is_never_reached:
`test_utility_is_never_reached` calls `temper.maximize`, but none of its 200 tests came to that line
hint: call it before the property returns or leaves inputs out, so that there is a way to climb
test_fixture_serves_all_inputs:
fixture `basket` is made once for `test_fixture_serves_all_inputs` and would serve all its inputs
  what one input leaves in it, the next one finds
hint: make the value inside the property, or give the fixture `scope="module"`; if sharing does no harm, write `shared_fixtures=True` in `forall`
test_domain_without_argument:
`test_domain_without_argument` has no argument `m`
  its arguments are: `n`
hint: name the domain after the argument it is for
test_domain_is_empty:
annotation `forall(n=...)` allows no value
  --> test_problems.py:53
  ints(min=9, max=0): min is above max
hint: raise `max` or lower `min`
test_unknown_strategy:
there is no strategy 'gradient'
hint: choose one of "annealing", "hill-climbing", "random"
test_unclear_budget:
`budget` is a number of tests or a time such as "30s", "5m" or "2h", not 'soon'
test_generator_raises:
an input of `test_generator_raises` could not be built: ZeroDivisionError: integer division or modulo by zero
  --> test_problems.py:70
  seed 0; the choices until then: 0
hint: make the generator return a value for everything it draws; `temper.assume` leaves draws out
test_nothing_is_drawn:
`test_nothing_is_drawn` has no drawn argument
hint: name its arguments with their domains, as in `@temper.forall(x=temper.ints(1, 9))`
test_fails_only_once:
found: a counterexample after N tests, seed 0
  call: test_fails_only_once(n=2)
  it failed once (AssertionError: assert 5 != 5), and not in this way when tested again
reproduce: pytest test_problems.py::test_fails_only_once
hint: seed what is random in the property, and start each test from the same state
"""


def test_every_problem_says_what_to_do(tmp_path):
    project = copy("forall_problems", tmp_path)
    code, output = run_pytest(project)
    output = output.replace(str(project), "PROJECT")
    shown = output[output.index("___") : output.index("=====", output.index("___"))]
    assert (code, re.sub("_{5,} (.*) _{5,}", r"\1:", shown)) == (1, PROBLEMS)


def test_without_pytest_a_problem_is_an_exception():
    @forall(n=ints(0, 9999))
    def no_input(n):
        temper.assume(n > 9999)

    with pytest.raises(temper.PropertyError, match="all 1,000 draws were rejected"):
        no_input()


def test_a_run_that_rejects_more_than_nine_tenths_is_a_problem():
    def rare(n, m):
        temper.assume(n == 0)

    def common(n, m):
        temper.assume(n < 20)

    domains = {"n": ints(0, 100), "m": ints(0, 9)}
    with pytest.raises(temper.PropertyError) as caught:
        forall(domains).run(temper.require(lambda n, m: hash((n, m)) % 10 != 5)(rare))
    problem = str(caught.value)
    assert re.match(r"`rare` was tested with \d+ inputs only: 1,9\d\d of 2,000 draws were rejected\n", problem), problem
    # One tenth is what `@require` leaves out; the property leaves out nearly all of the rest.
    parts = re.findall(r"^  ([\d,]+) (by .*)$", problem, re.M)
    assert [why for _, why in parts] == ["by `@require`", "by `temper.assume` in the property"]
    assert forall(domains).run(common).tests > 200


@pytest.mark.parametrize("state", [forall, temper.exists, temper.not_exists])
def test_a_problem_of_a_domain_names_what_the_user_wrote(state):
    with pytest.raises(temper.PropertyError, match=rf"^annotation `{state.__name__}\(n=\.\.\.\)` names `size`"):
        state(n=ints(0, "size")).run(lambda n: n < 5)


def test_a_problem_of_a_domain_inside_a_generator_names_the_draw():
    @generator
    def pair(draw):
        return draw(ints(9, 0))

    with pytest.raises(temper.PropertyError, match=r"annotation `draw\(\.\.\.\)` allows no value"):
        forall(p=objs(pair)).run(lambda p: True)


@pytest.mark.parametrize("name", ["seed", "budget", "draws", "chains", "strategy"])
def test_an_argument_named_like_a_setting_is_given_in_a_mapping(name):
    values = [3, 4]
    with pytest.raises(temper.PropertyError) as caught:
        forall(**{name: values}).run(lambda **given: True)
    assert f"hint: if `{name}` is an argument of the test, give it in a mapping: `forall({{'{name}': [3, 4]}})`" in str(
        caught.value
    )
    drawn = []
    forall({name: values}).run(lambda **given: drawn.append(given))
    assert drawn[0] == {name: values}


# Library calls.


def test_a_run_reports_the_simplest_counterexample():
    report = forall(xs=lists(ints(0, 100), max_len=50)).run(lambda xs: sum(xs) < 150)
    assert report.is_found
    assert report.found.arguments == {"xs": [51, 99]}
    assert "call: <lambda>(xs=[51, 99])" in str(report)


def test_a_check_raises_what_the_function_raises():
    def total(xs):
        return 1 // (3 - len(xs))

    with pytest.raises(ZeroDivisionError) as caught:
        forall(xs=lists(ints(0, 9))).check(total)
    if sys.version_info >= (3, 11):
        assert "call: total(xs=[0, 0, 0])" in caught.value.__notes__[0]


def test_a_decorated_function_runs_outside_of_pytest_and_takes_a_reported_call():
    @forall(n=ints(0, 1000))
    def small(n):
        assert n < 500

    with pytest.raises(AssertionError):
        small()
    small(n=499)
    with pytest.raises(AssertionError):
        small(n=500)


def test_a_utility_finds_what_draws_do_not():
    coins = lists(bools(), len=40)
    property_ = forall(coins=coins, draws=2000)
    assert not property_.run(lambda coins: not all(coins)).is_found

    def searched(coins):
        temper.maximize(sum(coins))
        return not all(coins)

    report = property_.run(searched)
    assert report.is_found and report.best_utility == 40
    climb = [utility for _, utility in report.climb]
    assert climb == sorted(climb)


def test_a_minimized_utility_is_reported_as_it_was_given():
    def near(n):
        temper.minimize(abs(n - 123_456))
        return n != 123_456

    report = forall(n=ints(0, 1_000_000)).run(near)
    assert report.found.arguments == {"n": 123_456}
    assert (report.found.utility, report.best_utility) == (0, 0)
    assert report.climb[0][1] > report.climb[-1][1]


def _sum_of(limit):
    def property_(xs):
        temper.maximize(sum(xs))
        return sum(xs) < limit

    return property_


@pytest.mark.parametrize("settings", [{}, {"chains": 3}, {"strategy": "hill-climbing"}, {"strategy": "random"}])
def test_the_same_seed_gives_the_same_run(settings):
    runs = []
    for seed in (1, 1, 2):
        report = forall(xs=lists(ints(0, 100), max_len=60), seed=seed, budget=2000, **settings).run(_sum_of(3500))
        runs.append((report.tests, report.climb, report.found and report.found.arguments))
    assert runs[0] == runs[1] != runs[2]


def test_chains_find_what_one_chain_finds():
    report = forall(xs=lists(ints(0, 100), max_len=60), chains=3).run(_sum_of(5000))
    assert report.is_found and sum(report.found.arguments["xs"]) == 5000
    assert report.tests % 3 == 0


def test_a_chain_that_is_killed_is_no_counterexample():
    def property_(n):
        os.kill(os.getpid(), 9)

    with pytest.raises(temper.PropertyError, match="killed by SIGKILL"):
        forall(n=ints(0, 9), chains=2).run(property_)


def test_a_problem_in_a_chain_is_reported_as_without():
    def property_(n):
        temper.maximize("far")

    with pytest.raises(temper.PropertyError, match="takes a number, not 'far' of type `str`"):
        forall(n=ints(0, 9), chains=2).run(property_)


def test_a_budget_of_time_ends_the_run():
    tests = 0

    def property_(n):
        nonlocal tests
        tests += 1

    report = forall(n=ints(0, 9), budget="50ms").run(property_)
    assert report.tests == tests > 0


def test_shared_generators_go_on_after_a_run_as_before():
    import random

    import numpy

    random.seed(7)
    numpy.random.seed(7)
    expected = random.random(), numpy.random.random()
    random.seed(7)
    numpy.random.seed(7)
    forall(n=ints(0, 9)).run(lambda n: random.random() + numpy.random.random() >= 0)
    assert (random.random(), numpy.random.random()) == expected


def test_inputs_that_a_property_changes_are_reported_as_they_were():
    def property_(xs):
        xs.sort()
        xs.append(0)
        return len(xs) < 4

    report = forall(xs=lists(ints(0, 9), max_len=8)).run(property_)
    assert report.found.arguments == {"xs": [0, 0, 0]}


def test_arrays_of_any_size_shrink_to_the_same_small_one():
    domain = np_arrays("float32", "n:1..200 4", min=-1, max=1)
    for seed in range(5):
        x = forall(x=domain, seed=seed).run(lambda x: bool((np.sort(x, 0) == x).all())).found.arguments["x"]
        assert (x.shape, np.count_nonzero(x)) == ((2, 4), 1)


def test_a_failure_shrinks_to_the_same_failure():
    def property_(n):
        if n > 700:
            raise KeyError(n)
        if n > 20:
            raise ValueError(n)

    kinds = set()
    for seed in range(5):
        report = forall(n=ints(0, 1000), seed=seed).run(property_)
        kinds.add((type(report.found.error), report.found.arguments["n"]))
    assert kinds <= {(KeyError, 701), (ValueError, 21)}


def test_coroutines_run_outside_of_pytest():
    @forall(n=ints(0, 1000))
    async def small(n):
        await asyncio.sleep(0)
        assert n < 500

    with pytest.raises(AssertionError):
        asyncio.run(small())


# Domains that only a search needs.


@generator
def edge(draw):
    """Two nodes, the smaller first."""
    a, b = draw(ints(1, 20)), draw(ints(1, 20))
    temper.assume(a < b)
    return a, b


@generator
def graph(draw):
    """Edges that depend on a number drawn before."""
    size = draw(ints(2, 20))
    edges = draw(lists(objs(edge), max_len=50))
    return sorted({(a, b) for a, b in edges if b <= size})


def test_generators_draw_dependent_parts_and_are_searched():
    def property_(edges):
        longest = 1
        for a, b in edges:
            longest += (a, b) == (longest, longest + 1)
        temper.maximize(longest)
        return longest < 5

    report = forall(edges=objs(graph)).run(property_)
    assert report.found.arguments == {"edges": [(n, n + 1) for n in range(1, 5)]}
    assert report.found.call == f"property_(edges={report.found.arguments['edges']!r})"


def test_a_generator_uses_itself():
    @generator
    def tree(draw):
        return [draw(objs(tree)), draw(objs(tree))] if draw(bools()) else 0

    def depth(value):
        return 1 + max(map(depth, value)) if value else 0

    def property_(value):
        temper.maximize(depth(value))
        return depth(value) < 4

    report = forall(value=objs(tree)).run(property_)
    assert report.found.arguments == {"value": [0, [0, [0, [0, 0]]]]}


def test_draw_is_of_no_use_after_its_function():
    kept = []

    @generator
    def careless(draw):
        kept.append(draw)
        return draw(ints(0, 9))

    forall(n=objs(careless)).run(lambda n: True)
    with pytest.raises(RuntimeError, match="`draw` is used after"):
        kept[0](ints(0, 9))


def test_own_neighbours_move_their_part():
    def step(value, temperature, draw):
        assert 0 < temperature <= 1
        return value + draw(ints(1, 3))

    def property_(value):
        temper.maximize(value)
        return value < 30

    # Fresh draws give 0 to 9: only steps lead further.
    report = forall(value=with_neighbours(ints(0, 9), step)).run(property_)
    assert report.found.arguments["value"] == 30
    report = forall(value=with_neighbours(ints(0, 9), lambda value, t: value + 1)).run(property_)
    assert report.found.call == "property_(value=30)"


def test_untargeted_parts_are_drawn_for_every_test():
    drawn = set()

    def property_(noise, value):
        drawn.add(noise)
        temper.maximize(value)

    forall(noise=untargeted(ints(0, 10**9)), value=floats(0, 1), budget=500).run(property_)
    assert len(drawn) > 400


def test_strategies_of_hypothesis_are_domains():
    st = pytest.importorskip("hypothesis.strategies")
    report = forall(xs=st.lists(st.integers(0, 1000)), k=ints(0, 9)).run(lambda xs, k: len(xs) < 3)
    assert len(report.found.arguments["xs"]) == 3
    assert report.found.call == "<lambda>(xs=[0, 0, 0], k=0)"
    nested = forall(pairs=lists(tuples(st.sampled_from("ab"), ints(0, 9)), max_len=4))
    report = nested.run(lambda pairs: ("b", 9) not in pairs)
    assert report.found.call == "<lambda>(pairs=[('b', 9)])"


def test_strategies_of_hypothesis_are_searched():
    st = pytest.importorskip("hypothesis.strategies")
    best = 0

    def property_(xs):
        nonlocal best
        best = max(best, sum(xs))
        temper.maximize(sum(xs))

    strategy = st.lists(st.integers(0, 9), min_size=10, max_size=10)
    forall(xs=strategy, budget=1600).run(property_)
    # Ten digits sum to more than 80 in one of 100,000 draws.
    assert best > 80


def test_values_stand_for_themselves():
    report = forall(kind=froms(["a", "b"]), size=3).run(lambda kind, size: size == 3 and kind == "a")
    assert report.found.arguments == {"kind": "b", "size": 3}


def test_the_package_and_its_plugin_wait_with_the_engine():
    script = "import sys, temper.properties.plugin; print([name for name in ('temper._engine', 'numpy') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
