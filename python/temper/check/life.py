"""The life of an object: sequences of calls on one instance, as one subject of the engine's loop.

An input is what the constructor takes and a list of steps, each a method with its arguments, so that lists are all that is
needed: the search inserts, copies and moves calls, and shrinking deletes them. A step that the object does not allow in
its state is passed over, as in `temper.StateMachine`, because a draw that depended on the state would change with every
edit before it. `rules.py` says which methods are steps.
"""

from __future__ import annotations

import ast
import functools
import inspect
from typing import Any

from temper.annotations import Annotations
from temper.check import results
from temper.check.rules import Rule, StepFunction, instance_name, is_entered, is_refusal, rules_of
from temper.check.shared_sides import shared_sides, with_sides
from temper.check.text_parts import with_parts
from temper.domains.annotated import AnnotatedFunction
from temper.domains.arguments import make_caller
from temper.domains.compile import Subject

# The most calls of one life: several times what the shortest sequence to most states has.
_MAX_STEPS = 30
# Objects of classes with `__enter__` are used inside of a `with` block: these two are made before the first call and after
# the last, and are no steps of the list.
_ENTER, _EXIT = -1, -2
_WRITTEN = {_ENTER: "{}.__enter__()", _EXIT: "{}.__exit__(None, None, None)"}


class LifeOf(AnnotatedFunction):
    """A class as a subject: what its objects do in the course of many calls."""

    def __init__(self, owner: type, with_hints: bool, with_free: bool) -> None:
        super().__init__(owner.__qualname__, owner.__init__, owner, "life", owner)
        self.record = Annotations()
        self.rules = rules_of(owner, with_hints, with_free)

    @functools.cached_property
    def file(self) -> str:
        try:
            return inspect.getsourcefile(self.call) or ""
        except TypeError:
            return ""

    @functools.cached_property
    def line(self) -> int:
        try:
            return inspect.getsourcelines(self.call)[1]
        except (OSError, TypeError):
            return 1

    @functools.cached_property
    def def_line(self) -> int:
        return self.line

    def parameters(self) -> list[inspect.Parameter]:
        return []

    def hints(self) -> dict[str, Any]:
        return {}


class BrokenPromise(Exception):
    """A postcondition of a method does not hold after one of the calls."""

    def __init__(self, text: str, path: str, line: int) -> None:
        super().__init__(text)
        self.path, self.line = path, line


class Step:
    """One call that was drawn."""

    __slots__ = ("rule", "values")

    def __init__(self, rule: Rule, values: tuple[Any, ...]) -> None:
        self.rule, self.values = rule, values


class Done:
    """A step that was made: its place in the list, what it took from an earlier call, and whether it was refused."""

    __slots__ = ("at", "is_refused", "rule", "taken")

    def __init__(self, at: int, rule: Rule | None, taken: tuple[int, int] | None = None) -> None:
        self.at, self.rule, self.taken = at, rule, taken
        self.is_refused = False


class Life(Subject):
    """The life of the objects of one class, with everything compiled."""

    def __init__(self, life: LifeOf) -> None:
        self.life = life
        self.variable = instance_name(life.owner)
        self.is_entered = is_entered(life.owner)
        self.done: list[Done] = []
        super().__init__(life)
        self.call = self.live
        self.functions = [rule.annotated.function for rule in life.rules]

    # What is drawn.

    def _describe(self, annotated: AnnotatedFunction, number: int) -> None:
        if annotated is not self.life:
            super()._describe(annotated, number)
            return
        self._reserve()
        receiver = self._receiver(annotated)
        lists = [self._steps(sides) for sides in shared_sides(self.life.rules)]
        steps = lists[0] if len(lists) == 1 else {"kind": "anys", "options": lists}
        arguments = [
            {"name": "instance", "domain": receiver, "passing": "positional"},
            {"name": "steps", "domain": steps, "passing": "positional"},
        ]
        described = {"name": annotated.name, "label": "life", "arguments": arguments, "preconditions": []}
        self._functions[0] = {**described, "line": annotated.line}

    def _steps(self, sides: dict[str, int]) -> dict[str, Any]:
        """Lists of steps whose arrays agree in some sides."""
        options = [{"kind": "objs", "function": self._add_step(rule, sides)} for rule in self.life.rules]
        element = options[0] if len(options) == 1 else {"kind": "anys", "options": options}
        return {"kind": "lists", "element": element, "min_len": {"int": 1}, "max_len": {"int": _MAX_STEPS}}

    def _add_step(self, rule: Rule, sides: dict[str, int]) -> int:
        number = self._reserve()
        super()._describe(with_sides(StepFunction(rule, self.variable), sides), number)
        described: Any = self._functions[number]
        described["is_attribute"] = rule.text is not None
        rule.names = [argument["name"] for argument in described["arguments"]]
        given = [{"passing": "receiver"}, *[each for each in described["arguments"] if each["name"] != rule.EARLIER]]
        rule.caller = rule.caller or make_caller(rule.annotated, given)
        rule.conditions = [
            self._condition(each, ["self", *rule.names], "require", rule.annotated) for each in rule.over_state
        ]
        names = ["self", *rule.names, "result"]
        promises = rule.annotated.record.postconditions
        rule.promises = [(each, self._condition(each, names, "ensure", rule.annotated)) for each in promises]
        self._callers[number] = lambda values: Step(rule, values)
        return number

    # What is done.

    def live(self, values: Any) -> None:
        """Makes the calls, one after the other."""
        instance, steps = values[0], values[1]
        self.done = []
        returned: list[tuple[int, Any]] = []
        is_inside = False
        for at, step in enumerate(steps):
            rule: Rule = step.rule
            given, taken = rule.given(step.values, returned)
            if given is None or not rule.allows(instance, given):
                continue
            # Who copies an object does it outside of its `with` block.
            if rule.is_round_trip if is_inside else rule.is_exit:
                continue
            if self.is_entered and not is_inside and not rule.is_round_trip:
                self.done.append(Done(_ENTER, None))
                instance.__enter__()
            is_inside = self.is_entered and not rule.is_exit and not rule.is_round_trip
            self.done.append(Done(at, rule, taken))
            result = self._called(rule, instance, given)
            if rule.is_round_trip:
                instance = instance if result is None else result
            elif result is not None:
                returned.append((len(self.done) - 1, result))
        if is_inside:
            self.done.append(Done(_EXIT, None))
            instance.__exit__(None, None, None)

    def _called(self, rule: Rule, instance: Any, given: list[Any]) -> Any:
        try:
            result = rule.caller((instance, *given[: rule.argument_count]))
            result = results.consumed(results.awaited(result), rule.annotated.record.consume)
        except Exception as error:
            if not is_refusal(rule, error):
                raise
            self.done[-1].is_refused = True
            return None
        for condition, test in rule.promises:
            try:
                holds, text = bool(test((instance, *given, result))), "does not hold"
            except Exception as error:
                holds, text = False, f"raised {type(error).__name__}: {error}"
            if not holds:
                said = f"{results.condition_text(condition)} {text}"
                raise BrokenPromise(said, rule.annotated.file, condition.line)
        return result

    def is_of_one_method(self, done: list[Done]) -> bool:
        """Whether a life is one call of a method that is a subject by itself."""
        calls = [each for each in done if each.rule is not None]
        return len(calls) == 1 and calls[0].rule is not None and calls[0].rule.has_own_subject

    # What is shown.

    def text(self, tree: bytes, omitted: list[int] | None = None, outcome: Any = None) -> str:
        """The calls as lines of code; without an outcome, all that were drawn."""
        whole = super().text(tree)
        try:
            call: Any = ast.parse(whole, mode="eval").body
            instance, steps = call.args
        except (SyntaxError, ValueError):
            return whole
        texts = [ast.get_source_segment(whole, each) or "" for each in steps.elts]
        done = getattr(outcome, "done", None) or [Done(at, None) for at in range(len(texts))]
        lines = [f"{self.variable} = {ast.get_source_segment(whole, instance)}"]
        used = {each.taken[1] for each in done if each.taken is not None}
        for place, each in enumerate(done):
            line = _step_text(texts[each.at], each) if each.at >= 0 else _WRITTEN[each.at].format(self.variable)
            if each.rule is not None and each.rule.is_round_trip:
                line = f"{self.variable} = {line}"
            lines.append(f"result_{place} = {line}" if place in used else _guarded(line, each))
        return "\n".join(lines)


def _step_text(text: str, done: Done) -> str:
    """A call without the number that says whether an earlier result is taken, and with that result."""
    settled = done.rule.settled if done.rule is not None else "{}"
    node: Any = ast.parse(text, mode="eval").body
    if not isinstance(node, ast.Call) or all(each.arg != Rule.EARLIER for each in node.keywords):
        return settled.replace("{}", text)
    parts = [ast.get_source_segment(text, each) or "" for each in node.args]
    named = [each for each in node.keywords if each.arg != Rule.EARLIER]
    parts += [ast.get_source_segment(text, each) or "" for each in named]
    if done.taken is not None:
        place, source = done.taken
        name = "" if place < len(node.args) else f"{named[place - len(node.args)].arg}="
        parts[place] = f"{name}result_{source}"
    return settled.replace("{}", f"{ast.get_source_segment(text, node.func)}({', '.join(parts)})")


def _guarded(line: str, done: Done) -> str:
    return f"with contextlib.suppress(Exception): {line}" if done.is_refused else line


def compiled(annotated: AnnotatedFunction) -> Subject:
    """A function or a class with everything that a run needs."""
    if isinstance(annotated, LifeOf):
        return Life(annotated)
    subject = Subject(with_parts(annotated))
    # What is shown and emitted are the annotations as they were written.
    subject.annotated = annotated
    return subject
