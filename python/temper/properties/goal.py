"""What a property says while it runs: how good the input is, and whether it is one that the property speaks about."""

from __future__ import annotations

import math
from typing import Any

from temper.errors import PropertyError, RejectedInput


class Goal:
    """Where the property of the current test leaves its utility, the higher the better."""

    __slots__ = ("best", "is_lowered", "labels", "names", "signs", "utility", "values")

    def __init__(self) -> None:
        self.utility: float | None = None
        self.is_lowered = False
        # The utilities with a name: the place of each, its sign, what the current test told and the best of all tests.
        self.names: dict[str, int] = {}
        self.signs: list[float] = []
        self.values: list[float] = []
        self.best: list[float] = []
        # The labels of the input that is tested.
        self.labels: set[str] = set()

    def forget(self) -> None:
        """Begins a test: nothing is told yet."""
        self.utility = None
        if self.labels:
            self.labels = set()
        if self.names:
            self.values = [-math.inf] * len(self.names)

    def told(self) -> float | list[float] | None:
        """What the current test told; the utility without a name is the first of several."""
        if not self.names:
            return self.utility
        return [-math.inf if self.utility is None else self.utility, *self.values]

    def tell(self, name: str, sign: float, utility: float) -> None:
        """Takes note of a utility with a name."""
        place = self.names.setdefault(name, len(self.names))
        if place == len(self.values):
            self.signs.append(sign)
            self.values.append(-math.inf)
            self.best.append(-math.inf)
        self.values[place] = sign * utility
        self.best[place] = max(self.best[place], sign * utility)

    def best_by_name(self) -> dict[str, float]:
        """The best of each utility with a name, as the property gave it."""
        return {name: self.signs[place] * self.best[place] for name, place in self.names.items()}

    def as_given(self, utility: float | None) -> float | None:
        """A utility as the property gave it."""
        return -utility if self.is_lowered and utility is not None else utility


# The runs in progress, the innermost last: a property may use another one.
goals: list[Goal] = []


def maximize(utility: float, name: str | None = None) -> None:
    """Search for inputs that raise this number. Called inside a property; elsewhere it does nothing.

    With names there may be several such numbers. Inputs that are the best in different ways are then all kept and searched
    from, so two conditions that must both hold are each a number: how far the input is from it.
    """
    if not goals:
        return
    number = _number(utility, "maximize")
    if name is None:
        goals[-1].utility = number
    else:
        goals[-1].tell(name, 1.0, number)


def minimize(utility: float, name: str | None = None) -> None:
    """Search for inputs that lower this number; see `maximize`."""
    if not goals:
        return
    number = _number(utility, "minimize")
    if name is None:
        goals[-1].is_lowered = True
        goals[-1].utility = -number
    else:
        goals[-1].tell(name, -1.0, number)


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
