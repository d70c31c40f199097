"""How far a run was from taking another branch: the utility of the search.

The subject's own source is compiled again with its comparisons going through a probe, which answers as the comparison
would and records for both outcomes how far away they were (branch distance: Korel 1990; surveyed by McMinn 2004).
Line numbers stay; the code object of the function is exchanged in this process only. Functions whose source is not at
hand, or which close over variables of another function, keep their code and are searched by nothing.
"""

from __future__ import annotations

import ast
import inspect
import math
import operator
import textwrap
from typing import Any

_OPERATORS = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
_FUNCTIONS = {name: getattr(operator, name) for name in _OPERATORS.values()}
_COMPARE, _TRUTH = "__temper_compare__", "__temper_truth__"
# The distance of an outcome that gives no number to go by.
_FAR = 1e9


class Probe:
    """What one run recorded: for each branch and outcome the least distance to it; 0 when it was taken."""

    def __init__(self) -> None:
        self.distances: dict[tuple[int, bool], float] = {}

    def clear(self) -> None:
        """Forgets the last run."""
        self.distances = {}

    def _note(self, branch: int, outcome: bool, other: float) -> None:
        distances = self.distances
        distances[branch, outcome] = 0.0
        key = (branch, not outcome)
        known = distances.get(key)
        if known is None or other < known:
            distances[key] = other

    def compare(self, branch: int, name: str, left: Any, right: Any) -> Any:
        """Compares as the operator does, and notes how far the other outcome was."""
        result = _FUNCTIONS[name](left, right)
        if result is True or result is False:
            self._note(branch, result, _distance(name, left, right, result))
        elif type(result).__name__ == "bool" or type(result).__name__ == "bool_":
            outcome = bool(result)
            self._note(branch, outcome, _distance(name, left, right, outcome))
        return result

    def truth(self, branch: int, value: Any) -> Any:
        """Notes whether a value counts as true, where asking is harmless."""
        if value is True or value is False or value is None or type(value) in (int, float, str, list, dict, tuple):
            other = 1.0
            if type(value) in (int, float):
                other = min(abs(float(value)), _FAR) or 1.0
            self._note(branch, bool(value), other)
        return value


def _distance(name: str, left: Any, right: Any, outcome: bool) -> float:
    """How far two values are from comparing the other way; at least a little above 0."""
    try:
        gap = abs(float(left) - float(right))
    except (TypeError, ValueError, OverflowError):
        return _text_distance(left, right) if type(left) is type(right) is str else _FAR
    if gap != gap:
        return _FAR
    if name in ("eq", "ne"):
        # From different to equal is the gap; from equal to different is any step.
        is_equal = (name == "eq") == outcome
        return 1.0 if is_equal else min(gap, _FAR)
    return min(gap, _FAR) + (1.0 if type(left) is int and type(right) is int else 1e-12)


def _text_distance(left: str, right: str) -> float:
    shared = sum(ord(a) != ord(b) for a, b in zip(left, right, strict=False))
    return float(shared + abs(len(left) - len(right))) or 1.0


def chain_of(distances: dict[tuple[int, bool], float], key: tuple[int, bool]) -> list[tuple[int, bool]]:
    """The outcomes that a run took on its way to a branch, in order, and the wanted outcome of that branch."""
    taken = []
    for step, distance in distances.items():
        if step[0] == key[0]:
            break
        if distance == 0.0:
            taken.append(step)
    return [*taken, key]


def utility(distances: dict[tuple[int, bool], float], chain: list[tuple[int, bool]]) -> float:
    """Higher is nearer: how many outcomes of the chain a run took, less how far it was from the next one.

    Counting the way and not only its end lets a climb leave an equation that it has met and meet it again elsewhere.
    """
    for level, step in enumerate(chain):
        distance = distances.get(step)
        if distance != 0.0:
            return level - _closeness(_FAR if distance is None else distance)
    return float(len(chain))


def _closeness(distance: float) -> float:
    """From near 0 to near 1, with a slope at every order of magnitude from 1e-9 to 1e9."""
    return math.log10(1.0 + distance * 1e9) / 20.0


class _Instrument(ast.NodeTransformer):
    """Sends the comparisons of conditions through the probe."""

    def __init__(self) -> None:
        self.count = 0
        self.lines: list[int] = []
        self._depth = 0

    def _branch(self, node: ast.AST) -> ast.Constant:
        self.count += 1
        self.lines.append(node.lineno)  # type: ignore[attr-defined]
        return ast.Constant(self.count - 1)

    def visit_FunctionDef(self, node: Any) -> Any:
        # Functions inside the subject are probed with it.
        self.generic_visit(node)
        return node

    def _with_test(self, node: Any) -> Any:
        node.test = self._test(node.test)
        self.generic_visit(node)
        return node

    visit_If = visit_While = visit_IfExp = visit_Assert = _with_test

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        node.ifs = [self._test(test) for test in node.ifs]
        self.generic_visit(node)
        return node

    def _test(self, test: ast.expr) -> ast.expr:
        if isinstance(test, ast.BoolOp):
            test.values = [self._test(value) for value in test.values]
            return test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test.operand = self._test(test.operand)
            return test
        if isinstance(test, ast.Compare):
            return self._comparison(test)
        return self._call(_TRUTH, [self._branch(test), test], test)

    def _comparison(self, test: ast.Compare) -> ast.expr:
        if len(test.ops) == 1 and type(test.ops[0]) in _OPERATORS:
            name = ast.Constant(_OPERATORS[type(test.ops[0])])
            return self._call(_COMPARE, [self._branch(test), name, test.left, test.comparators[0]], test)
        middle = test.comparators[:-1]
        if middle and all(isinstance(each, (ast.Name, ast.Constant)) for each in middle):
            # What stands in the middle is evaluated twice: only names and constants.
            lefts = [test.left, *middle]
            parts = [
                self._comparison(ast.copy_location(ast.Compare(left, [op], [right]), test))
                for left, op, right in zip(lefts, test.ops, test.comparators, strict=True)
            ]
            return ast.copy_location(ast.BoolOp(ast.And(), parts), test)
        return self._call(_TRUTH, [self._branch(test), test], test)

    def _call(self, name: str, arguments: list[ast.expr], at: ast.expr) -> ast.expr:
        call = ast.Call(ast.Name(name, ast.Load()), arguments, [])
        return ast.fix_missing_locations(ast.copy_location(call, at))


class Branches:
    """The branches of one function."""

    def __init__(self, function: Any) -> None:
        self.probe = Probe()
        self.count = 0
        self.lines: list[int] = []
        self._function = function
        code = _instrumented(function, self)
        if code is not None:
            names = function.__globals__
            names[_COMPARE], names[_TRUTH] = self.probe.compare, self.probe.truth
            function.__code__ = code


def _instrumented(function: Any, branches: Branches) -> Any:
    code = getattr(function, "__code__", None)
    if code is None or code.co_freevars:
        return None
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    ast.increment_lineno(tree, first - 1)
    if not tree.body or not isinstance(tree.body[0], (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    definition: Any = tree.body[0]
    definition.decorator_list = []
    definition.returns = None
    transformer = _Instrument()
    definition.body = [transformer.visit(statement) for statement in definition.body]
    if transformer.count == 0:
        return None
    ast.fix_missing_locations(tree)
    try:
        compiled = compile(tree, code.co_filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    found = _function_code(compiled, code.co_name)
    if found is None or found.co_freevars:
        return None
    branches.count, branches.lines = transformer.count, transformer.lines
    # The first line stays that of the `def`: the table of lines counts from it.
    return found.replace(co_qualname=code.co_qualname) if hasattr(code, "co_qualname") else found


def _function_code(module: Any, name: str) -> Any:
    for constant in module.co_consts:
        if inspect.iscode(constant) and constant.co_name == name:
            return constant
    return None
