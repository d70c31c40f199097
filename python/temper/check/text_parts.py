"""Texts that a function takes apart: the words and separators in its own code are parts that its texts are made of.

A text of random characters never is ``"conv:3,relu"``. So half of the texts of an argument are put together from the
constants of the function, of the functions of its module that it calls, and of the tables of the module that it names. They
are lists of parts, which the search edits and shrinking shortens.
"""

from __future__ import annotations

import copy
import inspect
import re
from types import CodeType
from typing import Any

from temper.check.branches import helpers_of
from temper.domains.annotated import AnnotatedFunction
from temper.domains.composed import Draw
from temper.domains.domain import Domain, make
from temper.domains.kinds import anys, froms, lists
from temper.domains.kinds.computed import Computed
from temper.domains.kinds.texts import Texts
from temper.errors import RejectedInput

_MAX_PARTS = 12
# Longer constants are messages, and more parts than this are no help.
_MAX_LEN = 16
_MOST = 40
# Parts that every text may have: numbers are in most formats.
_USUAL = ("0", "1", "3", "a", " ")


class PartedTexts(Computed[str]):
    """Texts that are put together from parts, with lengths as another domain has them."""

    __slots__ = ()

    def compute(self, draw: Draw) -> str:
        """One text: too long ones are cut, too short ones are no text of the domain."""
        text = "".join(draw(self.params["parts"]))[: self.params["most"]]
        if len(text) < self.params["least"]:
            raise RejectedInput
        return text


def with_parts(annotated: AnnotatedFunction) -> AnnotatedFunction:
    """The function with texts of parts next to its other texts; itself if it has no texts, or its code no parts."""
    arguments = annotated.record.arguments
    if not any(_has_texts(domain) for domain in arguments.values()):
        return annotated
    parts = parts_of(annotated.function)
    if not parts:
        return annotated
    made = copy.copy(annotated)
    made.record = copy.copy(annotated.record)
    made.record.arguments = {name: _widened(domain, parts) for name, domain in arguments.items()}
    return made


def parts_of(function: Any) -> list[str]:
    """The words and separators in the code of a function and of its helpers, in the order of the code."""
    found: dict[str, None] = {}
    for each in (function, *helpers_of(function)):
        code, scope = getattr(each, "__code__", None), getattr(each, "__globals__", {})
        for constant in _constants(code) if code is not None else ():
            found.update(dict.fromkeys(_divided(constant)))
        for name in code.co_names if code is not None else ():
            for constant in _listed(scope.get(name)):
                found.update(dict.fromkeys(_divided(constant)))
    parts = list(found)[:_MOST]
    return [*parts, *(part for part in _USUAL if part not in found), *_joined(parts)] if parts else []


def _joined(parts: list[str]) -> list[str]:
    """Words with a separator in front: one step of the search adds both."""
    words = [part for part in parts if part.isalpha()]
    separators = [part for part in parts if len(part) == 1 and not part.isalnum()]
    return [separator + word for separator in separators for word in words][:_MOST]


def _constants(code: CodeType) -> list[str]:
    """The texts in a function's code, without its docstring."""
    found: list[str] = []
    for at, constant in enumerate(code.co_consts):
        if inspect.iscode(constant):
            found += _constants(constant)
        elif isinstance(constant, (tuple, frozenset)):
            found += [each for each in constant if isinstance(each, str)]
        elif isinstance(constant, str) and not (at == 0 and len(constant) > _MAX_LEN):
            found.append(constant)
    return found


def _listed(value: Any) -> list[str]:
    """The texts in a table or list of the module, or in a pattern."""
    if isinstance(value, re.Pattern):
        value = [value.pattern]
    is_list = isinstance(value, (str, dict, list, tuple, set, frozenset))
    found = [value] if isinstance(value, str) else list(value)[:_MOST] if is_list else []
    return [each for each in found if isinstance(each, str)]


def _divided(constant: str) -> list[str]:
    """The words of a text, and the characters between them."""
    if len(constant) > _MAX_LEN:
        return []
    return [constant] * bool(constant) + re.findall(r"[A-Za-z]+|[^\sA-Za-z0-9]", constant)


def _has_texts(domain: Any) -> bool:
    if isinstance(domain, Texts):
        return not isinstance(domain.params.get("max_len"), str) and not isinstance(domain.params.get("min_len"), str)
    return isinstance(domain, Domain) and any(_has_texts(part) for part in domain.params.values())


def _widened(domain: Any, parts: list[str]) -> Any:
    if isinstance(domain, Texts):
        return anys(domain, _parted(domain, parts)) if _has_texts(domain) and "len" not in domain.params else domain
    if not isinstance(domain, Domain) or not _has_texts(domain):
        return domain
    made = copy.copy(domain)
    made.params = {name: _widened(value, parts) for name, value in domain.params.items()}
    return made


def _parted(domain: Texts, parts: list[str]) -> Domain:
    least = domain.params.get("min_len", 0)
    most = domain.params.get("max_len", least + 8)
    alphabet = domain.params.get("alphabet")
    allowed = [part for part in parts if alphabet is None or set(part) <= set(alphabet)]
    params = {"parts": lists(froms(allowed or [""]), max_len=_MAX_PARTS), "least": least, "most": most}
    made = make(PartedTexts, params, {})
    made.line, made.file = domain.line, domain.file
    return made
