"""Names in domains: shape variables, and arguments that bounds name."""

from __future__ import annotations

import re
from typing import Any

from temper.domains import terms
from temper.domains.domain import Domain

# Arguments that `forall` reads as settings of the property, if their value is no domain.
PROPERTY_SETTINGS = (
    "draws",
    "budget",
    "seed",
    "chains",
    "strategy",
    "shared_fixtures",
    "watchdog",
    "failures",
    "cover",
    "explain",
    "enumerated",
)
_BOUNDS = ("min", "max", "len", "min_len", "max_len", "shape")


def _parts(domain: Any) -> list[Any]:
    """What is inside a domain, a list or a table."""
    if isinstance(domain, Domain):
        return list(domain.params.values())
    if isinstance(domain, dict):
        return list(domain.values())
    return list(domain) if isinstance(domain, (list, tuple)) else []


def shape_texts(domain: Any) -> list[str]:
    """The texts of shapes in a domain, in the order of the solver."""
    found: list[str] = []
    if isinstance(domain, Domain):
        for name in domain.shape_params:
            value = domain.params.get(name)
            found += [
                part for part in (value if isinstance(value, (tuple, list)) else [value]) if isinstance(part, str)
            ]
    return found + [text for part in _parts(domain) for text in shape_texts(part)]


def shape_names(domain: Any) -> list[str]:
    """The shape variables in a domain, in the order of the solver."""
    return list(dict.fromkeys(name for text in shape_texts(domain) for name in terms.names_in_shape(text)))


def bound_names(domain: Any) -> set[str]:
    """The names in the bounds and lengths of a domain."""
    found: set[str] = set()
    for name, value in domain.params.items() if isinstance(domain, Domain) else ():
        if name in _BOUNDS and isinstance(value, str):
            found |= set(re.findall(r"[^\W\d]\w*", value))
        elif name != "values":
            found |= bound_names(value)
    if not isinstance(domain, Domain):
        found = found.union(*map(bound_names, _parts(domain)))
    return found
