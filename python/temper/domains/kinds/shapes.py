"""`np_shapes`: shapes of arrays, as tuples."""

from __future__ import annotations

from typing import Any

from temper.domains.domain import UNSET, Domain, NoForm, make


def np_shapes(
    min_dims: Any = 1, max_dims: Any = UNSET, min_side: Any = 1, max_side: Any = UNSET, **others: Any
) -> Shapes:
    """Shapes of arrays: 1 to 3 dimensions of 1 to 8 each."""
    known = {"min_dims": min_dims, "max_dims": max_dims, "min_side": min_side, "max_side": max_side}
    return make(Shapes, known, others)


class Shapes(Domain[tuple[int, ...]]):
    """Shapes."""

    __slots__ = ()
    kind = "np_shapes"

    def describe(self, reader: Any) -> dict[str, Any]:
        return {"kind": "np_shapes", **self.describe_range(reader)}

    def describe_range(self, reader: Any) -> dict[str, Any]:
        """The range of shapes, also for the arrays that have them."""
        dims = []
        for name, value in (("min_dims", self.params.get("min_dims", 1)), ("max_dims", self.params.get("max_dims"))):
            if value is None and name == "max_dims":
                value = max(dims[0], 3)
            if type(value) is not int:
                raise reader.wrong(self, name, value, "a whole number")
            dims.append(value)
        low = self.params.get("min_side", 1)
        high = self.params.get("max_side")
        if high is None:
            high = max(low + 5, 8) if isinstance(low, int) else f"({low}) + 7"
        return {
            "min_dims": dims[0],
            "max_dims": dims[1],
            "min_side": reader.term(self, "min_side", low),
            "max_side": reader.term(self, "max_side", high),
        }

    def as_hypothesis(self, writer: Any) -> str:
        writer.need_numpy()
        low = self.params.get("min_side", 1)
        high = self.params.get("max_side")
        if isinstance(low, str) or isinstance(high, str):
            raise NoForm
        high = max(low + 5, 8) if high is None else high
        least = self.params.get("min_dims", 1)
        most = self.params.get("max_dims")
        most = max(least, 3) if most is None else most
        return f"hnp.array_shapes(min_dims={least}, max_dims={most}, min_side={low}, max_side={high})"
