"""Values that a Python function makes of choices it asks for itself: generators with a `draw`, the user's own neighbour
functions, and strategies of Hypothesis. The choices are the engine's, so such values are replayed, shrunk and moved like
all others. `compile.py` puts what is here into the program of a subject.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from temper import annotations
from temper.domains.domain import Domain
from temper.errors import RejectedInput, as_property_error

# The block of bytes that a strategy of Hypothesis is drawn from: fresh ones have up to 42 pieces, a search may grow them.
_PIECE, _MAX_PIECES = 4, 2048
# Zeros are the simplest choices of Hypothesis; a strategy that goes on past the block ends with them.
_PADDING = bytes(8192)
_MAX_PROGRAMS = 1024

T = TypeVar("T")


class Draw:
    """What a generator function draws its parts with: ``draw(ints(1, n))``."""

    __slots__ = ("_source",)

    def __init__(self, source: Any) -> None:
        self._source = source

    def __call__(self, domain: Domain[T]) -> T:
        """One value of a domain."""
        drawn: T = program_of(domain).draw_from(self._source)
        return drawn


class Composed:
    """A function of a program that asks for choices itself; what it returned last can be shown."""

    def __init__(self, make: Callable[..., Any], name: str) -> None:
        from temper._engine import Rejection

        self.make, self.name, self._rejection = make, name, Rejection
        # The values made, while someone wants to know.
        self.log: list[Any] | None = None

    def __call__(self, source: Any, *moved: Any) -> Any:
        try:
            value = self.make(source, *moved)
        except RejectedInput:
            raise self._rejection from None
        if self.log is not None:
            self.log.append(value)
        return value


def is_composed(generator: Any) -> bool:
    """Whether a generator draws its parts itself: its first parameter is called `draw` and has no annotation."""
    if isinstance(generator, type) or not callable(generator):
        return False
    record = annotations.annotations_of(generator)
    if record is not None and "draw" in record.arguments:
        return False
    try:
        names = list(inspect.signature(generator).parameters)
    except (TypeError, ValueError):
        return False
    return names[:1] == ["draw"]


def of_generator(generator: Callable[..., Any]) -> Composed:
    """Values that a generator with a `draw` returns."""
    return Composed(lambda source: generator(Draw(source)), _name_of(generator))


def of_neighbours(step: Callable[..., Any]) -> Composed:
    """Neighbours that the user's function makes: ``step(value, t)`` or ``step(value, t, draw)``."""
    takes_draw = len(inspect.signature(step).parameters) >= 3

    def make(source: Any, value: Any, temperature: float) -> Any:
        return step(value, temperature, Draw(source)) if takes_draw else step(value, temperature)

    return Composed(make, _name_of(step))


def is_strategy(value: Any) -> bool:
    """Whether a value is a strategy of Hypothesis, which need not be installed."""
    strategies = sys.modules.get("hypothesis.strategies")
    return strategies is not None and isinstance(value, strategies.SearchStrategy)


def of_strategy(strategy: Any) -> Composed:
    """Values of a Hypothesis strategy, drawn through the entry that it has for fuzzers: bytes are its choices."""
    import hypothesis

    from temper import _engine
    from temper.domains.kinds import ints, lists

    drawn: list[Any] = []

    @hypothesis.settings(
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(strategy)
    def keep(value: Any) -> None:
        drawn.append(value)

    feed = keep.hypothesis.fuzz_one_input
    pieces = lists(lists(ints(0, 255), len=_PIECE), max_len=_MAX_PIECES)

    def make(source: Any) -> Any:
        block = program_of(pieces).draw_from(source)
        drawn.clear()
        feed(b"".join(map(bytes, block)) + _PADDING)
        if not drawn:
            raise _engine.Rejection
        return drawn.pop()

    return Composed(make, repr(strategy))


# Compiled domains, by identity and by what they read as. The domains are kept too: keys hold identities.
_by_identity: dict[int, tuple[Any, Any]] = {}
_by_key: dict[Any, tuple[Any, Any]] = {}


def program_of(domain: Any) -> Any:
    """The compiled program of one domain, kept for the next draw from it or from one that reads the same."""
    found = _by_identity.get(id(domain))
    if found is not None:
        return found[1]
    key = _key(domain)
    found = _by_key.get(key)
    if found is None:
        if len(_by_key) >= _MAX_PROGRAMS:
            _by_key.clear()
            _by_identity.clear()
        found = _by_key[key] = _by_identity[id(domain)] = (domain, _compiled(domain))
    return found[1]


def _key(value: Any) -> Any:
    if isinstance(value, Domain):
        return (value.kind, *[(name, _key(part)) for name, part in value.params.items()])
    if type(value) in (int, str, bool, type(None)):
        return (type(value), value)
    if type(value) is float:
        return (float, repr(value))
    if type(value) in (list, tuple):
        return (type(value), *map(_key, value))
    if type(value) is dict:
        return (dict, *[(_key(name), _key(part)) for name, part in value.items()])
    return (object, id(value))


def _compiled(domain: Any) -> Any:
    # Compiling a domain may compose it of others.
    from temper.domains.annotated import DrawnArguments
    from temper.domains.compile import Subject

    def draw(value: Any) -> Any:
        return value

    drawn = DrawnArguments(draw, {"value": domain}, {"value": "draw(...)"})
    drawn.name = domain.kind if isinstance(domain, Domain) else "value"
    with as_property_error(draw):
        return Subject(drawn).program


def _name_of(function: Any) -> str:
    return getattr(annotations.function_of(function), "__qualname__", repr(function))
