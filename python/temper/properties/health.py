"""Warnings about properties that test less than they seem to: slow draws, many left out, inputs too large."""

from __future__ import annotations

import warnings

# An input whose drawing takes longer than this is slow; one with more bytes of choices than this is large.
_SLOW_SECS = 0.1
_LARGE_BYTES = 200_000
# Few tests say little about either.
_FEWEST = 20


class TemperWarning(UserWarning):
    """A property that could be tested better."""


def warn(name: str, tests: int, rejected: int, drawing_secs: float, record_bytes: int) -> None:
    """Warns about a run that found nothing; `drawing_secs` is the time outside of the property."""
    if tests < _FEWEST:
        return
    if rejected > tests / 2:
        _warn(f"`{name}` left out {rejected:,} of {tests:,} draws; draw what meets the condition by construction")
    if drawing_secs / tests > _SLOW_SECS:
        _warn(f"drawing one input of `{name}` takes {drawing_secs / tests * 1000:.0f} ms; make its generators cheaper")
    if record_bytes / tests > _LARGE_BYTES:
        _warn(f"inputs of `{name}` take {record_bytes // tests:,} bytes of choices each; smaller ones find as much")


def _warn(text: str) -> None:
    warnings.warn(text, TemperWarning, stacklevel=2)
