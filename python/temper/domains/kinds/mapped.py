"""`map`, `filter` and `flat_map`: domains made of the values of another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from temper.domains.composed import Draw
from temper.domains.domain import Domain, make
from temper.domains.kinds.computed import Computed
from temper.errors import RejectedInput

T = TypeVar("T")

# How often a filter draws again before the whole input is left out.
_TRIES = 50


def mapped(domain: Domain[Any], function: Callable[[Any], T]) -> Mapped[T]:
    """What a function makes of the values of a domain; see `Domain.map`."""
    return make(Mapped, {"domain": domain, "function": function}, {})


def filtered(domain: Domain[T], keep: Callable[[T], Any]) -> Filtered[T]:
    """The values of a domain for which a function returns something true; see `Domain.filter`."""
    return make(Filtered, {"domain": domain, "keep": keep}, {})


def flat_mapped(domain: Domain[Any], function: Callable[[Any], Domain[T]]) -> FlatMapped[T]:
    """The values of the domain that a function makes of a value of another one; see `Domain.flat_map`."""
    return make(FlatMapped, {"domain": domain, "function": function}, {})


class Mapped(Computed[T]):
    """What a function makes of the values of a domain."""

    __slots__ = ()
    kind = "mapped"

    def compute(self, draw: Draw) -> T:
        """One value."""
        made: T = self.params["function"](draw(self.params["domain"]))
        return made


class Filtered(Computed[T]):
    """The values of a domain for which a function returns something true."""

    __slots__ = ()
    kind = "filtered"

    def compute(self, draw: Draw) -> T:
        """One value; draws again if it is not kept, and leaves the input out after many of these."""
        for _ in range(_TRIES):
            value: T = draw(self.params["domain"])
            if self.params["keep"](value):
                return value
        raise RejectedInput


class FlatMapped(Computed[T]):
    """The values of a domain that depends on a value."""

    __slots__ = ()
    kind = "flat_mapped"

    def compute(self, draw: Draw) -> T:
        """One value."""
        made: T = draw(self.params["function"](draw(self.params["domain"])))
        return made
