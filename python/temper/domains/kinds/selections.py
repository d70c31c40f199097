"""`weighted`, `permutations` and `subsets`: choices among things that are given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from temper.domains.composed import Draw
from temper.domains.domain import UNSET, Domain, make
from temper.domains.kinds.bools import bools
from temper.domains.kinds.computed import Computed
from temper.domains.kinds.floats import floats
from temper.domains.kinds.ints import ints

T = TypeVar("T")


def weighted(*options: tuple[int, Domain[T]]) -> Weighted[T]:
    """A draw from one of the domains, each as likely as its weight says: ``weighted((9, ints()), (1, texts()))``.

    The first is the simplest.
    """
    return make(Weighted, {"options": options}, {})


def permutations(values: Iterable[T]) -> Permutations[T]:
    """The given values in any order, all orders equally likely; the order given is the simplest."""
    return make(Permutations, {"values": tuple(values)}, {})


def subsets(values: Iterable[T], min_len: int = 0, max_len: Any = UNSET) -> Subsets[T]:
    """Lists of some of the given values, in the order given. Each value is in half of them, as far as lengths allow."""
    return make(Subsets, {"values": tuple(values), "min_len": min_len, "max_len": max_len}, {})


class Weighted(Computed[T]):
    """One of some domains, by weight."""

    __slots__ = ()
    kind = "weighted"

    def compute(self, draw: Draw) -> T:
        """One value."""
        options = self.params["options"]
        left = draw(ints(0, sum(weight for weight, _ in options) - 1))
        for weight, domain in options:
            if left < weight:
                value: T = draw(domain)
                return value
            left -= weight
        raise AssertionError("weights are above 0")

    def describe(self, reader: Any) -> dict[str, Any]:
        for option in self.params["options"]:
            if not (isinstance(option, tuple) and len(option) == 2 and type(option[0]) is int and option[0] > 0):
                raise reader.wrong(self, "options", option, "a weight above 0 and a domain, as in `(3, ints())`")
        if not self.params["options"]:
            raise reader.wrong(self, "options", (), "at least one weight with its domain")
        return super().describe(reader)


class Permutations(Computed[list[T]]):
    """The given values in any order."""

    __slots__ = ()
    kind = "permutations"

    def compute(self, draw: Draw) -> list[T]:
        """One order, by random keys: equal keys, the simplest, keep the order given."""
        keyed = [(draw(floats(0.0, 1.0)), place) for place in range(len(self.params["values"]))]
        return [self.params["values"][place] for _, place in sorted(keyed)]


class Subsets(Computed[list[T]]):
    """Some of the given values."""

    __slots__ = ()
    kind = "subsets"

    def compute(self, draw: Draw) -> list[T]:
        """One list: what is missing of the least length is filled up from the front."""
        values = self.params["values"]
        low, high = self.params["min_len"], self.params.get("max_len", len(values))
        chosen = [place for place in range(len(values)) if draw(bools())]
        while len(chosen) > high:
            del chosen[draw(ints(0, len(chosen) - 1))]
        missing = [place for place in range(len(values)) if place not in chosen]
        chosen += missing[: max(0, low - len(chosen))]
        return [values[place] for place in sorted(chosen)]
