"""`with_neighbours` and `untargeted`: values of another domain, moved by the user's own function or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from temper.domains import composed
from temper.domains.domain import Domain, make

T = TypeVar("T")


def with_neighbours(domain: Domain[T], step: Callable[[T, float, Any], T]) -> WithNeighbours[T]:
    """Values of a domain that a search moves by your own function: ``step(value, t, draw)`` gives a value near ``value``.

    ``t`` is the temperature, from 1 (far) to 0 (near). What is random in the step comes from ``draw(domain)``; a step
    that needs nothing random may leave ``draw`` out. Everything around this part keeps its automatic neighbourhood.
    """
    return make(WithNeighbours, {"domain": domain, "step": step}, {})


def untargeted(domain: Domain[T]) -> Untargeted[T]:
    """Values of a domain that a search draws again for every test instead of moving them."""
    return make(Untargeted, {"domain": domain}, {})


class WithNeighbours(Domain[T]):
    """Values with the user's own neighbours."""

    __slots__ = ()
    kind = "with_neighbours"

    def describe(self, reader: Any) -> dict[str, Any]:
        step = self.params["step"]
        if not callable(step):
            raise reader.wrong(self, "step", step, "a function")
        number = reader.add_composed(composed.of_neighbours(step), self.line or reader.line)
        return {"kind": "stepped", "inner": reader.node(self.params["domain"]), "function": number}


class Untargeted(Domain[T]):
    """Values that a search draws again for every test."""

    __slots__ = ()
    kind = "untargeted"

    def describe(self, reader: Any) -> dict[str, Any]:
        return {"kind": "untargeted", "inner": reader.node(self.params["domain"])}
