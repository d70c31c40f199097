"""How far a run was from taking another branch: the utility of the search.

The source of the subject, and of functions of its module that it calls, is compiled again with its comparisons going
through a probe, which answers as the comparison would and records for both outcomes how far away they were (branch
distance: Korel 1990; surveyed by McMinn 2004). Line numbers stay; the code objects are exchanged in this process only.
Functions whose source is not at hand, or which close over variables of another function, or which numba compiles, keep their
code and are searched by nothing.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import math
import operator
import re
import textwrap
from collections.abc import Callable
from types import CodeType
from typing import Any

from temper.annotations import function_of, layers_of

# `from __future__ import annotations` and its like, which a function inherits from its module.
_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_OPERATORS = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.In: "in",
    ast.NotIn: "not in",
}
_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    **{name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}
# Members of a container that a value is compared with, to see how far it is from being one.
_MAX_MEMBERS = 50
_COMPARE, _TRUTH, _DIVISOR = "__temper_compare__", "__temper_truth__", "__temper_divisor__"
_ASKED, _READ, _ITEM = "__temper_asked__", "__temper_read__", "__temper_item__"
# Questions that texts and patterns answer, and functions that read a number from a text.
_OF_CHARACTERS = (
    "isdigit",
    "isnumeric",
    "isdecimal",
    "isalpha",
    "isalnum",
    "isupper",
    "islower",
    "isidentifier",
    "isspace",
)
_QUESTIONS = frozenset((*_OF_CHARACTERS, "startswith", "endswith", "match", "fullmatch", "search"))
_NUMBERS = frozenset(("int", "float"))
_MAX_ARGUMENTS = 2
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")
_PLAIN = (int, float, str, list, dict, tuple, re.Match)
# The distance of an outcome that gives no number to go by.
_FAR = 1e9


class TextAim:
    """A question about a text that was not answered as wanted: the text, what was asked, and with what."""

    __slots__ = ("asked", "text", "wanted")

    def __init__(self, text: str, asked: str, wanted: Any = None) -> None:
        self.text, self.asked, self.wanted = text, asked, wanted


class Probe:
    """What one run recorded: for each branch and outcome the least distance to it; 0 when it was taken."""

    def __init__(self) -> None:
        self.distances: dict[tuple[int, bool], float] = {}
        # What was compared where an outcome was missed by the least distance.
        self.operands: dict[tuple[int, bool], tuple[Any, Any] | TextAim] = {}
        # The last question about a text that was answered with no, and how many were answered with yes.
        self.refused: TextAim | None = None
        self.answered = 0

    def clear(self) -> None:
        """Forgets the last run."""
        self.distances = {}
        self.operands = {}
        self.refused, self.answered = None, 0

    def _note(
        self, branch: int, outcome: bool, other: float, operands: tuple[Any, Any] | TextAim | None = None
    ) -> None:
        distances = self.distances
        distances[branch, outcome] = 0.0
        key = (branch, not outcome)
        known = distances.get(key)
        if known is None or other < known:
            distances[key] = other
            if operands is not None:
                self.operands[key] = operands

    def compare(self, branch: int, name: str, left: Any, right: Any) -> Any:
        """Compares as the operator does, and notes how far the other outcome was."""
        result = _FUNCTIONS[name](left, right)
        if result is True or result is False:
            self._note(branch, result, _distance(name, left, right, result), (left, right))
        elif type(result).__name__ == "bool" or type(result).__name__ == "bool_":
            outcome = bool(result)
            self._note(branch, outcome, _distance(name, left, right, outcome), (left, right))
        return result

    def divisor(self, branch: int, value: Any) -> Any:
        """Notes how far a divisor is from 0, which is a crash to look for though no branch."""
        if type(value) in (int, float):
            self._note(branch, value == 0, min(abs(float(value)), _FAR) or 1.0, (value, 0))
        return value

    def asked(self, branch: int, owner: Any, question: str, *given: Any) -> Any:
        """Asks a text or a pattern as the call does, and notes what was asked of which text."""
        answer = getattr(owner, question)(*given)
        if type(owner) is str:
            aim = TextAim(owner, question, given[0] if given else None)
        elif type(owner) is re.Pattern and given and type(given[0]) is str:
            aim = TextAim(given[0], question, owner)
        elif owner is re and len(given) > 1 and type(given[1]) is str:
            aim = TextAim(given[1], question, given[0])
        else:
            return answer
        self._aim(branch, bool(answer), aim)
        return answer

    def read(self, branch: int, text: Any) -> Any:
        """Notes whether a text that is read as a number is one."""
        if type(text) is str:
            self._aim(branch, _NUMBER.fullmatch(text) is not None, TextAim(text, "number"))
        return text

    def item(self, branch: int, table: Any, key: str) -> Any:
        """Notes whether a table that was read from a text has a key."""
        if type(table) is dict:
            self._aim(branch, key in table, TextAim("", "item", (table, key)))
        return table

    def _aim(self, branch: int, outcome: bool, aim: TextAim) -> None:
        self.answered += outcome
        self.refused = self.refused if outcome else aim
        self._note(branch, outcome, 1.0, aim)

    def truth(self, branch: int, value: Any) -> Any:
        """Notes whether a value counts as true, where asking is harmless."""
        if value is True or value is False or value is None or type(value) in _PLAIN:
            other = 1.0
            if type(value) in (int, float):
                other = min(abs(float(value)), _FAR) or 1.0
            self._note(branch, bool(value), other)
        return value


def _distance(name: str, left: Any, right: Any, outcome: bool) -> float:
    """How far two values are from comparing the other way; at least a little above 0."""
    if name in ("in", "not in"):
        return 1.0 if (name == "in") == outcome else _distance_to_member(left, right)
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


def _distance_to_member(value: Any, container: Any) -> float:
    """How far a value is from the nearest member of a container."""
    if type(container) is type(value) is str:
        return _distance_to_piece(value, container)
    if type(container) not in (tuple, list, set, frozenset, dict) or len(container) > _MAX_MEMBERS:
        return _FAR
    return min((_distance("eq", value, member, False) for member in container), default=_FAR)


def _distance_to_piece(piece: str, text: str) -> float:
    """How many characters of a piece are missing in a text, from its end."""
    return float(next((missing for missing in range(1, len(piece)) if piece[:-missing] in text), len(piece)))


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
    level, distance = progress(distances, chain)
    return level - _closeness(distance) if level < len(chain) else float(level)


def progress(distances: dict[tuple[int, bool], float], chain: list[tuple[int, bool]]) -> tuple[int, float]:
    """How many outcomes of the chain a run took, and how far it was from the next one."""
    for level, step in enumerate(chain):
        distance = distances.get(step)
        if distance != 0.0:
            return level, _FAR if distance is None else distance
    return len(chain), 0.0


def _closeness(distance: float) -> float:
    """From near 0 to near 1, with a slope at every order of magnitude from 1e-9 to 1e9."""
    return math.log10(1.0 + distance * 1e9) / 20.0


class _Instrument(ast.NodeTransformer):
    """Sends comparisons and conditions through the probe; branches are numbered from `count`."""

    def __init__(self, count: int, with_texts: bool) -> None:
        self.count, self.with_texts = count, with_texts
        # Numbers of divisors and of questions about texts: searched for, but no branches.
        self.divisors: set[int] = set()
        # How many comprehensions, lambdas and classes deep.
        self._inner = 0

    def _branch(self, node: ast.AST) -> ast.Constant:
        self.count += 1
        return ast.Constant(self.count - 1)

    def visit_Compare(self, node: ast.Compare) -> Any:
        # Not a condition itself: what it gives may be asked later.
        self.generic_visit(node)
        is_plain = len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS
        return self._comparison(node) if is_plain else node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        is_text = isinstance(node.left, (ast.Constant, ast.JoinedStr)) and not _is_number(node.left)
        if isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)) and not is_text and not _is_number(node.right):
            self.divisors.add(self.count)
            node.right = self._call(_DIVISOR, [self._branch(node), node.right], node.right)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if not self.with_texts:
            return node
        is_plain = not node.keywords and not any(isinstance(each, ast.Starred) for each in node.args)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _QUESTIONS:
            if is_plain and len(node.args) <= _MAX_ARGUMENTS:
                self.divisors.add(self.count)
                asked = [self._branch(node), node.func.value, ast.Constant(node.func.attr), *node.args]
                return self._call(_ASKED, asked, node)
        elif isinstance(node.func, ast.Name) and node.func.id in _NUMBERS and is_plain and len(node.args) == 1:
            self.divisors.add(self.count)
            node.args = [self._call(_READ, [self._branch(node), node.args[0]], node.args[0])]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        self.generic_visit(node)
        is_key = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        if self.with_texts and is_key and isinstance(node.ctx, ast.Load):
            self.divisors.add(self.count)
            # The lookup itself stays where it is: what it raises has the same frames.
            node.value = self._call(_ITEM, [self._branch(node), node.value, node.slice], node.value)
        return node

    def _with_test(self, node: Any) -> Any:
        test = self._test(node.test)
        node.test = ast.Constant(True)
        self.generic_visit(node)
        node.test = test
        return node

    visit_If = visit_While = visit_IfExp = visit_Assert = _with_test

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        tests = [self._test(test) for test in node.ifs]
        node.ifs = []
        self.generic_visit(node)
        node.ifs = tests
        return node

    def _test(self, test: ast.expr) -> ast.expr:
        if isinstance(test, ast.BoolOp):
            test.values = [self._test(value) for value in test.values]
            return test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test.operand = self._test(test.operand)
            return test
        if isinstance(test, ast.Compare):
            self.generic_visit(test)
            return self._comparison(test)
        test = self.visit(test)
        return self._call(_TRUTH, [self._branch(test), test], test)

    def _comparison(self, test: ast.Compare) -> ast.expr:
        if len(test.ops) == 1 and type(test.ops[0]) in _OPERATORS:
            name = ast.Constant(_OPERATORS[type(test.ops[0])])
            return self._call(_COMPARE, [self._branch(test), name, test.left, test.comparators[0]], test)
        if len(test.ops) > 1 and self._inner == 0:
            return self._chain(test)
        return self._call(_TRUTH, [self._branch(test), test], test)

    def _chain(self, test: ast.Compare) -> ast.expr:
        """`a < b < c` as two comparisons; what stands in the middle is kept in a variable, as it is asked for once."""
        parts: list[ast.expr] = []
        left = test.left
        for op, right in zip(test.ops, test.comparators, strict=True):
            kept = right
            if right is not test.comparators[-1] and not isinstance(right, (ast.Name, ast.Constant)):
                name = f"__temper_{self.count}__"
                kept = ast.Name(name, ast.Load())
                right = ast.copy_location(ast.NamedExpr(ast.Name(name, ast.Store()), right), test)
            parts.append(self._comparison(ast.copy_location(ast.Compare(left, [op], [right]), test)))
            left = kept
        return ast.fix_missing_locations(ast.copy_location(ast.BoolOp(ast.And(), parts), test))

    def _within(self, node: Any) -> Any:
        # Variables of ours are not allowed in there.
        self._inner += 1
        self.generic_visit(node)
        self._inner -= 1
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda = visit_ClassDef = _within

    def _call(self, name: str, arguments: list[ast.expr], at: ast.expr) -> ast.expr:
        call = ast.Call(ast.Name(name, ast.Load()), arguments, [])
        return ast.fix_missing_locations(ast.copy_location(call, at))


# Functions of the module that are probed with the subject: enough for helpers, little enough to compile at once.
_MAX_HELPERS = 24


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


class Branches:
    """The branches of some functions, and behind them those of the functions of their modules that they call. If they take texts,
    questions about texts are searched for too."""

    def __init__(self, functions: list[Any], with_texts: bool = False) -> None:
        self.probe, self._with_texts = Probe(), with_texts
        # How many branches are the functions' own; they have the first numbers.
        self.own = 0
        self.count = 0
        self.divisors: set[int] = set()
        for function in functions:
            self._probe(function)
        self.own = self.count
        known = {id(function) for function in functions}
        for helper in (helper for function in functions for helper in helpers_of(function)):
            if id(helper) not in known:
                known.add(id(helper))
                self._probe(helper)

    def _probe(self, function: Any) -> None:
        code, transformer = _instrumented(function, self.count, self._with_texts)
        if code is not None:
            probe = self.probe
            names = {_COMPARE: probe.compare, _TRUTH: probe.truth, _DIVISOR: probe.divisor}
            names |= {_ASKED: probe.asked, _READ: probe.read, _ITEM: probe.item}
            function.__globals__.update(names)
            _WRITTEN[code] = function.__code__
            function.__code__ = code
            self.count = transformer.count
            self.divisors |= transformer.divisors

    def outcomes(self, covered: set[tuple[int, bool]]) -> list[int]:
        """How many outcomes of the function's own branches are among those covered, and how many there are."""
        own = set(range(self.own)) - self.divisors
        return [sum(branch in own for branch, _ in covered), 2 * len(own)]


# By code with probes, the code as it was written.
_WRITTEN: dict[CodeType, CodeType] = {}


def code_of(function: Any) -> CodeType | None:
    """The code of a function as it was written, without probes."""
    code = getattr(function, "__code__", None)
    return _WRITTEN.get(code, code) if code is not None else None


def helpers_of(function: Any) -> list[Any]:
    """The functions and methods of the same module that a function names, and those that they name."""
    found: dict[int, Any] = {id(function): function}
    names = getattr(function, "__globals__", {})
    methods: dict[str, list[Any]] = {}
    for value in list(names.values()):
        if isinstance(value, type) and value.__module__ == function.__module__:
            for name, method in vars(value).items():
                methods.setdefault(name, []).append(function_of(method))
    queue = [function]
    while queue and len(found) <= _MAX_HELPERS:
        code = getattr(queue.pop(), "__code__", None)
        for name in code.co_names if code is not None else ():
            own = names.get(name)
            for helper in (*(() if _is_compiled(own) else (function_of(own),)), *methods.get(name, ())):
                is_own = inspect.isfunction(helper) and helper.__module__ == function.__module__
                if is_own and id(helper) not in found:
                    found[id(helper)] = helper
                    queue.append(helper)
    return list(found.values())[1 : _MAX_HELPERS + 1]


def _instrumented(function: Any, count: int, with_texts: bool) -> tuple[Any, Any]:
    """The function's code with probes, and what put them in; None where there is nothing to see."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_freevars:
        return None, None
    called = function.__globals__.get(code.co_name)
    if function_of(called) is function and _is_compiled(called):
        return None, None
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None, None
    ast.increment_lineno(tree, first - 1)
    if not tree.body or not isinstance(tree.body[0], (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None, None
    definition: Any = tree.body[0]
    definition.decorator_list = []
    definition.returns = None
    transformer = _Instrument(count, with_texts)
    definition.body = [transformer.visit(statement) for statement in definition.body]
    if transformer.count == count:
        return None, None
    ast.fix_missing_locations(tree)
    try:
        compiled = compile(tree, code.co_filename, "exec", dont_inherit=True, flags=code.co_flags & _FUTURE)
    except (SyntaxError, ValueError):
        return None, None
    found = _function_code(compiled, code.co_name)
    if found is None or found.co_freevars or found.co_argcount != code.co_argcount:
        return None, None
    # The first line stays that of the `def`: the table of lines counts from it.
    named = found.replace(co_qualname=code.co_qualname) if hasattr(code, "co_qualname") else found
    return named, transformer


def _is_compiled(decorated: Any) -> bool:
    """Whether numba makes machine code of the code of a function when it is called. It cannot read probes."""
    return any(type(layer).__module__.partition(".")[0] == "numba" for layer in layers_of(decorated))


def _function_code(module: Any, name: str) -> Any:
    for constant in module.co_consts:
        if inspect.iscode(constant) and constant.co_name == name:
            return constant
    return None
