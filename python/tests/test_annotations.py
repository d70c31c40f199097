"""The annotation language as Python sees it: decorators, hints, conditions, drawing."""

import functools
import math
import sys
import types
import typing

import numpy as np
import pytest
import temper
from temper import annotations
from temper.check import annotest_names, branches
from temper.domains import hints, terms
from temper.domains.annotated import AnnotatedFunction
from temper.domains.compile import Subject
from temper.errors import BadAnnotation


def subject_of(function):
    """The compiled subject of one function of this module."""
    return Subject(AnnotatedFunction(function.__name__, function, function, "function"))


def draws(function, count=300):
    program = subject_of(function).program
    return [program.draw(seed) for seed in range(count)]


def test_decorators_return_the_same_object():
    def f(n):
        """Doc."""
        return n

    decorated = temper.arg("n", temper.ints(1, 9))(temper.require("n > 1")(temper.timeout(3)(f)))
    assert decorated is f and f.__name__ == "f" and f(4) == 4
    record = annotations.annotations_of(f)
    assert list(record.arguments) == ["n"] and record.timeout_secs == 3.0 and len(record.preconditions) == 1


def test_the_function_is_found_under_other_decorators():
    def wrap(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    class Holder:
        @temper.arg("n", temper.ints(1, 2))
        @staticmethod
        def above(n):
            return n

        @staticmethod
        @temper.arg("n", temper.ints(1, 2))
        def below(n):
            return n

        @wrap
        @temper.arg("n", temper.ints(1, 2))
        def wrapped(self, n):
            return n

    for name in ("above", "below", "wrapped"):
        assert annotations.annotations_of(vars(Holder)[name]) is not None, name


def test_a_wrong_annotation_does_not_break_the_module_and_is_remembered():
    @temper.arg("n", temper.ints(low=1))
    @temper.raises("ValueError")
    @temper.timeout(-1)
    def f(n):
        return n

    assert f(1) == 1
    with pytest.raises(BadAnnotation):
        subject_of(f)


def test_hints_become_constraints():
    def f(
        a: typing.Annotated[int, temper.ints(3, 5)],
        b: bool,
        c: typing.Literal["x", "y"],
        d: int | None,
        e: tuple[int, float],
        g: dict[str, int],
    ):
        return a

    for a, b, c, d, e, g in draws(f):
        assert 3 <= a <= 5 and type(b) is bool and c in "xy"
        assert d is None or 0 <= d <= 1000
        assert type(e[0]) is int and math.isfinite(e[1])
        assert all(type(key) is str and type(value) is int for key, value in g.items())


def test_every_dtype_gives_arrays_of_its_own():
    names = [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ]
    for name in names:
        for shape in [(2, 3), (20, 30)]:

            @temper.args(x=temper.np_arrays(name, shape))
            def f(x):
                return x

            for (x,) in draws(f, 20):
                assert x.dtype == name and x.shape == shape and x.flags.owndata
                assert np.isfinite(x).all()


def test_array_cells_keep_their_bounds_and_differ_when_asked():
    @temper.args(
        a=temper.np_arrays("float32", (30, 30), min=-1, max=2),
        b=temper.np_arrays("uint8", (200,), min=5, max=250, unique=True),
        c=temper.np_arrays("float64", (8,), nan=True, inf=True),
    )
    def f(a, b, c):
        return a

    special = 0
    for a, b, c in draws(f, 100):
        assert a.min() >= -1 and a.max() <= 2
        assert len(set(b.tolist())) == 200 and b.min() >= 5 and b.max() <= 250
        special += not np.isfinite(c).all()
    assert special > 0


def test_values_that_the_user_wrote_are_not_shared_between_draws():
    @temper.args(x=temper.froms([[1, 2]]), y=temper.froms([np.zeros(2)]))
    def f(x, y):
        return x

    program = subject_of(f).program
    first = program.draw(1)
    first[0].append(3)
    first[1][:] = 7
    again = program.draw(1)
    assert again[0] == [1, 2] and again[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "constraint",
    [
        temper.ints(None, None),
        temper.floats(nan=True, inf=True),
        temper.floats(-1, 1, width=16),
        temper.texts(0, 12, alphabet="ab'\"\\\n\u20ac\u200b"),
        temper.lists(temper.tuples(temper.ints(0, 3), temper.bools())),
        temper.np_arrays("float16", "n:0..3 k:0..3", nan=True, inf=True),
        temper.np_arrays("complex64", "n:1..3", nan=True),
        temper.np_arrays("float32", "n:1..3 k:1..3"),
        temper.np_arrays("int64", (3, 4)),
        temper.records({"a": temper.ints(), "b?": temper.froms([None, {"k": (1,)}, float("inf")])}),
        temper.anys(None, temper.dicts(temper.texts(1, 2), temper.floats(0, 1))),
    ],
    ids=lambda constraint: constraint.kind,
)
def test_the_text_of_a_call_gives_the_same_values_bit_for_bit(constraint):
    @temper.args(x=constraint)
    def f(x):
        return x

    program = subject_of(f).program
    for seed in range(200):
        (value, *_) = program.draw(seed)
        text = program.text(program.tree())
        read = eval(text, {"f": f, "np": np, "temper": temper})
        assert repr(read) == repr(value), text
        if isinstance(value, np.ndarray):
            assert read.dtype == value.dtype and read.shape == value.shape
            # Not-a-number has one text, whatever its sign and payload.
            assert np.array_equal(read, value, equal_nan=True)
            assert np.signbit(read.real).tolist() == np.signbit(value.real).tolist() or np.isnan(value).any()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <= b", {"compare": ["le", {"value": {"name": "a", "items": []}}, {"value": {"name": "b", "items": []}}]}),
        ("not (a > 3)", {"compare": ["le", {"value": {"name": "a", "items": []}}, {"int": 3}]}),
        ("len(a) == LIMIT", {"compare": ["eq", {"len": {"name": "a", "items": []}}, {"int": 40}]}),
        ("a is not None", {"type": {"path": {"name": "a", "items": []}, "names": ["NoneType"], "negated": True}}),
        ("frobnicate(a)", "other"),
        ("a.shape[-1] == 3", {"compare": ["eq", {"dim": [{"name": "a", "items": []}, -1]}, {"int": 3}]}),
    ],
)
def test_conditions_are_read(text, expected):
    scope = terms.Scope({"a", "b"}, {"LIMIT": 40})
    _, node = terms.expression_of(text)
    assert terms.condition(node, scope) == expected


def test_preconditions_hold_without_rejections_and_lambdas_are_understood():
    @temper.args(
        a=temper.np_arrays("float32", temper.np_shapes(2, 2, 1, 6)),
        b=temper.np_arrays("float32", temper.np_shapes(1, 3, 1, 6)),
        k=temper.ints(0, 50),
        low=temper.floats(0, 1),
        high=temper.floats(0, 1),
    )
    @temper.require(lambda a, b: a.shape[1] == b.shape[0])
    @temper.require("k % 4 == 1 and k >= len(a) and low <= high")
    def f(a, b, k, low, high):
        return k

    subject = subject_of(f)
    for seed in range(500):
        values = subject.program.draw(seed)
        assert values is not None and subject.filter(values)


def test_what_stands_before_star_arguments_is_given_by_place():
    @temper.args(a=temper.ints(1, 9), rest=temper.lists(temper.ints(10, 19), 0, 3))
    def f(a, b=0, *rest, c=1):
        return a, b, rest, c

    subject = subject_of(f)
    for seed in range(50):
        values = subject.program.draw(seed)
        a, b, rest, c = subject.call(values)
        assert 1 <= a <= 9 and (b, c) == (0, 1) and all(10 <= each <= 19 for each in rest)
    assert eval(subject.text(subject.program.tree()), {"f": f}) == (a, b, rest, c)


def test_cells_are_bounded_by_other_arguments():
    @temper.args(labels=temper.np_arrays("int64", "n", min=0, max="classes - 1"), classes=temper.ints(1, 9))
    def f(labels, classes):
        return labels

    found = draws(f)
    assert all(labels.min() >= 0 and labels.max() < classes for labels, classes, _ in found)
    assert any(labels.max() == classes - 1 > 3 for labels, classes, _ in found)


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        ("int64", "labels.min() >= 0 and labels.max() < classes"),
        ("int32", "0 <= labels.min() and classes > labels.max()"),
        ("int64", "(labels >= 0).all() and np.all(labels < classes)"),
        ("uint8", "labels.max() < len(weights)"),
        ("float64", "np.min(labels) >= 0 and labels.max() <= classes"),
    ],
)
def test_preconditions_about_cells_are_built(dtype, text):
    @temper.args(
        labels=temper.np_arrays(dtype, "n"), classes=temper.ints(1, 9), weights=temper.lists(temper.ints(), 1, 5)
    )
    @temper.require(text)
    def f(labels, classes, weights):
        return labels

    subject = subject_of(f)
    found = [subject.program.draw(seed) for seed in range(200)]
    assert all(values is not None and subject.filter(values) for values in found)


@pytest.mark.parametrize("text", ["x.max() < len(x)", "x.max() < n or n > 3", "x.sum() > 3", "x.max() < m and m > 0"])
def test_what_cannot_be_built_of_cells_filters(text):
    @temper.args(x=temper.np_arrays("int8", (2,)), n=temper.ints(1, 9), m=temper.ints(1, "n"))
    @temper.require(text)
    def f(x, n, m):
        return x

    assert sum(values is not None for values in draws(f, 50)) > 0


def test_the_alias_has_the_names_of_the_released_package():
    annotest_names.install()
    from annotest import an_language as an

    names = "arg integers floats sampled array_shapes np_arrays tuples dictionaries obj multiple integer_lists"
    for name in [
        *names.split(),
        *["precondition", "deadline", "exclude", "generator", "cc_example", "annotest_module_test"],
    ]:
        assert callable(getattr(an, name)), name

    @an.arg("n", an.integers(min_value=2, max_value=4))
    @an.arg("x", an.np_arrays(dtype=np.dtype("float32"), shape=an.sampled([(n, 2) for n in range(2, 9)])))
    @an.precondition("len(x) == n")
    @an.deadline(None)
    def f(n, x):
        return n

    for n, x in draws(f, 100):
        assert 2 <= n <= 4 and x.shape == (n, 2)


def test_the_alias_takes_the_spellings_of_the_paper_s_listings():
    annotest_names.install()
    import annotest as an

    @an.generator
    @an.exclude
    @an.arg("latent_dim", an.ints(min_value=1, max_value=1000))
    @an.arg("input_shape", an.np_shapes(min_dims=2))
    def gan_gens(latent_dim, input_shape):
        return latent_dim, input_shape

    @an.arg("shape", an.tuples(an.ints(min=20, max=70), an.ints(min=1, max=3)))
    @an.arg("blocks", an.ints(min=2, max=5))
    @an.arg("layers", an.anys(-1, an.ints(1, 5), an.int_lists(min_len=2, max_len=5, min=2, max=5)))
    @an.arg("sizes", an.int_lists(min_value=3))
    @an.arg("rate", an.floats(min=0, max=1, exclude_min=True, exclude_max=True))
    @an.arg("decay", an.floats(1e-4, 1e-2, width=32))
    @an.arg("any_float", an.floats(nan=True, inf=True))
    @an.arg("flag", an.bools())
    @an.arg("flags", an.bool_lists(max_len=2))
    @an.arg("image", an.np_arrays(np_type=np.dtype("uint32"), shape=(4, 4, 3)))
    @an.arg("other", an.ndarrays(np.uint8, an.np_shapes(min_dims=3, max_dims=3)))
    @an.arg("words", an.lists(an.froms(["a", "b"]), min_len=1, max_len=3))
    @an.arg("least", an.integers(min=1))
    @an.arg("net", an.objs(gan_gens))
    @an.arg("zero", an.froms([0, 0.0, None]))
    @an.arg("kwargs", an.dicts(keys=an.froms(["input_shape"]), values=an.np_shapes(1, 1), min_size=1, max_size=1))
    @an.require("type(layers) is not list or len(layers) == blocks")
    @an.timeout(5)
    def f(
        shape,
        blocks,
        layers,
        sizes,
        rate,
        decay,
        any_float,
        flag,
        flags,
        image,
        other,
        words,
        least,
        net,
        zero,
        **kwargs,
    ):
        return shape

    subject = subject_of(f)
    assert subject.hints == [] and subject.annotated.record.timeout_secs == 5.0
    for values in draws(f, 200):
        given = dict(zip(subject.names, values, strict=False))
        assert 20 <= given["shape"][0] <= 70 and 1 <= given["shape"][1] <= 3
        assert type(given["layers"]) is not list or len(given["layers"]) == given["blocks"]
        assert all(3 <= size <= 8 for size in given["sizes"]) and 1 <= len(given["sizes"]) <= 3
        assert 0 < given["rate"] < 1 and np.float32(given["decay"]) == given["decay"]
        assert (given["image"].shape, given["image"].dtype) == ((4, 4, 3), np.uint32)
        assert (given["other"].ndim, given["other"].dtype) == (3, np.uint8)
        assert 1 <= len(given["words"]) <= 3 and set(given["words"]) <= {"a", "b"}
        assert 1 <= given["least"] <= 1000 and len(given["net"][1]) >= 2
        assert list(given["kwargs"]) == ["input_shape"] and len(given["kwargs"]["input_shape"]) == 1

    class Callback:
        @an.arg("path", an.froms(["a.png", "b.png"]))
        @an.cc_example(["a.png"])
        def __init__(self, path):
            self.path = path

    assert annotations.annotations_of(Callback.__init__).examples == [["a.png"]]


def test_probed_code_answers_as_the_plain_code_does():
    source = """
def f(a, b, c):
    out = []
    if a < b and not b == c or a >= 7:
        out.append(1)
    while len(out) < 3 and 0 < c < 9:
        out.append(c if c % 2 else -c)
    return out + [x for x in range(4) if x > a]
"""
    path = "/nonexistent/probed.py"
    import linecache

    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    module = types.ModuleType("probed")
    exec(compile(source, path, "exec"), module.__dict__)
    plain = types.FunctionType(module.f.__code__, module.__dict__)
    watched = branches.Branches([module.f])
    # Three comparisons in the `if`, three in the `while`, one truth in the `else`, one in the comprehension.
    assert watched.count == 8
    for a in range(-1, 10):
        for b in range(0, 10, 3):
            for c in range(-2, 11, 3):
                assert module.f(a, b, c) == plain(a, b, c)


def test_importing_temper_needs_no_numpy():
    assert "temper" in sys.modules


def test_a_type_alias_is_what_it_stands_for():
    library = typing if sys.version_info >= (3, 12) else pytest.importorskip("typing_extensions")
    kind = typing.TypeVar("kind")
    pair = library.TypeAliasType("pair", tuple[kind, kind], type_params=(kind,))
    array = library.TypeAliasType("array", np.ndarray[typing.Any, np.dtype[kind]], type_params=(kind,))
    count = library.TypeAliasType("count", typing.Annotated[int, temper.ints(1, 9)])
    assert hints.domain_of(pair[bool]).kind == "tuples"
    assert hints.domain_of(count).params == temper.ints(1, 9).params
    assert hints.has_ours(count)
    assert hints.names_array(array[np.float32])
    assert hints.domain_of(array[np.float32]).params["dtype"] is np.float32
