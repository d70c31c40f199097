"""Several chains of a search at once, each in a process of its own, forked from the test's process."""

from __future__ import annotations

from typing import Any


class Ended:
    """What one chain came to."""

    __slots__ = ("climb", "failure", "rejected", "tests", "tree")

    def __init__(
        self, tests: int, rejected: int, climb: list[tuple[int, float]], tree: bytes | None, failure: Any
    ) -> None:
        self.tests, self.rejected, self.climb, self.tree, self.failure = tests, rejected, climb, tree, failure


def search(run: Any, count: int) -> Ended:
    raise NotImplementedError
