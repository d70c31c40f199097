"""From domains to the description that the engine reads (JSON).

One `Reader` serves one subject: it numbers the values that the user wrote out and the functions that are used, and reads
what is common to several kinds: terms, bounds, lengths and fields.
"""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

from temper.domains import composed, terms
from temper.domains.domain import Domain
from temper.domains.source_text import text_of
from temper.errors import BadAnnotation

_INT64 = range(-(1 << 63), 1 << 63)
# How much longer than the least a list or text may be.
_MORE = 8


class Reader:
    """Turns domains into descriptions, and keeps what the descriptions refer to by number."""

    def __init__(
        self, add_generator: Callable[[Any, int], int], add_composed: Callable[[composed.Composed, int], int]
    ) -> None:
        self.constants: list[Any] = []
        self.add_generator = add_generator
        self.add_composed = add_composed
        self.scope = terms.Scope(set(), {})
        self.line = 0
        self.hints: list[tuple[int, str]] = []

    def node(self, domain: Any, written: str | None = None) -> dict[str, Any]:
        """The description of a domain; anything else stands for itself."""
        if not isinstance(domain, Domain):
            if composed.is_strategy(domain):
                return {"kind": "composed", "function": self.add_composed(composed.of_strategy(domain), self.line)}
            return {"kind": "constant", **self.constant(domain, written)}
        self.check(domain)
        self.hints.extend((domain.line, hint) for hint in domain.hints)
        return domain.describe(self)

    def constant(self, value: Any, written: str | None = None) -> dict[str, Any]:
        """The description of a value that the user wrote out."""
        self.constants.append((value, copy.deepcopy if _is_mutable(value) else None))
        described: dict[str, Any] = {
            "index": len(self.constants) - 1,
            "text": text_of(value, written),
            "type": type(value).__name__,
        }
        if type(value) is int and value in _INT64:
            described["int"] = value
        elif type(value) is float and value - value == 0.0:
            described["float"] = value
        shape = getattr(value, "shape", None)
        if isinstance(shape, tuple) and all(type(side) is int for side in shape):
            described["shape"] = list(shape)
        if hasattr(type(value), "__len__"):
            with contextlib.suppress(Exception):
                described["len"] = len(value)
        if isinstance(value, (tuple, list)) and all(type(item) is int for item in value):
            described["items"] = [item for item in value if item in _INT64]
        return described

    def check(self, domain: Domain) -> None:
        """Raises what is wrong with the parameters of a domain, and which library it lacks."""
        if domain.problems:
            raise BadAnnotation(domain.problems[0], domain.line or self.line)
        for name in domain.libraries():
            if not _is_installed(name):
                headline = f"`{domain.kind}` needs {name}, which is not installed"
                hint = f"`{sys.executable} -m pip install {name}`"
                raise BadAnnotation(headline, domain.line or self.line, hint=hint)

    def wrong(self, domain: Domain, name: str, value: Any, wanted: str) -> BadAnnotation:
        """The error for a parameter that has another value than is wanted."""
        return BadAnnotation(f"`{domain.kind}` takes {wanted} as `{name}`, not {value!r}", domain.line or self.line)

    def term(self, domain: Domain, name: str, value: Any) -> Any:
        """A whole number, or a text that names other arguments."""
        if isinstance(value, str):
            return terms.term_of_text(value, self.scope)
        value = _plain_number(value)
        if type(value) is float and value.is_integer() and abs(value) < 1 << 63:
            value = int(value)
        if type(value) is not int:
            raise self.wrong(domain, name, value, "a whole number or a text")
        if value not in _INT64:
            raise self.wrong(domain, name, value, "a number of 64 bits")
        return {"int": value}

    def bounds(self, domain: Domain, unbounded: tuple[Any, ...]) -> dict[str, Any]:
        """The bounds `min` and `max` of numbers that are given: numbers, or texts that name other arguments."""
        found = {}
        for name in ("min", "max"):
            value = domain.params.get(name)
            if isinstance(value, str):
                found[name] = terms.term_of_text(value, self.scope)
            elif value not in unbounded:
                number = _plain_number(value)
                if type(number) not in (int, float) or number != number:
                    raise self.wrong(domain, name, value, "a number or a text")
                found[name] = {"float": float(number)}
        return found

    def lengths(self, domain: Domain) -> tuple[Any, Any]:
        """The least and greatest length, from `len`, `min_len` and `max_len`."""
        params = domain.params
        if "len" in params:
            exact = self.term(domain, "len", params["len"])
            return exact, exact
        low = params.get("min_len", 0)
        high = params.get("max_len")
        if high is None:
            high = low + _MORE if isinstance(low, int) else f"({low}) + {_MORE}"
        return self.term(domain, "min_len", low), self.term(domain, "max_len", high)

    def fields(self, domain: Domain, fields: Any, what: str) -> list[Any]:
        """The descriptions of named domains; a name that ends in `?` may be missing."""
        described = []
        for name, inner in fields.items():
            if not isinstance(name, str):
                raise BadAnnotation(f"`{domain.kind}` takes texts as {what}, not {name!r}", domain.line or self.line)
            field = {"name": name.rstrip("?"), "is_optional": name.endswith("?"), "domain": self.node(inner)}
            described.append(field)
        return described

    def unused_name(self, word: str) -> str:
        """A name for a shape variable that no user can write."""
        self.constants.append((None, None))
        return f"{word} {len(self.constants) - 1}"

    def plain_number(self, value: Any) -> Any:
        """A number of a library as Python's own; anything else as it is."""
        return _plain_number(value)


def _is_installed(name: str) -> bool:
    """Whether a library can be imported; it is not imported here, because some take seconds."""
    if name in sys.modules:
        return sys.modules[name] is not None
    return importlib.util.find_spec(name) is not None


def _is_mutable(value: Any) -> bool:
    """Whether a subject could change the value, which the next draw must not see."""
    if isinstance(value, tuple):
        return any(_is_mutable(item) for item in value)
    return isinstance(value, (list, dict, set, bytearray)) or type(value).__name__ == "ndarray"


def _plain_number(value: Any) -> Any:
    """A number of numpy, a fraction or a decimal as Python's own."""
    if isinstance(value, bool) or type(value) in (int, float, str):
        return value
    if hasattr(value, "__index__"):
        return value.__index__()
    if hasattr(value, "__float__") and getattr(value, "shape", ()) == ():
        return float(value)
    return value
