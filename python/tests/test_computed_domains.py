"""Domains that are computed from others: what they draw, where they shrink to, and `map`, `filter` and `flat_map`."""

import datetime
import decimal
import fractions as exact
import pathlib
import re
import urllib.parse
import uuid

import pytest
import temper
from temper import bools, ints, lists, texts

PATTERN = r"(a|b)[0-9]{2,3}\w+(?=x)x\1"
DAY = datetime.timedelta(days=1)

# Name, domain, what every value is like, where shrinking ends if everything fails.
DOMAINS = [
    ("map", ints(0, 9).map(str), lambda x: x in "0123456789", "0"),
    ("filter", ints(0, 99).filter(lambda n: n % 7 == 3), lambda x: x % 7 == 3, 3),
    ("flat_map", ints(1, 5).flat_map(lambda n: lists(bools(), len=n)), lambda x: 1 <= len(x) <= 5, [False]),
    ("weighted", temper.weighted((9, ints(0, 9)), (1, texts(1, 2))), lambda x: type(x) in (int, str), 0),
    ("permutations", temper.permutations([3, 1, 2]), lambda x: sorted(x) == [1, 2, 3], [3, 1, 2]),
    ("subsets", temper.subsets("abcd", 1, 3), lambda x: 1 <= len(x) <= 3 and x == sorted(set(x)), ["a"]),
    (
        "decimals",
        temper.decimals("0.5", 10, 3),
        lambda x: x == x.quantize(decimal.Decimal("0.001")),
        decimal.Decimal("0.500"),
    ),
    ("fractions", temper.fractions(-5, 5, 9), lambda x: -5 <= x <= 5 and x.denominator <= 9, exact.Fraction(0)),
    ("complexes", temper.complexes(10), lambda x: abs(x.real) <= 10 and abs(x.imag) <= 10, 0j),
    ("uuids", temper.uuids(), lambda x: isinstance(x, uuid.UUID) and x.version == 4, None),
    ("emails", temper.emails(), lambda x: re.fullmatch(r"[a-z][\w+.]*@[a-z.]+\.[a-z]+", x) is not None, "a@a.com"),
    ("urls", temper.urls(), lambda x: urllib.parse.urlsplit(x).hostname is not None, "http://a.com"),
    (
        "paths",
        temper.paths(3),
        lambda x: isinstance(x, pathlib.PurePosixPath) and not x.is_absolute(),
        pathlib.PurePosixPath("a"),
    ),
    ("dates", temper.dates(), lambda x: type(x) is datetime.date, None),
    ("times", temper.times(), lambda x: isinstance(x, datetime.time), datetime.time(0)),
    ("timedeltas", temper.timedeltas(DAY, 2 * DAY), lambda x: DAY <= x <= 2 * DAY, DAY),
    ("matching", temper.matching(PATTERN), lambda x: re.fullmatch(PATTERN, x) is not None, "a00axa"),
]


@pytest.mark.parametrize(
    ("domain", "is_inside", "simplest"), [each[1:] for each in DOMAINS], ids=[each[0] for each in DOMAINS]
)
def test_draws_lie_in_the_domain_and_shrink_to_the_simplest(domain, is_inside, simplest):
    seen = []
    temper.forall(x=domain, draws=200).run(lambda x: seen.append(x) or True)
    assert all(map(is_inside, seen))
    assert len({repr(each) for each in seen}) > 3
    found = temper.forall(x=domain).run(lambda x: False).found
    assert simplest is None or found.arguments["x"] == simplest
    # The call that is printed makes the value again.
    scope = {"datetime": datetime, "Decimal": decimal.Decimal, "Fraction": exact.Fraction, "UUID": uuid.UUID}
    scope["PurePosixPath"] = pathlib.PurePosixPath
    text = found.call.partition("x=")[2].removesuffix(")")
    assert eval(text, scope) == found.arguments["x"]


def test_weights_are_kept():
    domain = temper.weighted((3, ints(0, 0)), (1, ints(1, 1)))
    drawn = []
    temper.forall(x=domain, draws=4000, enumerated=False).run(lambda x: drawn.append(x) or True)
    # Binomial(4000, 1/4): 200 away from 1,000 is more than 7 standard deviations.
    assert 800 < sum(drawn) < 1200


def test_a_search_climbs_through_map_and_flat_map():
    domain = ints(1, 40).flat_map(lambda n: lists(ints(0, 9), len=n)).map(tuple)

    def small(x):
        temper.maximize(sum(x))
        return sum(x) < 330

    assert temper.forall(x=domain).run(small).is_found


def test_lengths_above_42_are_drawn():
    """Fresh lengths stopped at 42 once: this passed any number of draws."""
    for domain in (
        lists(ints(0, 9), max_len=100),
        texts(0, 200),
        temper.dicts(ints(0, 10**9), ints(0, 9), max_size=200),
    ):
        report = temper.forall(v=domain, draws=1000).run(lambda v: len(v) <= 42)
        assert len(report.found.arguments["v"]) == 43


@pytest.mark.parametrize(
    ("domain", "most"),
    [
        (lists(ints(0, 9), max_len=100), 100),
        (texts(0, 100), 100),
        (temper.dicts(ints(0, 10**9), ints(0, 9), max_size=100), 100),
        (lists(ints(0, 9), max_len=42), 42),
    ],
    ids=["lists", "texts", "dicts", "short lists"],
)
def test_lengths_are_as_likely_as_the_guide_says(domain, most):
    lengths = []
    temper.forall(v=domain, draws=3050).run(lambda v: lengths.append(len(v)) or True)
    # The first inputs of a run grow.
    lengths = lengths[50:]
    # One in 16 from the tail, which begins at 42, and one in 32 of the greatest length.
    full, tail = (1 / 32, 1 / 16) if most > 42 else (0, 0)
    usual = (1 - full - tail) / 43
    expected = {range(start, start + 14): 14 * usual for start in (0, 14, 28)}
    if most > 42:
        expected[range(43, 101)] = full + tail * 0.96
        expected[range(100, 101)] = full + tail * 0.007
    for part, chance in expected.items():
        counted = sum(length in part for length in lengths)
        # Six standard deviations: below one in a hundred million for each of the 18 parts.
        spread = 6 * (len(lengths) * chance * (1 - chance)) ** 0.5
        assert abs(counted - len(lengths) * chance) < spread, part


@pytest.mark.parametrize(
    ("weights", "expected"),
    [((), "at least one weight"), (((0, ints()),), "a weight above 0"), ((ints(),), "a weight above 0")],
)
def test_wrong_weights_are_refused(weights, expected):
    with pytest.raises(temper.PropertyError, match=expected):
        temper.forall(x=temper.weighted(*weights)).run(lambda x: True)


def test_a_wrong_pattern_is_refused():
    with pytest.raises(temper.PropertyError, match="a regular expression"):
        temper.forall(x=temper.matching("(")).run(lambda x: True)
