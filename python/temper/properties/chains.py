"""Several chains of a search at once, each in a separate process, forked from the test's process.

What is found depends on the seed and the number of chains only: the loop takes the chain that found something in the
fewest tests, and the others stop once they have made as many.
"""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import struct
import warnings
from typing import Any

from temper.properties.goal import PropertyError

_NONE_YET = (1 << 63) - 1
# The odd number nearest to 2^64 over the golden ratio: seeds of chains lie far apart.
_SEED_STEP = 0x9E37_79B9_7F4A_7C15
_SEED_MASK = (1 << 64) - 1


class Ended:
    """What one chain found; `tree` is the record of its failure, `error` how that broke the property, in words."""

    __slots__ = ("climb", "error", "rejections", "tests", "tree")

    def __init__(
        self,
        tests: int,
        rejections: tuple[int, int, int],
        climb: list[tuple[int, float]],
        tree: bytes | None = None,
        error: str | None = None,
    ) -> None:
        self.tests, self.rejections, self.climb, self.tree, self.error = tests, rejections, climb, tree, error


def explore_all(run: Any, count: int) -> list[Ended]:
    """Runs that many chains, each with its share of the budget."""
    if not hasattr(os, "fork"):
        raise PropertyError("`chains` needs a system that can fork processes\nhint: leave `chains` out")
    fewest = mmap.mmap(-1, 8)
    fewest[:] = struct.pack("<q", _NONE_YET)
    children = [_Child(run, number, count, fewest) for number in range(count)]
    try:
        results = [child.result() for child in children]
    finally:
        for child in children:
            child.stop()
        fewest.close()
    for problem in (result["problem"] for result in results):
        if problem is not None:
            raise _raised(problem)
    run.goal.is_lowered = any(result["is_lowered"] for result in results)
    return [Ended(*result["ended"]) for result in results]


def _fork() -> int:
    # From 3.12 on, Python warns of threads, such as those that numpy starts for its own use and that no chain needs.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


class _Child:
    """One chain in its process."""

    def __init__(self, run: Any, number: int, count: int, fewest: mmap.mmap) -> None:
        self.pid, self._status = 0, None
        self._read, write = os.pipe()
        self.pid = _fork()
        if self.pid == 0:
            os.close(self._read)
            _work(run, number, count, fewest, write)
        os.close(write)

    def result(self) -> dict[str, Any]:
        """Waits for what the chain found."""
        with os.fdopen(self._read, "rb", closefd=True) as pipe:
            data = pipe.read()
        _, self._status = os.waitpid(self.pid, 0)
        if os.WIFSIGNALED(self._status):
            name = signal.Signals(os.WTERMSIG(self._status)).name
            raise PropertyError(
                f"the process of a chain was killed by {name}\n"
                f"hint: run the test without `chains` and with `python -X faulthandler -m pytest` to see where"
            )
        if not data:
            raise PropertyError(f"the process of a chain ended by itself, with code {os.WEXITSTATUS(self._status)}")
        return pickle.loads(data)

    def stop(self) -> None:
        """Ends the process if it has not ended."""
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


def _work(run: Any, number: int, count: int, fewest: mmap.mmap, write: int) -> None:
    """The life of a child; it leaves without the clean-up that is its parent's."""
    code = 1
    try:
        ended, problem = None, None

        def is_over(tests: int) -> bool:
            return tests >= struct.unpack("<q", fewest[:8])[0]

        try:
            ended = run.explore((run.seed + number * _SEED_STEP) & _SEED_MASK, run.settings.share(count), is_over)
            if ended.tree is not None and not is_over(ended.tests):
                fewest[:] = struct.pack("<q", ended.tests)
        except BaseException as error:
            problem = (type(error).__name__, str(error))
        parts = None if ended is None else (ended.tests, ended.rejections, ended.climb, ended.tree, ended.error)
        described = {"ended": parts, "problem": problem, "is_lowered": run.goal.is_lowered}
        with os.fdopen(write, "wb") as pipe:
            pipe.write(pickle.dumps(described))
        code = 0
    finally:
        os._exit(code)


def _raised(problem: tuple[str, str]) -> BaseException:
    """The exception that ended a chain; pytest's own are made again, anything else is worded."""
    name, text = problem
    if name == "KeyboardInterrupt":
        return KeyboardInterrupt()
    if name == "Skipped":
        import pytest

        return pytest.skip.Exception(text)
    return PropertyError(text if name == "PropertyError" else f"a chain ended with {name}: {text}")
