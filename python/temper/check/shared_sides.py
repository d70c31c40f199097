"""Sides of arrays that agree in all calls on one object.

An estimator takes any number of rows, but always the same columns: the first side of an array may differ from call to
call, and further sides stay as they are for the life of the object. So their names stand for numbers there, and a life is
drawn with one of a few choices of these numbers.
"""

from __future__ import annotations

import copy
import re
from typing import Any

from temper.annotations import Condition
from temper.domains.domain import Domain
from temper.domains.names import shape_texts

_CHOICES = 3
_USUAL = (1, 8)
_TERMS = frozenset(("min", "max", "len", "min_len", "max_len"))


def shared_sides(rules: list[Any]) -> list[dict[str, int]]:
    """The choices of numbers for the names of sides that stay; one empty choice if there are none."""
    domains = [domain for rule in rules for domain in rule.annotated.record.arguments.values()]
    texts = [text for domain in domains for text in shape_texts(domain)]
    names = list(dict.fromkeys(name for text in texts for name in _later_names(text)))
    if not names:
        return [{}]
    return [
        {name: _number(_range(name, texts), at + place) for place, name in enumerate(names, 1)}
        for at in range(_CHOICES)
    ]


def _number(ends: tuple[int, int], choice: int) -> int:
    return ends[0] + min(choice % _CHOICES, ends[1] - ends[0])


def _later_names(text: str) -> list[str]:
    parts = [part.partition(":")[0] for part in text.replace(",", " ").split()]
    return [part for part in parts[1:] if part.isidentifier()]


def _range(name: str, texts: list[str]) -> tuple[int, int]:
    for text in texts:
        match = re.search(rf"\b{re.escape(name)}:(\d+)\.\.(\d+)", text)
        if match is not None:
            return int(match[1]), int(match[2])
    return _USUAL


def with_sides(function: Any, sides: dict[str, int]) -> Any:
    """The method with numbers for some names of sides, in shapes, bounds and preconditions."""
    if sides:
        record = function.record = copy.copy(function.record)
        record.arguments = {name: _fixed(domain, sides) for name, domain in record.arguments.items()}
        record.preconditions = [_fixed_condition(each, sides) for each in record.preconditions]
    return function


def _fixed(domain: Any, sides: dict[str, int]) -> Any:
    """A domain with the numbers in its shapes and bounds, and in those of its parts."""
    if isinstance(domain, (list, tuple)):
        return type(domain)(_fixed(each, sides) for each in domain)
    if isinstance(domain, dict):
        return {key: _fixed(each, sides) for key, each in domain.items()}
    if not isinstance(domain, Domain):
        return domain
    made = copy.copy(domain)
    made.params = {name: _fixed_parameter(domain, name, value, sides) for name, value in domain.params.items()}
    return made


def _fixed_parameter(domain: Domain, name: str, value: Any, sides: dict[str, int]) -> Any:
    if isinstance(value, str) and name in domain.shape_params:
        return " ".join(_fixed_side(part, sides) for part in value.replace(",", " ").split())
    if isinstance(value, str):
        return _in_text(value, sides) if name in _TERMS else value
    return _fixed(value, sides)


def _fixed_side(part: str, sides: dict[str, int]) -> str:
    """One side of a shape; what is a number has no range."""
    name = part.partition(":")[0]
    return str(sides[name]) if name in sides else _in_text(part, sides)


def _in_text(text: str, sides: dict[str, int]) -> str:
    for name, number in sides.items():
        text = re.sub(rf"\b{re.escape(name)}\b", str(number), text)
    return text


def _fixed_condition(condition: Condition, sides: dict[str, int]) -> Condition:
    return Condition(_in_text(condition.test, sides), condition.line) if isinstance(condition.test, str) else condition
