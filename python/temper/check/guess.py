"""From what the source says about a parameter to a constraint: the last step of ``temper check --suggest``."""

from __future__ import annotations

import ast
import math
from typing import Any

# Names that say what a parameter is, where nothing else does. Whole words between underscores count.
_ARRAYS = frozenset(("x", "xs", "data", "features", "images"))
_VECTORS = frozenset(
    (
        "y",
        "labels",
        "targets",
        "t",
        "z",
        "scores",
        "values",
        "weights",
        "array",
        "arr",
        "a",
        "v",
        "vector",
        "y_true",
        "y_pred",
    )
)
_WHOLE = frozenset(
    (
        "n",
        "k",
        "m",
        "size",
        "width",
        "height",
        "depth",
        "epochs",
        "steps",
        "iters",
        "batch",
        "num",
        "count",
        "seed",
        "axis",
    )
)
_RATES = frozenset(
    (
        "lr",
        "rate",
        "alpha",
        "beta",
        "gamma",
        "eps",
        "epsilon",
        "prob",
        "p",
        "dropout",
        "frac",
        "momentum",
        "tol",
        "b",
        "bias",
    )
)


# Parameters that are best left at their defaults: what is right for them depends on the others.
_LEFT_ALONE = frozenset(("axis", "dtype", "out", "rng", "random_state", "where", "keepdims", "callback", "verbose"))


class Clues:
    """What was seen of one parameter, each with where it was seen."""

    def __init__(self, name: str, parameters: frozenset[str] = frozenset()) -> None:
        self.name = name
        # All parameters of the function: a side of an array that bears such a name would be as long as that argument says.
        self.parameters = parameters
        # Values that callers and the default give; `None` is one.
        self.values: list[Any] = []
        # Kinds that the body or a hint asks for: int, float, bool, str, array, table, list, dict, callable, object.
        self.kinds: dict[str, int] = {}
        self.sources: list[str] = []
        self.dims: set[int] = set()
        self.low: tuple[float, bool] | None = None
        self.high: tuple[float, bool] | None = None
        self.options: list[Any] = []
        self.has_default = False
        self.dtype = "float64"
        self.shape: str | None = None

    def see(self, kind: str, source: str, weight: int = 1) -> None:
        """Notes that the parameter is used as something."""
        self.kinds[kind] = self.kinds.get(kind, 0) + weight
        self.note(source)

    def note(self, source: str) -> None:
        """Notes where something was read."""
        if source not in self.sources:
            self.sources.append(source)

    def value(self, value: Any, source: str) -> None:
        """Notes a value that is given somewhere."""
        self.values.append(value)
        self.note(source)

    def bound(self, operator: type, number: float, source: str) -> None:
        """Notes that the parameter must compare so with a number."""
        if operator in (ast.Gt, ast.GtE):
            if self.low is None or number > self.low[0]:
                self.low = (number, operator is ast.Gt)
        elif operator in (ast.Lt, ast.LtE):
            if self.high is None or number < self.high[0]:
                self.high = (number, operator is ast.Lt)
        self.note(source)


def fit_product(left: Clues, right: Clues) -> None:
    """Two parameters that are multiplied as matrices share their inner side."""
    if left.shape is None and right.shape is None:
        n, k, m = _sides(left)[:3]
        left.shape = f"{n} {k}" if _dims(left) > 1 else k
        right.shape = f"{k} {m}" if _dims(right) > 1 else k


def _sides(clues: Clues) -> list[str]:
    """Names for the sides of arrays, in order."""
    return [name for name in ("n", "k", "m", "h", "rows", "columns", "planes", "cells") if name not in clues.parameters]


def _dims(clues: Clues) -> int:
    seen = {value.dims for value in clues.values if isinstance(value, _Array) and value.dims} | clues.dims
    return max(seen) if seen else (2 if clues.name in _ARRAYS or clues.name == "X" else 1)


def constraint(clues: Clues) -> tuple[str, str] | None:
    """The constraint as source text and what it was read off; None when nothing is known."""
    text = _text(clues)
    if text is None:
        return None
    return text, ", ".join(clues.sources[:3]) or "its name"


def missing(clues: Clues) -> str:
    """What to say of a required parameter without a constraint."""
    if clues.kinds.get("table"):
        return f"`{clues.name}` is a table: say its columns with `frames`"
    return f"no clue to `{clues.name}`: say what it is, perhaps with `objs`"


def _text(clues: Clues) -> str | None:
    if clues.name in _LEFT_ALONE and clues.has_default:
        return None
    if clues.options:
        return f"froms({clues.options!r})"
    values = [value for value in clues.values if value is not None]
    is_optional = any(value is None for value in clues.values)
    kind = _kind(clues, values)
    made = _of_kind(clues, kind, values)
    if made is None:
        return "froms([None])" if is_optional and not values and clues.kinds == {} else None
    return f"anys(None, {made})" if is_optional and not made.startswith("anys(") else made


def _kind(clues: Clues, values: list[Any]) -> str | None:
    found = dict(clues.kinds)
    for value in values:
        name = "array" if isinstance(value, _Array) else type(value).__name__
        found[name] = found.get(name, 0) + 2
    for decided in ("table", "array"):
        if found.get(decided):
            return decided
    if found.get("int") and found.get("float"):
        return "float" if found["float"] >= found["int"] or any(type(value) is float for value in values) else "int"
    if found:
        return max(found, key=lambda name: found[name])
    words = clues.name.lower().split("_")
    # A letter at the end tells one of several from the others: `weights_b`.
    words = words[:-1] if len(words) > 1 and len(words[-1]) == 1 else words
    if clues.name in _ARRAYS or clues.name == "X":
        return "array"
    if clues.name in _VECTORS:
        return "array"
    if words[0] in _WHOLE or words[-1] in _WHOLE:
        return "int"
    if words[0] in _RATES or words[-1] in _RATES:
        return "float"
    return None


class _Array:
    """An array that a caller makes, as far as its shape is known."""

    def __init__(self, dims: int | None, dtype: str = "float64") -> None:
        self.dims, self.dtype = dims, dtype


def array(dims: int | None, dtype: str = "float64") -> Any:
    """A value that stands for an array."""
    return _Array(dims, dtype)


def _of_kind(clues: Clues, kind: str | None, values: list[Any]) -> str | None:
    if kind == "array":
        return _array_text(clues, values)
    if kind == "bool":
        return "bools()"
    if kind == "int":
        return _int_text(clues, [value for value in values if type(value) is int])
    if kind == "float":
        return _float_text(clues, [float(value) for value in values if type(value) in (int, float)])
    if kind == "str":
        texts = sorted({value for value in values if isinstance(value, str)})
        return f"froms({texts!r})" if texts else "texts()"
    if kind in ("list", "tuple"):
        return _sequence_text(kind, values)
    return None


def _array_text(clues: Clues, values: list[Any]) -> str:
    dtypes = {value.dtype for value in values if isinstance(value, _Array)}
    dtype = dtypes.pop() if len(dtypes) == 1 else clues.dtype
    shape = clues.shape or " ".join(_sides(clues)[: _dims(clues)])
    low = _number(clues.low[0]) if clues.low else ("0" if dtype.startswith("int") else "-100")
    high = _number(clues.high[0]) if clues.high else ("9" if dtype.startswith("int") else "100")
    return f'np_arrays("{dtype}", "{shape}", min={low}, max={high})'


def _int_text(clues: Clues, values: list[int]) -> str:
    least, most = min(values, default=1), max(values, default=8)
    low = _whole_bound(clues.low, 1)
    high = _whole_bound(clues.high, -1)
    if low is None:
        low = min(least, 1) if least > 0 else least
    if high is None:
        high = max(low + 1, 2 * most if most > 0 else low + 10)
    return f"ints({low}, {high})"


def _whole_bound(bound: tuple[float, bool] | None, step: int) -> int | None:
    if bound is None or not math.isfinite(bound[0]):
        return None
    number, is_strict = bound
    whole = math.ceil(number) if step > 0 else math.floor(number)
    return whole + step if is_strict and whole == number else whole


def _float_text(clues: Clues, values: list[float]) -> str:
    most = max((abs(value) for value in values), default=1.0)
    low, is_low_open = clues.low or ((0.0, 0.0 not in values) if min(values, default=1.0) >= 0 else (-10 * most, False))
    high, is_high_open = clues.high or ((1.0 if most <= 1 else 10 * most), False)
    flags = ", exclude_min=True" if is_low_open else ""
    flags += ", exclude_max=True" if is_high_open else ""
    return f"floats({_number(low)}, {_number(high)}{flags})"


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e9 else repr(float(value))


def _sequence_text(kind: str, values: list[Any]) -> str | None:
    lists = [value for value in values if isinstance(value, (list, tuple)) and value]
    parts = [part for value in lists for part in value]
    if not parts or not all(type(part) in (int, float, str, bool) for part in parts):
        return "lists(ints(0, 9), 1, 8)" if kind == "list" and not lists else None
    inner = Clues("item")
    inner.values = parts
    element = _of_kind(inner, _kind(inner, parts), parts)
    if kind == "tuple":
        return f"tuples({', '.join([str(element)] * len(lists[0]))})"
    return f"lists({element}, 1, {max(map(len, lists)) + 2})"
