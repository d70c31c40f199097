"""`tuples`: tuples with one domain for each element."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from temper.domains.domain import Domain, make, source_of

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


@overload
def tuples(first: Domain[A], /) -> Tuples[tuple[A]]: ...
@overload
def tuples(first: Domain[A], second: Domain[B], /) -> Tuples[tuple[A, B]]: ...
@overload
def tuples(first: Domain[A], second: Domain[B], third: Domain[C], /) -> Tuples[tuple[A, B, C]]: ...
@overload
def tuples(*elements: Any) -> Tuples[tuple[Any, ...]]: ...
def tuples(*elements: Any) -> Tuples[Any]:
    """Tuples with one element for each domain or value."""
    return make(Tuples, {"elements": list(elements)}, {})


class Tuples(Domain[T]):
    """Tuples."""

    __slots__ = ()
    kind = "tuples"
    clues = frozenset(("tuple",))

    def describe(self, reader: Any) -> dict[str, Any]:
        return {"kind": "tuples", "elements": [reader.node(element) for element in self.params["elements"]]}

    def source(self) -> str:
        return f"temper.tuples({', '.join(map(source_of, self.params['elements']))})"

    def as_hypothesis(self, writer: Any) -> str:
        return f"st.tuples({', '.join(map(writer.strategy, self.params['elements']))})"

    @classmethod
    def from_hint(cls, hint: Any) -> Domain | None:
        if hint.container is not tuple or not hint.parts or Ellipsis in hint.parts:
            return None
        elements = [hint.inner(at) for at in range(len(hint.parts))]
        return None if None in elements else tuples(*elements)

    @classmethod
    def guess(cls, clues: Any, clue: str, values: list[Any]) -> str | None:
        if clues.said_parts:
            return f"tuples({', '.join(clues.said_part_texts())})"
        seen = [value for value in values if isinstance(value, (list, tuple)) and value]
        element = clues.element(seen) if seen else None
        return None if element is None else f"tuples({', '.join([element] * len(seen[0]))})"
