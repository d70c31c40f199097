"""Test code for findings and properties: what ``temper check --emit`` writes."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

from temper.check import judge, origin, terms
from temper.check.origin import text_of
from temper.check.subjects import Subject, constraints_of
from temper.check.targets import Target
from temper.check.tree import bound_names, shape_names
from temper.constraints import Constraint
from temper.properties import settings

# Findings whose test needs a process of its own have no statements here.
_PLAIN = (judge.CRASH, judge.ENSURE, judge.NAN, judge.REGRESSION)
_SIDES = (1, 8)


def check_text(subject: Subject, kind: str, call: str, recorded: Any = None) -> str:
    """Statements that fail as long as a finding is there; `recorded` is the result that `@regression` knows."""
    if kind not in _PLAIN:
        return ""
    settled = verified(call) if kind in (judge.ENSURE, judge.REGRESSION) or _is_lazy(subject) else call
    if kind == judge.REGRESSION:
        rel = subject.target.record.regression
        return f"assert temper.difference({recorded!r}, {settled}, rel={rel!r}) is None"
    return f"assert temper.is_finite({settled})" if kind == judge.NAN else settled


def _is_lazy(subject: Subject) -> bool:
    """Whether what the function returns must be awaited or consumed before anything happens."""
    function = subject.target.function
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return True
    if inspect.isgeneratorfunction(function) or subject.target.record.consume is not None:
        return True
    # A function that gives an iterator without `yield` crashes only when that is consumed, too.
    names = getattr(getattr(function, "__code__", None), "co_names", ())
    return any(name in names for name in ("map", "filter", "zip"))


def verified(call: str) -> str:
    """The call through `temper.verify`, which holds it to its postconditions."""
    node = ast.parse(call, mode="eval").body
    callee = ast.get_source_segment(call, node.func) if isinstance(node, ast.Call) else None
    if callee is None:
        # A property of an instance: there is no call to verify.
        return call
    rest = call[len(callee) + 1 : -1]
    return f"temper.verify({callee}, {rest})" if rest else f"temper.verify({callee})"


def property_text(subject: Subject, module: Any, form: str, has_findings: bool) -> str | None:
    """A property test: what it needs, one statement a line; an empty line; the test. None for what has no such form."""
    target = subject.target
    if target.kind not in ("function", "constructor") or subject.argument_count == 0 or target.parent is not None:
        return None
    writer = _Hypothesis(module) if form == "hypothesis" else _Forall(module)
    try:
        text = writer.test(target, has_findings)
    except _NoForm:
        return None
    needed = [line for line in origin.imports_of(text, module).split("; ") if line]
    return "\n".join([*writer.needed, *needed]) + "\n\n" + text


class _NoForm(Exception):
    """The constraint has no counterpart."""


def _name(target: Target) -> str:
    name = target.name.removesuffix(".__init__")
    return "test_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace(".", "_").lower() + "_property"


def _call(target: Target, names: list[str]) -> str:
    parts = []
    for parameter in target.parameters():
        if parameter.name not in names:
            continue
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            parts.append(f"*{parameter.name}")
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            parts.append(f"**{parameter.name}")
        elif parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            parts.append(parameter.name)
        else:
            parts.append(f"{parameter.name}={parameter.name}")
    callee = target.name.removesuffix(".__init__")
    return f"temper.verify({', '.join([callee, *parts])})"


def _body(target: Target, names: list[str], assume: str) -> list[str]:
    lines = []
    for condition in target.record.preconditions:
        text, node = terms.expression_of(condition.test)
        if node is None:
            raise _NoForm
        lines.append(f"{assume}({ast.unparse(node) if not isinstance(condition.test, str) else text})")
    call = _call(target, names)
    if target.record.raises:
        listed = ", ".join(error.__qualname__ for error in target.record.raises)
        lines += ["try:", f"    {call}", f"except ({listed},):", "    pass"]
    else:
        lines.append(call)
    return lines


def _marked(has_findings: bool) -> list[str]:
    return ['@pytest.mark.xfail(reason="see the findings above", strict=False)'] if has_findings else []


class _Forall:
    """Properties with `temper.forall`: the constraints stay what they are."""

    def __init__(self, module: Any) -> None:
        self.needed = ["import temper"]

    def test(self, target: Target, has_findings: bool) -> str:
        given = constraints_of(target)
        if has_findings:
            self.needed.append("import pytest")
        texts = {name: constraint_text(each) for name, each in given.items()}
        domains = ", ".join(f"{name}={text}" for name, text in texts.items())
        if any(name in settings.NAMES for name in texts):
            # By name, these would be read as settings of the property.
            domains = "{" + ", ".join(f"{name!r}: {text}" for name, text in texts.items()) + "}"
        if _shapes(given) and target.record.preconditions:
            raise _NoForm
        lines = [*_marked(has_findings), f"@temper.forall({domains})", f"def {_name(target)}({', '.join(given)}):"]
        lines += [f"    {line}" for line in _body(target, list(given), "temper.assume")]
        return "\n".join(lines)


def constraint_text(constraint: Any) -> str:
    """A constraint as source text."""
    if not isinstance(constraint, Constraint):
        return text_of(constraint)
    if constraint.kind == "froms":
        values = constraint.params["values"]
        texts = origin.written(constraint.file, constraint.line, frozenset(("froms", "sampled")), values)
        listed = [text_of(value, text) for value, text in zip(values, texts or [None] * len(values), strict=True)]
        return f"temper.froms([{', '.join(listed)}])"
    if constraint.kind in ("tuples", "anys"):
        parts = constraint.params["elements" if constraint.kind == "tuples" else "options"]
        return f"temper.{constraint.kind}({', '.join(map(constraint_text, parts))})"
    if constraint.params.get("is_tuple"):
        raise _NoForm
    kind = "tensors" if constraint.params.get("lib") else constraint.kind
    given = {name: value for name, value in constraint.params.items() if value is not False and value is not None}
    if kind == "floats" and given.get("width") == 64:
        del given["width"]
    return f"temper.{kind}({', '.join(f'{name}={_parameter_text(name, value)}' for name, value in given.items())})"


def _parameter_text(name: str, value: Any) -> str:
    if isinstance(value, Constraint):
        return constraint_text(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {constraint_text(part)}" for key, part in value.items()) + "}"
    if name == "dtype" and not isinstance(value, str):
        is_many = isinstance(value, (list, tuple))
        return repr([_dtype_name(each) for each in value] if is_many else _dtype_name(value))
    return text_of(value)


class _Hypothesis:
    """Properties with Hypothesis: each argument is drawn after those that its bounds name."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.needed = [
            "from hypothesis import HealthCheck, assume, given, settings",
            "from hypothesis import strategies as st",
        ]
        self.names: set[str] = set()

    def test(self, target: Target, has_findings: bool) -> str:
        if has_findings:
            self.needed.append("import pytest")
        given = constraints_of(target)
        self.names = set(given)
        drawn: list[str] = []
        done: set[str] = set()
        for name in _shapes(given):
            low, high = _side_range(name, given)
            drawn.append(f"{name} = data.draw(st.integers({low}, {high}))")
            done.add(name)
        waiting = dict(given)
        while waiting:
            ready = [name for name, each in waiting.items() if not (bound_names(each) & set(waiting)) - {name}]
            if not ready:
                raise _NoForm
            for name in ready:
                drawn.append(f"{name} = data.draw({self.strategy(waiting.pop(name))})")
        self.needed.append("import temper")
        lines = _marked(has_findings)
        lines += ["@settings(deadline=None, suppress_health_check=list(HealthCheck))", "@given(data=st.data())"]
        lines.append(f"def {_name(target)}(data):")
        return "\n".join(lines + [f"    {line}" for line in drawn + _body(target, list(given), "assume")])

    def strategy(self, constraint: Any) -> str:
        """The strategy of a constraint; a plain value stands for itself."""
        if not isinstance(constraint, Constraint):
            return f"st.just({text_of(constraint)})"
        made = getattr(self, f"_{constraint.kind}", None)
        if made is None:
            raise _NoForm
        return made(constraint, constraint.params)

    def _froms(self, constraint: Constraint, params: dict[str, Any]) -> str:
        return "st.sampled_from(" + constraint_text(constraint).removeprefix("temper.froms(")

    def _bools(self, constraint: Constraint, params: dict[str, Any]) -> str:
        return "st.booleans()"

    def _ints(self, constraint: Constraint, params: dict[str, Any]) -> str:
        low, high = params.get("min", 0), params.get("max", 1000)
        if "min" in params and "max" not in params and low is not None:
            high = f"({low}) + 1000"
        if "max" in params and "min" not in params and high is not None:
            low = f"({high}) - 1000"
        return f"st.integers({-(1 << 63) if low is None else low}, {(1 << 63) - 1 if high is None else high})"

    def _floats(self, constraint: Constraint, params: dict[str, Any]) -> str:
        width = params.get("width", 64)
        parts = _ends(params, width)
        parts += [f"{name}=True" for name in ("exclude_min", "exclude_max") if params.get(name)]
        parts += [f"allow_nan={bool(params.get('nan'))}", f"allow_infinity={bool(params.get('inf'))}"]
        return f"st.floats({', '.join(parts)}, width={width})"

    def _texts(self, constraint: Constraint, params: dict[str, Any]) -> str:
        alphabet = params.get("alphabet")
        letters = repr(alphabet) if alphabet else "st.characters(min_codepoint=32, max_codepoint=126)"
        low, high = _lengths(params)
        return f"st.text({letters}, min_size={low}, max_size={high})"

    def _lists(self, constraint: Constraint, params: dict[str, Any]) -> str:
        low, high = _lengths(params)
        text = f"st.lists({self.strategy(params['element'])}, min_size={low}, max_size={high})"
        return f"{text}.map(tuple)" if params.get("is_tuple") else text

    def _tuples(self, constraint: Constraint, params: dict[str, Any]) -> str:
        return f"st.tuples({', '.join(map(self.strategy, params['elements']))})"

    def _anys(self, constraint: Constraint, params: dict[str, Any]) -> str:
        return f"st.one_of({', '.join(map(self.strategy, params['options']))})"

    def _dicts(self, constraint: Constraint, params: dict[str, Any]) -> str:
        low = params.get("min_size") or 0
        high = params.get("max_size")
        keys, values = self.strategy(params["keys"]), self.strategy(params["values"])
        return f"st.dictionaries({keys}, {values}, min_size={low}, max_size={low + 4 if high is None else high})"

    def _records(self, constraint: Constraint, params: dict[str, Any]) -> str:
        fields = params["fields"].items()
        always = ", ".join(f"{name!r}: {self.strategy(each)}" for name, each in fields if not name.endswith("?"))
        maybe = ", ".join(f"{name[:-1]!r}: {self.strategy(each)}" for name, each in fields if name.endswith("?"))
        return f"st.fixed_dictionaries({{{always}}}, optional={{{maybe}}})"

    def _np_shapes(self, constraint: Constraint, params: dict[str, Any]) -> str:
        self._need_numpy()
        low = params.get("min_side", 1)
        high = params.get("max_side")
        if isinstance(low, str) or isinstance(high, str):
            raise _NoForm
        high = max(low + 5, 8) if high is None else high
        least = params.get("min_dims", 1)
        most = params.get("max_dims")
        most = max(least, 3) if most is None else most
        return f"hnp.array_shapes(min_dims={least}, max_dims={most}, min_side={low}, max_side={high})"

    def _np_arrays(self, constraint: Constraint, params: dict[str, Any]) -> str:
        self._need_numpy()
        if params.get("unique"):
            raise _NoForm
        dtypes = params.get("dtype") or ["float64", "float32", "int64", "int32", "uint8"]
        if isinstance(dtypes, str):
            dtypes = [part.strip() for part in dtypes.split("|")]
        dtypes = dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
        options = [self._array(_dtype_name(dtype), params) for dtype in dtypes]
        text = options[0] if len(options) == 1 else f"st.one_of({', '.join(options)})"
        if params.get("lib") == "torch":
            self.needed.append("import torch")
            return f"{text}.map(torch.from_numpy)"
        if params.get("lib"):
            raise _NoForm
        return text

    def _array(self, dtype: str, params: dict[str, Any]) -> str:
        shape = params.get("shape")
        if shape is None:
            sides = self._np_shapes(Constraint("np_shapes", {}), {})
        elif isinstance(shape, Constraint):
            sides = self.strategy(shape)
        else:
            parts = shape.replace(",", " ").split() if isinstance(shape, str) else shape
            parts = [shape] if isinstance(shape, int) else parts
            if any(str(part).startswith("*") for part in parts):
                raise _NoForm
            sides = "(" + "".join(f"{str(part).partition(':')[0]}, " for part in parts) + ")"
        return f"hnp.arrays({dtype!r}, {sides}, elements={self._cells(dtype, params)})"

    def _cells(self, dtype: str, params: dict[str, Any]) -> str:
        if dtype.startswith("float"):
            flags = f"allow_nan={bool(params.get('nan'))}, allow_infinity={bool(params.get('inf'))}"
            return f"st.floats({', '.join([*_ends(params, int(dtype[5:])), flags])}, width={dtype[5:]})"
        if dtype.startswith("complex"):
            raise _NoForm
        if params.get("min") is None and params.get("max") is None:
            return "None"
        low, high = (0, 1) if dtype == "bool" else _whole_range(dtype)
        return f"st.integers({params.get('min', low)}, {params.get('max', high)})"

    def _objs(self, constraint: Constraint, params: dict[str, Any]) -> str:
        generator = params["generator"]
        name = getattr(generator, "__qualname__", "")
        if vars(self.module).get(name) is not generator or isinstance(generator, type):
            raise _NoForm
        target = Target(name, generator, generator, "function")
        if target.record.preconditions:
            raise _NoForm
        parts = [f"{each}={self.strategy(inner)}" for each, inner in constraints_of(target).items()]
        return f"st.builds({', '.join([name, *parts])})"

    def _need_numpy(self) -> None:
        line = "from hypothesis.extra import numpy as hnp"
        if line not in self.needed:
            self.needed.append(line)


def _dtype_name(dtype: Any) -> str:
    import numpy

    return numpy.dtype(dtype).name


def _whole_range(dtype: str) -> tuple[int, int]:
    import numpy

    return int(numpy.iinfo(dtype).min), int(numpy.iinfo(dtype).max)


def _ends(params: dict[str, Any], width: int) -> list[str]:
    """The bounds of floats; Hypothesis takes only those that are floats of the width themselves."""
    found = []
    for end, towards in (("min", float("inf")), ("max", float("-inf"))):
        value = params.get(end)
        if value is not None:
            text = value if isinstance(value, str) else repr(_rounded(value, width, towards))
            found.append(f"{end}_value={text}")
    return found


def _rounded(value: float, width: int, towards: float) -> float:
    """The nearest float of a width that is on the inner side of a bound."""
    import numpy

    kind = {16: numpy.float16, 32: numpy.float32, 64: numpy.float64}[width]
    near = kind(value)
    is_outside = near < value if towards > 0 else near > value
    return float(numpy.nextafter(near, kind(towards)) if is_outside else near)


def _lengths(params: dict[str, Any]) -> tuple[Any, Any]:
    if "len" in params:
        return params["len"], params["len"]
    low = params.get("min_len", 0)
    high = params.get("max_len")
    return low, (f"({low}) + 8" if high is None else high)


def _shapes(given: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for each in given.values():
        found += [name for name in shape_names(each) if name not in found and name not in given]
    return found


def _side_range(name: str, given: dict[str, Any]) -> tuple[str, str]:
    """The range of a shape variable, wherever it is given."""
    texts = " ".join(str(part) for each in given.values() for part in _shape_texts(each))
    match = re.search(rf"\b{re.escape(name)}:([^.\s]*)\.\.(\S*)", texts)
    low, high = (match[1], match[2]) if match is not None else ("", "")
    return low or str(_SIDES[0]), high or (f"({low}) + 7" if low else str(_SIDES[1]))


def _shape_texts(constraint: Any) -> list[Any]:
    if isinstance(constraint, Constraint):
        found = [constraint.params[key] for key in ("shape", "rows") if isinstance(constraint.params.get(key), str)]
        return found + [part for value in constraint.params.values() for part in _shape_texts(value)]
    if isinstance(constraint, dict):
        constraint = list(constraint.values())
    return [part for each in constraint for part in _shape_texts(each)] if isinstance(constraint, list) else []
