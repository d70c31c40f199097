"""`decimals`, `fractions` and `complexes`: numbers that are neither `int` nor `float`."""

from __future__ import annotations

import decimal
import fractions as exact
from typing import Any

from temper.domains.composed import Draw
from temper.domains.domain import make
from temper.domains.kinds.computed import Computed
from temper.domains.kinds.floats import floats
from temper.domains.kinds.ints import ints


def decimals(min: Any = -(10**9), max: Any = 10**9, places: int = 2) -> Decimals:
    """``decimal.Decimal`` from ``min`` to ``max`` with this many digits after the point."""
    return make(Decimals, {"min": min, "max": max, "places": places}, {})


def fractions(min: int = -1000, max: int = 1000, max_denominator: int = 100) -> Fractions:
    """``fractions.Fraction`` from ``min`` to ``max``; whole numbers are the simplest."""
    return make(Fractions, {"min": min, "max": max, "max_denominator": max_denominator}, {})


def complexes(max_magnitude: float = 1e6) -> Complexes:
    """Complex numbers whose parts are at most this far from zero."""
    return make(Complexes, {"max_magnitude": max_magnitude}, {})


class Decimals(Computed[decimal.Decimal]):
    """Decimal numbers."""

    __slots__ = ()
    kind = "decimals"

    def compute(self, draw: Draw) -> decimal.Decimal:
        """One number: a whole number of its last places."""
        places = self.params["places"]
        unit = decimal.Decimal(1).scaleb(-places)
        low, high = (decimal.Decimal(str(self.params[end])) / unit for end in ("min", "max"))
        count = draw(ints(int(low.to_integral_value(decimal.ROUND_CEILING)), int(high // 1)))
        return (decimal.Decimal(count) * unit).quantize(unit)


class Fractions(Computed[exact.Fraction]):
    """Fractions."""

    __slots__ = ()
    kind = "fractions"

    def compute(self, draw: Draw) -> exact.Fraction:
        """One fraction: the denominator first, so that 1 is met often."""
        below = draw(ints(1, self.params["max_denominator"]))
        return exact.Fraction(draw(ints(self.params["min"] * below, self.params["max"] * below)), below)


class Complexes(Computed[complex]):
    """Complex numbers."""

    __slots__ = ()
    kind = "complexes"

    def compute(self, draw: Draw) -> complex:
        """One number."""
        part = floats(-self.params["max_magnitude"], self.params["max_magnitude"])
        return complex(draw(part), draw(part))
