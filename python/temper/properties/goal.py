"""What a property says while it runs: how good the input is, and whether it is one that the property speaks about."""

from __future__ import annotations

from typing import Any

from temper.errors import PropertyError, RejectedInput


class Goal:
    """Where the property of the current test leaves its utility, the higher the better."""

    __slots__ = ("is_lowered", "labels", "utility")

    def __init__(self) -> None:
        self.utility: float | None = None
        self.is_lowered = False
        # The labels of the input that is tested.
        self.labels: set[str] = set()

    def as_given(self, utility: float | None) -> float | None:
        """A utility as the property gave it."""
        return -utility if self.is_lowered and utility is not None else utility


# The runs in progress, the innermost last: a property may use another one.
goals: list[Goal] = []


def maximize(utility: float) -> None:
    """Search for inputs that raise this number. Called inside a property; elsewhere it does nothing."""
    if goals:
        goals[-1].utility = _number(utility, "maximize")


def minimize(utility: float) -> None:
    """Search for inputs that lower this number. Called inside a property; elsewhere it does nothing."""
    if goals:
        goals[-1].is_lowered = True
        goals[-1].utility = -_number(utility, "minimize")


def assume(condition: Any) -> None:
    """Leave out inputs that the property does not speak about: those for which the condition does not hold."""
    if not condition:
        raise RejectedInput


def _number(utility: Any, name: str) -> float:
    try:
        number = float(utility)
    except (TypeError, ValueError):
        raise PropertyError(
            f"`temper.{name}` takes a number, not {_shown(utility)}\n"
            f"hint: give it one number, such as a length, a distance or `float(values.max())`"
        ) from None
    if number != number:
        raise PropertyError(
            f"`temper.{name}` was given NaN, which is neither better nor worse than other numbers\n"
            f"hint: if NaN is the bug, `assert` that there is none before; else leave the input out with "
            f"`temper.assume(...)`"
        )
    return number


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:
        text = "..."
    kind = type(value).__name__
    return f"{text if len(text) <= 60 else text[:57] + '...'} of type `{kind}`"
