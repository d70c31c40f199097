"""`anys`: a value of any of some domains."""

from __future__ import annotations

import types
import typing
from typing import Any, TypeVar, overload

from temper.domains import source_text
from temper.domains.domain import Domain, contains, make, source_of

T = TypeVar("T")

# The function, and AnnoTest's name for it.
_NAMES = frozenset(("anys", "multiple"))


@overload
def anys(*options: Domain[T]) -> Anys[T]: ...
@overload
def anys(*options: Any) -> Anys[Any]: ...
def anys(*options: Any) -> Anys[Any]:
    """A value of any of these domains, or one of these values."""
    return make(Anys, {"options": list(options)}, {})


class Anys(Domain[T]):
    """A value of any of some domains; the first is the simplest."""

    __slots__ = ()
    kind = "anys"

    def describe(self, reader: Any) -> dict[str, Any]:
        options = self.params["options"]
        texts = source_text.written(self.file, self.line, _NAMES, options) or [None] * len(options)
        return {"kind": "anys", "options": [reader.node(*each) for each in zip(options, texts, strict=True)]}

    def source(self) -> str:
        return f"temper.anys({', '.join(map(source_of, self.params['options']))})"

    def as_hypothesis(self, writer: Any) -> str:
        return f"st.one_of({', '.join(map(writer.strategy, self.params['options']))})"

    @classmethod
    def from_hint(cls, hint: Any) -> Domain | None:
        if hint.origin not in (typing.Union, types.UnionType):
            return None
        is_none = [part is type(None) for part in hint.parts]
        options = [None if is_none[at] else hint.inner(at) for at in range(len(hint.parts))]
        if any(option is None and not is_none[at] for at, option in enumerate(options)):
            return None
        return anys(*options)

    def contains(self, value: Any) -> bool:
        return any(contains(option, value) for option in self.params["options"])
