"""Labels of inputs: what a run has tested, in counts, and how much of it was asked for."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from typing import Any

from temper.errors import PropertyError
from temper.properties.goal import goals


def event(label: Any) -> None:
    """Give the current input a label, to be counted over the run. Called inside a property; elsewhere it does nothing."""
    if goals:
        goals[-1].labels.add(str(label))


def classify(condition: Any, label: Any) -> None:
    """Give the current input a label if the condition holds."""
    if condition:
        event(label)


class LabelCounts:
    """How many of the tested inputs had each label."""

    def __init__(self) -> None:
        self.counts: collections.Counter[str] = collections.Counter()
        self.tests = 0

    def add(self, labels: set[str]) -> None:
        """Counts one tested input."""
        self.tests += 1
        self.counts.update(labels)

    def lines(self) -> list[str]:
        """The counts in words, the most frequent first."""
        ordered = sorted(self.counts.items(), key=lambda each: (-each[1], each[0]))
        return [f"  label: {label}: {count:,} of {self.tests:,} ({self.share(label):.1%})" for label, count in ordered]

    def share(self, label: str) -> float:
        """The part of the tested inputs with this label."""
        return self.counts[label] / self.tests if self.tests else 0.0

    def check(self, wanted: Mapping[str, float], name: str) -> None:
        """Raises `PropertyError` if a label was rarer than asked for."""
        for label, part in wanted.items():
            if self.share(label) < part:
                raise PropertyError(
                    f"only {self.share(label):.1%} of the {self.tests:,} inputs of `{name}` are `{label}`; "
                    f"{part:.1%} were asked for\n"
                    f"hint: give such inputs a domain of their own with `anys` or `weighted`, or ask for less"
                )
