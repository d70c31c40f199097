"""`records`: dictionaries with given keys, of which some may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from temper.domains.domain import Domain, make


def records(fields: Mapping[str, Any]) -> Records:
    """Dictionaries with these keys; a key that ends in ``?`` may be missing."""
    return make(Records, {"fields": dict(fields)}, {})


class Records(Domain[dict[str, Any]]):
    """Dictionaries with given keys."""

    __slots__ = ()
    kind = "records"

    def describe(self, reader: Any) -> dict[str, Any]:
        return {"kind": "records", "fields": reader.fields(self, self.params["fields"], "keys")}

    def as_hypothesis(self, writer: Any) -> str:
        fields = self.params["fields"].items()
        always = ", ".join(f"{name!r}: {writer.strategy(each)}" for name, each in fields if not name.endswith("?"))
        maybe = ", ".join(f"{name[:-1]!r}: {writer.strategy(each)}" for name, each in fields if name.endswith("?"))
        return f"st.fixed_dictionaries({{{always}}}, optional={{{maybe}}})"
