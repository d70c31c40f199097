"""Which arguments of a counterexample matter: each is exchanged for others, and the property tried again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# How many other values of an argument are tried.
_OTHERS = 20


def explained(program: Any, names: list[str], tree: bytes, fails: Callable[[list[Any]], bool | None]) -> list[str]:
    """One line for each argument that can be anything. `fails` says whether other arguments fail in the same way, or None
    if they are left out."""
    lines = []
    for place, name in enumerate(names):
        tried = 0
        for seed in range(_OTHERS):
            found, other = program.replay(tree), program.draw(seed)
            if found is None or other is None:
                continue
            values = list(found)
            values[place] = other[place]
            verdict = fails(values)
            if verdict is False:
                tried = 0
                break
            tried += verdict is True
        if tried > 1:
            lines.append(f"  explain: `{name}` does not matter: it fails with {tried} of {tried} other values too")
    return lines
