"""A property with its domains compiled: how inputs are drawn for it, which are left out, and how a call reads."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from temper import annotations
from temper.annotations import Annotations
from temper.domains import hints
from temper.domains.annotated import AnnotatedFunction
from temper.domains.compile import Subject
from temper.domains.reader import BadAnnotation
from temper.properties.goal import PropertyError


class Drawn(AnnotatedFunction):
    """The drawn arguments of a function. All are passed by name; the others are the caller's.

    `written` says how the user wrote the domains that are not in the function's own hints.
    """

    def __init__(self, function: Callable[..., Any], domains: dict[str, Any], written: dict[str, str]) -> None:
        super().__init__(function.__name__, function, function, "function")
        self.written = written
        given = annotations.annotations_of(function) or Annotations()
        self.record = Annotations()
        self.record.arguments = dict(domains)
        self.record.preconditions = given.preconditions
        self.record.problems = given.problems

    def parameters(self) -> list[inspect.Parameter]:
        return [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in self.record.arguments]

    def hints(self) -> dict[str, Any]:
        return {}


def domains_of(function: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """The given domains, and those that the function's own hints carry, in the order of the signature."""
    parameters = inspect.signature(function).parameters
    hinted = _hinted(function)
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    for name in given:
        if name not in parameters and not takes_any:
            listed = ", ".join(f"`{each}`" for each in parameters) or "none"
            raise PropertyError(
                f"`{function.__name__}` has no argument `{name}`\n  its arguments are: {listed}\n"
                f"hint: name the domain after the argument it is for"
            )
    found = {name: given.get(name, hinted.get(name)) for name in parameters if name in given or name in hinted}
    return {**found, **given}


def _hinted(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        found = inspect.get_annotations(function, eval_str=True)
    except Exception:
        return {}
    return {
        name: hints.constraint_of(hint) for name, hint in found.items() if name != "return" and hints.has_ours(hint)
    }


def compiled(function: Callable[..., Any], domains: dict[str, Any], written: dict[str, str]) -> Subject:
    """The subject for these domains, of which some are written where the property is stated.

    Raises `PropertyError` when something is wrong with them.
    """
    if not domains:
        raise PropertyError(
            f"`{function.__name__}` has no drawn argument\n"
            f"hint: name its arguments with their domains, as in `@temper.forall(x=temper.ints(1, 9))`"
        )
    with as_property_error(function):
        return Subject(Drawn(function, domains, written))


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
