"""Test code for findings and properties: what ``temper check --emit`` writes."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

from temper.check import protocol
from temper.check.life import Life
from temper.check.oracles import NAMES
from temper.domains import source_text, terms
from temper.domains.annotated import AnnotatedFunction
from temper.domains.arguments import domains_of
from temper.domains.compile import Subject
from temper.domains.domain import NoForm, source_of
from temper.domains.hypothesis_text import HypothesisWriter
from temper.domains.names import PROPERTY_SETTINGS, bound_names, shape_names, shape_texts

# Findings whose test needs a separate process have no statements here.
_PLAIN = (protocol.CRASH, protocol.POSTCONDITION, protocol.NAN, protocol.REGRESSION, protocol.TIMEOUT)
_SIDES = (1, 8)
# Names that emitted tests use themselves.
_TAKEN = {"assume", "hnp", "pytest", "st", "temper"}


def check_text(subject: Subject, kind: str, call: str, recorded: Any = None, said: str = "") -> str:
    """Statements that fail as long as a finding is there; `recorded` is the result that `@regression` knows, `said` what the
    finding says."""
    if kind not in _PLAIN:
        return ""
    if isinstance(subject, Life):
        *before, last = call.splitlines()
        return "\n".join([*before, verified(last) if kind == protocol.POSTCONDITION else last])
    oracle = said.partition(":")[0]
    if kind == protocol.POSTCONDITION and oracle in NAMES:
        # What a side file declares is not known where the test runs.
        rows = subject.annotated.record.oracles.get(oracle, ()) if subject.annotated.side is not None else ()
        return f"assert {through('obeys', call, repr(' '.join([oracle, *rows])))}"
    settled = verified(call) if kind in (protocol.POSTCONDITION, protocol.REGRESSION) or _is_lazy(subject) else call
    if kind == protocol.REGRESSION:
        rel = subject.annotated.record.regression
        return f"assert temper.difference({recorded!r}, {settled}, rel={rel!r}) is None"
    if kind == protocol.TIMEOUT:
        return f"with temper.time_limit({subject.annotated.record.timeout_secs!r}):\n    {settled}"
    return f"assert temper.is_finite({settled})" if kind == protocol.NAN else settled


def _is_lazy(subject: Subject) -> bool:
    """Whether what the function returns must be awaited or consumed before anything happens."""
    function = subject.annotated.function
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return True
    if inspect.isgeneratorfunction(function) or subject.annotated.record.consume is not None:
        return True
    # A function that gives an iterator without `yield` crashes only when that is consumed, too.
    names = getattr(getattr(function, "__code__", None), "co_names", ())
    return any(name in names for name in ("map", "filter", "zip"))


def verified(call: str) -> str:
    """The call through `temper.verify`, which holds it to its postconditions."""
    return through("verify", call)


def through(function: str, call: str, *first: str) -> str:
    """A call that a function of ours makes, which is given these arguments before it."""
    node = ast.parse(call, mode="eval").body
    callee = ast.get_source_segment(call, node.func) if isinstance(node, ast.Call) else None
    if callee is None:
        # A property of an instance: there is no call to verify.
        return call
    rest = call[len(callee) + 1 : -1]
    return f"temper.{function}({', '.join([*first, callee, *([rest] if rest else [])])})"


def property_text(subject: Subject, module: Any, form: str, has_findings: bool) -> str | None:
    """A property test: what it needs, one statement a line; an empty line; the test. None for what has no such form."""
    annotated = subject.annotated
    if annotated.kind not in ("function", "constructor") or subject.argument_count == 0 or annotated.parent is not None:
        return None
    writer = _Hypothesis(module) if form == "hypothesis" else _Forall(module)
    try:
        text = writer.test(annotated, has_findings)
    except NoForm:
        return None
    needed = [line for line in source_text.imports_of(text, module).split("; ") if line]
    needed += ["import pytest"] if has_findings else []
    return "\n".join([*writer.needed, *needed]) + "\n\n" + text


def _name(annotated: AnnotatedFunction) -> str:
    name = annotated.name.removesuffix(".__init__")
    return "test_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace(".", "_").lower() + "_property"


def _call(annotated: AnnotatedFunction, names: list[str]) -> str:
    parts = []
    given = [parameter for parameter in annotated.parameters() if parameter.name in names]
    has_star = any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in given)
    for parameter in given:
        is_by_place = has_star and parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            parts.append(f"*{parameter.name}")
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            parts.append(f"**{parameter.name}")
        elif parameter.kind is inspect.Parameter.POSITIONAL_ONLY or is_by_place:
            parts.append(parameter.name)
        else:
            parts.append(f"{parameter.name}={parameter.name}")
    callee = annotated.name.removesuffix(".__init__")
    if _TAKEN & set(names) or callee.partition(".")[0] in names:
        # The argument would hide what the test calls.
        raise NoForm
    return f"temper.verify({', '.join([callee, *parts])})"


def _body(annotated: AnnotatedFunction, names: list[str], assume: str) -> list[str]:
    lines = []
    for condition in annotated.record.preconditions:
        text, node = terms.expression_of(condition.test)
        if node is None:
            raise NoForm
        lines.append(f"{assume}({ast.unparse(node) if not isinstance(condition.test, str) else text})")
    call = _call(annotated, names)
    if annotated.record.raises:
        listed = ", ".join(error.__qualname__ for error in annotated.record.raises)
        lines += ["try:", f"    {call}", f"except ({listed},):", "    pass"]
    else:
        lines.append(call)
    return lines


def _marked(has_findings: bool) -> list[str]:
    return ['@pytest.mark.xfail(reason="see the findings above", strict=False)'] if has_findings else []


class _Forall:
    """Properties with `temper.forall`: the domains stay what they are."""

    def __init__(self, module: Any) -> None:
        self.needed = ["import temper"]

    def test(self, annotated: AnnotatedFunction, has_findings: bool) -> str:
        given = domains_of(annotated)
        texts = {name: source_of(each) for name, each in given.items()}
        domains = ", ".join(f"{name}={text}" for name, text in texts.items())
        if any(name in PROPERTY_SETTINGS for name in texts):
            # By name, these would be read as settings of the property.
            domains = "{" + ", ".join(f"{name!r}: {text}" for name, text in texts.items()) + "}"
        if _shapes(given) and annotated.record.preconditions:
            raise NoForm
        lines = [*_marked(has_findings), f"@temper.forall({domains})", f"def {_name(annotated)}({', '.join(given)}):"]
        lines += [f"    {line}" for line in _body(annotated, list(given), "temper.assume")]
        return "\n".join(lines)


class _Hypothesis:
    """Properties with Hypothesis: each argument is drawn after those that its bounds name."""

    def __init__(self, module: Any) -> None:
        self.strategies = HypothesisWriter(module)

    @property
    def needed(self) -> list[str]:
        return [
            "from hypothesis import HealthCheck, assume, given, settings",
            "from hypothesis import strategies as st",
            "import temper",
            *self.strategies.needed,
        ]

    def test(self, annotated: AnnotatedFunction, has_findings: bool) -> str:
        given = domains_of(annotated)
        source = next(name for name in ("data", "source", "source_of_draws") if name not in given)
        drawn = []
        for name in _shapes(given):
            low, high = _side_range(name, given)
            drawn.append(f"{name} = {source}.draw(st.integers({low}, {high}))")
        waiting = dict(given)
        while waiting:
            ready = [name for name, each in waiting.items() if not (bound_names(each) & set(waiting)) - {name}]
            if not ready:
                raise NoForm
            for name in ready:
                drawn.append(f"{name} = {source}.draw({self.strategies.strategy(waiting.pop(name))})")
        lines = _marked(has_findings)
        lines += ["@settings(deadline=None, suppress_health_check=list(HealthCheck))", f"@given({source}=st.data())"]
        lines.append(f"def {_name(annotated)}({source}):")
        return "\n".join(lines + [f"    {line}" for line in drawn + _body(annotated, list(given), "assume")])


def _shapes(given: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for each in given.values():
        found += [name for name in shape_names(each) if name not in found and name not in given]
    return found


def _side_range(name: str, given: dict[str, Any]) -> tuple[str, str]:
    """The range of a shape variable, at whichever place it is given."""
    texts = " ".join(text for each in given.values() for text in shape_texts(each))
    match = re.search(rf"\b{re.escape(name)}:([^.\s]*)\.\.(\S*)", texts)
    low, high = (match[1], match[2]) if match is not None else ("", "")
    if not (low + high).replace("-", "").isdecimal() and low + high:
        # Its range follows from arguments, which are drawn later.
        raise NoForm
    return low or str(_SIDES[0]), high or (f"({low}) + 7" if low else str(_SIDES[1]))
