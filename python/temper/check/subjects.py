"""What there is to test in a module: annotated functions, methods and constructors; those that need no argument; the lives
of objects; functions inside functions; and what a side file names."""

from __future__ import annotations

import enum
import inspect
from typing import Any

from temper import annotations
from temper.domains import hints
from temper.domains.annotated import AnnotatedFunction

_STARS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def targets_of(module: Any, with_hints: bool = False, with_free: bool = False) -> list[AnnotatedFunction]:
    """What a module defines that is to be tested, in the order of the page; `with_free` adds what needs no argument."""
    found: list[AnnotatedFunction] = []
    for owner in classes_of(module):
        found.extend(_targets_of_class(owner, with_hints, with_free))
    for name, value in list(vars(module).items()):
        if isinstance(value, type):
            continue
        if callable(value) or isinstance(value, (staticmethod, classmethod)):
            function = annotations.function_of(value)
            if getattr(function, "__module__", None) == module.__name__ and inspect.isfunction(function):
                annotated = AnnotatedFunction(function.__qualname__, value, value, "function")
                if "<locals>" not in annotated.name or value is not function:
                    annotated.name = name
                    annotated.is_free = not is_annotated(annotated, with_hints)
                    found += [annotated] if not annotated.is_free or (with_free and is_free(annotated)) else []
    unique = {(id(annotated.function), annotated.owner): annotated for annotated in reversed(found)}
    return sorted(unique.values(), key=lambda annotated: annotated.line)


def classes_of(module: Any) -> list[type]:
    """The classes that a module defines, each under its own name."""
    found = [(name, value) for name, value in list(vars(module).items()) if isinstance(value, type)]
    return [value for name, value in found if value.__module__ == module.__name__ and value.__qualname__ == name]


def is_annotated(annotated: AnnotatedFunction, with_hints: bool) -> bool:
    """Whether a function says what its arguments are."""
    if annotations.annotations_of(annotated.function) is not None:
        return True
    found = annotated.hints()
    found.pop("return", None)
    if any(hints.has_ours(hint) for hint in found.values()):
        return True
    return with_hints and bool(found) and _is_public(annotated)


def is_free(annotated: AnnotatedFunction) -> bool:
    """Whether a function can be called as it stands, without a word about its arguments."""
    function = annotated.function
    is_stub = getattr(function, "__isabstractmethod__", False) or getattr(function, "__no_type_check__", False)
    # Tests and their fixtures belong to pytest.
    is_of_pytest = annotated.name.rpartition(".")[2].startswith("test") or hasattr(
        annotated.call, "_pytestfixturefunction"
    )
    if is_stub or is_of_pytest or annotated.kind == "property" or type(annotated.call).__name__.startswith("Fixture"):
        return False
    return _is_public(annotated) and _needs_nothing(annotated)


def _is_public(annotated: AnnotatedFunction) -> bool:
    return annotated.kind == "constructor" or not annotated.name.rpartition(".")[2].startswith("_")


def _needs_nothing(annotated: AnnotatedFunction) -> bool:
    return all(
        parameter.default is not inspect.Parameter.empty or parameter.kind in _STARS
        for parameter in annotated.parameters()
    )


def _targets_of_class(owner: type, with_hints: bool, with_free: bool) -> list[AnnotatedFunction]:
    if inspect.isabstract(owner) and owner.__subclasses__():
        # Its methods are tested on the classes that inherit them.
        return []
    found = annotated_in_class(owner)
    for each in found:
        each.is_free = not is_annotated(each, with_hints)
    wanted = [each for each in found if not each.is_free]
    wanted += _inherited(owner) if can_be_built(owner, with_hints) else []
    if with_free and can_be_built(owner, with_hints) and not owner.__name__.startswith("_"):
        wanted += [each for each in found if each.is_free and is_free(each)]
    # A constructor that needs nothing is valid as it stands, and decides whether the methods can be tested at all.
    return wanted + [each for each in found if wanted and each not in wanted and _is_free_constructor(each)]


def _inherited(owner: type) -> list[AnnotatedFunction]:
    """The annotated methods that a class has from others: they may do something else on its objects."""
    found = []
    names = set(vars(owner))
    for base in owner.__mro__[1:-1]:
        methods = [each for each in annotated_in_class(base) if each.kind == "method" and each.call not in names]
        names |= set(vars(base))
        for each in methods:
            if annotations.annotations_of(each.function) is not None:
                each.name, each.owner = f"{owner.__qualname__}.{each.call}", owner
                found.append(each)
    return found


def _is_free_constructor(annotated: AnnotatedFunction) -> bool:
    return annotated.kind == "constructor" and _needs_nothing(annotated)


def constructor_of(owner: type) -> AnnotatedFunction:
    """A class, seen through its constructor."""
    return AnnotatedFunction(f"{owner.__qualname__}.__init__", owner.__init__, owner, "constructor", owner)


def can_be_built(owner: type, with_hints: bool) -> bool:
    """Whether instances can be made of what is said about the constructor."""
    # An abstract class has no instances, and the members of an enum are made with it.
    if inspect.isabstract(owner) or issubclass(owner, enum.Enum) or getattr(owner, "_is_protocol", False):
        return False
    constructor = constructor_of(owner)
    if constructor.record.is_excluded:
        return False
    return _needs_nothing(constructor) or is_annotated(constructor, with_hints)


def annotated_in_class(owner: type) -> list[AnnotatedFunction]:
    """All methods that a class defines itself."""
    return [each for name, raw in list(vars(owner).items()) if (each := method_of(owner, name, raw)) is not None]


def method_of(owner: type, name: str, raw: Any) -> AnnotatedFunction | None:
    """An attribute of a class as something to test; None if it is no function."""
    # A private name is written without the class's in front.
    shown = name.removeprefix(f"_{owner.__name__.lstrip('_')}") if "__" in name else name
    qualified = f"{owner.__qualname__}.{shown}"
    if isinstance(raw, (staticmethod, classmethod)):
        return AnnotatedFunction(qualified, raw, getattr(owner, name), "function", owner)
    if isinstance(raw, property) and raw.fget is not None:
        return AnnotatedFunction(qualified, raw.fget, name, "property", owner)
    if inspect.isfunction(annotations.function_of(raw)):
        kind = "constructor" if name == "__init__" else "method"
        return AnnotatedFunction(qualified, raw, owner if name == "__init__" else name, kind, owner)
    return None


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
