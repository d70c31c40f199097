"""Calls that also hold a function to its postconditions; emitted tests use them."""

from __future__ import annotations

import contextlib
import math
import signal
from collections.abc import Callable, Iterator
from typing import Any


def obeys(oracle: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> bool:
    """Whether one call passes an oracle of ``temper check``, such as ``"same"``. Emitted tests use it."""
    from temper.check import oracles

    return oracles.obeys(oracle, function, args, kwargs)


def verify(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call a function, take the items of a lazy result, and assert what its ``@ensure`` conditions and its return hint
    promise.

    Returns the result; a coroutine is awaited.
    """
    from temper.check import results

    return results.verify(function, args, kwargs)


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeoutError` in what runs longer, and again until it ends; in the main thread only."""

    def late(number: int, frame: Any) -> None:
        raise TimeoutError(f"took longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def difference(recorded: Any, result: Any, rel: float = 1e-6) -> str | None:
    """How a result differs from what ``@regression`` recorded of it; None where it does not.

    Floats may be off by the part ``rel``; everything else not at all.
    """
    from temper.check import results

    return results.difference(recorded, results.summary(result), rel)


def is_finite(value: Any) -> bool:
    """Whether no number in a value is infinite or not a number; looks into containers, arrays and frames."""
    if isinstance(value, (float, complex)):
        return math.isfinite(value.real) and math.isfinite(value.imag)
    if isinstance(value, dict):
        return all(is_finite(part) for part in value.values())
    if isinstance(value, (list, tuple, set)):
        return all(is_finite(part) for part in value)
    values = getattr(value, "to_numpy", None)
    array = values() if callable(values) else value
    if callable(getattr(array, "isfinite", None)):
        # A tensor of torch.
        return bool(array.isfinite().all())
    if hasattr(array, "__array__") and getattr(getattr(array, "dtype", None), "kind", "") in ("f", "c"):
        import numpy

        return bool(numpy.isfinite(numpy.asarray(array)).all())
    return True
