"""One run of a property: saved failures first, then draws or a search, then shrinking."""

from __future__ import annotations

import os
import sys
import sysconfig
import time
import traceback
import unittest
import warnings
from collections.abc import Callable
from typing import Any

from temper import _engine
from temper.domains.compile import Subject
from temper.errors import place
from temper.properties import chains, randomness
from temper.properties.goal import Goal, PropertyError, RejectedInput, goals
from temper.properties.report import Counterexample, Failure, Report
from temper.properties.settings import Settings

# Inputs that may be rejected before the first one is accepted, and for each that the run is to test.
_MAX_REJECTED = 1000
_REJECTED_PER_TEST = 10
# Shrinking ends after so many tests or so long; what it has then is reported.
_SHRINK_TRIES = 10_000
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


class Run:
    """A property about to be tested. `call` takes the tuple of drawn arguments."""

    def __init__(self, subject: Subject, call: Callable[[Any], Any], settings: Settings, seed: int) -> None:
        self.subject, self.settings, self.seed = subject, settings, seed
        self.program = subject.program
        self.count = subject.argument_count
        self._call = call
        self.goal = Goal()
        self._failures, self._signals = failures(), _signals()
        self._until = float("inf")
        self._reseed: Callable[[], None] = lambda: None
        # Whether a truthy result is what is searched for.
        self.wants_witness = False

    def run(self, saved: list[bytes]) -> Report:
        """Does everything and reports."""
        goals.append(self.goal)
        try:
            with randomness.kept() as self._reseed:
                return self._run(saved)
        finally:
            goals.pop()

    def _run(self, saved: list[bytes]) -> Report:
        for tree in saved:
            found = self._evaluated(tree, is_saved=True)
            if found is not None:
                return Report(self.seed, found=found)
        if self.settings.budget_secs is not None:
            self._until = time.monotonic() + self.settings.budget_secs
        if self.settings.chains > 1:
            ended = chains.search(self, self.settings.chains)
        else:
            ended = self.chain(self.seed, self.settings, lambda tests: False)
        report = Report(self.seed, ended.tests, ended.rejected)
        report.set_climb(ended.climb, self.goal)
        if ended.tree is not None:
            report.found = self._shrunk(ended.tree, ended.error)
        return report

    def chain(self, seed: int, settings: Settings, is_over: Callable[[int], bool]) -> chains.Ended:
        """One chain: ask, test, tell, until something is found or the budget is spent."""
        program, goal, test = self.program, self.goal, self.test
        program.start_chain(settings.strategy, seed, settings.budget)
        limit, tested, attempts = settings.draws, 0, 0
        while tested < limit and not is_over(attempts) and time.monotonic() < self._until:
            attempts += 1
            values = program.ask()
            if values is None:
                self._check_built()
                program.reject()
            else:
                outcome = test(values)
                if outcome is None:
                    tested += 1
                    program.tell(goal.utility)
                    if goal.utility is not None:
                        limit = settings.budget
                    continue
                if outcome is not _REJECTED:
                    tree = program.asked_tree()
                    program.note(goal.utility)
                    return chains.Ended(*program.progress(), tree, _error_text(outcome.error))
                program.reject()
            if self._is_hopeless(attempts, tested, limit):
                break
        return chains.Ended(*program.progress())

    def test(self, values: Any) -> Any:
        """Tests one input: None when it passes, `_REJECTED`, or a `Failure`."""
        if self.subject.filter is not None and not self._accepts(values):
            return _REJECTED
        goal = self.goal
        goal.utility = None
        self._reseed()
        try:
            result = self._call(values)
        except RejectedInput:
            return _REJECTED
        except self._signals as signal:
            if isinstance(signal, PropertyError):
                signal.args = (_with_call(signal.args[0], self.text(self._last_tree())),)
            raise
        except self._failures as error:
            return Failure(_key_of(error), error)
        if self.wants_witness:
            return Failure("witness", None) if result else None
        # numpy's own False is no bool; an array is no answer.
        is_false = result is False or (type(result).__name__ == "bool" and not result)
        return Failure("returned False", None) if is_false else None

    def _last_tree(self) -> bytes:
        return self.program.asked_tree()

    def _accepts(self, values: Any) -> bool:
        try:
            return bool(self.subject.filter(values))
        except Exception as error:
            raise PropertyError(
                f"a `@require` of `{self.subject.target.name}` raised {type(error).__name__}: {error}\n"
                f"hint: make it hold or fail for every input of the domains"
            ) from error

    def _check_built(self) -> None:
        error = self.program.error()
        if isinstance(error, PropertyError):
            raise error
        if error is not None:
            frame, line = list(traceback.walk_tb(error.__traceback__))[-1:][0] if error.__traceback__ else (None, 0)
            where = f"\n  --> {place(frame.f_code.co_filename, line)}" if frame is not None else ""
            raise PropertyError(
                f"an input of `{self.subject.target.name}` could not be built: {_error_text(error)}{where}\n"
                f"hint: make the generator return a value for everything it draws; `temper.assume` leaves draws out"
            ) from None

    def _is_hopeless(self, attempts: int, tested: int, limit: int) -> bool:
        if tested == 0 and attempts >= _MAX_REJECTED:
            raise PropertyError(
                f"no inputs found for `{self.subject.target.name}`: all {attempts:,} draws were rejected\n"
                f"hint: draw inputs that meet the condition by construction, such as a bound that names another "
                f'argument (`ints(1, "n")`) or a generator, instead of leaving out those that do not'
            )
        if attempts < _REJECTED_PER_TEST * limit + _MAX_REJECTED:
            return False
        warnings.warn(
            f"`{self.subject.target.name}` was tested with {tested:,} inputs only: {attempts - tested:,} of "
            f"{attempts:,} draws were rejected",
            stacklevel=2,
        )
        return True

    def _shrunk(self, tree: bytes, error: str | None) -> Counterexample:
        """The simplest input that breaks the property in the same way."""
        found = self._evaluated(tree)
        if found is None:
            # It failed once, and passes now.
            unstable = Counterexample(tree, self._arguments(tree), self.text(tree), None)
            unstable.unstable_error = error
            return unstable
        until = time.monotonic() + _SHRINK_SECS

        def fails(values: Any) -> bool:
            if time.monotonic() > until:
                return False
            try:
                outcome = self.test(values)
            except self._signals:
                return False
            return isinstance(outcome, Failure) and outcome.key == found.key

        # A property that fails only sometimes may pass now; the input as it was found is then the better evidence.
        return self._evaluated(self.program.shrink(tree, _SHRINK_TRIES, fails)) or found

    def _evaluated(self, tree: bytes, is_saved: bool = False) -> Counterexample | None:
        """The counterexample that a record gives, if it gives one."""
        values = self.program.replay(tree)
        if values is None:
            return None
        outcome = self.test(values)
        if not isinstance(outcome, Failure):
            return None
        found = Counterexample(tree, self._arguments(tree), self.text(tree), outcome)
        found.utility, found.is_saved = self.goal.as_given(self.goal.utility), is_saved
        return found

    def _arguments(self, tree: bytes) -> dict[str, Any]:
        """A fresh copy of the arguments, since the property may have changed those it was given."""
        values = self.program.replay(tree)
        return dict(zip(self.subject.names, values[: self.count], strict=False))

    def text(self, tree: bytes) -> str:
        """The call that a record stands for."""
        return self.subject.text(tree)


_REJECTED: Any = object()


def _with_call(message: str, call: str) -> str:
    first, *rest = message.split("\n")
    return "\n".join([first, f"  call: {call}", *rest])


def _error_text(error: BaseException | None) -> str | None:
    return None if error is None else traceback.format_exception_only(error)[-1].strip()


def _key_of(error: BaseException) -> Any:
    """The type, and the innermost place outside of libraries."""
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
