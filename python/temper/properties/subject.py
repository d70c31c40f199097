"""A property with its domains compiled: how inputs are drawn for it, which are left out, and how a call reads."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from temper.domains import hints
from temper.domains.annotated import DrawnArguments
from temper.domains.compile import Subject
from temper.errors import PropertyError, as_property_error


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
    return {name: hints.domain_of(hint) for name, hint in found.items() if name != "return" and hints.has_ours(hint)}


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
        return Subject(DrawnArguments(function, domains, written))
