"""State machines: classes whose rules are called in any order, drawn or searched for.

A test is a list of steps, each a rule with its drawn arguments, so a search inserts, copies and moves calls, and shrinking
deletes and simplifies them. A step whose precondition does not hold is passed over. Most fresh sequences leave some rules
out, or call them rarely: a buffer is filled by pushes without pops.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from temper.domains.composed import Draw
from temper.domains.domain import Domain, make
from temper.domains.kinds.computed import Computed
from temper.domains.kinds.froms import froms
from temper.domains.kinds.ints import ints
from temper.domains.kinds.lists import lists
from temper.errors import PropertyError
from temper.properties.decorate import forall

F = TypeVar("F", bound=Callable[..., Any])

_RULE, _PRECONDITION, _INVARIANT = "__temper_rule__", "__temper_precondition__", "__temper_invariant__"
# References to earlier results are drawn as numbers and taken modulo how many there are.
_MOST_RESULTS = 2**16 - 1


class earlier:
    """An argument of a rule that is what an earlier call of a rule returned: ``@rule(key=earlier("insert"))``.

    Without the name of a rule any result will do. A step whose argument does not exist yet is passed over.
    """

    def __init__(self, rule: str | None = None) -> None:
        self.rule = rule


def rule(**arguments: Any) -> Callable[[F], F]:
    """A method that is a step of a state machine; its arguments are drawn from domains, or are `earlier` results."""

    def mark(method: F) -> F:
        setattr(method, _RULE, arguments)
        return method

    return mark


def precondition(holds: Callable[[Any], Any]) -> Callable[[F], F]:
    """A condition on the machine under which a rule may be called: ``@precondition(lambda self: self.items)``."""

    def mark(method: F) -> F:
        setattr(method, _PRECONDITION, [holds, *getattr(method, _PRECONDITION, [])])
        return method

    return mark


def invariant(method: F) -> F:
    """A method that is called after every step, and asserts what always holds."""
    setattr(method, _INVARIANT, True)
    return method


class Step:
    """One call of a rule."""

    __slots__ = ("arguments", "rule")

    def __init__(self, rule: str, arguments: dict[str, Any]) -> None:
        self.rule, self.arguments = rule, arguments

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.rule}({inner})"


class Steps(Computed[Step]):
    """The steps of a machine."""

    __slots__ = ()

    def compute(self, draw: Draw) -> Step:
        """One step: a rule, and its arguments."""
        name, arguments = self.params["rules"][draw(self.params["kinds"])]
        reference = ints(0, _MOST_RESULTS)
        drawn = {each: draw(reference if isinstance(domain, earlier) else domain) for each, domain in arguments.items()}
        return Step(name, drawn)


class StateMachine:
    """A system with state. Write rules as methods, and state that the machine holds with `test_machine`::

        class Stack(temper.StateMachine):
            def __init__(self):
                self.items = []

            @temper.rule(item=ints(0, 9))
            def push(self, item):
                self.items.append(item)

            @temper.rule()
            @temper.precondition(lambda self: self.items)
            def pop(self):
                return self.items.pop()

            @temper.invariant
            def is_small(self):
                assert len(self.items) < 5

        test_stack = temper.test_machine(Stack)

    `temper.maximize` in a rule or an invariant makes it a search over whole sequences of calls.
    """


def _rules(kind: type[StateMachine]) -> list[tuple[str, dict[str, Any]]]:
    methods = inspect.getmembers(kind, inspect.isfunction)
    found = [(name, getattr(method, _RULE)) for name, method in methods if hasattr(method, _RULE)]
    if not found:
        raise PropertyError(f"`{kind.__name__}` has no rule\nhint: mark a method with `@temper.rule(...)`")
    return found


def _invariants(kind: type[StateMachine]) -> list[str]:
    return [name for name, method in inspect.getmembers(kind, inspect.isfunction) if hasattr(method, _INVARIANT)]


class _Play:
    """One sequence of steps on one machine."""

    def __init__(self, kind: type[StateMachine], rules: dict[str, dict[str, Any]], invariants: list[str]) -> None:
        self.machine, self.rules, self.invariants = kind(), rules, invariants
        self.results: list[tuple[str, str, Any]] = []
        self.lines = [f"state = {kind.__name__}()"]

    def step(self, step: Step) -> None:
        """Does a step, if it is allowed."""
        method = getattr(self.machine, step.rule)
        if not all(holds(self.machine) for holds in getattr(method, _PRECONDITION, [])):
            return
        given, shown = {}, []
        for name, domain in self.rules[step.rule].items():
            given[name], text = step.arguments[name], repr(step.arguments[name])
            if isinstance(domain, earlier):
                known = [each for each in self.results if domain.rule in (None, each[0])]
                if not known:
                    return
                _, text, given[name] = known[step.arguments[name] % len(known)]
            shown.append(f"{name}={text}")
        call, place = f"state.{step.rule}({', '.join(shown)})", len(self.lines)
        self.lines.append(call)
        result = method(**given)
        if result is not None:
            self.results.append((step.rule, f"v{len(self.results) + 1}", result))
            self.lines[place] = f"{self.results[-1][1]} = {call}"
        for name in self.invariants:
            getattr(self.machine, name)()


def _kinds_of_steps(count: int, swarm: bool) -> Domain[int]:
    kinds = froms(range(count))
    if swarm:
        kinds.params["is_step"] = True
    return kinds


def test_machine(
    kind: type[StateMachine], max_steps: int = 50, swarm: bool = True, **settings: Any
) -> Callable[[], None]:
    """The test that no sequence of steps makes a machine fail; `settings` are those of `forall`.

    Three fresh sequences out of four prefer some rules: others are left out or rare. With ``swarm=False`` every rule is
    equally likely in every sequence.
    """
    rules = _rules(kind)
    step = make(Steps, {"rules": rules, "kinds": _kinds_of_steps(len(rules), swarm)}, {})
    steps: Domain[list[Step]] = lists(step, max_len=max_steps)
    by_name, invariants = dict(rules), _invariants(kind)

    def play(steps: list[Step]) -> None:
        __tracebackhide__ = True
        game = _Play(kind, by_name, invariants)
        try:
            for name in invariants:
                getattr(game.machine, name)()
            for step in steps:
                game.step(step)
        except Exception as error:
            if hasattr(error, "add_note"):
                error.add_note("trace:\n" + "\n".join(f"  {line}" for line in game.lines))
            raise

    play.__name__ = play.__qualname__ = f"test_{kind.__name__}"
    play.__module__ = kind.__module__
    test = forall(steps=steps, **settings)(play)
    functools.update_wrapper(test, play, updated=())
    test.run = lambda: forall(steps=steps, **settings).run(play)  # type: ignore[attr-defined]
    return test  # type: ignore[return-value]


# pytest collects functions with this name in modules that import it.
test_machine.__test__ = False  # type: ignore[attr-defined]
