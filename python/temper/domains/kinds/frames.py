"""`frames`: data frames of pandas with given columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from temper.domains import terms
from temper.domains.domain import Domain, make


def frames(columns: Mapping[str, Any], rows: Any = "rows:1..50", **others: Any) -> Frames:
    """Pandas data frames with these columns; ``rows`` is a number or a shape variable such as ``"n:1..50"``."""
    return make(Frames, {"columns": dict(columns), "rows": rows}, others)


class Frames(Domain[Any]):
    """Data frames."""

    __slots__ = ()
    kind = "frames"
    shape_params = ("rows",)
    imports: ClassVar = {"pd": "import pandas as pd"}

    def libraries(self) -> tuple[str, ...]:
        return ("pandas",)

    def describe(self, reader: Any) -> dict[str, Any]:
        rows = terms.dimension(self.params["rows"], reader.scope)
        return {"kind": "frames", "columns": reader.fields(self, self.params["columns"], "columns"), "rows": rows}
