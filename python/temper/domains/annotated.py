"""A callable together with its annotations."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any

from temper import annotations
from temper.annotations import Annotations


class AnnotatedFunction:
    """A callable with its annotations: a function, or a class seen through its constructor."""

    def __init__(self, name: str, function: Any, call: Any, kind: str, owner: type | None = None) -> None:
        self.name = name
        self.function = annotations.function_of(function)
        # What is called: the function itself, the class, or the name of a method.
        self.call = call
        # "function", "constructor", "method", "property" or "nested".
        self.kind = kind
        self.owner = owner
        # For a function inside another one: that one.
        self.parent: AnnotatedFunction | None = None
        # The side file that the annotations are in, and the line.
        self.side: tuple[str, int] | None = None
        self.record: Annotations = annotations.annotations_of(function) or Annotations()
        # Whether it has no annotation at all: it needs no argument.
        self.is_free = False
        # How annotations are written, for messages, by the name of the argument: those that are no `@arg`.
        self.written: dict[str, str] = {}

    # Kept, because Python reads the file for each of them.
    @functools.cached_property
    def file(self) -> str:
        """The file of the function; empty if there is none."""
        try:
            return inspect.getsourcefile(self.function) or ""
        except TypeError:
            return ""

    @functools.cached_property
    def line(self) -> int:
        """The line of the function, decorators included."""
        code = getattr(self.function, "__code__", None)
        return code.co_firstlineno if code is not None else 1

    @functools.cached_property
    def def_line(self) -> int:
        """The line of the ``def`` itself."""
        try:
            lines, first = inspect.getsourcelines(self.function)
        except (OSError, TypeError):
            return _class_line(self.owner) or self.line
        for at, text in enumerate(lines):
            if text.lstrip().startswith(("def ", "async def ", "class ")):
                return first + at
        return self.line

    def parameters(self) -> list[inspect.Parameter]:
        """The parameters that a caller gives; the receiver is not among them."""
        try:
            found = list(inspect.signature(self.function).parameters.values())
        except (TypeError, ValueError):
            # Compiled functions that do not tell: the annotations do, in their order.
            by_place = inspect.Parameter.POSITIONAL_ONLY
            return [inspect.Parameter(name, by_place) for name in self.record.arguments]
        is_bound = self.kind in ("constructor", "method", "property") or self.name_is_classmethod()
        return found[1:] if is_bound and found else found

    def name_is_classmethod(self) -> bool:
        """Whether the function takes its class first."""
        if self.owner is None or self.kind != "function":
            return False
        raw = inspect.getattr_static(self.owner, self.name.rpartition(".")[2], None)
        return isinstance(raw, classmethod)

    def hints(self) -> dict[str, Any]:
        """The type hints of the parameters; empty if they cannot be resolved."""
        try:
            return typing.get_type_hints(self.function, include_extras=True)
        except Exception:
            return {}


def _class_line(owner: type | None) -> int:
    """The line of a class, for methods that a decorator made and that have no line of their own; 0 if unknown."""
    try:
        return inspect.getsourcelines(owner)[1] if owner is not None else 0
    except (OSError, TypeError):
        return 0


class DrawnArguments(AnnotatedFunction):
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
