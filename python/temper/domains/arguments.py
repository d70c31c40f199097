"""The arguments of a function: which domain each has, and how it is passed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from temper.domains import hints, terms
from temper.domains.annotated import AnnotatedFunction
from temper.domains.cell_bounds import bound_cells
from temper.domains.domain import Domain, contains
from temper.domains.names import shape_names
from temper.domains.reader import Reader
from temper.errors import BadAnnotation


class Arguments:
    """The arguments of one annotated: annotated, hinted, or left at their defaults."""

    def __init__(self, annotated: AnnotatedFunction, reader: Reader) -> None:
        self.annotated, self.reader = annotated, reader
        self.parameters = annotated.parameters()
        record = annotated.record
        if record.problems:
            line, text = record.problems[0]
            raise BadAnnotation(text, line)
        self.domains = dict(record.arguments)
        self._check_names()
        self._add_hints()
        self._give_before_star()
        self.shape_order: list[str] = []
        for domain in self.domains.values():
            self.shape_order += [name for name in shape_names(domain) if name not in self.shape_order]
        self.shape_names = set(self.shape_order)
        names = {parameter.name for parameter in self.parameters} | self.shape_names
        self.scope = terms.Scope(names, {})
        bound_cells(self.domains, record.preconditions, self.scope)

    def _check_names(self) -> None:
        names = [parameter.name for parameter in self.parameters]
        for name, domain in self.domains.items():
            if name not in names:
                line = domain.line if isinstance(domain, Domain) else self.annotated.line
                listed = ", ".join(f"`{each}`" for each in names) or "none"
                raise BadAnnotation(
                    f"annotation `@arg({name})` names no argument of `{self.annotated.name}`",
                    line,
                    hint=f"its arguments are {listed}" if names else "it takes no arguments; remove the annotation",
                )

        for oracle, arguments in self.annotated.record.oracles.items():
            unknown = [name for name in arguments if name not in names]
            if unknown:
                raise BadAnnotation(
                    f"annotation `@{oracle}({unknown[0]})` names no argument of `{self.annotated.name}`",
                    self.annotated.line,
                    hint=f"its arguments are {', '.join(f'`{each}`' for each in names) or 'none'}",
                )

    def _add_hints(self) -> None:
        found = self.annotated.hints()
        for parameter in self.parameters:
            if parameter.name in self.domains or parameter.name not in found:
                continue
            hint = found[parameter.name]
            has_default = parameter.default is not inspect.Parameter.empty
            is_star = parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
            if is_star or (has_default and not hints.has_ours(hint)):
                continue
            domain = hints.domain_of(hint)
            if domain is not None:
                self.domains[parameter.name] = domain

    def _give_before_star(self) -> None:
        """What stands before `*args` is given by place, so nothing there can be left out."""
        stars = [each.name for each in self.parameters if each.kind is inspect.Parameter.VAR_POSITIONAL]
        self.has_star = any(name in self.domains for name in stars)
        for parameter in self.parameters if self.has_star else ():
            has_default = parameter.default is not inspect.Parameter.empty
            if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD and has_default:
                self.domains.setdefault(parameter.name, parameter.default)

    def describe(self, receiver: Any) -> dict[str, Any]:
        self.reader.scope = self.scope
        arguments = []
        if receiver is not None:
            arguments.append({"name": "self", "domain": receiver, "passing": "receiver"})
        is_gap = False
        for parameter in self.parameters:
            if parameter.name in self.domains:
                is_first = not arguments or arguments[-1]["name"] == "self"
                arguments.append(self._argument(parameter, is_first and not is_gap))
            elif parameter.default is not inspect.Parameter.empty:
                # Left out; what follows needs its name.
                is_gap = True
            elif parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
                raise BadAnnotation(
                    f"argument `{parameter.name}` of `{self.annotated.name}` has no annotation and no default",
                    self.annotated.def_line,
                    hint=f'add `@arg("{parameter.name}", ...)`, or a default',
                )
        label = self.annotated.name
        if self.annotated.kind == "constructor":
            label = self.annotated.call.__qualname__
        elif self.annotated.kind in ("method", "property", "nested"):
            label = self.annotated.call
        is_attribute = self.annotated.kind == "property"
        return {"name": self.annotated.name, "label": label, "is_attribute": is_attribute, "arguments": arguments}

    def _argument(self, parameter: inspect.Parameter, is_first: bool) -> dict[str, Any]:
        domain = self.domains[parameter.name]
        self.reader.line = domain.line if isinstance(domain, Domain) else self.annotated.line
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
            "domain": self.reader.node(domain),
            "line": self.reader.line,
            "passing": passing,
        }
        if parameter.name in self.annotated.written:
            described["written"] = self.annotated.written[parameter.name]
        is_optional = parameter.default is not inspect.Parameter.empty and not self.has_star
        if is_optional and contains(domain, parameter.default):
            described["default"] = self.reader.constant(parameter.default)
        return described


def domains_of(annotated: AnnotatedFunction) -> dict[str, Any]:
    """The domains of the arguments that are given in a call, by name."""
    return Arguments(annotated, Reader(lambda generator, line: 0, lambda made, line: 0)).domains


def make_caller(annotated: AnnotatedFunction, arguments: list[dict[str, Any]]) -> Callable[[Any], Any]:
    """A function that calls the annotated with a tuple of arguments, in as little Python as possible."""
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
    if annotated.kind == "nested":
        return eval(f"lambda v: {receiver}({inner})")
    if annotated.kind == "property":
        return eval(f"lambda v: getattr({receiver}, name)", {"name": annotated.call})
    if annotated.kind == "method":
        return eval(f"lambda v: getattr({receiver}, name)({inner})", {"name": annotated.call})
    return eval(f"lambda v: call({inner})", {"call": annotated.call})
