"""What there is to test in a module: annotated functions, methods, constructors; functions inside functions; and what a
side file names."""

from __future__ import annotations

import inspect
import typing
from typing import Any

from temper import annotations
from temper.annotations import Annotations
from temper.check import hints


class Target:
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
        self.parent: Target | None = None
        # The side file that the annotations are in, and the line.
        self.side: tuple[str, int] | None = None
        self.record: Annotations = annotations.annotations_of(function) or Annotations()
        # How annotations are written, for messages, by the name of the argument: those that are no `@arg`.
        self.written: dict[str, str] = {}

    @property
    def file(self) -> str:
        """The file of the function; empty where there is none."""
        try:
            return inspect.getsourcefile(self.function) or ""
        except TypeError:
            return ""

    @property
    def line(self) -> int:
        """Where the function stands, decorators included."""
        code = getattr(self.function, "__code__", None)
        return code.co_firstlineno if code is not None else 1

    @property
    def def_line(self) -> int:
        """The line of the ``def`` itself."""
        try:
            lines, first = inspect.getsourcelines(self.function)
        except (OSError, TypeError):
            return self.line
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
        """The type hints of the parameters; empty where they cannot be resolved."""
        try:
            return typing.get_type_hints(self.function, include_extras=True)
        except Exception:
            return {}


def targets_of(module: Any, with_hints: bool = False) -> list[Target]:
    """The annotated functions, methods and constructors that a module defines, in the order of the page."""
    found: list[Target] = []
    for name, value in list(vars(module).items()):
        if isinstance(value, type):
            if value.__module__ == module.__name__ and value.__qualname__ == name:
                found.extend(_targets_of_class(value, with_hints))
        elif callable(value) or isinstance(value, (staticmethod, classmethod)):
            function = annotations.function_of(value)
            if getattr(function, "__module__", None) == module.__name__ and inspect.isfunction(function):
                target = Target(function.__qualname__, value, value, "function")
                if "<locals>" not in target.name or value is not function:
                    target.name = name
                    found += [target] if _is_annotated(target, with_hints) else []
    unique = {id(target.function): target for target in reversed(found)}
    return sorted(unique.values(), key=lambda target: target.line)


def _is_annotated(target: Target, with_hints: bool) -> bool:
    if annotations.annotations_of(target.function) is not None:
        return True
    found = target.hints()
    found.pop("return", None)
    if any(hints.has_ours(hint) for hint in found.values()):
        return True
    return with_hints and bool(found) and not target.name.rpartition(".")[2].startswith("_")


def _targets_of_class(owner: type, with_hints: bool) -> list[Target]:
    found = class_targets(owner)
    is_wanted = {id(target) for target in found if _is_annotated(target, with_hints)}
    # A constructor that needs nothing is valid as it stands, and decides whether the methods can be tested at all.
    found = [target for target in found if id(target) in is_wanted or (is_wanted and _is_free_constructor(target))]
    return found


def _is_free_constructor(target: Target) -> bool:
    stars = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return target.kind == "constructor" and all(
        parameter.default is not inspect.Parameter.empty or parameter.kind in stars for parameter in target.parameters()
    )


def class_targets(owner: type) -> list[Target]:
    """All methods that a class defines itself."""
    found = []
    for name, raw in list(vars(owner).items()):
        # A private name is written without the class's in front.
        shown = name.removeprefix(f"_{owner.__name__.lstrip('_')}") if "__" in name else name
        qualified = f"{owner.__qualname__}.{shown}"
        if isinstance(raw, (staticmethod, classmethod)):
            found.append(Target(qualified, raw, getattr(owner, name), "function", owner))
        elif isinstance(raw, property) and raw.fget is not None:
            found.append(Target(qualified, raw.fget, name, "property", owner))
        elif inspect.isfunction(annotations.function_of(raw)):
            kind = "constructor" if name == "__init__" else "method"
            found.append(Target(qualified, raw, owner if name == "__init__" else name, kind, owner))
    return found


def resolve(module: Any, name: str) -> Target:
    """What a name stands for in a module: a function, a class (its constructor), or a method."""
    first, _, rest = name.partition(".")
    value = getattr(module, first)
    if rest:
        for target in class_targets(value):
            if target.name == name or target.name == f"{value.__qualname__}.{rest}":
                return target
        raise AttributeError(f"`{first}` has no method `{rest}`")
    if isinstance(value, type):
        return Target(f"{name}.__init__", value.__init__, value, "constructor", value)
    return Target(name, value, value, "function")


def nested_target(parent: Target, name: str, inner: Any) -> Target:
    """A function inside another one, as one call of that one gave it."""
    target = Target(name, inner, "__call__", "nested")
    target.parent = parent
    return target
