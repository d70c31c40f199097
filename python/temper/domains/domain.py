"""The annotation language: what values an argument may take.

Every function here returns a `Constraint`, a node of the constraint tree. Nothing is checked against anything yet:
an annotation must never break the module it stands in, so a wrong parameter is remembered in the node and reported
by ``temper check`` with its line. The parameters are the same everywhere: ``min``, ``max``, ``min_len``, ``max_len``.

A bound, a length or a dimension may be a number or a text that names other arguments: ``ints(1, "n")``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

# Names that the AnnoTest paper and Hypothesis use for our parameters.
_OTHER_NAMES = {
    "min_value": "min",
    "max_value": "max",
    "np_type": "dtype",
    "min_size": "min_len",
    "max_size": "max_len",
    "allow_nan": "nan",
    "allow_infinity": "inf",
    "elements": "values",
}
_UNSET: Any = type("Unset", (), {"__repr__": lambda self: "unset", "__slots__": ()})()


class Constraint:
    """One node of the constraint tree: its kind, its parameters, and what is wrong with them, if anything."""

    __slots__ = ("file", "hints", "kind", "line", "params", "problems")

    def __init__(self, kind: str, params: dict[str, Any]) -> None:
        self.kind = kind
        self.params = params
        self.problems: list[str] = []
        self.hints: list[str] = []
        self.line = 0
        self.file = ""

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self.kind}({inner})"


def _make(kind: str, known: dict[str, Any], others: dict[str, Any], depth: int = 2) -> Constraint:
    """Build a node from the parameters that were given, the other names of parameters, and the unknown ones."""
    node = Constraint(kind, {})
    # The caller of the public function: that is where the annotation is written.
    frame = sys._getframe(depth)
    node.line, node.file = frame.f_lineno, frame.f_code.co_filename
    node.hints = _take_others(kind, known, others)
    for name in others:
        node.problems.append(f"`{kind}` has no parameter `{name}`; it takes {', '.join(f'`{key}`' for key in known)}")
    node.params = {name: value for name, value in known.items() if value is not _UNSET}
    return node


def _take_others(kind: str, known: dict[str, Any], others: dict[str, Any]) -> list[str]:
    """Move what was given by other names to the parameters that are unset, and say so; the rest stays."""
    hints = []
    for name in list(others):
        ours = _OTHER_NAMES.get(name)
        if ours in known and known[ours] is _UNSET:
            known[ours] = others.pop(name)
            hints.append(f"`{kind}` calls it `{ours}`, not `{name}`")
    return hints


def froms(values: Iterable[Any]) -> Constraint:
    """One of these values; the first is the simplest."""
    try:
        listed = list(values)
    except TypeError:
        node = _make("froms", {"values": []}, {})
        node.problems.append(f"`froms` takes a list of values, not {values!r}")
        return node
    return _make("froms", {"values": listed}, {})


def bools() -> Constraint:
    """True or False."""
    return _make("bools", {}, {})


def ints(min: Any = _UNSET, max: Any = _UNSET, **others: Any) -> Constraint:
    """Whole numbers from ``min`` to ``max``, both included.

    Without bounds 0 to 1000; with one of them, 1000 away from it; ``None`` is the end of the 64-bit range.
    """
    return _make("ints", {"min": min, "max": max}, others)


def floats(
    min: Any = _UNSET,
    max: Any = _UNSET,
    exclude_min: bool = False,
    exclude_max: bool = False,
    nan: bool = False,
    inf: bool = False,
    width: int = 64,
    **others: Any,
) -> Constraint:
    """Finite numbers from ``min`` to ``max``; not-a-number and the infinities only when asked for."""
    flags = {"exclude_min": exclude_min, "exclude_max": exclude_max, "nan": nan, "inf": inf, "width": width}
    return _make("floats", {"min": min, "max": max, **flags}, others)


def texts(min_len: Any = _UNSET, max_len: Any = _UNSET, alphabet: str | None = None, **others: Any) -> Constraint:
    """Texts of printable characters, or of those in ``alphabet``."""
    return _make("texts", {"min_len": min_len, "max_len": max_len, "alphabet": alphabet}, others)


def lists(element: Any, min_len: Any = _UNSET, max_len: Any = _UNSET, len: Any = _UNSET, **others: Any) -> Constraint:
    """Lists of 0 to 8 elements, or of the length that ``len`` names."""
    return _make("lists", {"element": element, "min_len": min_len, "max_len": max_len, "len": len}, others)


def tuples(*elements: Any) -> Constraint:
    """Tuples with one element for each constraint or value."""
    return _make("tuples", {"elements": list(elements)}, {})


def _short_list(element: Constraint, min_len: Any, max_len: Any) -> dict[str, Any]:
    """The lengths of the paper's shorthands: from 1, and up to two more than the least."""
    low = 1 if min_len is _UNSET else min_len
    high = max_len
    if high is _UNSET:
        high = low + 2 if isinstance(low, int) else f"{low} + 2"
    return {"element": element, "min_len": low, "max_len": high, "len": _UNSET}


def int_lists(
    min_len: Any = _UNSET, max_len: Any = _UNSET, min: Any = _UNSET, max: Any = _UNSET, **others: Any
) -> Constraint:
    """Lists of whole numbers: 1 to ``min_len + 2`` of them, from 1 to ``min + 5``."""
    bounds = {"min": min, "max": max}
    hints = _take_others("int_lists", bounds, others)
    low = 1 if bounds["min"] is _UNSET else bounds["min"]
    high = bounds["max"]
    if high is _UNSET:
        high = low + 5 if isinstance(low, int) else f"{low} + 5"
    node = _make("lists", _short_list(ints(low, high), min_len, max_len), others)
    node.hints += hints
    return node


def float_lists(
    min_len: Any = _UNSET, max_len: Any = _UNSET, min: Any = _UNSET, max: Any = _UNSET, **others: Any
) -> Constraint:
    """Lists of finite numbers: 1 to ``min_len + 2`` of them."""
    bounds = {"min": min, "max": max}
    hints = _take_others("float_lists", bounds, others)
    node = _make("lists", _short_list(floats(**bounds), min_len, max_len), others)
    node.hints += hints
    return node


def bool_lists(min_len: Any = _UNSET, max_len: Any = _UNSET, **others: Any) -> Constraint:
    """Lists of True and False: 1 to ``min_len + 2`` of them."""
    return _make("lists", _short_list(bools(), min_len, max_len), others)


def np_shapes(
    min_dims: Any = 1, max_dims: Any = _UNSET, min_side: Any = 1, max_side: Any = _UNSET, **others: Any
) -> Constraint:
    """Shapes of arrays: 1 to 3 dimensions of 1 to 8 each."""
    return _make(
        "np_shapes",
        {"min_dims": min_dims, "max_dims": max_dims, "min_side": min_side, "max_side": max_side},
        others,
    )


def np_arrays(
    dtype: Any = _UNSET,
    shape: Any = _UNSET,
    min: Any = _UNSET,
    max: Any = _UNSET,
    nan: bool = False,
    inf: bool = False,
    unique: bool = False,
    **others: Any,
) -> Constraint:
    """Numpy arrays. ``shape`` is a tuple, an `np_shapes`, or names such as ``"n k"`` and ``"batch:1..32 3"``."""
    flags = {"nan": nan, "inf": inf, "unique": unique}
    return _make("np_arrays", {"dtype": dtype, "shape": shape, "min": min, "max": max, **flags}, others)


def tensors(
    dtype: Any = _UNSET,
    shape: Any = _UNSET,
    min: Any = _UNSET,
    max: Any = _UNSET,
    nan: bool = False,
    inf: bool = False,
    unique: bool = False,
    lib: str = "torch",
    **others: Any,
) -> Constraint:
    """Tensors of ``lib`` (``"torch"``, ``"tensorflow"`` or ``"jax"``), built from the arrays of `np_arrays`."""
    flags = {"nan": nan, "inf": inf, "unique": unique, "lib": lib}
    return _make("np_arrays", {"dtype": dtype, "shape": shape, "min": min, "max": max, **flags}, others)


def dicts(keys: Any, values: Any, min_size: Any = _UNSET, max_size: Any = _UNSET, **others: Any) -> Constraint:
    """Dictionaries with keys and values from two constraints."""
    return _make("dicts", {"keys": keys, "values": values, "min_size": min_size, "max_size": max_size}, others)


def records(fields: Mapping[str, Any]) -> Constraint:
    """Dictionaries with these keys; a key that ends in ``?`` may be missing."""
    return _make("records", {"fields": dict(fields)}, {})


def frames(columns: Mapping[str, Any], rows: Any = "rows:1..50", **others: Any) -> Constraint:
    """Pandas data frames with these columns; ``rows`` is a number or a shape variable such as ``"n:1..50"``."""
    return _make("frames", {"columns": dict(columns), "rows": rows}, others)


def anys(*options: Any) -> Constraint:
    """A value of any of these constraints, or one of these values."""
    return _make("anys", {"options": list(options)}, {})


def objs(generator: Callable[..., Any]) -> Constraint:
    """What a ``@generator`` function returns.

    Its arguments are annotated like any other's; or its first argument is called ``draw``, and the function draws its
    parts itself, as in ``draw(ints(1, 9))``.
    """
    return _make("objs", {"generator": generator}, {})


def with_neighbours(domain: Any, step: Callable[..., Any]) -> Constraint:
    """Values of a domain that a search moves by your own function: ``step(value, t, draw)`` gives a value near ``value``.

    ``t`` is the temperature, from 1 (far) to 0 (near). What is random in the step comes from ``draw(domain)``; a step
    that needs nothing random may leave ``draw`` out. Everything around this part keeps its automatic neighbourhood.
    """
    return _make("with_neighbours", {"domain": domain, "step": step}, {})


def untargeted(domain: Any) -> Constraint:
    """Values of a domain that a search draws anew for every test instead of moving them."""
    return _make("untargeted", {"domain": domain}, {})
