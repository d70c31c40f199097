"""`froms`: one of some values that are written out."""

from __future__ import annotations

import enum
import typing
from collections.abc import Iterable
from typing import Any, TypeVar

from temper.domains import source_text
from temper.domains.domain import Domain, contains, make
from temper.domains.source_text import text_of

T = TypeVar("T")

# The function, and AnnoTest's name for it.
_NAMES = frozenset(("froms", "sampled"))


def froms(values: Iterable[T]) -> Froms[T]:
    """One of these values; the first is the simplest."""
    try:
        listed = list(values)
    except TypeError:
        made = make(Froms, {"values": []}, {})
        made.problems.append(f"`froms` takes a list of values, not {values!r}")
        return made
    return make(Froms, {"values": listed}, {})


class Froms(Domain[T]):
    """One of some values."""

    __slots__ = ()
    kind = "froms"

    def _texts(self) -> list[str | None]:
        values = self.params["values"]
        return source_text.written(self.file, self.line, _NAMES, values) or [None] * len(values)

    def describe(self, reader: Any) -> dict[str, Any]:
        pairs = zip(self.params["values"], self._texts(), strict=True)
        values = [reader.constant(value, text) for value, text in pairs]
        # The kind of a step of a state machine, of which a sequence prefers some.
        step = {"is_step": True} if self.params.get("is_step") else {}
        return {"kind": "froms", "values": values, **step}

    def _listed(self) -> str:
        pairs = zip(self.params["values"], self._texts(), strict=True)
        return f"[{', '.join(text_of(value, text) for value, text in pairs)}]"

    def source(self) -> str:
        return f"temper.froms({self._listed()})"

    def as_hypothesis(self, writer: Any) -> str:
        return f"st.sampled_from({self._listed()})"

    @classmethod
    def from_hint(cls, hint: Any) -> Domain | None:
        if hint.hint is type(None):
            return froms([None])
        if hint.origin is typing.Literal:
            return froms(hint.parts)
        if isinstance(hint.hint, type) and issubclass(hint.hint, enum.Enum):
            return froms(list(hint.hint))
        return None

    def contains(self, value: Any) -> bool:
        return any(contains(option, value) for option in self.params["values"])

    @classmethod
    def value_text(cls, value: Any, written: str | None) -> str | None:
        return f"{type(value).__qualname__}.{value.name}" if isinstance(value, enum.Enum) else None
