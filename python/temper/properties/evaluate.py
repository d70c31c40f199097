"""A property as the subject of the engine's loop: how one input is tested, and how what was found is reported.

What is drawn, when a run ends, how failures are grouped and shrunk is decided in `crates/temper/src/run.rs`.
"""

from __future__ import annotations

import contextlib
import os
import sys
import sysconfig
import time
import traceback
import unittest
from collections.abc import Callable
from typing import Any

from temper import _engine, evaluation
from temper.domains.compile import Subject
from temper.errors import place
from temper.evaluation import BY_DOMAIN, BY_PRECONDITION, BY_PROPERTY, Failed
from temper.properties import chains, explain, health, randomness
from temper.properties.goal import Goal, PropertyError, RejectedInput, goals
from temper.properties.labels import LabelCounts
from temper.properties.report import Counterexample, Report
from temper.properties.settings import Settings
from temper.properties.watchdog import Watchdog

# A run is given up when none of this many draws was tested.
_PATIENCE = 1000
# Shrinking ends after this long; what it has then is reported.
_SHRINK_SECS = 20.0
_LIBRARIES = tuple({os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "purelib", "platlib")})


def failures() -> tuple[type[BaseException], ...]:
    """What counts as a broken property when it is raised."""
    pytest = sys.modules.get("pytest")
    return (Exception, SystemExit) if pytest is None else (Exception, SystemExit, pytest.fail.Exception)


def _signals() -> tuple[type[BaseException], ...]:
    """What a property raises to say something other than that it is broken."""
    pytest = sys.modules.get("pytest")
    extra = () if pytest is None else (pytest.skip.Exception, pytest.xfail.Exception)
    return (PropertyError, unittest.SkipTest, *extra)


class PropertySubject:
    """A property about to be tested. `call` takes the tuple of drawn arguments."""

    def __init__(
        self, subject: Subject, call: Callable[[Any], Any], settings: Settings, seed: int, wants_witness: bool
    ) -> None:
        self.subject, self.settings, self.seed = subject, settings, seed
        self.program = subject.program
        self._call = call
        # Whether a truthy result is what is searched for.
        self._wants_witness = wants_witness
        self.goal = Goal()
        self._failures, self._signals = failures(), _signals()
        self._reseed: Callable[[], None] = lambda: None
        self._is_shrinking = False
        self._watchdog: Watchdog | None = None
        self._labels = LabelCounts()
        self._calling_secs = 0.0
        # Of the choices of all inputs together.
        self._record_bytes = 0
        self._until = float("inf")
        # Asked by the loop before each input, if there is something to ask for.
        self.is_over: Callable[[int], bool] | None = None
        # How the failures of other processes read, by their records.
        self._chain_errors: dict[bytes, str | None] = {}

    def run(self, saved: list[bytes]) -> Report:
        """Tests the property and reports."""
        goals.append(self.goal)
        try:
            with randomness.kept() as self._reseed, self._watched():
                return self._run(saved)
        finally:
            goals.pop()

    def _watched(self) -> contextlib.AbstractContextManager[Any]:
        """A watchdog for the run. Several chains are processes, and a thread would not be in them."""
        limit = self.settings.watchdog_secs
        if limit is None or self.settings.chains > 1:
            return contextlib.nullcontext()
        self._watchdog = Watchdog(self.subject.annotated.name, limit, self._described)
        return self._watchdog

    def _described(self) -> str:
        """The input that is tested."""
        return f"  call: {self.subject.text(self.program.tree())}\n  seed: {self.seed}"

    def _run(self, saved: list[bytes]) -> Report:
        if self.settings.budget_secs is not None:
            until = time.monotonic() + self.settings.budget_secs
            self.is_over = lambda evaluations: time.monotonic() >= until
        began = time.monotonic()
        explore_all = self._explore_chains if self.settings.chains > 1 else None
        found = self.program.run(self, self._plan(self.seed, self.settings, saved), explore_all)
        if found.is_too_few:
            raise PropertyError(self._too_few(found))
        report = Report(self.seed, found.evaluations, sum(found.rejections))
        report.set_climb(found.climb, self.goal)
        report.best_by_name = self.goal.best_by_name()
        report.is_exhausted = found.is_exhausted
        report.labels = self._labels
        report.all_found = [self._counterexample(failure) for failure in found.failures]
        report.found = report.all_found[0] if report.all_found else None
        if report.found is None:
            self._labels.check(self.settings.cover, self.subject.annotated.name)
            drawing_secs = time.monotonic() - began - self._calling_secs
            # If all inputs were looked at, those that were left out hide nothing.
            rejected = 0 if found.is_exhausted else sum(found.rejections)
            health.warn(self.subject.annotated.name, found.evaluations, rejected, drawing_secs, self._record_bytes)
        elif self.settings.explain and not report.found.is_unstable:
            report.explained = self._explained(report.found)
        return report

    def _explained(self, found: Counterexample) -> list[str]:
        def fails(values: list[Any]) -> bool | None:
            if self.subject.filter is not None and not self._accepts(tuple(values)):
                return None
            result = self.evaluate(tuple(values))
            return None if result == BY_PROPERTY else isinstance(result, Failed) and result.key == found.key

        names = self.subject.names[: self.subject.argument_count]
        return explain.explained(self.program, names, found.tree, fails)

    def _plan(self, seed: int, settings: Settings, saved: list[bytes]) -> dict[str, Any]:
        return evaluation.plan(
            strategy=settings.strategy,
            seed=seed,
            draws=settings.draws,
            searches=settings.budget,
            patience=_PATIENCE,
            saved=saved,
            most_failures=settings.failures if settings.failures > 1 else None,
            is_enumerated=settings.enumerated,
        )

    # What the loop asks for.

    def evaluate(self, values: Any) -> Any:
        """Tests one input; what it says about it is described in `temper.evaluation`."""
        if values is None:
            self._check_built()
            return BY_DOMAIN
        if self.subject.filter is not None and not self._accepts(values):
            return BY_PRECONDITION
        goal = self.goal
        goal.forget()
        self._reseed()
        try:
            result = self._timed(values)
        except RejectedInput:
            return BY_PROPERTY
        except self._signals as signal:
            if self._is_shrinking:
                return BY_PROPERTY
            if isinstance(signal, PropertyError):
                signal.args = (_with_call(signal.args[0], self.subject.text(self.program.tree())),)
            raise
        except self._failures as error:
            self._count_labels()
            return Failed(_key_of(error), error, goal.told())
        self._count_labels()
        if self._wants_witness:
            return Failed("witness", None, goal.told()) if result else goal.told()
        # numpy's own False is no bool; an array is no answer.
        is_false = result is False or (type(result).__name__ == "bool" and not result)
        return Failed("returned False", None, goal.told()) if is_false else goal.told()

    def _timed(self, values: Any) -> Any:
        """Calls the property under the eyes of the watchdog."""
        watchdog, began = self._watchdog, time.monotonic()
        try:
            if watchdog is None:
                return self._call(values)
            watchdog.begin()
            return self._call(values)
        finally:
            if watchdog is not None:
                watchdog.end()
            self._calling_secs += time.monotonic() - began

    def _count_labels(self) -> None:
        if not self._is_shrinking:
            self._labels.add(self.goal.labels)
            # A look at one input in 64 is enough for a mean.
            if self._labels.tests % 64 == 1:
                self._record_bytes += 64 * len(self.program.tree())

    def before_shrinking(self, key: Any, tree: bytes) -> bool:
        """Starts the clock of shrinking."""
        self._is_shrinking = True
        self._until = time.monotonic() + _SHRINK_SECS
        return True

    def is_shrinking_over(self) -> bool:
        """Whether shrinking took too long."""
        return time.monotonic() > self._until

    def _accepts(self, values: Any) -> bool:
        try:
            return bool(self.subject.filter(values))
        except Exception as error:
            if self._is_shrinking:
                return False
            raise PropertyError(
                f"a `@require` of `{self.subject.annotated.name}` raised {type(error).__name__}: {error}\n"
                f"hint: make it hold or fail for every input of the domains"
            ) from error

    def _check_built(self) -> None:
        error = self.program.error()
        if error is None or self._is_shrinking:
            return
        if isinstance(error, PropertyError):
            raise error
        frame, line = list(traceback.walk_tb(error.__traceback__))[-1:][0] if error.__traceback__ else (None, 0)
        where = f"\n  --> {place(frame.f_code.co_filename, line)}" if frame is not None else ""
        raise PropertyError(
            f"an input of `{self.subject.annotated.name}` could not be built: {_error_text(error)}{where}\n"
            f"  seed {self.seed}; the choices until then: {_engine.answers(self.program.tree())}\n"
            f"hint: make the generator return a value for everything it draws; `temper.assume` leaves draws out"
        ) from None

    # Several chains.

    def _explore_chains(self) -> list[tuple[Any, ...]]:
        """What each chain found, for the loop to choose from."""
        ended = chains.explore_all(self, self.settings.chains)
        self._chain_errors = {each.tree: each.error for each in ended if each.tree is not None}
        return [(each.tests, each.rejections, each.climb, each.tree) for each in ended]

    def explore(self, seed: int, settings: Settings, is_over: Callable[[int], bool]) -> chains.Ended:
        """One of several chains, in this process."""
        is_late = self.is_over or (lambda evaluations: False)
        self.is_over = lambda evaluations: is_over(evaluations) or is_late(evaluations)
        found = self.program.explore(self, self._plan(seed, settings, []))
        ended = chains.Ended(found.evaluations, found.rejections, found.climb)
        for failure in found.failures:
            ended.tree, ended.error = failure.tree, _error_text(failure.evidence)
        return ended

    # What was found, in words.

    def _counterexample(self, failure: Any) -> Counterexample:
        tree = failure.tree
        # A fresh copy of the arguments: the property may have changed those it was given.
        values = self.program.replay(tree)
        arguments = dict(zip(self.subject.names, values[: self.subject.argument_count], strict=False))
        found = Counterexample(tree, arguments, self.subject.text(tree), failure.key)
        found.is_saved, found.is_unstable = failure.is_saved, not failure.is_stable
        if found.is_unstable:
            found.unstable_error = _error_text(failure.evidence) or self._chain_errors.get(tree)
        else:
            found.error = failure.evidence
            found.utility = self.goal.as_given(failure.utility)
        return found

    def _too_few(self, found: Any) -> str:
        """Why a run that found nothing says nothing."""
        draws, rejected = found.evaluations, sum(found.rejections)
        name = self.subject.annotated.name
        if draws == rejected:
            headline = f"no inputs found for `{name}`: all {draws:,} draws were rejected"
        else:
            headline = f"`{name}` was tested with {draws - rejected:,} inputs only: {rejected:,} of {draws:,} draws were rejected"
        reasons = ("by the domains: they allow no such value", "by `@require`", "by `temper.assume` in the property")
        parts = [f"  {count:,} {why}" for count, why in zip(found.rejections, reasons, strict=True) if count]
        hint = (
            "hint: draw inputs that meet the condition by construction, such as a bound that names another "
            'argument (`ints(1, "n")`) or a generator, instead of leaving out those that do not'
        )
        return "\n".join([headline, *parts, hint])


def _with_call(message: str, call: str) -> str:
    first, *rest = message.split("\n")
    return "\n".join([first, f"  call: {call}", *rest])


def _error_text(error: BaseException | None) -> str | None:
    return None if error is None else traceback.format_exception_only(error)[-1].strip()


def _key_of(error: BaseException) -> Any:
    """The type, and the innermost place outside of libraries."""
    if isinstance(error, RecursionError):
        # Where the stack ends depends on how deep it was before, and so on the input.
        return (type(error), None)
    place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = frame.f_code.co_filename
        if place is None or not path.startswith(_LIBRARIES):
            place = (path, line)
    return (type(error), place)


def saved_failures(path: str | None) -> list[bytes]:
    """The records saved in a file."""
    return [] if path is None else _engine.saved_failures(path)


def save_failure(report: Report, path: str | None, shown_as: str) -> None:
    """Saves what was found, to be tried first by the next run."""
    if path is None or report.found is None or report.found.is_saved or report.found.is_unstable:
        return
    try:
        _engine.save_failure(path, report.found.tree, report.found.call)
    except OSError:
        # A folder that cannot be written costs the saved input, not the report.
        return
    report.saved_in = shown_as
