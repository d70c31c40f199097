"""`datetimes` everywhere that domains are used: drawn, written, hinted, exported, compared, checked and emitted."""

import datetime
import subprocess
import sys
import typing

import numpy as np
import pytest
import temper
from hypothesis import strategies as st
from temper import evaluation
from temper.domains import hints
from temper.domains.annotated import DrawnArguments
from temper.domains.compile import Subject
from temper.domains.domain import contains
from temper.domains.hypothesis_text import HypothesisWriter
from temper.domains.source_text import imports_of, text_of
from temper.errors import BadAnnotation
from test_check import check_json

MAY, JUNE = datetime.datetime(2020, 5, 1), datetime.datetime(2020, 6, 1)
TYPES = {"datetime": datetime.datetime, "date": datetime.date, "datetime64": np.datetime64}
SCOPE = {"temper": temper, "datetime": datetime, "np": np, "st": st}


def subject_of(*domains):
    arguments = {name: domain for name, domain in zip("abc", domains, strict=False)}
    return Subject(DrawnArguments(lambda **values: values, arguments, {}))


def values(domain, count=300):
    program = subject_of(domain).program
    return [program.draw(seed)[0] for seed in range(count)]


@pytest.mark.parametrize("form", TYPES)
def test_draws_lie_in_the_range_and_their_texts_give_them_again(form):
    domain = temper.datetimes(MAY, JUNE, form=form)
    subject = subject_of(domain)
    seen = set()
    for seed in range(300):
        (value,) = subject.program.draw(seed)
        assert type(value) is TYPES[form]
        assert np.datetime64(MAY) <= np.datetime64(value) <= np.datetime64(JUNE)
        text = subject.text(subject.program.tree()).removeprefix("<lambda>(a=").removesuffix(")")
        assert eval(text, SCOPE) == value
        seen.add(np.datetime64(value, "us"))
    assert {np.datetime64(MAY, "us"), np.datetime64(JUNE, "us")} <= seen


@pytest.mark.parametrize(
    ("domain", "text"),
    [
        (temper.datetimes(), "datetime.datetime(2000, 1, 1, 0, 0)"),
        (temper.datetimes(MAY), "datetime.datetime(2020, 5, 1, 0, 0)"),
        (temper.datetimes(max=datetime.date(1990, 1, 2)), "datetime.datetime(1990, 1, 2, 0, 0)"),
        (temper.datetimes(form="date"), "datetime.date(2000, 1, 1)"),
        (temper.datetimes(form="datetime64"), "np.datetime64('2000-01-01T00:00:00.000000')"),
    ],
)
def test_shrinking_goes_towards_the_year_2000(domain, text):
    class Failing:
        def evaluate(self, values):
            return evaluation.Failed("always", None, None)

    subject = subject_of(domain)
    plan = evaluation.plan(seed=5, draws=1, searches=1, patience=1)
    tree = subject.program.run(Failing(), plan).failures[0].tree
    assert subject.text(tree) == f"<lambda>(a={text})"


def test_bounds_are_dates_datetimes_and_those_of_numpy():
    late = datetime.datetime(2500, 1, 1)
    # A bound beyond the usual years moves the other end as well.
    assert all(late <= value for value in values(temper.datetimes(late)))
    assert min(values(temper.datetimes(None, MAY))).year < 1000
    dates = values(temper.datetimes(datetime.datetime(2020, 5, 1, 12), np.datetime64("2020-05-03T23"), form="date"))
    assert set(dates) == {datetime.date(2020, 5, 2), datetime.date(2020, 5, 3)}


@pytest.mark.parametrize(
    ("domain", "headline", "fact"),
    [
        (temper.datetimes(JUNE, MAY), "annotation `@arg(a)` allows no value", "min is after max"),
        (temper.datetimes("2020"), "`datetimes` takes a date or datetime without a time zone as `min`, not '2020'", ""),
        (
            temper.datetimes(max=MAY.replace(tzinfo=datetime.timezone.utc)),
            "`datetimes` takes a date or datetime without a time zone as `max`, not datetime.datetime(2020, 5, 1",
            "",
        ),
        (
            temper.datetimes(np.datetime64("NaT")),
            "`datetimes` takes a date or datetime without a time zone as `min`",
            "",
        ),
        (
            temper.datetimes(form="time"),
            '`datetimes` takes "datetime" or "date" or "datetime64" as `form`, not \'time\'',
            "",
        ),
    ],
)
def test_what_is_wrong_with_the_bounds_is_said(domain, headline, fact):
    with pytest.raises(BadAnnotation) as raised:
        subject_of(domain)
    assert raised.value.headline.startswith(headline)
    assert fact in (raised.value.fact or "")


@pytest.mark.parametrize("form", TYPES)
def test_hints_and_defaults(form):
    domain = hints.domain_of(TYPES[form])
    assert type(values(domain, 1)[0]) is TYPES[form]

    class After:
        gt = TYPES[form](2020, 5, 1) if form != "datetime64" else np.datetime64("2020-05-01")

    bounded = hints.domain_of(typing.Annotated[TYPES[form], After])
    assert min(values(bounded)) > After.gt and contains(bounded, min(values(bounded)))
    assert not contains(bounded, After.gt) and not contains(bounded, "2020")


@pytest.mark.parametrize("form", TYPES)
@pytest.mark.parametrize("ends", [(), (MAY, JUNE), (None, MAY)])
def test_source_and_strategy_have_the_same_values(form, ends):
    domain = temper.datetimes(*ends, form=form)
    again = eval(domain.source(), SCOPE)
    assert values(again, 20) == values(domain, 20)
    for value in values(eval(HypothesisWriter(datetime).strategy(domain), SCOPE), 20):
        assert contains(domain, value), value


def test_values_that_are_written_out_are_shown_exactly(monkeypatch):
    # Other tests of the process may have imported it, and then it is imported with what is shown.
    monkeypatch.delitem(sys.modules, "annotest", raising=False)
    assert text_of(MAY, "datetime(2020, 5, 1)") == "datetime.datetime(2020, 5, 1, 0, 0)"
    assert text_of(np.datetime64("2020-05-01", "D")) == "np.datetime64('2020-05-01')"
    assert imports_of("f(datetime.date(2020, 5, 1))", datetime) == "import datetime; from datetime import f"


@pytest.mark.parametrize("forms", [("datetime", "datetime"), ("date", "date"), ("datetime64", "datetime")])
def test_a_precondition_about_order_is_built(forms):
    @temper.args(start=temper.datetimes(form=forms[0]), end=temper.datetimes(form=forms[1]))
    @temper.require("start < end")
    def between(start, end):
        """Nothing."""

    arguments = {name: temper.datetimes(form=form) for name, form in zip(("start", "end"), forms, strict=True)}
    subject = Subject(DrawnArguments(between, arguments, {}))
    for seed in range(200):
        start, end = subject.program.draw(seed)
        assert start < end


def test_properties_search_them():
    def is_early(day):
        temper.maximize(day.toordinal())
        return day.year < 2060

    report = temper.forall(day=temper.datetimes(form="date"), seed=1).run(is_early)
    assert report.found.call == "is_early(day=datetime.date(2060, 1, 1))"


MODULE = '''
from datetime import date, datetime

from temper import arg, datetimes


@arg("day", datetimes(form="date"))
def weekday(day):
    """Crashes in months with fewer than 31 days."""
    return day.replace(day=31).weekday()


def hinted(moment: datetime, first: date):
    """Has hints alone."""
    return moment.date() - first
'''


@pytest.mark.parametrize("form", ["forall", "hypothesis"])
def test_checked_and_emitted(tmp_path, form):
    (tmp_path / "days.py").write_text(MODULE)
    emit = ["--emit", "generated", *(["--emit", "hypothesis"] if form == "hypothesis" else [])]
    code, document, stderr = check_json(*emit, "--hints", cwd=tmp_path)
    assert code == 1, stderr
    (finding,) = document["findings"]
    assert finding["call"] == "weekday(datetime.date(2000, 2, 1))"
    assert finding["evidence"]["import"] == "import datetime; from days import weekday"
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "generated"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    # The finding is red, the property of the crashing function is marked, and that of the other one passes.
    assert "1 failed, 1 passed, 1 xfailed" in ran.stdout, ran.stdout


def test_suggested_for_hints(tmp_path):
    from temper.check.suggest import suggest

    (tmp_path / "days.py").write_text(MODULE)
    (found,) = suggest([[str(tmp_path / "days.py"), "days"]], [])["functions"]
    assert [text for text, _ in found["decorators"]] == [
        '@arg("moment", datetimes())',
        '@arg("first", datetimes(form="date"))',
    ]
