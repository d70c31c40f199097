"""`floats`: finite numbers of a range; not-a-number and the infinities only when asked for."""

from __future__ import annotations

from typing import Any, ClassVar

from temper.domains.domain import UNSET, Domain, make

# Bounds that are none.
OPEN = (None, float("inf"), float("-inf"))


def floats(
    min: Any = UNSET,
    max: Any = UNSET,
    exclude_min: bool = False,
    exclude_max: bool = False,
    nan: bool = False,
    inf: bool = False,
    width: int = 64,
    **others: Any,
) -> Floats:
    """Finite numbers from ``min`` to ``max``; not-a-number and the infinities only when asked for."""
    flags = {"exclude_min": exclude_min, "exclude_max": exclude_max, "nan": nan, "inf": inf, "width": width}
    return make(Floats, {"min": min, "max": max, **flags}, others)


class Floats(Domain[float]):
    """Floats."""

    __slots__ = ()
    kind = "floats"
    clues = frozenset(("float",))
    hint_clues: ClassVar = {"float": "float"}

    def describe(self, reader: Any) -> dict[str, Any]:
        described = {"kind": "floats", "width": self.params.get("width", 64)}
        if described["width"] not in (16, 32, 64):
            raise reader.wrong(self, "width", described["width"], "16, 32 or 64")
        described.update(reader.bounds(self, OPEN))
        for name in ("exclude_min", "exclude_max", "nan", "inf"):
            described[name] = bool(self.params.get(name))
        return described

    def source_params(self) -> dict[str, Any]:
        return {name: value for name, value in super().source_params().items() if (name, value) != ("width", 64)}

    def as_hypothesis(self, writer: Any) -> str:
        params, width = self.params, self.params.get("width", 64)
        parts = hypothesis_ends(params, width)
        parts += [f"{name}=True" for name in ("exclude_min", "exclude_max") if params.get(name)]
        parts += [f"allow_nan={bool(params.get('nan'))}", f"allow_infinity={bool(params.get('inf'))}"]
        return f"st.floats({', '.join(parts)}, width={width})"

    @classmethod
    def from_hint(cls, hint: Any) -> Domain | None:
        return floats() if hint.hint is float else None

    def contains(self, value: Any) -> bool:
        params = self.params
        low, high = params.get("min"), params.get("max")
        if type(value) is not float or value - value != 0.0 or isinstance(low, str) or isinstance(high, str):
            return False
        is_above = low is None or value > low or (value == low and not params.get("exclude_min"))
        is_below = high is None or value < high or (value == high and not params.get("exclude_max"))
        return is_above and is_below

    @classmethod
    def guess(cls, clues: Any, clue: str, values: list[Any]) -> str | None:
        seen = [float(value) for value in values if type(value) in (int, float)]
        most = max((abs(value) for value in seen), default=1.0)
        is_positive = min(seen, default=1.0) >= 0
        low, is_low_open = clues.low or ((0.0, 0.0 not in seen) if is_positive else (-10 * most, False))
        # A lower bound alone may lie beyond what was seen.
        high, is_high_open = clues.high or (max(1.0 if most <= 1 else 10 * most, low + 1), False)
        flags = ", exclude_min=True" if is_low_open else ""
        flags += ", exclude_max=True" if is_high_open else ""
        return f"floats({number_text(low)}, {number_text(high)}{flags})"


def number_text(value: float) -> str:
    """A number as people write it: without a fraction if it is whole."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e9 else repr(float(value))


def hypothesis_ends(params: dict[str, Any], width: int) -> list[str]:
    """The bounds of floats; Hypothesis takes only those that are floats of the width themselves."""
    found = []
    for end, towards in (("min", float("inf")), ("max", float("-inf"))):
        value = params.get(end)
        if value is not None:
            text = value if isinstance(value, str) else repr(_rounded(value, width, towards))
            found.append(f"{end}_value={text}")
    return found


def _rounded(value: float, width: int, towards: float) -> float:
    """The nearest float of a width that is on the inner side of a bound."""
    import numpy

    kind = {16: numpy.float16, 32: numpy.float32, 64: numpy.float64}[width]
    near = kind(value)
    is_outside = near < value if towards > 0 else near > value
    return float(numpy.nextafter(near, kind(towards)) if is_outside else near)
