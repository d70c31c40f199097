"""Every kind of domain: what it describes, its source, its strategy for Hypothesis, its hints, and what it refuses."""

import ast
import collections.abc
import dataclasses
import enum
import inspect
import sys
import typing
from pathlib import Path

import numpy as np
import pytest
import temper
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from temper import properties
from temper.check.suggest import suggest
from temper.domains import hints
from temper.domains.annotated import DrawnArguments
from temper.domains.arguments import domains_of
from temper.domains.compile import Subject
from temper.domains.domain import Domain, NoForm, contains, source_of
from temper.domains.hypothesis_text import HypothesisWriter
from temper.domains.names import PROPERTY_SETTINGS, bound_names, shape_names
from temper.domains.source_text import imports_of, text_of
from temper.errors import BadAnnotation
from temper.properties.settings import Settings


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.0


def test_kinds_are_found_by_name():
    names = {kind.kind for kind in Domain.kinds()}
    assert all(getattr(temper, name).__module__.startswith("temper.domains.kinds.") for name in names)
    assert len(names) == len(Domain.kinds())


def subject_of(domain, default=inspect.Parameter.empty):
    return Subject(DrawnArguments(lambda value: value, {"value": domain}, {}))


def values(domain, count=200):
    program = subject_of(domain).program
    return [program.draw(seed)[0] for seed in range(count)]


# Each with a test that every value passes.
DOMAINS = [
    (temper.froms([1, "a", None, Colour.RED]), lambda v: v in (1, "a", None, Colour.RED)),
    (temper.bools(), lambda v: type(v) is bool),
    (temper.ints(-3, 4), lambda v: type(v) is int and -3 <= v <= 4),
    (temper.ints(5), lambda v: 5 <= v <= 1005),
    (temper.ints(max=5), lambda v: -995 <= v <= 5),
    (temper.ints(None, None), lambda v: -(1 << 63) <= v < 1 << 63),
    (temper.floats(0, 1, exclude_min=True), lambda v: 0 < v <= 1),
    (temper.floats(-1, 1, width=32), lambda v: float(np.float32(v)) == v),
    (temper.texts(1, 3, alphabet="ab"), lambda v: 1 <= len(v) <= 3 and set(v) <= {"a", "b"}),
    (temper.lists(temper.bools(), 1, 2), lambda v: type(v) is list and 1 <= len(v) <= 2),
    (temper.lists(temper.bools(), len=3), lambda v: len(v) == 3),
    (temper.int_lists(min=2), lambda v: 1 <= len(v) <= 3 and all(2 <= each <= 7 for each in v)),
    (temper.tuples(temper.bools(), "x"), lambda v: type(v) is tuple and type(v[0]) is bool and v[1] == "x"),
    (temper.np_shapes(1, 2, 0, 3), lambda v: 1 <= len(v) <= 2 and all(0 <= side <= 3 for side in v)),
    (
        temper.np_arrays("int8", (2, 3), min=0, max=5),
        lambda v: v.shape == (2, 3) and v.dtype == "int8" and v.max() <= 5,
    ),
    (
        temper.np_arrays("float32|bool", temper.np_shapes(1, 1)),
        lambda v: v.ndim == 1 and v.dtype in ("float32", "bool"),
    ),
    (temper.dicts(temper.ints(0, 9), temper.bools(), 1, 2), lambda v: 1 <= len(v) <= 2),
    (temper.records({"a": temper.ints(0, 1), "b?": 7}), lambda v: set(v) - {"b"} == {"a"} and v.get("b", 7) == 7),
    (temper.anys(None, temper.ints(1, 2)), lambda v: v in (None, 1, 2)),
]
IDS = [f"{at}-{domain.kind}" for at, (domain, _) in enumerate(DOMAINS)]


@pytest.mark.parametrize(("domain", "is_inside"), DOMAINS, ids=IDS)
def test_draws_lie_in_the_domain(domain, is_inside):
    for value in values(domain):
        assert is_inside(value), value


@pytest.mark.parametrize(("domain", "is_inside"), DOMAINS, ids=IDS)
def test_the_text_of_a_draw_gives_the_value_again(domain, is_inside):
    subject = subject_of(domain)
    for seed in range(50):
        (value, *_) = subject.program.draw(seed)
        text = subject.text(subject.program.tree()).removeprefix("<lambda>(value=").removesuffix(")")
        again = eval(text, {"np": np, "temper": temper, "Colour": Colour})
        assert np.array_equal(again, value) if isinstance(value, np.ndarray) else again == value, text


@pytest.mark.parametrize(("domain", "is_inside"), DOMAINS, ids=IDS)
def test_the_source_makes_the_same_domain(domain, is_inside):
    again = eval(domain.source(), {"temper": temper, "Colour": Colour})
    assert again.source() == domain.source()
    assert [repr(value) for value in values(again, 20)] == [repr(value) for value in values(domain, 20)]


@pytest.mark.parametrize(("domain", "is_inside"), DOMAINS, ids=IDS)
def test_strategies_of_hypothesis_have_values_of_the_domain(domain, is_inside):
    writer = HypothesisWriter(__import__(__name__))
    strategy = eval(writer.strategy(domain), {"st": st, "hnp": hnp, "Colour": Colour})
    for value in values(strategy, 30):
        assert is_inside(value), value


def test_domains_without_a_strategy_say_so():
    writer = HypothesisWriter(__import__(__name__))
    for domain in (
        temper.frames({"a": 1}),
        temper.untargeted(1),
        temper.np_arrays(unique=True),
        temper.np_arrays(shape="*batch"),
    ):
        with pytest.raises(NoForm):
            writer.strategy(domain)
    with pytest.raises(NoForm):
        hints.domain_of(tuple[int, ...]).source()
    assert writer.strategy(3) == "st.just(3)"


@pytest.mark.parametrize(
    ("hint", "source"),
    [
        (int, "temper.ints()"),
        (float, "temper.floats()"),
        (bool, "temper.bools()"),
        (str, "temper.texts()"),
        (list, "temper.lists(element=temper.ints())"),
        (list[float], "temper.lists(element=temper.floats())"),
        (collections.abc.Sequence[bool], "temper.lists(element=temper.bools())"),
        (tuple[int, bool], "temper.tuples(temper.ints(), temper.bools())"),
        (dict[str, int], "temper.dicts(keys=temper.texts(), values=temper.ints())"),
        (typing.Literal["a", 2], "temper.froms(['a', 2])"),
        (Colour, "temper.froms([Colour.RED, Colour.BLUE])"),
        (int | None, "temper.anys(temper.ints(), None)"),
        (Point, "temper.objs(generator=Point)"),
        (np.ndarray[typing.Any, np.dtype[np.float32]], "temper.np_arrays(dtype='float32')"),
        (typing.Annotated[int, temper.ints(2, 3)], "temper.ints(min=2, max=3)"),
    ],
)
def test_hints_stand_for_domains(hint, source):
    assert hints.domain_of(hint).source() == source


def test_hints_that_say_nothing_to_draw_are_no_domains():
    for hint in (object, list[object], dict[str, object], int | object, tuple[object, int], typing.Callable):
        assert hints.domain_of(hint) is None, hint


def test_metadata_of_a_hint_bounds_the_domain():
    class Above:
        gt, lt, ge, le = 3, None, None, 9

    class Even:
        multiple_of = 2

    assert hints.domain_of(typing.Annotated[int, Above]).source() == "temper.ints(max=9, min=4)"
    assert hints.domain_of(typing.Annotated[int, Above, Even]).source() == "temper.froms([4, 6, 8])"
    bounded = hints.domain_of(typing.Annotated[float, Above]).params
    assert (bounded["min"], bounded["max"], bounded["exclude_min"]) == (3, 9, True)


@pytest.mark.parametrize(
    ("domain", "inside", "outside"),
    [
        (temper.ints(1, 5), [1, 5], [0, 6, True, 1.0]),
        (temper.ints(5), [1005], [4, 1006]),
        (temper.ints("n", 5), [], [3]),
        (temper.floats(0, 1, exclude_max=True), [0.0, 0.5], [1.0, -0.1, float("nan"), 0]),
        (temper.bools(), [True], [1]),
        (temper.froms([1, "a"]), [1, "a"], ["b", True]),
        (temper.anys(None, temper.ints(1, 2)), [None, 2], [3]),
        (temper.texts(), [], ["a"]),
        (7, [7], [7.0, 8]),
    ],
)
def test_defaults_are_known_to_be_inside(domain, inside, outside):
    assert all(contains(domain, value) for value in inside)
    assert not any(contains(domain, value) for value in outside)


@pytest.mark.parametrize(
    ("domain", "headline"),
    [
        (temper.ints(0.5), "`ints` takes a whole number or a text as `min`, not 0.5"),
        (temper.ints(0, 1 << 64), "`ints` takes a number of 64 bits as `max`, not 18446744073709551616"),
        (temper.ints(1, 0), "annotation `@arg(value)` allows no value"),
        (temper.ints(low=1), "`ints` has no parameter `low`; it takes `min`, `max`"),
        (temper.floats(width=8), "`floats` takes 16, 32 or 64 as `width`, not 8"),
        (temper.floats("x y"), "annotation `@arg(value)` has a bound that is not understood: `x y`"),
        (temper.floats([]), "`floats` takes a number or a text as `min`, not []"),
        (temper.texts(alphabet=3), "`texts` takes a text of characters as `alphabet`, not 3"),
        (temper.froms(3), "`froms` takes a list of values, not 3"),
        (temper.froms([]), "annotation `@arg(value)` allows no value"),
        (temper.anys(), "annotation `@arg(value)` allows no value"),
        (temper.dicts(1, 2, min_size=-1), "`dicts` takes a whole number from 0 as `min_size`, not -1"),
        (temper.records({1: 2}), "`records` takes texts as keys, not 1"),
        (temper.frames({1: 2}), "`frames` takes texts as columns, not 1"),
        (temper.np_shapes("n"), "`np_shapes` takes a whole number as `min_dims`, not 'n'"),
        (temper.np_arrays("text"), "`np_arrays` takes a dtype of numpy as `dtype`, not 'text'"),
        (temper.np_arrays("U3"), "`np_arrays` takes a dtype of bools, whole numbers, floats or complex numbers"),
        (temper.np_arrays(shape=2.5), '`np_arrays` takes a tuple, a text such as "n k", or `np_shapes` as `shape`'),
        (temper.tensors(lib="theano"), "`np_arrays` takes torch, tensorflow or jax as `lib`, not 'theano'"),
        (temper.objs(3), "`objs` takes a generator function, not 3"),
        (temper.with_neighbours(1, step=2), "`with_neighbours` takes a function as `step`, not 2"),
        (temper.lists(temper.ints(1, 0)), "annotation `@arg(value)` allows no value"),
    ],
)
def test_what_is_wrong_is_said(domain, headline):
    with pytest.raises(BadAnnotation) as raised:
        subject_of(domain)
    assert raised.value.headline.startswith(headline)


def test_frames_objects_and_composed_values_are_drawn():
    pandas = pytest.importorskip("pandas")
    frame = values(temper.frames({"a": temper.ints(0, 3)}, rows=4), 3)[0]
    assert isinstance(frame, pandas.DataFrame) and list(frame["a"].between(0, 3)) == [True] * 4


def test_objects_are_built_and_shown():
    subject = subject_of(temper.objs(Point))
    (point, *_) = subject.program.draw(3)
    assert isinstance(point, Point)
    assert subject.text(subject.program.tree()).startswith("<lambda>(value=Point(")
    assert domains_of(DrawnArguments(lambda x: x, {"x": 3}, {})) == {"x": 3}


def test_names_in_domains_are_found_at_any_depth():
    domain = temper.lists(temper.np_arrays("int8", "n k:1..m", max="top"), len="count")
    assert shape_names(domain) == ["n", "k"]
    assert {"count", "top", "n", "k"} <= bound_names(domain)


def test_values_have_exact_texts_and_the_imports_they_need(monkeypatch):
    # Other tests of the process may have imported it, and then it is imported with what is shown.
    monkeypatch.delitem(sys.modules, "annotest", raising=False)
    assert text_of(float("-inf")) == "float('-inf')"
    assert text_of([Colour.RED, (1,)]) == "[Colour.RED, (1,)]"
    assert text_of(np.array([1, 2], "int8")) == "np.array([1, 2], 'int8')"
    assert text_of(np.zeros(99), "np.zeros(99)") == "np.zeros(99)"
    module = __import__(__name__)
    assert imports_of("Point(np.zeros(2))", module) == f"import numpy as np; from {__name__} import Point"
    assert source_of((1, "a")) == "(1, 'a')"


def test_arguments_that_are_read_as_settings_are_those_of_the_settings():
    assert tuple(inspect.signature(Settings).parameters) == PROPERTY_SETTINGS


def test_properties_and_domains_import_nothing_of_the_check():
    package = Path(inspect.getfile(properties)).parents[1]
    for folder, forbidden in (
        ("properties", ("check",)),
        ("domains", ("check", "properties")),
        ("check", ("properties",)),
    ):
        for path in (package / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
                names = [alias.name for alias in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
                for name in forbidden:
                    assert not module.startswith(f"temper.{name}"), path
                    assert not (module == "temper" and name in names), path


def test_a_hint_says_more_than_an_unknown_attribute(tmp_path):
    path = tmp_path / "counting.py"
    path.write_text("def bits(n: int):\n    return n.bit_length()\n")
    (found,) = suggest([[str(path), "counting"]], [])["functions"]
    assert found["decorators"] == [['@arg("n", ints(1, 16))', "said: its hint"]]
