"""What a subject of the engine's loop says about one input; `crates/temper-py/src/subject.rs` reads it.

A number is the utility of an input that passed, a list its utilities if it has several, and None an input that passed without
one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

# What rejected an input.
BY_DOMAIN, BY_PRECONDITION, BY_PROPERTY = "domain", "precondition", "property"


class Failed(NamedTuple):
    """The subject failed. Failures with equal keys are one failure; `evidence` comes back with the report."""

    key: Any
    evidence: Any
    utility: float | list[float] | None


class NoResult(NamedTuple):
    """The input was allowed, and the subject gave no result for it."""

    utility: float | None


def plan(*, seed: int, draws: int, searches: int, patience: int, **changed: Any) -> dict[str, Any]:
    """The plan of a run: `draws` tests, or `searches` tests if there is a utility.

    A run that tested nothing is given up after `patience` evaluations. Unless it is changed, the first failure ends the
    run, nothing is saved or proposed, a strategy draws the inputs, and all inputs are tested if they are few.
    """
    return {
        "seed": seed,
        "draws": draws,
        "searches": searches,
        "patience": patience,
        "strategy": None,
        "skipped": None,
        "most_failures": None,
        "search_budget": 0,
        "steering_seed": 0,
        "shrink_budget": 10_000,
        "saved": [],
        "first": [],
        "is_enumerated": True,
        **changed,
    }
