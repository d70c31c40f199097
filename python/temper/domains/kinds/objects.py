"""`objs`: what generator functions return, and instances of classes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from temper.domains import composed
from temper.domains.domain import Domain, make

T = TypeVar("T")


def objs(generator: Callable[..., T]) -> Objects[T]:
    """What a ``@generator`` function returns.

    Its arguments are annotated like any other's; or its first argument is called ``draw``, and the function draws its
    parts itself, as in ``draw(ints(1, 9))``.
    """
    return make(Objects, {"generator": generator}, {})


class Objects(Domain[T]):
    """What a generator returns, or an instance that a class's constructor builds."""

    __slots__ = ()
    kind = "objs"

    def describe(self, reader: Any) -> dict[str, Any]:
        generator, line = self.params["generator"], self.line or reader.line
        if composed.is_composed(generator):
            return {"kind": "composed", "function": reader.add_composed(composed.of_generator(generator), line)}
        return {"kind": "objs", "function": reader.add_generator(generator, line)}

    def as_hypothesis(self, writer: Any) -> str:
        return writer.builds(self.params["generator"])

    @classmethod
    def from_hint(cls, hint: Any) -> Domain | None:
        return objs(hint.hint) if dataclasses.is_dataclass(hint.hint) and isinstance(hint.hint, type) else None
