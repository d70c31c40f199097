"""Decorators that say what a function accepts and promises.

A decorator returns the very object it was given and only puts an `Annotations` record on the function, so names,
signatures, speed and other decorators are untouched. A decorator never raises for what is wrong with an annotation:
it remembers the problem, and ``temper check`` reports it with its line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

from temper.domains.domain import Domain

T = TypeVar("T")

ATTRIBUTE = "__temper__"
# Module-level name that `module_test` leaves behind.
MODULE_ATTRIBUTE = "__temper_module_test__"


class Condition:
    """A precondition or postcondition: a function of the arguments it names, or the text of an expression."""

    __slots__ = ("line", "test")

    def __init__(self, test: Callable[..., Any] | str, line: int) -> None:
        self.test = test
        self.line = line


class Annotations:
    """Everything that the decorators of one function said."""

    __slots__ = (
        "arguments",
        "consume",
        "example_line",
        "examples",
        "is_excluded",
        "is_generator",
        "oracles",
        "postconditions",
        "preconditions",
        "problems",
        "raises",
        "regression",
        "timeout_secs",
    )

    def __init__(self) -> None:
        self.arguments: dict[str, Any] = {}
        self.preconditions: list[Condition] = []
        self.postconditions: list[Condition] = []
        self.raises: tuple[type[BaseException], ...] = ()
        self.timeout_secs: float | None = None
        self.is_excluded = False
        self.is_generator = False
        # By name, with the arguments whose rows they are about; see `temper.check.oracles`.
        self.oracles: dict[str, tuple[str, ...]] = {}
        self.examples: list[list[Any]] = []
        self.example_line = 0
        # How far a recorded number may be off, as a part of it; None if results are not recorded.
        self.regression: float | None = None
        self.consume: int | None = None
        # Pairs of a line and what is wrong there.
        self.problems: list[tuple[int, str]] = []


def layers_of(decorated: Any) -> Iterator[Any]:
    """An object and what it wraps, from the outermost: `staticmethod`, `classmethod`, `property`, functools wrappers."""
    while True:
        yield decorated
        inner = None
        for name in ("__func__", "fget", "func", "__wrapped__"):
            inner = inner or getattr(decorated, name, None)
        if inner is None or not callable(inner):
            return
        decorated = inner


def function_of(decorated: Any) -> Any:
    """The plain function under all wrappers."""
    *_, function = layers_of(decorated)
    return function


def annotations_of(decorated: Any) -> Annotations | None:
    """The record of an annotated function, or None."""
    return getattr(function_of(decorated), ATTRIBUTE, None)


def _record(decorated: Any) -> Annotations:
    function = function_of(decorated)
    record = getattr(function, "__dict__", {}).get(ATTRIBUTE)
    if record is None:
        record = Annotations()
        try:
            setattr(function, ATTRIBUTE, record)
        except (AttributeError, TypeError):
            # Something that carries no attributes: it stays as it is, and is no subject.
            return Annotations()
        if _captured is not None:
            _captured.append(function)
    return record


# While a list, the functions that are annotated meanwhile are kept in it: those inside a function that runs.
_captured: list[Any] | None = None


def nested(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls ``function`` and returns the annotated function ``name`` that was defined inside it.

    Reported calls of functions inside functions use it. What becomes of the outer call does not matter; a coroutine is
    awaited and an iterator consumed, so that its body runs.
    """

    def reach(*args: Any, **kwargs: Any) -> Any:
        global _captured
        outer, _captured = _captured, []
        error = None
        try:
            _settle(function(*args, **kwargs))
        except Exception as raised:
            error = raised
        finally:
            found, _captured = _captured, outer
        for inner in reversed(found):
            if getattr(inner, "__name__", None) == name:
                return inner
        raise LookupError(f"`{name}` was not defined in this call") from error

    return reach


def _settle(result: Any) -> None:
    from temper.check import results

    results.consumed(results.awaited(result), None)


def _caller_line() -> int:
    return sys._getframe(2).f_lineno


def add_argument(decorated: Any, name: Any, domain: Any, line: int) -> None:
    """Put the domain of an argument on a function's record."""
    _add_argument(_record(decorated), name, domain, line)


def _add_argument(record: Annotations, name: Any, domain: Any, line: int) -> None:
    if not isinstance(name, str):
        record.problems.append((line, f"`@arg` takes the name of an argument as a text first, not {name!r}"))
    elif name in record.arguments:
        record.problems.append((line, f"argument `{name}` is annotated twice"))
    else:
        if isinstance(domain, Domain):
            domain.line = domain.line or line
        record.arguments[name] = domain


def arg(name: str, domain: Any) -> Callable[[T], T]:
    """Say which values one argument takes: ``@arg("x", ints(1, 9))``."""
    line = _caller_line()

    def decorate(decorated: T) -> T:
        add_argument(decorated, name, domain, line)
        return decorated

    return decorate


def args(**domains: Any) -> Callable[[T], T]:
    """Say which values several arguments take: ``@args(x=ints(1, 9), y=bools())``."""
    line = _caller_line()

    def decorate(decorated: T) -> T:
        # Also without any: the function is then one that is meant to be tested.
        record = _record(decorated)
        for name, domain in domains.items():
            _add_argument(record, name, domain, line)
        return decorated

    return decorate


def add_precondition(decorated: Any, condition: Callable[..., Any] | str, line: int) -> None:
    """Put a precondition on a function's record."""
    # Decorators are applied from the bottom up; the record keeps the order of the page.
    _record(decorated).preconditions.insert(0, Condition(condition, line))


def require(condition: Callable[..., Any] | str) -> Callable[[T], T]:
    """Say what must hold of the arguments together: ``@require("len(a) == b")`` or ``@require(lambda a, b: ...)``."""
    line = _caller_line()

    def decorate(decorated: T) -> T:
        add_precondition(decorated, condition, line)
        return decorated

    return decorate


def ensure(condition: Callable[..., Any] | str) -> Callable[[T], T]:
    """Say what holds afterwards, with ``result`` and the arguments in scope."""
    line = _caller_line()

    def decorate(decorated: T) -> T:
        _record(decorated).postconditions.insert(0, Condition(condition, line))
        return decorated

    return decorate


def raises(*exceptions: type[BaseException]) -> Callable[[T], T]:
    """Say which exceptions are documented ways to refuse an input, and so are no crashes."""

    line = _caller_line()

    def decorate(decorated: T) -> T:
        record = _record(decorated)
        for exception in exceptions:
            if isinstance(exception, type) and issubclass(exception, BaseException):
                record.raises = (*record.raises, exception)
            else:
                record.problems.append((line, f"`@raises` takes exception types, not {exception!r}"))
        return decorated

    return decorate


def timeout(seconds: float) -> Callable[[T], T]:
    """Say how long one call may take; a longer one is a finding."""

    line = _caller_line()

    def decorate(decorated: T) -> T:
        if isinstance(seconds, (int, float)) and seconds > 0:
            _record(decorated).timeout_secs = float(seconds)
        else:
            _record(decorated).problems.append((line, f"`@timeout` takes seconds above 0, not {seconds!r}"))
        return decorated

    return decorate


def _exclude(decorated: T) -> T:
    _record(decorated).is_excluded = True
    return decorated


@overload
def exclude(decorated: T) -> T: ...
@overload
def exclude() -> Callable[[T], T]: ...
def exclude(decorated: Any = None) -> Any:
    """Leave this function alone. Written with or without parentheses."""
    return _exclude if decorated is None else _exclude(decorated)


def _generator(decorated: T) -> T:
    _record(decorated).is_generator = True
    return decorated


@overload
def generator(decorated: T) -> T: ...
@overload
def generator() -> Callable[[T], T]: ...
def generator(decorated: Any = None) -> Any:
    """Mark a function whose results are drawn for `objs`; its own arguments are annotated like any other's."""
    return _generator if decorated is None else _generator(decorated)


def add_examples(examples: Sequence[Sequence[Any]], line: int) -> Callable[[T], T]:
    """Put arguments of a constructor on its record."""

    def decorate(decorated: T) -> T:
        record = _record(decorated)
        record.examples[:0] = [list(example) for example in examples]
        record.example_line = line
        return decorated

    return decorate


def cc_example(*examples: Sequence[Any]) -> Callable[[T], T]:
    """Give a constructor the arguments that build instances when the other methods are tested."""
    return add_examples(examples, _caller_line())


def _regression(decorated: T, rel: float) -> T:
    _record(decorated).regression = rel
    return decorated


@overload
def regression(decorated: T) -> T: ...
@overload
def regression(*, rel: float = 1e-6) -> Callable[[T], T]: ...
def regression(decorated: Any = None, *, rel: float = 1e-6) -> Any:
    """Record what the function returns for some inputs, in ``temper.regressions.json``, and report when that changes.

    Written with or without parentheses; ``rel`` is how far a float may be off, as a part of it.
    """
    return (lambda found: _regression(found, rel)) if decorated is None else _regression(decorated, rel)


def consume(limit: int = 64) -> Callable[[T], T]:
    """Iterate what the function returns, up to ``limit`` items; functions that contain ``yield`` do so anyway."""

    def decorate(decorated: T) -> T:
        _record(decorated).consume = limit
        return decorated

    return decorate


def holds(*oracles: str) -> Callable[[T], T]:
    """Say what holds of every call: ``@holds("same", "unchanged")``.

    ``same``: the same call gives the same result; ``unchanged``: arguments are not changed in place; ``precision``: float32 and
    float64 agree; ``pickled``: the result survives pickling.
    """
    line = _caller_line()

    def decorate(decorated: T) -> T:
        for name in oracles:
            hold(_record(decorated), name, line)
        return decorated

    return decorate


_ORACLES = ("same", "unchanged", "precision", "pickled")
# Oracles that name the arguments whose rows they are about.
ROW_ORACLES = ("batchwise", "equivariant", "order_free")


def hold(record: Annotations, oracle: str, line: int) -> None:
    """Holds a function to an oracle that needs no argument."""
    if oracle in _ORACLES:
        record.oracles[oracle] = ()
    else:
        known = ", ".join(f"`{each}`" for each in _ORACLES)
        record.problems.append((line, f"`@holds` knows {known}, not {oracle!r}"))


def _about_rows(name: str, arguments: tuple[str, ...]) -> Callable[[T], T]:
    def decorate(decorated: T) -> T:
        _record(decorated).oracles[name] = arguments
        return decorated

    return decorate


def batchwise(*arguments: str) -> Callable[[T], T]:
    """Say that the size of a batch does not matter: each row of these arguments alone gives its row of the result."""
    return _about_rows("batchwise", arguments)


def equivariant(*arguments: str) -> Callable[[T], T]:
    """Say that rows of these arguments in another order give the rows of the result in that order."""
    return _about_rows("equivariant", arguments)


def order_free(*arguments: str) -> Callable[[T], T]:
    """Say that the order of the rows of these arguments, permuted together, does not change the result."""
    return _about_rows("order_free", arguments)


def module_test() -> None:
    """Make the import of the calling module a subject. Written as a call at module level."""
    sys._getframe(1).f_globals[MODULE_ATTRIBUTE] = True
