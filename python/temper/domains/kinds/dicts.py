"""`dicts`: dictionaries with keys and values of two domains."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from temper.domains.domain import UNSET, Domain, make

K = TypeVar("K")
V = TypeVar("V")

# How many more keys than the least there may be.
_MORE = 4


@overload
def dicts(
    keys: Domain[K], values: Domain[V], min_size: Any = ..., max_size: Any = ..., **others: Any
) -> Dicts[K, V]: ...
@overload
def dicts(keys: Any, values: Any, min_size: Any = ..., max_size: Any = ..., **others: Any) -> Dicts[Any, Any]: ...
def dicts(keys: Any, values: Any, min_size: Any = UNSET, max_size: Any = UNSET, **others: Any) -> Dicts[Any, Any]:
    """Dictionaries with keys and values from two domains; sizes are drawn as the lengths of `lists`."""
    return make(Dicts, {"keys": keys, "values": values, "min_size": min_size, "max_size": max_size}, others)


class Dicts(Domain[dict[K, V]]):
    """Dictionaries."""

    __slots__ = ()
    kind = "dicts"

    def _sizes(self) -> tuple[Any, Any]:
        low = self.params.get("min_size") or 0
        high = self.params.get("max_size")
        return low, (low + _MORE if high is None else high)

    def describe(self, reader: Any) -> dict[str, Any]:
        low, high = self._sizes()
        for name, value in (("min_size", low), ("max_size", high)):
            if type(value) is not int or value < 0:
                raise reader.wrong(self, name, value, "a whole number from 0")
        keys, values = reader.node(self.params["keys"]), reader.node(self.params["values"])
        return {"kind": "dicts", "keys": keys, "values": values, "min_size": low, "max_size": high}

    def as_hypothesis(self, writer: Any) -> str:
        low, high = self._sizes()
        keys, values = writer.strategy(self.params["keys"]), writer.strategy(self.params["values"])
        return f"st.dictionaries({keys}, {values}, min_size={low}, max_size={high})"

    @classmethod
    def from_hint(cls, hint: Any) -> Domain | None:
        is_dict = hint.container is dict or hint.name in ("Mapping", "MutableMapping")
        if not is_dict or len(hint.parts) != 2:
            return None
        keys, values = hint.inner(0), hint.inner(1)
        return None if keys is None or values is None else dicts(keys, values)
