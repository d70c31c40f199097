"""What a run of a property found, and how it is worded."""

from __future__ import annotations

from typing import Any

from temper import _engine
from temper.properties.goal import Goal

# Longer calls are shown by their two ends.
_MAX_CALL = 2000


class Counterexample:
    """An input that breaks a property, or a witness that was searched for."""

    __slots__ = ("arguments", "call", "error", "is_saved", "is_unstable", "key", "tree", "unstable_error", "utility")

    def __init__(self, tree: bytes, arguments: dict[str, Any], call: str, key: Any) -> None:
        self.tree, self.arguments, self.call, self.key = tree, arguments, call, key
        self.error: BaseException | None = None
        # It broke the property once, and not in the same way when it was tested again.
        self.is_unstable = False
        self.unstable_error: str | None = None
        self.utility: float | None = None
        self.is_saved = False


class Report:
    """What a run of a property found.

    `found` is the counterexample or None; `tests` is how many inputs were tested until then, those `rejected` counted;
    `climb` holds the tests at which the best utility improved, with its values; `seed` gives the same run again.
    """

    def __init__(self, seed: int, tests: int = 0, rejected: int = 0, found: Counterexample | None = None) -> None:
        self.seed, self.tests, self.rejected, self.found = seed, tests, rejected, found
        self.climb: list[tuple[int, float]] = []
        self.saved_in: str | None = None
        # All failures of the run by their keys, `found` first; more than one only with `failures=`.
        self.all_found: list[Counterexample] = [] if found is None else [found]
        self.labels: Any = None
        self.explained: list[str] = []
        # The best of each utility that has a name.
        self.best_by_name: dict[str, float] = {}
        # Whether every input of the domains was tested.
        self.is_exhausted = False

    def set_climb(self, climb: list[tuple[int, float]], goal: Goal) -> None:
        """Takes the climb over, with utilities as the property gave them."""
        self.climb = [(test, -utility if goal.is_lowered else utility) for test, utility in climb]

    @property
    def is_found(self) -> bool:
        """Whether there is a counterexample, or the witness that was searched for."""
        return self.found is not None

    @property
    def best_utility(self) -> float | None:
        """The best utility seen, as the property gave it."""
        return self.climb[-1][1] if self.climb else None

    def __repr__(self) -> str:
        return f"<Report: {self.headline('counterexample')}>"

    def headline(self, what: str) -> str:
        """What was found, and when."""
        if self.found is None and self.is_exhausted:
            return f"no {what}: all inputs were tested, in {_counted(self.tests, 'test')}"
        if self.found is None:
            return f"no {what} in {_counted(self.tests, 'test')}, seed {self.seed}"
        if self.found.is_saved:
            return f"a {what} that was saved by an earlier run"
        return f"a {what} after {_counted(self.tests, 'test')}, seed {self.seed}"

    def __str__(self) -> str:
        return self.text("counterexample", None)

    def text(self, what: str, reproduce: str | None) -> str:
        """The report in full."""
        lines = [("found: " if self.is_found else "not found: ") + self.headline(what)]
        if self.found is not None:
            lines.append(f"  call: {_shortened(self.found.call)}")
            if self.found.utility is not None:
                lines.append(f"  utility: {_number(self.found.utility)}")
        if len(self.climb) > 1:
            (_, first), (_, best) = self.climb[0], self.climb[-1]
            plot = _engine.plot(self.climb, self.tests)
            lines.append(f"  climb: {_number(first)} {plot} {_number(best)}")
        lines += [f"  best {name}: {_number(best)}" for name, best in self.best_by_name.items()]
        if self.rejected:
            lines.append(f"  rejected: {self.rejected:,} of {_counted(self.tests, 'draw')}")
        if self.found is not None and self.found.is_unstable:
            lines.append(
                f"  it failed once ({self.found.unstable_error or 'by its result'}), and not in this way when tested again"
            )
        lines += self.explained
        lines += [f"  also found: {_shortened(other.call)}" for other in self.all_found[1:]]
        if self.labels is not None:
            lines += self.labels.lines()
        if self.saved_in is not None:
            lines.append(f"  saved: {self.saved_in} (commit it: it is tried first from now on)")
        if reproduce is not None:
            lines.append(f"reproduce: {reproduce}")
        if self.found is not None and self.found.is_unstable:
            lines.append("hint: seed what is random in the property, and start each test from the same state")
        return "\n".join(lines)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _number(value: float) -> str:
    return f"{value:.6g}" if abs(value) < 1e6 or value != int(value) else f"{value:.0f}"


def _shortened(call: str) -> str:
    if len(call) <= _MAX_CALL:
        return call
    half = _MAX_CALL // 2
    return f"{call[:half]} ... {len(call) - _MAX_CALL:,} characters ... {call[-half:]}"
