"""Arrays that numpy has no short expression for; reported calls use them."""

from __future__ import annotations

from typing import Any


def filled(shape: tuple[int, ...], dtype: str, value: Any, cells: dict[tuple[int, ...], Any]) -> Any:
    """An array of one value but for some cells."""
    import numpy

    array = numpy.full(shape, value, dtype)
    for place, cell in cells.items():
        array[place] = cell
    return array
