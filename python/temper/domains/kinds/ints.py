"""`ints`: whole numbers of a range."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from temper.domains.domain import UNSET, Domain, make
from temper.domains.kinds.froms import froms

INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1
# How far the other end is if only one is given, and the upper end if none is.
_SPAN = 1000
# Multiples that a hint asks for are listed up to this number.
_MAX_MULTIPLES = 10_000


def ints(min: Any = UNSET, max: Any = UNSET, **others: Any) -> Ints:
    """Whole numbers from ``min`` to ``max``, both included.

    Without bounds 0 to 1000; with one of them, 1000 away from it; ``None`` is the end of the 64-bit range.
    """
    return make(Ints, {"min": min, "max": max}, others)


class Ints(Domain[int]):
    """Whole numbers."""

    __slots__ = ()
    kind = "ints"
    clues = frozenset(("int",))
    hint_clues: ClassVar = {"int": "int"}

    def describe(self, reader: Any) -> dict[str, Any]:
        minimum, maximum = self.ends(reader)
        return {"kind": "ints", "min": minimum, "max": maximum}

    def ends(self, reader: Any) -> tuple[Any, Any]:
        """The bounds as terms."""
        has_min, has_max = "min" in self.params, "max" in self.params
        low, high = self.params.get("min", 0), self.params.get("max", _SPAN)
        minimum = {"int": INT64_MIN} if low is None else reader.term(self, "min", low)
        maximum = {"int": INT64_MAX} if high is None else reader.term(self, "max", high)
        if has_min and not has_max and low is not None:
            maximum = {"add": [minimum, {"int": _SPAN}]} if isinstance(low, str) else _clamped(minimum["int"] + _SPAN)
        if has_max and not has_min and high is not None:
            minimum = {"sub": [maximum, {"int": _SPAN}]} if isinstance(high, str) else _clamped(maximum["int"] - _SPAN)
        return minimum, maximum

    def source_params(self) -> dict[str, Any]:
        # None is a bound here: the end of the range.
        return self.params

    def as_hypothesis(self, writer: Any) -> str:
        params = self.params
        low, high = params.get("min", 0), params.get("max", _SPAN)
        if "min" in params and "max" not in params and low is not None:
            high = f"({low}) + {_SPAN}"
        if "max" in params and "min" not in params and high is not None:
            low = f"({high}) - {_SPAN}"
        return f"st.integers({INT64_MIN if low is None else low}, {INT64_MAX if high is None else high})"

    @classmethod
    def from_hint(cls, hint: Any) -> Domain | None:
        return ints() if hint.hint is int else None

    def limit(self, end: str, value: Any, is_strict: bool) -> None:
        step = 1 if end == "min" else -1
        self.params[end] = value + step if is_strict else value

    def multiples(self, step: Any) -> Domain | None:
        low, high = self.params.get("min", 0), self.params.get("max", _SPAN)
        if type(step) is not int or step < 1 or low is None or high is None:
            return None
        return froms(range(-(-low // step) * step, high + 1, step)[:_MAX_MULTIPLES])

    def contains(self, value: Any) -> bool:
        low, high = self.params.get("min", 0), self.params.get("max", _SPAN)
        if type(value) is not int or type(low) is not int or type(high) is not int:
            return False
        if "min" in self.params and "max" not in self.params:
            high = low + _SPAN
        if "max" in self.params and "min" not in self.params:
            low = high - _SPAN
        return low <= value <= high

    @classmethod
    def guess(cls, clues: Any, clue: str, values: list[Any]) -> str | None:
        seen = [value for value in values if type(value) is int]
        least, most = min(seen, default=1), max(seen, default=8)
        low = _whole_bound(clues.low, 1)
        high = _whole_bound(clues.high, -1)
        if low is None:
            low = min(least, 1) if least > 0 else least
        if high is None:
            high = max(low + 1, 2 * most if most > 0 else low + 10)
        if clues.is_odd:
            return f"froms({[number for number in range(low, low + 8) if number % 2]!r})"
        return f"ints({low}, {high})"


def _clamped(value: int) -> dict[str, int]:
    return {"int": max(INT64_MIN, min(INT64_MAX, value))}


def _whole_bound(bound: tuple[float, bool] | None, step: int) -> int | None:
    if bound is None or not math.isfinite(bound[0]):
        return None
    number, is_strict = bound
    whole = math.ceil(number) if step > 0 else math.floor(number)
    return whole + step if is_strict and whole == number else whole
