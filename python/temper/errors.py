"""What is said when a property or an annotation cannot be used as it stands."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class PropertyError(Exception):
    """Something is wrong with the property itself, so it says nothing about the code under test."""

    __module__ = "temper"


class RejectedInput(Exception):
    """The property does not speak about this input."""


class BadAnnotation(Exception):
    """Something is wrong with an annotation: what, the line, the fact that shows it, and one act that helps."""

    def __init__(self, headline: str, line: int = 0, fact: str | None = None, hint: str | None = None) -> None:
        super().__init__(headline)
        self.headline, self.line, self.fact, self.hint = headline, line, fact, hint
        # The side file and its line, if the annotation is in one.
        self.side: tuple[str, int] | None = None


@contextmanager
def as_property_error(function: Callable[..., Any]) -> Iterator[None]:
    """Words what is wrong with a domain as what is wrong with the property that has it."""
    try:
        yield
    except BadAnnotation as problem:
        line = problem.line or function.__code__.co_firstlineno
        parts = [problem.headline, f"  --> {place(inspect.getsourcefile(function), line)}"]
        parts += [f"  {problem.fact}"] if problem.fact else []
        parts += [f"hint: {problem.hint}"] if problem.hint else []
        raise PropertyError("\n".join(parts)) from None


def place(path: str | None, line: int) -> str:
    """A line of a file, as seen from here."""
    if path is None:
        return f"line {line}"
    near = os.path.relpath(path)
    return f"{path if near.startswith(os.pardir) else near}:{line}"
