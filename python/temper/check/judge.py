"""One call of the subject, and how it ended."""

from __future__ import annotations

import gc
import inspect
import linecache
import os
import signal
import sys
import time
import traceback
from typing import Any

from temper.check import branches, lines, results
from temper.check.life import BrokenPromise, Life
from temper.check.oracles import Oracles
from temper.check.protocol import (
    BUILD,
    CRASH,
    DOCUMENTED,
    NAN,
    PASSED,
    POSTCONDITION,
    REFUSED,
    REJECTED,
    SLOW,
    TIMEOUT,
    FoundPlace,
)
from temper.check.text_parts import forms_of
from temper.domains.compile import Subject
from temper.verification import is_finite
from temper.worker import errors, sandbox

# A call without a `@timeout` that takes longer is given up, and decides nothing.
SLOW_SECS = 10.0
_TICK_SECS = 0.1
# No tick comes before: signals interrupt calls of the system, and most calls of a subject are over by then.
_FIRST_TICK_SECS = 1.0
# How often a call is made again that a tick broke off while it waited for the fences.
_MOST_INTERRUPTIONS = 5


class _TookTooLong(BaseException):
    """Raised inside the subject by the clock; no `except Exception` catches it."""


class Outcome:
    """How one call ended. `key` tells one finding from another; it is None if nothing was found."""

    __slots__ = ("done", "error", "frames", "key", "kind", "text")

    def __init__(self, kind: str, key: Any = None, error: BaseException | None = None, text: str = "") -> None:
        self.kind, self.key, self.error, self.text = kind, key, error, text
        self.frames: list[tuple[str, int, str]] = []
        # The calls of a life until then.
        self.done: list[Any] | None = None

    @property
    def is_valid(self) -> bool:
        """Whether the arguments were allowed, and the subject was called."""
        return self.kind not in (REJECTED, BUILD)

    def place(self) -> FoundPlace:
        """Where something was found, as it is sent."""
        path, line, _ = self.frames[-1]
        message = self.text or error_text(self.error)
        return FoundPlace(message=message, path=path, line=line, source=linecache.getline(path, line).strip())


_PASSED, REJECTED_DRAW, _DOCUMENTED = Outcome(PASSED), Outcome(REJECTED), Outcome(DOCUMENTED)


class Judge:
    """Calls the subject with drawn arguments and says how that ended."""

    def __init__(self, subject: Subject, options: dict[str, Any], watch: bool = True) -> None:
        self.subject = subject
        self.root = os.path.realpath(options["root"])
        self.with_nan = bool(options.get("nan"))
        annotated = subject.annotated
        record = annotated.record
        self.raises = record.raises
        self.limit_secs = record.timeout_secs or SLOW_SECS
        self.has_timeout = record.timeout_secs is not None
        self.consume = annotated.record.consume
        self.promise = results.returned(annotated)
        self.result: Any = None
        self.is_async = inspect.iscoroutinefunction(annotated.function)
        self.refused: list[dict[str, str]] = []
        self.filter_error: BaseException | None = None
        self.started = self.ticked = 0.0
        # Whether the clock broke the call off: libraries may raise something else in place of what it raised.
        self.is_late = False
        self.path = annotated.file
        # A function outside the project stands for the package it is in.
        self.home = _package_of(self.path) if self.path and not self._is_of_root(self.path) else self.root
        # How texts are drawn that are arguments of a single call.
        self.text_forms = [] if isinstance(subject, Life) else forms_of(annotated)
        self.branches = branches.Branches(subject.functions, bool(self.text_forms)) if watch else None
        # Before Python 3.12 every line that is watched costs time in every call of a life.
        may_watch = watch and (hasattr(sys, "monitoring") or not isinstance(subject, Life))
        self.lines = lines.Lines(subject.functions) if may_watch else None
        if self.lines is not None:
            self.lines.start()
        named = dict.fromkeys(options.get("oracles", ()), ()) | annotated.record.oracles
        # A life is no call that could be made again.
        self.oracles = Oracles({} if isinstance(subject, Life) else named, subject.names, self._settled)
        signal.signal(signal.SIGALRM, self._on_tick)
        self.first_tick_secs = min(_FIRST_TICK_SECS, self.limit_secs / 4)

    def stop(self) -> None:
        """Stops the clock and the watching of lines."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        if self.lines is not None:
            self.lines.rest()

    def _on_tick(self, number: int, frame: Any) -> None:
        now, before = time.monotonic(), max(self.ticked, self.started)
        self.ticked = now
        if not self.started:
            return
        if _is_importing(frame):
            # An import that is broken off leaves half of its modules behind, on which all later calls would crash.
            self.started += now - before
        elif now - self.started > self.limit_secs:
            self.is_late = True
            raise _TookTooLong

    def accepts(self, values: Any) -> bool:
        """Whether the preconditions hold; one that raises does not."""
        test = self.subject.filter
        if test is None:
            return True
        try:
            return bool(test(values))
        except Exception as error:
            self.filter_error = error
            return False

    def run(self, values: Any) -> Outcome:
        """Checks the preconditions, calls, and judges."""
        if not self.accepts(values):
            return REJECTED_DRAW
        for _ in range(_MOST_INTERRUPTIONS):
            outcome = self._run(values)
            if not (isinstance(outcome.error, InterruptedError) and sandbox.is_fenced()):
                break
        return outcome

    def _run(self, values: Any) -> Outcome:
        watched = self.lines
        if watched is not None:
            watched.enter()
        kept = self.oracles.before(values)
        self.is_late = False
        self.started = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, self.first_tick_secs, _TICK_SECS)
        try:
            result = self._settled(values)
        except BaseException as error:
            self.started = 0.0
            if isinstance(error, MemoryError):
                _release(error)
            outcome = self._raised(error)
            if isinstance(self.subject, Life) and outcome is not _DOCUMENTED:
                outcome.done = self.subject.done
            return outcome
        finally:
            self.started = 0.0
            if watched is not None:
                watched.leave()
        if self._was_refused():
            return Outcome(REFUSED)
        self.result = result
        outcome = self._ensured(values, result)
        return self._held(values, kept, result) if outcome is _PASSED and kept is not None else outcome

    def _settled(self, values: Any) -> Any:
        """The result of a call, awaited and consumed."""
        result = self.subject.call(values)
        if self.is_async:
            result = results.awaited(result)
        return results.consumed(result, self.consume)

    def _held(self, values: Any, kept: Any, result: Any) -> Outcome:
        """Asks the oracles; they call the subject again, so its clock runs."""
        self.started = time.monotonic()
        try:
            wrong = self.oracles.broken(values, kept, result)
        except BaseException as error:
            self.started = 0.0
            return self._raised(error)
        finally:
            self.started = 0.0
        return _PASSED if wrong is None else self._at(POSTCONDITION, self.subject.annotated.def_line, wrong)

    def _ensured(self, values: Any, result: Any) -> Outcome:
        given = (*values, result)
        for test, condition in zip(
            self.subject.postconditions, self.subject.annotated.record.postconditions, strict=True
        ):
            try:
                holds = bool(test(given))
                text = "does not hold"
            except Exception as error:
                holds = False
                text = f"raised {type(error).__name__}: {error}"
            if not holds:
                return self._at(POSTCONDITION, condition.line, f"{results.condition_text(condition)} {text}")
        def_line = self.subject.annotated.def_line
        if self.promise is not None:
            known = dict(zip(self.subject.names, values, strict=False))
            wrong = results.misshapen(self.promise, result, known)
            if wrong is not None:
                return self._at(POSTCONDITION, def_line, wrong)
        if self.with_nan and is_finite(list(values)) and not is_finite(result):
            return self._at(NAN, def_line, "returned NaN or infinity for finite arguments")
        return _PASSED

    def _at(self, kind: str, line: int, text: str, path: str = "") -> Outcome:
        """A finding about the subject as a whole, at one of its lines."""
        path = path or self.path
        if kind == POSTCONDITION and self.subject.annotated.side is not None:
            path, line = self.path, self.subject.annotated.def_line
        outcome = Outcome(kind, (kind, path, line, text.partition(" ")[0]), text=text)
        outcome.frames = [(path, line, self.subject.annotated.name)]
        return outcome

    def _raised(self, error: BaseException) -> Outcome:
        if self.is_late:
            return self._late()
        if isinstance(error, BrokenPromise):
            return self._at(POSTCONDITION, error.line, str(error), error.path)
        if self._was_refused():
            return Outcome(REFUSED)
        hidden = errors.hidden_refusal(error) if sandbox.is_fenced() else None
        if hidden is not None:
            if not self.refused:
                self.refused.append(hidden)
            return Outcome(REFUSED)
        if self.raises and isinstance(error, self.raises):
            return _DOCUMENTED
        frames = [
            (frame.f_code.co_filename, line, frame.f_code.co_name)
            for frame, line in traceback.walk_tb(error.__traceback__)
        ]
        own = [frame for frame in frames if self._is_of_project(frame[0])]
        if self.subject.annotated.is_free and _is_refusal(error, self.subject.annotated.kind, own):
            return _DOCUMENTED
        path, line, _ = own[-1] if own else (self.path, self.subject.annotated.line, "")
        outcome = Outcome(CRASH, (type(error).__qualname__, path, line, *self._cause_key(error)), error)
        outcome.frames = own or [(path, line, self.subject.annotated.name)]
        cause = _first_cause(error)
        outcome.text = f"{error_text(error)}, caused by {error_text(cause)}" if cause is not None else ""
        return outcome

    def _cause_key(self, error: BaseException) -> tuple[Any, ...]:
        """What tells exceptions apart that are raised again at one line: what was raised first, and where."""
        cause = _first_cause(error)
        if cause is None:
            return ()
        frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(cause.__traceback__)]
        own = [frame for frame in frames if self._is_of_project(frame[0])] or frames
        return (type(cause).__qualname__, *(own[-1] if own else ()))

    def _late(self) -> Outcome:
        if not self.has_timeout:
            return Outcome(SLOW)
        text = f"took longer than its `@timeout({self.limit_secs:g})`"
        return self._at(TIMEOUT, self.subject.annotated.def_line, text)

    def _was_refused(self) -> bool:
        """Whether containment refused something in this call; what it was is kept once."""
        refusals = sandbox.refusals()
        if not refusals:
            return False
        for refusal in refusals:
            if refusal not in self.refused and len(self.refused) < 20:
                self.refused.append(dict(refusal))
        refusals.clear()
        return True

    def _is_of_project(self, path: str) -> bool:
        path = os.path.realpath(path)
        return _is_below(path, self.home) if self.home != self.root else self._is_of_root(path)

    def _is_of_root(self, path: str) -> bool:
        """Whether a file is the project's own: below its root, and not in an environment that is there too."""
        path = os.path.realpath(path)
        prefix = os.path.realpath(sys.prefix)
        is_installed = f"{os.sep}site-packages{os.sep}" in path
        is_in_environment = _is_below(prefix, self.root) and _is_below(path, prefix)
        return _is_below(path, self.root) and not is_installed and not is_in_environment


def _release(error: BaseException) -> None:
    """Lets go of what a call has filled the memory with, which its frames still hold: judging it needs some."""
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        traceback.clear_frames(each.__traceback__)
        each = each.__cause__ or each.__context__
    gc.collect()


def _first_cause(error: BaseException) -> BaseException | None:
    """The exception that an exception was raised for, and so on to the first; None if there is none."""
    seen, first = {id(error)}, error
    while True:
        before = first.__cause__ or (None if first.__suppress_context__ else first.__context__)
        if before is None or id(before) in seen:
            return first if first is not error else None
        seen.add(id(before))
        first = before


# What functions end in that want a command line, a terminal, or a subclass.
_WANTS_MORE = (SystemExit, EOFError, KeyboardInterrupt, NotImplementedError)


def _is_refusal(error: BaseException, kind: str, own: list[tuple[str, int, str]]) -> bool:
    """Whether a function without annotations says itself that it cannot be called like this.

    A method may refuse the state that its object is in: nobody said which states it allows. A function or constructor
    that refuses its own defaults is a crash.
    """
    if isinstance(error, _WANTS_MORE):
        return True
    is_worded = bool(own) and linecache.getline(*own[-1][:2]).lstrip().startswith("raise")
    return kind == "method" and is_worded and not isinstance(error, AssertionError)


def _is_importing(frame: Any) -> bool:
    """Whether the call that is judged is importing a module just now."""
    while frame is not None and frame.f_code is not Judge.run.__code__:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def _is_below(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(folder + os.sep)


def _package_of(path: str) -> str:
    """The topmost package that holds a file; its folder if it is in none."""
    folder = os.path.dirname(os.path.realpath(path))
    while os.path.isfile(os.path.join(os.path.dirname(folder), "__init__.py")):
        folder = os.path.dirname(folder)
    return folder


def error_text(error: BaseException | None) -> str:
    """The type and the first line of an exception; empty without one."""
    if error is None:
        return ""
    name = type(error).__qualname__
    try:
        text = str(error)
    except Exception as second:
        text = f"(its message raised {type(second).__name__})"
    first = text.strip().splitlines()[0] if text.strip() else ""
    return f"{name}: {first[:500]}" if first else name


def values_of(subject: Subject, tree: bytes, omitted: list[int]) -> Any:
    """The arguments of a record, with the parameters' own defaults in some places."""
    values = subject.program.replay(tree)
    if values is None or not omitted:
        return values
    changed = list(values)
    for place in omitted:
        changed[place] = subject.allowed_defaults[place]
    return tuple(changed)
