"""From what the source says about a parameter to a domain: the last step of ``temper check --suggest``."""

from __future__ import annotations

import ast
from typing import Any

from temper.domains.domain import Domain

# Names that say what a parameter is, if nothing else does. Whole words between underscores count.
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
_LEFT_ALONE = frozenset(
    ("axis", "axes", "dtype", "out", "rng", "random_state", "where", "keepdims", "callback", "verbose")
)


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
        # Whether a type hint says what it is; attributes that are not known then say nothing.
        self.is_hinted = False
        self.dtype = "float64"
        self.shape: str | None = None
        # The kind that the docstring names; nothing else decides then.
        self.said: str | None = None
        # The number of dimensions and the dtype that the docstring names.
        self.said_dims: int | None = None
        self.said_dtype: str | None = None
        # What the elements of a list are.
        self.said_element: str | None = None
        # What the elements of a tuple are, one kind for each.
        self.said_parts: list[str] = []
        # Whether it may be so many things that its default is the best value.
        self.is_many_things = False
        # What refusals say: rows that an array has at least, that a number is odd, that the default is the best value.
        self.least_rows: int | None = None
        self.is_odd = False
        self.is_left = False

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
        """Notes how the parameter must compare with a number."""
        if operator in (ast.Gt, ast.GtE):
            if self.low is None or (number, operator is ast.Gt) > self.low:
                self.low = (number, operator is ast.Gt)
        elif operator in (ast.Lt, ast.LtE):
            if self.high is None or (number, operator is not ast.Lt) < (self.high[0], not self.high[1]):
                self.high = (number, operator is ast.Lt)
        self.note(source)

    def side_names(self) -> list[str]:
        """Names for the sides of arrays, in order."""
        names = ("n", "k", "m", "h", "rows", "columns", "planes", "cells")
        return [name for name in names if name not in self.parameters]

    def dims_seen(self) -> int:
        """The number of dimensions that the parameter has as an array."""
        if self.said_dims is not None:
            return self.said_dims
        seen = {value.dims for value in self.values if isinstance(value, SeenArray) and value.dims} | self.dims
        return max(seen) if seen else (2 if self.name in _ARRAYS or self.name == "X" else 1)

    def shape_text(self) -> str:
        """The shape that the parameter has as an array."""
        return self.shape or " ".join(self.side_names()[: self.dims_seen()])

    def set_dims(self, dims: int, source: str) -> None:
        """Gives the array a number of dimensions; sides that it had already keep their names."""
        known = [side for side in (self.shape or "").split() if not side.startswith("*")]
        others = [name for name in self.side_names() if name not in known]
        self.shape = " ".join([*known, *others][:dims])
        self.said_dims = dims
        self.note(source)

    def element(self, sequences: list[Any]) -> str | None:
        """The domain of the elements of lists and tuples; None if they are no plain values."""
        parts = [part for sequence in sequences for part in sequence]
        if not all(type(part) in (int, float, str, bool) for part in parts):
            return None
        inner = Clues("item")
        inner.values = parts
        return _guessed(inner, _clue(inner, parts), parts)

    def said_part_texts(self) -> list[str]:
        """The domains of the elements of a tuple that somebody named."""
        return [_guessed(Clues("item", self.parameters), kind, []) or "froms([None])" for kind in self.said_parts]

    def said_element_text(self) -> str | None:
        """The domain of the elements that somebody named; None if they cannot be drawn."""
        inner = Clues("item", self.parameters)
        inner.said, inner.said_dtype = self.said_element, self.said_dtype
        inner.shape, inner.said_dims = self.shape, self.said_dims
        return _guessed(inner, inner.said, [])


def fit_product(left: Clues, right: Clues) -> None:
    """Two parameters that are multiplied as matrices share their inner side."""
    if left.shape is None and right.shape is None:
        n, k, m = left.side_names()[:3]
        left.shape = f"{n} {k}" if left.dims_seen() > 1 else k
        right.shape = f"{k} {m}" if right.dims_seen() > 1 else k


def domain(clues: Clues) -> tuple[str, str] | None:
    """The domain as source text and what it was read off; None if nothing is known."""
    text = _text(clues)
    if text is None:
        return None
    return text, f"{_certainty(clues)}: {', '.join(clues.sources[:3]) or 'its name'}"


def _certainty(clues: Clues) -> str:
    """How sure a proposal is: somebody said so, the code uses it so, or only its name sounds so."""
    if clues.said is not None or clues.is_hinted or clues.options:
        return "said"
    return "seen" if clues.sources else "guessed"


def missing(clues: Clues) -> str:
    """What to say of a required parameter without a domain."""
    if clues.kinds.get("table"):
        return f"`{clues.name}` is a table: say its columns with `frames`"
    return f"no clue to `{clues.name}`: say what it is, perhaps with `objs`"


def _text(clues: Clues) -> str | None:
    if clues.has_default and (clues.name in _LEFT_ALONE or clues.is_many_things or clues.is_left):
        return None
    if clues.options:
        return f"froms({clues.options!r})"
    values = [value for value in clues.values if value is not None]
    is_optional = any(value is None for value in clues.values)
    made = _guessed(clues, _clue(clues, values), values)
    if made is None:
        return "froms([None])" if is_optional and not values and clues.kinds == {} else None
    return f"anys(None, {made})" if is_optional and not made.startswith("anys(") else made


def _clue(clues: Clues, values: list[Any]) -> str | None:
    """The word for what the parameter most likely is."""
    if clues.said is not None:
        return clues.said
    found = dict(clues.kinds)
    for value in values:
        name = "array" if isinstance(value, SeenArray) else type(value).__name__
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


class SeenArray:
    """An array that a caller makes, as far as its shape is known."""

    def __init__(self, dims: int | None, dtype: str = "float64") -> None:
        self.dims, self.dtype = dims, dtype


def _guessed(clues: Clues, clue: str | None, values: list[Any]) -> str | None:
    """What the kind of domain that answers to a clue makes of it."""
    return next((kind.guess(clues, clue, values) for kind in Domain.kinds() if clue in kind.clues), None)
