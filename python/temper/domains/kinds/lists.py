"""`lists`, and the shorthands for lists of numbers and bools."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar, overload

from temper.domains.domain import UNSET, Domain, NoForm, make, take_others
from temper.domains.kinds.bools import bools
from temper.domains.kinds.floats import floats
from temper.domains.kinds.ints import ints

T = TypeVar("T")


@overload
def lists(element: Domain[T], min_len: Any = ..., max_len: Any = ..., len: Any = ..., **others: Any) -> Lists[T]: ...
@overload
def lists(element: Any, min_len: Any = ..., max_len: Any = ..., len: Any = ..., **others: Any) -> Lists[Any]: ...
def lists(element: Any, min_len: Any = UNSET, max_len: Any = UNSET, len: Any = UNSET, **others: Any) -> Lists[Any]:
    """Lists of 0 to 8 elements, or of the length that ``len`` names.

    All lengths are equally likely up to 42 above the least. If ``max_len`` is larger, one list in eleven is longer than
    that: one in 16 with a chance that falls with the square of the length, and one in 32 has ``max_len`` elements
    (fewer if that is above 1,344). A length that something else refers to is drawn like ``ints(min_len, max_len)``.
    """
    return make(Lists, {"element": element, "min_len": min_len, "max_len": max_len, "len": len}, others)


def _short_list(element: Domain, min_len: Any, max_len: Any) -> dict[str, Any]:
    """The lengths of the paper's shorthands: from 1, and up to two more than the least."""
    low = 1 if min_len is UNSET else min_len
    high = max_len
    if high is UNSET:
        high = low + 2 if isinstance(low, int) else f"{low} + 2"
    return {"element": element, "min_len": low, "max_len": high, "len": UNSET}


def int_lists(
    min_len: Any = UNSET, max_len: Any = UNSET, min: Any = UNSET, max: Any = UNSET, **others: Any
) -> Lists[int]:
    """Lists of whole numbers: 1 to ``min_len + 2`` of them, from 1 to ``min + 5``."""
    bounds = {"min": min, "max": max}
    hints = take_others("int_lists", bounds, others)
    low = 1 if bounds["min"] is UNSET else bounds["min"]
    high = bounds["max"]
    if high is UNSET:
        high = low + 5 if isinstance(low, int) else f"{low} + 5"
    made = make(Lists, _short_list(ints(low, high), min_len, max_len), others)
    made.hints += hints
    return made


def float_lists(
    min_len: Any = UNSET, max_len: Any = UNSET, min: Any = UNSET, max: Any = UNSET, **others: Any
) -> Lists[float]:
    """Lists of finite numbers: 1 to ``min_len + 2`` of them."""
    bounds = {"min": min, "max": max}
    hints = take_others("float_lists", bounds, others)
    made = make(Lists, _short_list(floats(**bounds), min_len, max_len), others)
    made.hints += hints
    return made


def bool_lists(min_len: Any = UNSET, max_len: Any = UNSET, **others: Any) -> Lists[bool]:
    """Lists of True and False: 1 to ``min_len + 2`` of them."""
    return make(Lists, _short_list(bools(), min_len, max_len), others)


class Lists(Domain[list[T]]):
    """Lists of one kind of element; tuples of any length, which only a hint can ask for."""

    __slots__ = ()
    kind = "lists"
    clues = frozenset(("list",))
    hint_clues: ClassVar = {"list": "list"}

    def describe(self, reader: Any) -> dict[str, Any]:
        low, high = reader.lengths(self)
        return {
            "kind": "lists",
            "element": reader.node(self.params["element"]),
            "min_len": low,
            "max_len": high,
            "is_tuple": bool(self.params.get("is_tuple")),
        }

    def source(self) -> str:
        if self.params.get("is_tuple"):
            raise NoForm
        return super().source()

    def as_hypothesis(self, writer: Any) -> str:
        low, high = hypothesis_lengths(self.params)
        text = f"st.lists({writer.strategy(self.params['element'])}, min_size={low}, max_size={high})"
        return f"{text}.map(tuple)" if self.params.get("is_tuple") else text

    @classmethod
    def from_hint(cls, hint: Any) -> Domain | None:
        if hint.hint is list:
            return lists(ints())
        is_open_tuple = hint.container is tuple and len(hint.parts) == 2 and hint.parts[1] is Ellipsis
        is_list = hint.container is list or hint.name in ("Sequence", "Iterable", "Collection")
        element = hint.inner(0) if hint.parts and (is_list or is_open_tuple) else None
        if element is None:
            return None
        made = lists(element)
        if is_open_tuple:
            made.params["is_tuple"] = True
        return made

    @classmethod
    def guess(cls, clues: Any, clue: str, values: list[Any]) -> str | None:
        seen = [value for value in values if isinstance(value, (list, tuple)) and value]
        if clues.said_element not in (None, "int"):
            named = clues.said_element_text()
            return None if named is None else f"lists({named}, 1, 4)"
        if not seen:
            return "lists(ints(0, 9), 1, 8)"
        element = clues.element(seen)
        return None if element is None else f"lists({element}, 1, {max(map(len, seen)) + 2})"


def hypothesis_lengths(params: dict[str, Any]) -> tuple[Any, Any]:
    """The least and greatest length, as Hypothesis takes them."""
    if "len" in params:
        return params["len"], params["len"]
    low = params.get("min_len", 0)
    high = params.get("max_len")
    return low, (f"({low}) + 8" if high is None else high)
