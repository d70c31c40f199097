"""From the constraints that decorators left on a function to the description that the solver reads (JSON).

One `Reader` serves one subject: it numbers the values that the user wrote out and the generators that are used.
"""

from __future__ import annotations

import contextlib
import copy
import re
import sys
from collections.abc import Callable
from typing import Any

from temper.domains import composed, source_text, terms
from temper.domains.domain import Constraint
from temper.domains.source_text import text_of

INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1
_SPAN = 1000
# Bounds that are none.
_OPEN = (None, float("inf"), float("-inf"))
_DTYPES = frozenset(
    [
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    ]
)
_FROMS = frozenset(("froms", "sampled"))
_ANYS = frozenset(("anys", "multiple"))
# What an array without a dtype may be made of.
_ANY_DTYPE = ["float64", "float32", "int64", "int32", "uint8"]


class BadAnnotation(Exception):
    """Something is wrong with an annotation: what, where, the fact that shows it, and one act that helps."""

    def __init__(self, headline: str, line: int = 0, fact: str | None = None, hint: str | None = None) -> None:
        super().__init__(headline)
        self.headline, self.line, self.fact, self.hint = headline, line, fact, hint
        # The side file and its line, where the annotation is in one.
        self.side: tuple[str, int] | None = None


class Reader:
    """Turns constraints into descriptions, and keeps what the descriptions refer to by number."""

    def __init__(
        self, add_generator: Callable[[Any, int], int], add_composed: Callable[[composed.Composed, int], int]
    ) -> None:
        self.constants: list[Any] = []
        self.add_generator = add_generator
        self.add_composed = add_composed
        self.scope = terms.Scope(set(), {})
        self.line = 0
        self.hints: list[tuple[int, str]] = []

    def constant(self, value: Any, written: str | None = None) -> dict[str, Any]:
        """The description of a value that the user wrote out."""
        self.constants.append((value, copy.deepcopy if _is_mutable(value) else None))
        described: dict[str, Any] = {
            "index": len(self.constants) - 1,
            "text": text_of(value, written),
            "type": type(value).__name__,
        }
        if type(value) is int and INT64_MIN <= value <= INT64_MAX:
            described["int"] = value
        elif type(value) is float and value - value == 0.0:
            described["float"] = value
        shape = getattr(value, "shape", None)
        if isinstance(shape, tuple) and all(type(side) is int for side in shape):
            described["shape"] = list(shape)
        if hasattr(type(value), "__len__"):
            with contextlib.suppress(Exception):
                described["len"] = len(value)
        if isinstance(value, (tuple, list)) and all(type(item) is int for item in value):
            described["items"] = [item for item in value if INT64_MIN <= item <= INT64_MAX]
        return described

    def node(self, constraint: Any, written: str | None = None) -> dict[str, Any]:
        """The description of a constraint; anything else stands for itself."""
        if not isinstance(constraint, Constraint):
            if composed.is_strategy(constraint):
                return {"kind": "composed", "function": self.add_composed(composed.of_strategy(constraint), self.line)}
            return {"kind": "constant", **self.constant(constraint, written)}
        if constraint.problems:
            raise BadAnnotation(constraint.problems[0], constraint.line or self.line)
        self.hints.extend((constraint.line, hint) for hint in constraint.hints)
        return getattr(self, f"_{constraint.kind}")(constraint, constraint.params)

    def _wrong(self, node: Constraint, name: str, value: Any, wanted: str) -> BadAnnotation:
        return BadAnnotation(f"`{node.kind}` takes {wanted} as `{name}`, not {value!r}", node.line or self.line)

    def _term(self, node: Constraint, name: str, value: Any) -> Any:
        """A bound: a number, or a text that names other arguments."""
        if isinstance(value, str):
            return terms.term_of_text(value, self.scope)
        value = _plain_number(value)
        if type(value) is float and value.is_integer() and abs(value) < 1 << 63:
            value = int(value)
        if type(value) is not int:
            raise self._wrong(node, name, value, "a whole number or a text")
        if not INT64_MIN <= value <= INT64_MAX:
            raise self._wrong(node, name, value, "a number of 64 bits")
        return {"int": value}

    def _range(self, node: Constraint, low: str, high: str, lowest: Any, highest: Any) -> tuple[Any, Any]:
        minimum, maximum = node.params.get(low, lowest), node.params.get(high, highest)
        return self._term(node, low, minimum), self._term(node, high, maximum)

    def _froms(self, node: Constraint, params: dict[str, Any]) -> Any:
        values = params["values"]
        texts = source_text.written(node.file, node.line, _FROMS, values) or [None] * len(values)
        described = [self.constant(value, text) for value, text in zip(values, texts, strict=True)]
        return {"kind": "froms", "values": described}

    def _bools(self, node: Constraint, params: dict[str, Any]) -> Any:
        return {"kind": "bools"}

    def _ints(self, node: Constraint, params: dict[str, Any]) -> Any:
        has_min, has_max = "min" in params, "max" in params
        low, high = params.get("min", 0), params.get("max", _SPAN)
        minimum = {"int": INT64_MIN} if low is None else self._term(node, "min", low)
        maximum = {"int": INT64_MAX} if high is None else self._term(node, "max", high)
        if has_min and not has_max and low is not None:
            maximum = {"add": [minimum, {"int": _SPAN}]} if isinstance(low, str) else _clamped(minimum["int"] + _SPAN)
        if has_max and not has_min and high is not None:
            minimum = {"sub": [maximum, {"int": _SPAN}]} if isinstance(high, str) else _clamped(maximum["int"] - _SPAN)
        return {"kind": "ints", "min": minimum, "max": maximum}

    def _floats(self, node: Constraint, params: dict[str, Any]) -> Any:
        described = {"kind": "floats", "width": params.get("width", 64)}
        if described["width"] not in (16, 32, 64):
            raise self._wrong(node, "width", described["width"], "16, 32 or 64")
        for name in ("min", "max"):
            if params.get(name) not in _OPEN:
                described[name] = self._bound(node, name, params[name])
        for name in ("exclude_min", "exclude_max", "nan", "inf"):
            described[name] = bool(params.get(name))
        return described

    def _bound(self, node: Constraint, name: str, value: Any) -> Any:
        """The term of a number's bound: a number, or a text that names others."""
        if isinstance(value, str):
            return terms.term_of_text(value, self.scope)
        number = _plain_number(value)
        if type(number) not in (int, float) or number != number:
            raise self._wrong(node, name, value, "a number or a text")
        return {"float": float(number)}

    def _texts(self, node: Constraint, params: dict[str, Any]) -> Any:
        low, high = self._lengths(node, 0, 8)
        alphabet = params.get("alphabet")
        if alphabet is not None and not isinstance(alphabet, str):
            try:
                alphabet = "".join(alphabet)
            except TypeError:
                raise self._wrong(node, "alphabet", alphabet, "a text of characters") from None
        return {"kind": "texts", "min_len": low, "max_len": high, "alphabet": alphabet}

    def _lengths(self, node: Constraint, least: int, more: int) -> tuple[Any, Any]:
        params = node.params
        if "len" in params:
            exact = self._term(node, "len", params["len"])
            return exact, exact
        low = params.get("min_len", least)
        high = params.get("max_len")
        if high is None:
            high = low + more if isinstance(low, int) else f"({low}) + {more}"
        return self._term(node, "min_len", low), self._term(node, "max_len", high)

    def _lists(self, node: Constraint, params: dict[str, Any]) -> Any:
        low, high = self._lengths(node, 0, 8)
        element = self.node(params["element"])
        return {
            "kind": "lists",
            "element": element,
            "min_len": low,
            "max_len": high,
            "is_tuple": bool(params.get("is_tuple")),
        }

    def _tuples(self, node: Constraint, params: dict[str, Any]) -> Any:
        return {"kind": "tuples", "elements": [self.node(element) for element in params["elements"]]}

    def _shape_range(self, node: Constraint) -> Any:
        params = node.params
        dims = []
        for name, value in (("min_dims", params.get("min_dims", 1)), ("max_dims", params.get("max_dims"))):
            if value is None and name == "max_dims":
                value = max(dims[0], 3)
            if type(value) is not int:
                raise self._wrong(node, name, value, "a whole number")
            dims.append(value)
        low = params.get("min_side", 1)
        high = params.get("max_side")
        if high is None:
            high = max(low + 5, 8) if isinstance(low, int) else f"({low}) + 7"
        return {
            "min_dims": dims[0],
            "max_dims": dims[1],
            "min_side": self._term(node, "min_side", low),
            "max_side": self._term(node, "max_side", high),
        }

    def _np_shapes(self, node: Constraint, params: dict[str, Any]) -> Any:
        return {"kind": "np_shapes", **self._shape_range(node)}

    def _np_arrays(self, node: Constraint, params: dict[str, Any]) -> Any:
        names = self._dtypes(node, params.get("dtype"))
        described = {"kind": "np_arrays", "shape": self._shape(node, params.get("shape"))}
        for name in ("nan", "inf", "unique"):
            described[name] = bool(params.get(name))
        for name in ("min", "max"):
            if params.get(name) not in _OPEN:
                described[name] = self._bound(node, name, params[name])
        if params.get("lib") is not None:
            if params["lib"] not in ("torch", "tensorflow", "jax"):
                raise self._wrong(node, "lib", params["lib"], "torch, tensorflow or jax")
            described["lib"] = params["lib"]
        options = [{**described, "dtype": name} for name in names]
        return options[0] if len(options) == 1 else {"kind": "anys", "options": options}

    def _dtypes(self, node: Constraint, dtype: Any) -> list[str]:
        if dtype is None:
            return list(_ANY_DTYPE)
        if isinstance(dtype, str) and "|" in dtype:
            return [name for part in dtype.split("|") for name in self._dtypes(node, part.strip())]
        if isinstance(dtype, (list, tuple, set)):
            return [name for part in dtype for name in self._dtypes(node, part)]
        numpy = sys.modules.get("numpy")
        if numpy is None:
            import numpy
        try:
            name = numpy.dtype(dtype).name
        except TypeError:
            raise self._wrong(node, "dtype", dtype, "a dtype of numpy") from None
        if name not in _DTYPES:
            raise self._wrong(node, "dtype", name, "a dtype of bools, whole numbers, floats or complex numbers")
        return [name]

    def _shape(self, node: Constraint, shape: Any) -> Any:
        if shape is None:
            return {"range": self._shape_range(Constraint("np_shapes", {}))}
        if isinstance(shape, str):
            return {"dims": terms.shape_dims(shape, self.scope)}
        if isinstance(shape, int):
            shape = (shape,)
        if isinstance(shape, (tuple, list)):
            return {"dims": [self._side(node, side) for side in shape]}
        if isinstance(shape, Constraint):
            return self._shape_of_constraint(node, shape)
        raise self._wrong(node, "shape", shape, 'a tuple, a text such as "n k", or `np_shapes`')

    def _side(self, node: Constraint, side: Any) -> Any:
        number = _plain_number(side)
        if type(number) is int or isinstance(number, str):
            return terms.dimension(number, self.scope)
        raise self._wrong(node, "shape", side, "sizes and names")

    def _shape_of_constraint(self, node: Constraint, shape: Constraint) -> Any:
        if shape.problems:
            raise BadAnnotation(shape.problems[0], shape.line or self.line)
        if shape.kind == "np_shapes":
            return {"range": self._shape_range(shape)}
        if shape.kind == "froms":
            shapes = [(value,) if isinstance(value, int) else value for value in shape.params["values"]]
            if all(isinstance(each, (tuple, list)) and all(type(side) is int for side in each) for each in shapes):
                return {"one_of": [list(each) for each in shapes]}
        if shape.kind == "tuples":
            return {"dims": [self._dimension_of(node, element) for element in shape.params["elements"]]}
        raise self._wrong(node, "shape", shape, "`np_shapes`, `froms` with shapes, or `tuples` of sizes")

    def _dimension_of(self, node: Constraint, element: Any) -> Any:
        """A dimension given as `ints(...)` is a shape variable of its own."""
        if isinstance(element, Constraint) and element.kind == "ints":
            described = self._ints(element, element.params)
            name = f"side {len(self.constants)}"
            self.constants.append((None, None))
            return {"named": {"name": name, "min": described["min"], "max": described["max"]}}
        return self._side(node, element)

    def _dicts(self, node: Constraint, params: dict[str, Any]) -> Any:
        low = params.get("min_size") or 0
        high = params.get("max_size")
        if high is None:
            high = low + 4
        for name, value in (("min_size", low), ("max_size", high)):
            if type(value) is not int or value < 0:
                raise self._wrong(node, name, value, "a whole number from 0")
        keys, values = self.node(params["keys"]), self.node(params["values"])
        return {"kind": "dicts", "keys": keys, "values": values, "min_size": low, "max_size": high}

    def _fields(self, node: Constraint, fields: Any, what: str) -> list[Any]:
        described = []
        for name, constraint in fields.items():
            if not isinstance(name, str):
                raise BadAnnotation(f"`{node.kind}` takes texts as {what}, not {name!r}", node.line or self.line)
            is_optional = name.endswith("?")
            field = {"name": name.rstrip("?"), "is_optional": is_optional, "domain": self.node(constraint)}
            described.append(field)
        return described

    def _records(self, node: Constraint, params: dict[str, Any]) -> Any:
        return {"kind": "records", "fields": self._fields(node, params["fields"], "keys")}

    def _frames(self, node: Constraint, params: dict[str, Any]) -> Any:
        rows = terms.dimension(params["rows"], self.scope)
        return {"kind": "frames", "columns": self._fields(node, params["columns"], "columns"), "rows": rows}

    def _anys(self, node: Constraint, params: dict[str, Any]) -> Any:
        options = params["options"]
        texts = source_text.written(node.file, node.line, _ANYS, options) or [None] * len(options)
        return {"kind": "anys", "options": [self.node(*each) for each in zip(options, texts, strict=True)]}

    def _objs(self, node: Constraint, params: dict[str, Any]) -> Any:
        line = node.line or self.line
        if composed.is_composed(params["generator"]):
            made = composed.of_generator(params["generator"])
            return {"kind": "composed", "function": self.add_composed(made, line)}
        return {"kind": "objs", "function": self.add_generator(params["generator"], line)}

    def _with_neighbours(self, node: Constraint, params: dict[str, Any]) -> Any:
        if not callable(params["step"]):
            raise self._wrong(node, "step", params["step"], "a function")
        number = self.add_composed(composed.of_neighbours(params["step"]), node.line or self.line)
        return {"kind": "stepped", "inner": self.node(params["domain"]), "function": number}

    def _untargeted(self, node: Constraint, params: dict[str, Any]) -> Any:
        return {"kind": "untargeted", "inner": self.node(params["domain"])}


def _is_mutable(value: Any) -> bool:
    """Whether a subject could change the value, which the next draw must not see."""
    if isinstance(value, tuple):
        return any(_is_mutable(item) for item in value)
    return isinstance(value, (list, dict, set, bytearray)) or type(value).__name__ == "ndarray"


def _clamped(value: int) -> dict[str, int]:
    return {"int": max(INT64_MIN, min(INT64_MAX, value))}


def _plain_number(value: Any) -> Any:
    """A number of numpy, a fraction or a decimal as Python's own."""
    if isinstance(value, bool) or type(value) in (int, float, str):
        return value
    if hasattr(value, "__index__"):
        return value.__index__()
    if hasattr(value, "__float__") and getattr(value, "shape", ()) == ():
        return float(value)
    return value


def shape_names(constraint: Any) -> list[str]:
    """The shape variables in a constraint tree, in the order in which they are met: that of the solver."""
    if isinstance(constraint, Constraint):
        found: list[str] = []
        for name, value in constraint.params.items():
            if name in ("shape", "rows") and not isinstance(value, Constraint):
                parts = value if isinstance(value, (tuple, list)) else [value]
                for part in parts:
                    if isinstance(part, str):
                        found += terms.names_in_shape(part)
            found += shape_names(value)
        return list(dict.fromkeys(found))
    if isinstance(constraint, dict):
        constraint = list(constraint.values())
    if isinstance(constraint, (list, tuple)):
        return list(dict.fromkeys(name for part in constraint for name in shape_names(part)))
    return []


def bound_names(constraint: Any) -> set[str]:
    """The names in the bounds and lengths of a constraint."""
    if isinstance(constraint, Constraint):
        found: set[str] = set()
        for key, value in constraint.params.items():
            if key in ("min", "max", "len", "min_len", "max_len", "shape") and isinstance(value, str):
                found |= set(re.findall(r"[^\W\d]\w*", value))
            elif key != "values":
                found |= bound_names(value)
        return found
    if isinstance(constraint, dict):
        constraint = list(constraint.values())
    return set().union(*map(bound_names, constraint)) if isinstance(constraint, (list, tuple)) else set()
