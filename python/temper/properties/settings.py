"""What the user sets for a property, checked once."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any

from temper.domains.composed import is_strategy
from temper.domains.domain import Domain
from temper.domains.names import PROPERTY_SETTINGS
from temper.properties.goal import PropertyError

STRATEGIES = ("annealing", "hill-climbing", "random")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class Settings:
    """How long and how to look for a counterexample."""

    __slots__ = (
        "budget",
        "budget_secs",
        "chains",
        "cover",
        "draws",
        "enumerated",
        "explain",
        "failures",
        "seed",
        "shared_fixtures",
        "strategy",
        "watchdog_secs",
    )

    def __init__(
        self,
        draws: Any = 200,
        budget: Any = 10_000,
        seed: Any = None,
        chains: Any = 1,
        strategy: Any = None,
        shared_fixtures: Any = False,
        watchdog: Any = "60s",
        failures: Any = 1,
        cover: Any = None,
        explain: Any = False,
        enumerated: Any = True,
    ) -> None:
        self.draws = _count("draws", draws)
        self.budget_secs = _duration("budget", budget)
        # A time alone limits the tests too: what takes no time at all should not fill it.
        self.budget = 1 << 62 if self.budget_secs is not None else _count("budget", budget)
        if self.budget_secs is not None:
            self.draws = self.budget
        if seed is not None and (type(seed) is not int or not 0 <= seed < 1 << 64):
            raise PropertyError(f"`seed` is a whole number from 0, not {seed!r}{_meant_for_argument('seed', seed)}")
        self.seed: int | None = seed
        self.chains = _count("chains", chains)
        if strategy is not None and strategy not in STRATEGIES:
            listed = ", ".join(f'"{name}"' for name in STRATEGIES)
            hint = _meant_for_argument("strategy", strategy) or f"\nhint: choose one of {listed}"
            raise PropertyError(f"there is no strategy {strategy!r}{hint}")
        self.strategy: str | None = strategy
        self.shared_fixtures = bool(shared_fixtures)
        # How many different failures a run collects.
        self.failures = _count("failures", failures)
        # The least part of inputs that must have a label, by label.
        self.cover: dict[str, float] = dict(cover or {})
        self.explain = bool(explain)
        # Whether a domain with fewer inputs than tests is enumerated, each input tested once.
        self.enumerated = bool(enumerated)
        # How long one input may take before it is told; None never tells.
        self.watchdog_secs = _duration("watchdog", watchdog)

    def share(self, chains: int) -> Settings:
        """The settings of one of several chains."""
        each = copy.copy(self)
        each.enumerated = False
        each.draws, each.budget = -(-self.draws // chains), -(-self.budget // chains)
        return each


def split(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Domains and settings. A name of a setting is an argument if its value is a domain."""
    domains, settings = {}, {}
    for name, value in given.items():
        (settings if name in PROPERTY_SETTINGS and not is_domain(value) else domains)[name] = value
    return domains, settings


def is_domain(value: Any) -> bool:
    """Whether a value is a domain of ours or a strategy of Hypothesis, and not a value that stands for itself."""
    return isinstance(value, Domain) or is_strategy(value)


def _count(name: str, value: Any) -> int:
    if type(value) is not int or value < 1:
        more = ' or a time such as "30s"' if name == "budget" else ""
        hint = _meant_for_argument(name, value)
        raise PropertyError(f"`{name}` is a whole number from 1{more}, not {value!r}{hint}")
    return value


def _meant_for_argument(name: str, value: Any) -> str:
    """The hint for a value that no setting has: it may be meant for an argument with the name of the setting."""
    if isinstance(value, int | float | str):
        return ""
    return f"\nhint: if `{name}` is an argument of the test, give it in a mapping: `forall({{{name!r}: {value!r}}})`"


def _duration(name: str, value: Any) -> float | None:
    """Seconds of a time such as ``"30s"``; None for what is no text."""
    if not isinstance(value, str):
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", value.strip())
    if match is None:
        other = "a number of tests" if name == "budget" else "None"
        raise PropertyError(f'`{name}` is {other} or a time such as "30s", "5m" or "2h", not {value!r}')
    return float(match[1]) * _UNITS[match[2]]
