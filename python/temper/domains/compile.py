"""A function with everything that a run needs: how its arguments are described for the engine, how it is called, and
which conditions guard it."""

from __future__ import annotations

import ast
import builtins
import inspect
import json
from collections.abc import Callable
from typing import Any

from temper import _engine, annotations
from temper.annotations import Condition
from temper.domains import source_text, terms
from temper.domains.annotated import AnnotatedFunction
from temper.domains.arguments import Arguments, make_caller
from temper.domains.composed import Composed
from temper.domains.reader import Reader
from temper.domains.source_text import text_of
from temper.errors import BadAnnotation

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_EXAMPLES = frozenset(("cc_example",))


class Subject:
    """A function with everything compiled: how to draw its arguments, check them and call it."""

    def __init__(self, annotated: AnnotatedFunction) -> None:
        self.annotated = annotated
        self._reader = Reader(self._add_generator, self._add_composed)
        self._functions: list[dict[str, Any] | None] = []
        self._callers: list[Any] = []
        self._filters: list[Any] = []
        self._numbers: dict[Any, int] = {}
        # Functions of the program that ask for choices themselves.
        self._composed: dict[int, Composed] = {}
        self.names: list[str] = []
        self._describe(annotated, 0)
        self.hints = self._reader.hints
        descriptions = [json.dumps(described) for described in self._functions]
        self._check(descriptions)
        self.program = _engine.Program(descriptions, self._reader.constants, self._callers, self._filters)
        described: Any = self._functions[0]
        self.argument_count = len(described["arguments"])
        self.call = self._callers[0]
        # The functions whose lines and branches are watched.
        self.functions = [annotated.function]
        self.filter = self._filters[0]
        # By place: the parameters' own defaults that the annotations allow.
        self.allowed_defaults = {
            at: self._reader.constants[argument["default"]["index"]][0]
            for at, argument in enumerate(described["arguments"])
            if "default" in argument
        }
        self.preconditions = described["preconditions"]
        self.postconditions = [
            self._condition(condition, [*self.names, "result"], "ensure", annotated)
            for condition in annotated.record.postconditions
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
            annotated = AnnotatedFunction(
                generator.__qualname__, generator.__init__, generator, "constructor", generator
            )
        elif callable(generator):
            name = getattr(generator, "__qualname__", repr(generator))
            annotated = AnnotatedFunction(name, generator, generator, "function")
        else:
            raise BadAnnotation(f"`objs` takes a generator function, not {generator!r}", line)
        number = self._reserve()
        self._numbers[key] = number
        self._describe(annotated, number)
        return number

    def _add_composed(self, made: Composed, line: int) -> int:
        number = self._reserve()
        self._functions[number] = {"name": made.name, "arguments": [], "preconditions": [], "line": line}
        self._callers[number] = self._composed[number] = made
        return number

    def text(self, tree: bytes, omitted: list[int] | None = None, outcome: Any = None) -> str:
        """The call that a record stands for, as source text; what a function composed is shown by its value.

        Subjects that make several calls show those that were made until the `outcome`.
        """
        for made in self._composed.values():
            made.log = []
        if self._composed:
            self.program.replay(tree)
        texts = {number: [text_of(value) for value in made.log or ()] for number, made in self._composed.items()}
        for made in self._composed.values():
            made.log = None
        text = self.program.text(tree, omitted or [], texts)
        return text.replace(").__call__(", ")(", 1) if self.annotated.kind == "nested" else text

    def _reserve(self) -> int:
        for table in (self._functions, self._callers, self._filters):
            table.append(None)
        return len(self._functions) - 1

    def _describe(self, annotated: AnnotatedFunction, number: int) -> None:
        if number == len(self._functions):
            self._reserve()
        outer = self._reader.scope, self._reader.line
        arguments = Arguments(annotated, self._reader)
        described = arguments.describe(self._receiver(annotated))
        names = [argument["name"] for argument in described["arguments"]]
        names += sorted(arguments.shape_names - set(names), key=arguments.shape_order.index)
        if number == 0:
            self.names = names
        conditions = [
            self._condition(condition, names, "require", annotated) for condition in annotated.record.preconditions
        ]
        described["preconditions"] = [
            self._precondition(condition, names, annotated, arguments.scope)
            for condition in annotated.record.preconditions
        ]
        described["line"] = annotated.line
        self._functions[number] = described
        self._callers[number] = make_caller(annotated, described["arguments"])
        self._filters[number] = _all_hold(conditions)
        self._reader.scope, self._reader.line = outer

    def _receiver(self, annotated: AnnotatedFunction) -> Any:
        """The instance that a method is called on, as an argument."""
        if annotated.kind == "nested":
            return {"kind": "objs", "function": self._add_parent(annotated)}
        if annotated.kind not in ("method", "property", "life"):
            return None
        owner: Any = annotated.owner
        constructor = AnnotatedFunction(f"{owner.__qualname__}.__init__", owner.__init__, owner, "constructor", owner)
        record = constructor.record
        if not record.examples:
            return {"kind": "objs", "function": self._add_generator(owner, annotated.line)}
        texts = source_text.written(constructor.file, record.example_line, _EXAMPLES, record.examples)
        options = [
            self._example(constructor, example, text)
            for example, text in zip(record.examples, texts or [None] * len(record.examples), strict=True)
        ]
        return options[0] if len(options) == 1 else {"kind": "anys", "options": options}

    def _add_parent(self, annotated: AnnotatedFunction) -> int:
        """The function that a nested one is defined in, as a generator of it."""
        parent: Any = annotated.parent
        number = self._reserve()
        self._describe(parent, number)
        described: Any = self._functions[number]
        name = annotated.name.rpartition(".")[2]
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

    def _condition(
        self, condition: Condition, names: list[str], decorator: str, annotated: AnnotatedFunction
    ) -> Callable[[Any], Any]:
        """A function of the tuple of arguments."""
        test = condition.test
        if isinstance(test, str):
            scope = getattr(annotated.function, "__globals__", {})
            written = f"lambda {', '.join(names)}: ({test.strip()})"
            try:
                tree = ast.parse(written, "<temper>", "eval")
            except (SyntaxError, ValueError):
                raise BadAnnotation(
                    f"`@{decorator}({test!r})` is no Python expression",
                    condition.line,
                    hint='write a condition over the arguments, as in `@require("len(a) == b")`',
                ) from None
            wanted = terms.free_names(tree)
            unknown = [name for name in wanted if name not in scope and not hasattr(builtins, name)]
            self._check_known(unknown, names, condition, decorator, annotated)
            function = eval(compile(tree, "<temper>", "eval"), scope)
            return lambda values: function(*values)
        if not callable(test):
            raise BadAnnotation(f"`@{decorator}` takes a text or a function, not {test!r}", condition.line)
        wanted = list(inspect.signature(test).parameters)
        self._check_known([name for name in wanted if name not in names], names, condition, decorator, annotated)
        places = [names.index(name) for name in wanted]
        return lambda values: test(*[values[place] for place in places])

    def _check_known(
        self, unknown: list[str], names: list[str], condition: Condition, decorator: str, annotated: AnnotatedFunction
    ) -> None:
        if unknown:
            listed = ", ".join(f"`{name}`" for name in names)
            raise BadAnnotation(
                f"`@{decorator}` names `{unknown[0]}`, which is no argument of `{annotated.name}`",
                condition.line,
                hint=f"the names in scope are {listed or 'those of the module'}",
            )

    def _precondition(
        self, condition: Condition, names: list[str], annotated: AnnotatedFunction, scope: terms.Scope
    ) -> Any:
        text, node = terms.expression_of(condition.test)
        understood: Any = "other"
        if node is not None:
            known = {**getattr(annotated.function, "__globals__", {})}
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


def _plain_label(annotated: AnnotatedFunction, described: dict[str, Any]) -> str:
    """What is written for a function that is handed on and not called: a method without an instance."""
    if annotated.kind not in ("method", "property"):
        return described["label"]
    getter = ".fget" if annotated.kind == "property" else ""
    return f"{annotated.owner.__qualname__}.{annotated.call}{getter}"
