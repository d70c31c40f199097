"""`bools`: True and False."""

from __future__ import annotations

from typing import Any, ClassVar

from temper.domains.domain import Domain, make


def bools() -> Bools:
    """True or False."""
    return make(Bools, {}, {})


class Bools(Domain[bool]):
    """True and False."""

    __slots__ = ()
    kind = "bools"
    clues = frozenset(("bool",))
    hint_clues: ClassVar = {"bool": "bool"}

    def describe(self, reader: Any) -> dict[str, Any]:
        return {"kind": "bools"}

    def as_hypothesis(self, writer: Any) -> str:
        return "st.booleans()"

    @classmethod
    def from_hint(cls, hint: Any) -> Domain | None:
        return bools() if hint.hint is bool else None

    def contains(self, value: Any) -> bool:
        return type(value) is bool

    @classmethod
    def guess(cls, clues: Any, clue: str, values: list[Any]) -> str | None:
        return "bools()"
