"""A target with everything that a run needs: how its arguments are described for the solver, how it is called, and which
conditions guard it."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

from temper import _engine, annotations
from temper.annotations import Condition
from temper.domains import hints, source_text, terms
from temper.domains.annotated import AnnotatedFunction
from temper.domains.cell_bounds import narrow
from temper.domains.composed import Composed
from temper.domains.domain import Constraint
from temper.domains.reader import BadAnnotation, Reader, shape_names
from temper.domains.source_text import text_of

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_EXAMPLES = frozenset(("cc_example",))


class Subject:
    """A target with everything compiled: how to draw its arguments, check them and call it."""

    def __init__(self, target: AnnotatedFunction) -> None:
        self.target = target
        self._reader = Reader(self._add_generator, self._add_composed)
        self._functions: list[dict[str, Any] | None] = []
        self._callers: list[Any] = []
        self._filters: list[Any] = []
        self._numbers: dict[Any, int] = {}
        # Functions of the program that ask for choices themselves.
        self._composed: dict[int, Composed] = {}
        self.names: list[str] = []
        self._describe(target, 0)
        self.hints = self._reader.hints
        descriptions = [json.dumps(described) for described in self._functions]
        self._check(descriptions)
        self.program = _engine.Program(descriptions, self._reader.constants, self._callers, self._filters)
        described: Any = self._functions[0]
        self.argument_count = len(described["arguments"])
        self.call = self._callers[0]
        self.filter = self._filters[0]
        # By place: the parameters' own defaults that the annotations allow.
        self.allowed_defaults = {
            at: self._reader.constants[argument["default"]["index"]][0]
            for at, argument in enumerate(described["arguments"])
            if "default" in argument
        }
        self.preconditions = described["preconditions"]
        self.postconditions = [
            self._condition(condition, [*self.names, "result"], "ensure") for condition in target.record.postconditions
        ]

    def _check(self, descriptions: list[str]) -> None:
        for problem, described in zip(_engine.problems(descriptions), self._functions, strict=True):
            if problem is not None:
                headline, line, fact, hint = problem
                where = line or described["line"]
                raise BadAnnotation(headline, where, fact, hint)

    # Functions of the program: the subject, its instance, its generators.

    def _add_generator(self, generator: Any, line: int) -> int:
        key = generator if isinstance(generator, type) else annotations.function_of(generator)
        if key in self._numbers:
            return self._numbers[key]
        if isinstance(generator, type):
            target = AnnotatedFunction(generator.__qualname__, generator.__init__, generator, "constructor", generator)
        elif callable(generator):
            name = getattr(generator, "__qualname__", repr(generator))
            target = AnnotatedFunction(name, generator, generator, "function")
        else:
            raise BadAnnotation(f"`objs` takes a generator function, not {generator!r}", line)
        number = self._reserve()
        self._numbers[key] = number
        self._describe(target, number)
        return number

    def _add_composed(self, made: Composed, line: int) -> int:
        number = self._reserve()
        self._functions[number] = {"name": made.name, "arguments": [], "preconditions": [], "line": line}
        self._callers[number] = self._composed[number] = made
        return number

    def text(self, tree: bytes, omitted: list[int] | None = None) -> str:
        """The call that a record stands for, as source text; what a function composed is shown by its value."""
        for made in self._composed.values():
            made.log = []
        if self._composed:
            self.program.replay(tree)
        texts = {number: [text_of(value) for value in made.log or ()] for number, made in self._composed.items()}
        for made in self._composed.values():
            made.log = None
        text = self.program.text(tree, omitted or [], texts)
        return text.replace(").__call__(", ")(", 1) if self.target.kind == "nested" else text

    def _reserve(self) -> int:
        for table in (self._functions, self._callers, self._filters):
            table.append(None)
        return len(self._functions) - 1

    def _describe(self, target: AnnotatedFunction, number: int) -> None:
        if number == len(self._functions):
            self._reserve()
        outer = self._reader.scope, self._reader.line
        arguments = _Arguments(target, self._reader)
        described = arguments.describe(self._receiver(target))
        names = [argument["name"] for argument in described["arguments"]]
        names += sorted(arguments.shape_names - set(names), key=arguments.shape_order.index)
        if number == 0:
            self.names = names
        conditions = [self._condition(condition, names, "require") for condition in target.record.preconditions]
        described["preconditions"] = [
            self._precondition(condition, names, target, arguments.scope) for condition in target.record.preconditions
        ]
        described["line"] = target.line
        self._functions[number] = described
        self._callers[number] = make_caller(target, described["arguments"])
        self._filters[number] = _all_hold(conditions)
        self._reader.scope, self._reader.line = outer

    def _receiver(self, target: AnnotatedFunction) -> Any:
        """The instance that a method is called on, as an argument of its own."""
        if target.kind == "nested":
            return {"kind": "objs", "function": self._add_parent(target)}
        if target.kind not in ("method", "property"):
            return None
        owner: Any = target.owner
        constructor = AnnotatedFunction(f"{owner.__qualname__}.__init__", owner.__init__, owner, "constructor", owner)
        record = constructor.record
        if not record.examples:
            return {"kind": "objs", "function": self._add_generator(owner, target.line)}
        texts = source_text.written(constructor.file, record.example_line, _EXAMPLES, record.examples)
        options = [
            self._example(constructor, example, text)
            for example, text in zip(record.examples, texts or [None] * len(record.examples), strict=True)
        ]
        return options[0] if len(options) == 1 else {"kind": "anys", "options": options}

    def _add_parent(self, target: AnnotatedFunction) -> int:
        """The function that a nested one is defined in, as a generator of it."""
        parent: Any = target.parent
        number = self._reserve()
        self._describe(parent, number)
        described: Any = self._functions[number]
        name = target.name.rpartition(".")[2]
        described["label"] = f"temper.nested({name!r}, {_plain_label(parent, described)})"
        described["is_attribute"] = False
        for argument in described["arguments"]:
            # The instance is given to the plain function, first of all.
            argument["passing"] = "positional" if argument["passing"] == "receiver" else argument["passing"]
        call = self._callers[number]
        self._callers[number] = annotations.nested(name, lambda values: call(values))
        return number

    def _example(self, constructor: AnnotatedFunction, example: Any, text: str | None) -> Any:
        """One `cc_example` is a constructor whose arguments are given."""
        number = self._reserve()
        parameters = constructor.parameters()
        texts = (source_text.parts(text) if text is not None else None) or []
        texts += [None] * (len(example) - len(texts))
        given = [
            {"name": parameter.name, "domain": self._reader.node(value, written), "passing": "positional"}
            for parameter, value, written in zip(parameters, example, texts, strict=False)
        ]
        if len(example) > len(parameters):
            raise BadAnnotation(
                f"`@cc_example` gives {len(example)} values, and `{constructor.name}` takes {len(parameters)}",
                constructor.line,
            )
        described = {"name": constructor.name, "label": text_of(constructor.call), "arguments": given}
        self._functions[number] = {**described, "preconditions": [], "line": constructor.line}
        self._callers[number] = make_caller(constructor, given)
        return {"kind": "objs", "function": number}

    # Conditions.

    def _condition(self, condition: Condition, names: list[str], decorator: str) -> Callable[[Any], Any]:
        """A function of the tuple of arguments."""
        test = condition.test
        if isinstance(test, str):
            scope = getattr(self.target.function, "__globals__", {})
            try:
                code = compile(f"lambda {', '.join(names)}: ({test.strip()})", "<temper>", "eval")
            except (SyntaxError, ValueError):
                raise BadAnnotation(
                    f"`@{decorator}({test!r})` is no Python expression",
                    condition.line,
                    hint='write a condition over the arguments, as in `@require("len(a) == b")`',
                ) from None
            function = eval(code, scope)
            return lambda values: function(*values)
        if not callable(test):
            raise BadAnnotation(f"`@{decorator}` takes a text or a function, not {test!r}", condition.line)
        wanted = list(inspect.signature(test).parameters)
        unknown = [name for name in wanted if name not in names]
        if unknown:
            raise BadAnnotation(
                f"`@{decorator}` names `{unknown[0]}`, which is no argument of `{self.target.name}`",
                condition.line,
                hint=f"the names in scope are {', '.join(f'`{name}`' for name in names)}",
            )
        places = [names.index(name) for name in wanted]
        return lambda values: test(*[values[place] for place in places])

    def _precondition(
        self, condition: Condition, names: list[str], target: AnnotatedFunction, scope: terms.Scope
    ) -> Any:
        text, node = terms.expression_of(condition.test)
        understood: Any = "other"
        if node is not None:
            known = {**getattr(target.function, "__globals__", {})}
            if callable(condition.test):
                known = {**known, **_closure(condition.test)}
            understood = terms.condition(node, terms.Scope(set(names), known))
        return {"text": text, "line": condition.line, "condition": understood}


def _closure(function: Any) -> dict[str, Any]:
    try:
        return dict(inspect.getclosurevars(function).nonlocals)
    except (TypeError, ValueError):
        return {}


def _all_hold(conditions: list[Callable[[Any], Any]]) -> Callable[[Any], Any] | None:
    if not conditions:
        return None
    if len(conditions) == 1:
        return conditions[0]
    return lambda values: all(condition(values) for condition in conditions)


class _Arguments:
    """The arguments of one target: annotated, hinted, or left at their defaults."""

    def __init__(self, target: AnnotatedFunction, reader: Reader) -> None:
        self.target, self.reader = target, reader
        self.parameters = target.parameters()
        record = target.record
        if record.problems:
            line, text = record.problems[0]
            raise BadAnnotation(text, line)
        self.constraints = dict(record.arguments)
        self._check_names()
        self._add_hints()
        self._give_before_star()
        self.shape_order: list[str] = []
        for constraint in self.constraints.values():
            self.shape_order += [name for name in shape_names(constraint) if name not in self.shape_order]
        self.shape_names = set(self.shape_order)
        names = {parameter.name for parameter in self.parameters} | self.shape_names
        self.scope = terms.Scope(names, {})
        narrow(self.constraints, record.preconditions, self.scope)

    def _check_names(self) -> None:
        names = [parameter.name for parameter in self.parameters]
        for name, constraint in self.constraints.items():
            if name not in names:
                line = constraint.line if isinstance(constraint, Constraint) else self.target.line
                listed = ", ".join(f"`{each}`" for each in names) or "none"
                raise BadAnnotation(
                    f"annotation `@arg({name})` names no argument of `{self.target.name}`",
                    line,
                    hint=f"its arguments are {listed}" if names else "it takes no arguments; remove the annotation",
                )

    def _add_hints(self) -> None:
        found = self.target.hints()
        for parameter in self.parameters:
            if parameter.name in self.constraints or parameter.name not in found:
                continue
            hint = found[parameter.name]
            has_default = parameter.default is not inspect.Parameter.empty
            is_star = parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
            if is_star or (has_default and not hints.has_ours(hint)):
                continue
            constraint = hints.constraint_of(hint)
            if constraint is not None:
                self.constraints[parameter.name] = constraint

    def _give_before_star(self) -> None:
        """What stands before `*args` is given by place, so nothing there can be left out."""
        stars = [each.name for each in self.parameters if each.kind is inspect.Parameter.VAR_POSITIONAL]
        self.has_star = any(name in self.constraints for name in stars)
        for parameter in self.parameters if self.has_star else ():
            has_default = parameter.default is not inspect.Parameter.empty
            if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD and has_default:
                self.constraints.setdefault(parameter.name, parameter.default)

    def describe(self, receiver: Any) -> dict[str, Any]:
        self.reader.scope = self.scope
        arguments = []
        if receiver is not None:
            arguments.append({"name": "self", "domain": receiver, "passing": "receiver"})
        is_gap = False
        for parameter in self.parameters:
            if parameter.name in self.constraints:
                is_first = not arguments or arguments[-1]["name"] == "self"
                arguments.append(self._argument(parameter, is_first and not is_gap))
            elif parameter.default is not inspect.Parameter.empty:
                # Left out; what follows needs its name.
                is_gap = True
            elif parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
                raise BadAnnotation(
                    f"argument `{parameter.name}` of `{self.target.name}` has no annotation and no default",
                    self.target.def_line,
                    hint=f'add `@arg("{parameter.name}", ...)`, or a default',
                )
        label = self.target.name
        if self.target.kind == "constructor":
            label = self.target.call.__qualname__
        elif self.target.kind in ("method", "property", "nested"):
            label = self.target.call
        is_attribute = self.target.kind == "property"
        return {"name": self.target.name, "label": label, "is_attribute": is_attribute, "arguments": arguments}

    def _argument(self, parameter: inspect.Parameter, is_first: bool) -> dict[str, Any]:
        constraint = self.constraints[parameter.name]
        self.reader.line = constraint.line if isinstance(constraint, Constraint) else self.target.line
        passing = "keyword"
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            passing = "star"
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            passing = "double_star"
        elif parameter.kind is inspect.Parameter.POSITIONAL_ONLY or (
            parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD and (is_first or self.has_star)
        ):
            passing = "positional"
        described = {
            "name": parameter.name,
            "domain": self.reader.node(constraint),
            "line": self.reader.line,
            "passing": passing,
        }
        if parameter.name in self.target.written:
            described["written"] = self.target.written[parameter.name]
        is_optional = parameter.default is not inspect.Parameter.empty and not self.has_star
        if is_optional and contains(constraint, parameter.default):
            described["default"] = self.reader.constant(parameter.default)
        return described


def _plain_label(target: AnnotatedFunction, described: dict[str, Any]) -> str:
    """What is written for a function that is handed on and not called: a method without an instance."""
    if target.kind not in ("method", "property"):
        return described["label"]
    getter = ".fget" if target.kind == "property" else ""
    return f"{target.owner.__qualname__}.{target.call}{getter}"


def constraints_of(target: AnnotatedFunction) -> dict[str, Any]:
    """The constraints of the arguments that are given in a call, by name."""
    return _Arguments(target, Reader(lambda generator, line: 0, lambda made, line: 0)).constraints


def contains(constraint: Any, value: Any) -> bool:
    """Whether a simple constraint allows a value; False where that is not known."""
    if not isinstance(constraint, Constraint):
        return constraint is value or (type(constraint) is type(value) and constraint == value)
    params = constraint.params
    if constraint.kind == "anys":
        return any(contains(option, value) for option in params["options"])
    if constraint.kind == "froms":
        return any(contains(option, value) for option in params["values"])
    if constraint.kind == "bools":
        return type(value) is bool
    if constraint.kind == "ints":
        low, high = params.get("min", 0), params.get("max", 1000)
        if type(value) is not int or type(low) is not int or type(high) is not int:
            return False
        if "min" in params and "max" not in params:
            high = low + 1000
        if "max" in params and "min" not in params:
            low = high - 1000
        return low <= value <= high
    if constraint.kind == "floats":
        return _contains_float(params, value)
    return False


def _contains_float(params: dict[str, Any], value: Any) -> bool:
    low, high = params.get("min"), params.get("max")
    if type(value) is not float or value - value != 0.0 or isinstance(low, str) or isinstance(high, str):
        return False
    is_above = low is None or value > low or (value == low and not params.get("exclude_min"))
    is_below = high is None or value < high or (value == high and not params.get("exclude_max"))
    return is_above and is_below


def make_caller(target: AnnotatedFunction, arguments: list[dict[str, Any]]) -> Callable[[Any], Any]:
    """A function that calls the target with a tuple of arguments, in as little Python as can be."""
    parts, receiver = [], None
    for at, argument in enumerate(arguments):
        place = f"v[{at}]"
        if argument["passing"] == "receiver":
            receiver = place
        elif argument["passing"] == "positional":
            parts.append(place)
        elif argument["passing"] == "star":
            parts.append(f"*{place}")
        elif argument["passing"] == "double_star":
            parts.append(f"**{place}")
        else:
            parts.append(f"{argument['name']}={place}")
    inner = ", ".join(parts)
    if target.kind == "nested":
        return eval(f"lambda v: {receiver}({inner})")
    if target.kind == "property":
        return eval(f"lambda v: getattr({receiver}, name)", {"name": target.call})
    if target.kind == "method":
        return eval(f"lambda v: getattr({receiver}, name)({inner})", {"name": target.call})
    return eval(f"lambda v: call({inner})", {"call": target.call})
