"""Constraints as source text in our own names, for emitted properties."""

from __future__ import annotations

from typing import Any

from temper.domains import source_text
from temper.domains.domain import Constraint
from temper.domains.source_text import text_of


class NoForm(Exception):
    """The constraint has no counterpart."""


def constraint_text(constraint: Any) -> str:
    """A constraint as source text."""
    if not isinstance(constraint, Constraint):
        return text_of(constraint)
    if constraint.kind == "froms":
        values = constraint.params["values"]
        texts = source_text.written(constraint.file, constraint.line, frozenset(("froms", "sampled")), values)
        listed = [text_of(value, text) for value, text in zip(values, texts or [None] * len(values), strict=True)]
        return f"temper.froms([{', '.join(listed)}])"
    if constraint.kind in ("tuples", "anys"):
        parts = constraint.params["elements" if constraint.kind == "tuples" else "options"]
        return f"temper.{constraint.kind}({', '.join(map(constraint_text, parts))})"
    if constraint.params.get("is_tuple"):
        raise NoForm
    kind = "tensors" if constraint.params.get("lib") else constraint.kind
    given = {name: value for name, value in constraint.params.items() if value is not False and value is not None}
    if kind == "floats" and given.get("width") == 64:
        del given["width"]
    return f"temper.{kind}({', '.join(f'{name}={_parameter_text(name, value)}' for name, value in given.items())})"


def _parameter_text(name: str, value: Any) -> str:
    if isinstance(value, Constraint):
        return constraint_text(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {constraint_text(part)}" for key, part in value.items()) + "}"
    if name == "dtype" and not isinstance(value, str):
        is_many = isinstance(value, (list, tuple))
        return repr([dtype_name(each) for each in value] if is_many else dtype_name(value))
    return text_of(value)


def dtype_name(dtype: Any) -> str:
    """The name of a dtype, however it is given."""
    import numpy

    return numpy.dtype(dtype).name
