"""Every test of a property starts from the same state of the shared random generators, so that what it does depends on
its input alone. After the run they go on as if nothing had been.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def kept() -> Iterator[Callable[[], None]]:
    """Keeps the states of the generators that are loaded, and gives a function that sets them all."""
    found: list[tuple[Callable[[int], Any], Callable[[Any], Any], Any]] = [
        (random.seed, random.setstate, random.getstate())
    ]
    numpy = getattr(sys.modules.get("numpy"), "random", None)
    if numpy is not None:
        found.append((numpy.seed, numpy.set_state, numpy.get_state()))
    torch = sys.modules.get("torch")
    if hasattr(torch, "get_rng_state"):
        found.append((torch.manual_seed, torch.set_rng_state, torch.get_rng_state()))
    seeds = [seed for seed, _, _ in found]

    def reseed() -> None:
        for seed in seeds:
            seed(0)

    try:
        yield reseed
    finally:
        for _, restore, state in found:
            restore(state)
