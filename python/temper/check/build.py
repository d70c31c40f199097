"""Values that need a library of the project: tensors and data frames."""

from __future__ import annotations

import importlib
from typing import Any


def convert(lib: str, array: Any) -> Any:
    """The array as a tensor of a library."""
    if lib == "torch":
        return importlib.import_module("torch").from_numpy(array)
    if lib == "tensorflow":
        return importlib.import_module("tensorflow").convert_to_tensor(array)
    if lib == "jax":
        return importlib.import_module("jax.numpy").asarray(array)
    raise ImportError(f"`lib` is torch, tensorflow or jax, not {lib!r}")


def frame(columns: dict[str, list[Any]]) -> Any:
    """A data frame of these columns."""
    return importlib.import_module("pandas").DataFrame(columns)
