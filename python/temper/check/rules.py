"""Which methods of a class are steps of a life, and how one of them is called.

Steps are annotated methods, inherited ones too, and methods that need no argument; iteration, `len` and leaving a `with` block if
the class has them. If it says how its objects are copied or pickled, a copy takes the object's place. What an earlier call
returned may be an argument of a later one, if the argument's domain has it.
"""

from __future__ import annotations

import ast
import copy
import inspect
import linecache
import pickle
import re
import traceback
from collections.abc import Callable
from typing import Any, ClassVar

from temper.annotations import Condition
from temper.check import subjects
from temper.domains import terms
from temper.domains.annotated import AnnotatedFunction
from temper.domains.compile import Subject
from temper.domains.domain import contains
from temper.domains.kinds import anys, ints
from temper.errors import BadAnnotation

# Steps for what a class can do apart from its methods: how they are written, and how they are done. What gives items
# without end is asked for a few.
_PROTOCOLS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "__iter__": ("list(zip(range(64), {}))", lambda given: list(zip(range(64), given[0], strict=False))),
    "__next__": ("next({}, None)", lambda given: next(given[0], None)),
    "__len__": ("len({})", lambda given: len(given[0])),
    "__exit__": ("{}.__exit__(None, None, None)", lambda given: given[0].__exit__(None, None, None)),
}
# Steps after which a copy stands in the place of the object, by the methods with which a class says how it is made. Objects of
# other classes are not copied: many cannot be, and nobody said that they could.
_PICKLED = ("pickle.loads(pickle.dumps({}))", lambda given: pickle.loads(pickle.dumps(given[0])))
_ROUND_TRIPS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "__copy__": ("copy.copy({})", lambda given: copy.copy(given[0])),
    "__deepcopy__": ("copy.deepcopy({})", lambda given: copy.deepcopy(given[0])),
    **dict.fromkeys(("__getstate__", "__setstate__", "__reduce__", "__reduce_ex__"), _PICKLED),
}
# Earlier results that one step chooses from.
_MOST_EARLIER = 15


def is_entered(owner: Any) -> bool:
    """Whether objects of a class are used inside of a `with` block."""
    return hasattr(owner, "__enter__") and hasattr(owner, "__exit__")


class Rule:
    """A method as a step of a life."""

    # The argument that says whether, and which, earlier result is taken.
    EARLIER: ClassVar[str] = "earlier_"

    def __init__(self, annotated: AnnotatedFunction) -> None:
        self.annotated, self.name = annotated, annotated.call
        # How it is written if it is no method call, and how it is called.
        self.text, self.caller = {**_PROTOCOLS, **_ROUND_TRIPS}.get(self.name, (None, None))
        self.is_round_trip = self.name in _ROUND_TRIPS
        self.is_exit = self.name == "__exit__"
        # How its result is written, so that everything happens that happens here.
        self.settled = _settled(annotated.function) if self.text is None else "{}"
        record = annotated.record
        self.over_state = [each for each in record.preconditions if _names_self(each)]
        self.over_arguments = [each for each in record.preconditions if not _names_self(each)]
        self.raises = record.raises
        # Whether the method is also a subject by itself, on fresh objects.
        self.has_own_subject = False
        # Arguments that only an earlier call can give, with their types.
        self.wanted: dict[str, type] = {}
        # Set when the life is compiled: the names of what is drawn, and the conditions as functions.
        self.names: list[str] = []
        self.conditions: list[Callable[[Any], Any]] = []
        self.promises: list[tuple[Condition, Callable[[Any], Any]]] = []

    @property
    def needs_life(self) -> bool:
        """Whether a call on a fresh object says nothing: it needs a state, an earlier result or a `with` block."""
        return bool(self.over_state or self.wanted) or self.text is not None or is_entered(self.annotated.owner)

    @property
    def argument_count(self) -> int:
        """How many arguments are passed on."""
        return len(self.names) - (self.EARLIER in self.names)

    def allows(self, instance: Any, given: list[Any]) -> bool:
        """Whether the preconditions hold that are about the object; one that raises does not."""
        try:
            return all(condition((instance, *given)) for condition in self.conditions)
        except Exception:
            return False

    def given(
        self, values: tuple[Any, ...], returned: list[tuple[int, Any]]
    ) -> tuple[list[Any] | None, tuple[int, int] | None]:
        """The arguments, with an earlier result for one of them if that was drawn; and which, of which call.

        None if an argument must come from an earlier call and none has returned it.
        """
        given = list(values)
        if self.EARLIER not in self.names:
            return given, None
        number = given[self.names.index(self.EARLIER)]
        found = [
            (at, source, value)
            for at, name in enumerate(self.names[: self.argument_count])
            for source, value in returned
            if self._takes(name, value)
        ]
        must = [at for at, name in enumerate(self.names) if name in self.wanted]
        found = [each for each in found if not must or each[0] == must[0]]
        if must and not found:
            return None, None
        # An earlier result need not meet the preconditions that the drawn arguments meet.
        if not found or (not must and (number == 0 or self.over_arguments)):
            return given, None
        at, source, value = found[(number - 1) % len(found)]
        given[at] = value
        return given, (at, source)

    def _takes(self, name: str, value: Any) -> bool:
        if name in self.wanted:
            return isinstance(value, self.wanted[name])
        try:
            return contains(self.annotated.record.arguments.get(name), value)
        except Exception:
            return False


def _settled(function: Any) -> str:
    if inspect.iscoroutinefunction(function):
        return "asyncio.run({})"
    return "list(zip(range(64), {}))" if inspect.isgeneratorfunction(function) else "{}"


class StepFunction(AnnotatedFunction):
    """A method as the engine draws it: without its object, and with a number that may stand for an earlier result."""

    def __init__(self, rule: Rule, variable: str) -> None:
        written = f"{variable}.{rule.name}" if rule.text is None else rule.text.format(variable)
        super().__init__(written, rule.annotated.function, rule.annotated.call, "step", rule.annotated.owner)
        self.side = rule.annotated.side
        self.rule = rule
        self.record = copy.copy(rule.annotated.record)
        self.record.preconditions = rule.over_arguments
        self.record.arguments = {**self.record.arguments, **dict.fromkeys(rule.wanted)}
        if self.record.arguments:
            self.record.arguments[rule.EARLIER] = anys(0, 0, ints(1, _MOST_EARLIER))

    def parameters(self) -> list[inspect.Parameter]:
        if self.rule.text is not None:
            return []
        found = self.rule.annotated.parameters()
        if self.rule.EARLIER in self.record.arguments:
            found.append(inspect.Parameter(self.rule.EARLIER, inspect.Parameter.KEYWORD_ONLY))
        return found


def rules_of(owner: type, with_hints: bool, with_free: bool) -> list[Rule]:
    """The steps of a class, in the order of their names' first definition."""
    methods = [subjects.method_of(owner, name, raw) for name, raw in _attributes(owner).items()]
    rules = [Rule(each) for each in methods if each is not None and each.kind == "method"]
    for rule in rules:
        rule.annotated.is_free = not subjects.is_annotated(rule.annotated, with_hints)
        rule.wanted = _wanted(rule, rules)
    steps = [rule for rule in rules if _is_step(rule, with_free) and _is_sound(rule)]
    # Several methods may say how an object is pickled, which is one step.
    first = {rule.text: rule for rule in reversed(steps)}
    return [rule for rule in steps if rule.text is None or first[rule.text] is rule]


def _is_step(rule: Rule, with_free: bool) -> bool:
    annotated = rule.annotated
    if annotated.record.is_excluded or not annotated.is_free:
        return not annotated.record.is_excluded
    can_be_called = subjects.is_free(annotated) or rule.text is not None or bool(rule.wanted)
    return with_free and can_be_called and is_of_same_package(annotated)


def _attributes(owner: type) -> dict[str, Any]:
    """What a class has, its own and what it inherits, each once."""
    found: dict[str, Any] = {}
    for base in owner.__mro__[:-1]:
        for name, raw in list(vars(base).items()):
            found.setdefault(name, raw)
    return found


def is_of_same_package(annotated: AnnotatedFunction) -> bool:
    """Whether a method is from the code that its class is from, and not from a library's base class."""
    mine, its = annotated.owner.__module__, getattr(annotated.function, "__module__", None) or ""
    return mine.partition(".")[0] == its.partition(".")[0]


def _wanted(rule: Rule, rules: list[Rule]) -> dict[str, type]:
    """The required arguments that have no domain, but a type that another method returns."""
    made = {hint for each in rules if isinstance(hint := each.annotated.hints().get("return"), type)}
    said, found = rule.annotated.hints(), {}
    for parameter in rule.annotated.parameters():
        is_open = parameter.name not in rule.annotated.record.arguments
        hint = said.get(parameter.name)
        if is_open and parameter.default is parameter.empty and isinstance(hint, type) and hint in made:
            if hint.__module__ != "builtins":
                found[parameter.name] = hint
    return found


def _is_sound(rule: Rule) -> bool:
    """Whether a step can be drawn; what is wrong with it is reported with the method itself."""
    if len(rule.wanted) > 1:
        return False
    try:
        Subject(StepFunction(rule, "it"))
    except BadAnnotation:
        return False
    return True


def _names_self(condition: Condition) -> bool:
    if isinstance(condition.test, str):
        _, node = terms.expression_of(condition.test)
        return node is not None and any(isinstance(each, ast.Name) and each.id == "self" for each in ast.walk(node))
    try:
        return "self" in inspect.signature(condition.test).parameters
    except (TypeError, ValueError):
        return False


def is_refusal(rule: Rule, error: Exception) -> bool:
    """Whether a method refused a call in a documented way, or said in words that it cannot be called in this state.

    Without annotations nobody said which states a method allows, so that its own `raise` counts as a refusal.
    """
    if isinstance(error, rule.raises) or type(error).__name__ == "NotFittedError":
        return True
    if rule.is_round_trip and isinstance(error, pickle.PicklingError):
        # Its class is not found by its name, which says nothing about its state.
        return True
    frames = list(traceback.walk_tb(error.__traceback__))
    frame, line = frames[-1]
    is_worded = linecache.getline(frame.f_code.co_filename, line).lstrip().startswith("raise")
    is_own = frame.f_globals.get("__name__") == rule.annotated.owner.__module__
    return rule.annotated.is_free and is_own and is_worded and not isinstance(error, AssertionError)


def instance_name(owner: type) -> str:
    """The variable that stands for the object in reported calls."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", owner.__name__.lstrip("_")).lower()
    scope = vars(inspect.getmodule(owner) or object)
    return name if name.isidentifier() and name not in scope and name != owner.__name__ else "it"
