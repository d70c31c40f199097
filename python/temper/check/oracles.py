"""Oracles beyond crashing: what must hold of a result, whatever the function computes. Each is asked for by a flag of
``temper check`` or by a decorator, because not every function promises it.

Each oracle makes at most a few more calls, on copies of the arguments, and says what is wrong in a text that starts with its
name, so that findings of different oracles are told apart.
"""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any

from temper import annotations

# How far results may be apart that are computed in another order, and in float32 instead of float64: a part of the largest
# number in the result. A mean of a hundred numbers in another order is off by less, and float32 has seven digits.
_ORDER = 1e-9
_PRECISION = 1e-3
# Rows of a batch that are computed alone.
_MAX_ROWS = 4


class Oracles:
    """The oracles of one subject, by name; those about rows name the arguments whose rows they are about."""

    def __init__(self, named: dict[str, tuple[str, ...]], names: list[str], call: Callable[[Any], Any]) -> None:
        self._named, self._names, self._call = named, names, call

    def before(self, values: Any) -> Any:
        """What is kept of the arguments until the call is made; None if they cannot be copied."""
        if not self._named:
            return None
        try:
            return copy.deepcopy(tuple(values))
        except Exception:
            return None

    def broken(self, values: Any, kept: Any, result: Any) -> str | None:
        """What does not hold, in words; None if all does, or nothing can be said."""
        if kept is None:
            return None
        for name, arguments in self._named.items():
            places = [self._names.index(each) for each in arguments if each in self._names]
            wrong = _ORACLES[name](_Made(self._call, values, kept, result, places))
            if wrong is not None:
                return f"{name}: {wrong}"
        return None


class _Made:
    """A call that was made: its arguments now and before, and its result."""

    def __init__(self, call: Callable[[Any], Any], values: Any, kept: Any, result: Any, places: list[int]) -> None:
        self.call, self.values, self.kept, self.result, self.places = call, values, kept, result, places

    def again(self, changed: Callable[[Any], Any] | None = None) -> Any:
        """The result for copies of the arguments; those at the places are changed first."""
        given = list(copy.deepcopy(self.kept))
        for place in self.places if changed is not None else ():
            given[place] = changed(given[place])
        return self.call(tuple(given))

    def rows(self) -> int:
        """The number of rows of the arguments that the oracle is about; 0 if they have none in common."""
        counts = {len(self.kept[place]) if hasattr(self.kept[place], "__len__") else 0 for place in self.places}
        return counts.pop() if len(counts) == 1 else 0


def _same(made: _Made) -> str | None:
    try:
        second = made.again()
    except Exception as error:
        return f"the same call raised {type(error).__name__} the second time"
    return _difference(made.result, second, 0.0, "the same call gave another result")


def _unchanged(made: _Made) -> str | None:
    return _difference(list(made.kept), list(made.values[: len(made.kept)]), 0.0, "an argument was changed in place")


def _precision(made: _Made) -> str | None:
    made.places = [at for at, value in enumerate(made.kept) if str(getattr(value, "dtype", "")) == "float64"]
    if not made.places:
        return None
    try:
        rough = made.again(lambda array: array.astype("float32"))
    except Exception:
        # The annotations do not say that float32 is allowed.
        return None
    return _difference(made.result, rough, _PRECISION, "float32 and float64 do not agree")


def _pickled(made: _Made) -> str | None:
    try:
        again = pickle.loads(pickle.dumps(made.result))
    except Exception as error:
        return f"pickling the result raised {type(error).__name__}: {error}"
    return _difference(made.result, again, 0.0, "the result changed by pickling")


def _batchwise(made: _Made) -> str | None:
    for row in range(min(made.rows(), _MAX_ROWS)):
        alone = made.again(lambda array, row=row: array[row : row + 1])
        wrong = _difference(_rows(made.result, [row]), alone, _ORDER, f"row {row} alone gives another result")
        if wrong is not None:
            return wrong
    return None


def _equivariant(made: _Made) -> str | None:
    order = list(reversed(range(made.rows())))
    if len(order) < 2:
        return None
    turned = made.again(lambda array: _rows(array, order))
    return _difference(_rows(made.result, order), turned, _ORDER, "rows in another order give other results")


def _order_free(made: _Made) -> str | None:
    order = list(reversed(range(made.rows())))
    if len(order) < 2:
        return None
    turned = made.again(lambda array: _rows(array, order))
    return _difference(made.result, turned, _ORDER, "rows in another order give another result")


_ORACLES: dict[str, Callable[[_Made], str | None]] = {
    "same": _same,
    "unchanged": _unchanged,
    "precision": _precision,
    "pickled": _pickled,
    "batchwise": _batchwise,
    "equivariant": _equivariant,
    "order_free": _order_free,
}
NAMES = tuple(_ORACLES)


def obeys(oracle: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether one call of a function passes an oracle; those about rows are about the arguments that follow the oracle's name, or
    else those that the function's annotation names."""
    oracle, *named = oracle.split()
    bound = inspect.signature(function).bind(*args, **kwargs)
    names, values = list(bound.arguments), tuple(bound.arguments.values())

    def call(given: Any) -> Any:
        bound.arguments.update(zip(names, given, strict=True))
        return function(*bound.args, **bound.kwargs)

    record = annotations.annotations_of(function)
    arguments = tuple(named) or (record.oracles.get(oracle, ()) if record is not None else ())
    oracles = Oracles({oracle: arguments}, names, call)
    kept = oracles.before(values)
    return oracles.broken(values, kept, call(values)) is None


def _rows(value: Any, order: list[int]) -> Any:
    """Rows of an array, a table or a list, in an order."""
    if hasattr(value, "iloc"):
        return value.iloc[order]
    return [value[at] for at in order] if isinstance(value, (list, tuple)) else value[order]


def _difference(left: Any, right: Any, rel: float, text: str) -> str | None:
    """The text if two values differ by more than a part of their largest number; what is no number must be equal."""
    try:
        return None if _is_close(left, right, rel, 6) else text
    except Exception:
        # Values that cannot be compared say nothing.
        return None


def _is_close(left: Any, right: Any, rel: float, depth: int) -> bool:
    if depth == 0 or left is right:
        return True
    if hasattr(left, "to_numpy") and hasattr(right, "to_numpy"):
        left, right = left.to_numpy(), right.to_numpy()
    if hasattr(left, "dtype") and hasattr(left, "shape"):
        return _are_arrays_close(left, right, rel)
    if isinstance(left, (str, bytes, int)) and isinstance(right, (str, bytes, int)):
        return bool(left == right)
    if isinstance(left, (int, float, complex)):
        is_nan = left != left and right != right
        return is_nan or left == right or (rel > 0 and abs(left - right) <= rel * max(abs(left), abs(right), 1.0))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_is_close(left[key], right[key], rel, depth - 1) for key in left)
    if isinstance(left, (list, tuple)):
        pairs = zip(left, right, strict=False)
        return len(left) == len(right) and all(_is_close(a, b, rel, depth - 1) for a, b in pairs)
    if type(left).__eq__ is object.__eq__:
        # Objects without equality are compared by what they hold.
        mine, its = getattr(left, "__dict__", None), getattr(right, "__dict__", None)
        return type(left) is type(right) and (mine is None or _is_close(mine, its, rel, depth - 1))
    return bool(left == right)


def _are_arrays_close(left: Any, right: Any, rel: float) -> bool:
    import numpy

    left, right = numpy.asarray(left), numpy.asarray(right)
    if left.shape != right.shape:
        return False
    if left.dtype.kind not in "fc":
        return bool(numpy.array_equal(left, right)) or (rel > 0 and right.dtype.kind in "fc")
    finite = numpy.abs(left[numpy.isfinite(left)])
    scale = max(float(finite.max()), 1.0) if finite.size else 1.0
    return bool(numpy.allclose(left, right, rtol=rel, atol=rel * scale, equal_nan=True))


def in_range(result: Any, low: Any, high: Any) -> str | None:
    """How a result leaves the range that its hint declares; None if it does not."""
    import numpy

    cells = numpy.asarray(result)
    if cells.size == 0 or cells.dtype.kind not in "iufb":
        return None
    if low is not None and bool((cells < low).any()):
        return f"returned {float(cells.min()):g}, below {low:g}"
    if high is not None and bool((cells > high).any()):
        return f"returned {float(cells.max()):g}, above {high:g}"
    return None
