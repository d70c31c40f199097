"""What kinds have in common that are computed in Python from draws of other domains."""

from __future__ import annotations

from typing import Any, TypeVar

from temper.domains import composed
from temper.domains.domain import Domain

T = TypeVar("T")


class Computed(Domain[T]):
    """A kind whose values a Python function makes of what it draws. Shrinking and search work on the draws."""

    __slots__ = ()

    def compute(self, draw: composed.Draw) -> T:
        """One value."""
        raise NotImplementedError

    def describe(self, reader: Any) -> dict[str, Any]:
        made = composed.Composed(lambda source: self.compute(composed.Draw(source)), self.kind)
        return {"kind": "composed", "function": reader.add_composed(made, self.line or reader.line)}
