"""From type hints to domains: `Annotated` with a domain of ours, and plain hints, which the kinds of domains read."""

from __future__ import annotations

import typing
from typing import Any

from temper.domains.domain import Domain

# How deep hints are read.
_DEPTH = 6


class Hint:
    """A type hint as the kinds of domains look at it."""

    __slots__ = ("_depth", "container", "hint", "name", "origin", "parts")

    def __init__(self, hint: Any, depth: int) -> None:
        self.hint, self._depth = hint, depth
        self.origin, self.parts = typing.get_origin(hint), typing.get_args(hint)
        # The class that is filled, such as `list` for `list[int]`, and its name.
        self.container = self.origin or hint
        self.name = getattr(self.container, "__name__", "")

    def inner(self, at: int) -> Domain | None:
        """The domain of a part of the hint."""
        return domain_of(self.parts[at], self._depth - 1)


def domain_of(hint: Any, depth: int = _DEPTH) -> Domain | None:
    """The domain that a hint stands for; None if it says nothing that can be drawn."""
    if depth == 0:
        return None
    hint = unaliased(hint)
    if typing.get_origin(hint) is typing.Annotated:
        return _of_annotated(hint, depth)
    read = Hint(hint, depth)
    return next((found for found in (kind.from_hint(read) for kind in Domain.kinds()) if found is not None), None)


def unaliased(hint: Any) -> Any:
    """What a `type` alias stands for; numpy's `NDArray` is one from 2.5 on."""
    for _ in range(10):
        alias = typing.get_origin(hint) or hint
        # By name: typing_extensions has a class like it.
        if type(alias).__name__ != "TypeAliasType":
            break
        parts = typing.get_args(hint)
        hint = alias.__value__[parts] if parts else alias.__value__
    return hint


def names_array(hint: Any) -> bool:
    """Whether a hint names the shape or dtype of an array."""
    hint = unaliased(hint)
    if hasattr(hint, "dim_str"):
        return True
    return has_ours(hint) or getattr(typing.get_origin(hint), "__name__", "") == "ndarray"


def has_ours(hint: Any, depth: int = _DEPTH) -> bool:
    """Whether a hint carries a domain of ours."""
    if depth == 0:
        return False
    hint = unaliased(hint)
    if typing.get_origin(hint) is typing.Annotated and any(isinstance(m, Domain) for m in hint.__metadata__):
        return True
    return any(has_ours(part, depth - 1) for part in typing.get_args(hint))


def _of_annotated(hint: Any, depth: int) -> Domain | None:
    for metadata in hint.__metadata__:
        if isinstance(metadata, Domain):
            return metadata
    base = domain_of(hint.__origin__, depth - 1)
    if base is None:
        return None
    for metadata in hint.__metadata__:
        _narrow(base, metadata)
    steps = [metadata.multiple_of for metadata in hint.__metadata__ if hasattr(metadata, "multiple_of")]
    return base.multiples(steps[0]) if steps else base


def _narrow(base: Domain, metadata: Any) -> None:
    """Applies what `annotated_types` can say (Ge, Gt, Le, Lt, Interval, Len); by attribute, so any version will do."""
    for name, end in (("ge", "min"), ("le", "max"), ("gt", "min"), ("lt", "max")):
        value = getattr(metadata, name, None)
        if value is not None:
            base.limit(end, value, is_strict=name in ("gt", "lt"))
    least, most = getattr(metadata, "min_length", None), getattr(metadata, "max_length", None)
    if least is not None or most is not None:
        base.params["min_len"] = least or 0
        if most is not None:
            base.params["max_len"] = most
