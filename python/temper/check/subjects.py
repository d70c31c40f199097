"""What there is to test in a module: annotated functions, methods, constructors; functions inside functions; and what a
side file names."""

from __future__ import annotations

import inspect
from typing import Any

from temper import annotations
from temper.domains import hints
from temper.domains.annotated import AnnotatedFunction


def targets_of(module: Any, with_hints: bool = False) -> list[AnnotatedFunction]:
    """The annotated functions, methods and constructors that a module defines, in the order of the page."""
    found: list[AnnotatedFunction] = []
    for name, value in list(vars(module).items()):
        if isinstance(value, type):
            if value.__module__ == module.__name__ and value.__qualname__ == name:
                found.extend(_targets_of_class(value, with_hints))
        elif callable(value) or isinstance(value, (staticmethod, classmethod)):
            function = annotations.function_of(value)
            if getattr(function, "__module__", None) == module.__name__ and inspect.isfunction(function):
                annotated = AnnotatedFunction(function.__qualname__, value, value, "function")
                if "<locals>" not in annotated.name or value is not function:
                    annotated.name = name
                    found += [annotated] if _is_annotated(annotated, with_hints) else []
    unique = {id(annotated.function): annotated for annotated in reversed(found)}
    return sorted(unique.values(), key=lambda annotated: annotated.line)


def _is_annotated(annotated: AnnotatedFunction, with_hints: bool) -> bool:
    if annotations.annotations_of(annotated.function) is not None:
        return True
    found = annotated.hints()
    found.pop("return", None)
    if any(hints.has_ours(hint) for hint in found.values()):
        return True
    return with_hints and bool(found) and not annotated.name.rpartition(".")[2].startswith("_")


def _targets_of_class(owner: type, with_hints: bool) -> list[AnnotatedFunction]:
    found = annotated_in_class(owner)
    is_wanted = {id(annotated) for annotated in found if _is_annotated(annotated, with_hints)}
    # A constructor that needs nothing is valid as it stands, and decides whether the methods can be tested at all.
    found = [
        annotated
        for annotated in found
        if id(annotated) in is_wanted or (is_wanted and _is_free_constructor(annotated))
    ]
    return found


def _is_free_constructor(annotated: AnnotatedFunction) -> bool:
    stars = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return annotated.kind == "constructor" and all(
        parameter.default is not inspect.Parameter.empty or parameter.kind in stars
        for parameter in annotated.parameters()
    )


def annotated_in_class(owner: type) -> list[AnnotatedFunction]:
    """All methods that a class defines itself."""
    found = []
    for name, raw in list(vars(owner).items()):
        # A private name is written without the class's in front.
        shown = name.removeprefix(f"_{owner.__name__.lstrip('_')}") if "__" in name else name
        qualified = f"{owner.__qualname__}.{shown}"
        if isinstance(raw, (staticmethod, classmethod)):
            found.append(AnnotatedFunction(qualified, raw, getattr(owner, name), "function", owner))
        elif isinstance(raw, property) and raw.fget is not None:
            found.append(AnnotatedFunction(qualified, raw.fget, name, "property", owner))
        elif inspect.isfunction(annotations.function_of(raw)):
            kind = "constructor" if name == "__init__" else "method"
            found.append(AnnotatedFunction(qualified, raw, owner if name == "__init__" else name, kind, owner))
    return found


def resolve(module: Any, name: str) -> AnnotatedFunction:
    """What a name stands for in a module: a function, a class (its constructor), or a method."""
    first, _, rest = name.partition(".")
    value = getattr(module, first)
    if rest:
        for annotated in annotated_in_class(value):
            if annotated.name == name or annotated.name == f"{value.__qualname__}.{rest}":
                return annotated
        raise AttributeError(f"`{first}` has no method `{rest}`")
    if isinstance(value, type):
        return AnnotatedFunction(f"{name}.__init__", value.__init__, value, "constructor", value)
    return AnnotatedFunction(name, value, value, "function")


def nested_target(parent: AnnotatedFunction, name: str, inner: Any) -> AnnotatedFunction:
    """A function inside another one, as one call of that one gave it."""
    annotated = AnnotatedFunction(name, inner, "__call__", "nested")
    annotated.parent = parent
    return annotated
