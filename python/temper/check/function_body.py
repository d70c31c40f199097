"""What the body of a function says about its parameters: assertions, `raise`, and what is done with an argument."""

from __future__ import annotations

import ast
from typing import Any

from temper.check.guess import Clues
from temper.check.literals import MAKERS, callee, literal

_REDUCERS = frozenset(
    ("sum", "mean", "std", "var", "max", "min", "argmax", "argmin", "cumsum", "sort", "argsort", "ravel")
)
_COMPARED = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}
_SWAPPED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
# Calls whose arguments are sizes: all of them, or the first one.
_SIZED_BY_ALL = frozenset(("arange", "eye", "identity", "tri", "rand", "randn", "range"))
_SIZED_BY_FIRST = MAKERS
_OF_TABLES = frozenset(("columns", "loc", "iloc", "values", "groupby", "to_numpy", "merge", "iterrows", "sort_values"))
# Functions of numpy that take one number as well as an array.
_OF_NUMBERS = frozenset(("float64", "float32", "sqrt", "exp", "log", "abs", "clip"))


class FunctionBody(ast.NodeVisitor):
    """Reads a body into the clues, requirements, exceptions and products of a function of `suggest`."""

    def __init__(self, function: Any) -> None:
        self.function, self.clues = function, function.clues
        self.methods: set[ast.expr] = set()

    def read(self) -> None:
        """Reads everything."""
        for statement in self.function.node.body:
            self.visit(statement)

    def _of(self, node: Any) -> Clues | None:
        return self.clues.get(node.id) if isinstance(node, ast.Name) else None

    def visit_FunctionDef(self, node: Any) -> None:
        """What a function inside does with names is its own affair."""

    def visit_Assert(self, node: ast.Assert) -> None:
        self._valid(node.test, f"line {node.lineno}")

    def visit_If(self, node: ast.If) -> None:
        raised = [each for each in node.body if isinstance(each, ast.Raise)]
        if raised and len(node.body) <= 2:
            before = len(self.function.requires)
            self._invalid(node.test, f"line {node.lineno}")
            name = callee(raised[0].exc) if raised[0].exc is not None else ""
            if name and before == len(self.function.requires) and name not in self.function.raises:
                self.function.raises.append(name)
        self.generic_visit(node)

    def _valid(self, test: ast.expr, where: str) -> None:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            for part in test.values:
                self._valid(part, where)
        elif isinstance(test, ast.Compare):
            self._compared(test, where)

    def _invalid(self, test: ast.expr, where: str) -> None:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
            for part in test.values:
                self._invalid(part, where)
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self._valid(test.operand, where)
        elif isinstance(test, ast.Compare) and len(test.ops) == 1:
            opposite = _COMPARED.get(type(test.ops[0]))
            if isinstance(test.ops[0], ast.NotIn):
                self._compared(ast.Compare(test.left, [ast.In()], test.comparators), where)
            elif isinstance(test.ops[0], ast.NotEq):
                self._compared(ast.Compare(test.left, [ast.Eq()], test.comparators), where)
            elif opposite is not None:
                self._compared(ast.Compare(test.left, [opposite()], test.comparators), where)

    def _compared(self, test: ast.Compare, where: str) -> None:
        lefts = [test.left, *test.comparators[:-1]]
        for left, operator, right in zip(lefts, test.ops, test.comparators, strict=True):
            clues, number = self._of(left), literal(right, {})
            kind: Any = type(operator)
            if clues is None:
                clues, number, kind = self._of(right), literal(left, {}), _SWAPPED.get(kind, kind)
            if clues is not None and kind is ast.In and isinstance(number, (list, tuple, set)):
                clues.options = list(number)
                clues.note(where)
            elif clues is not None and type(number) in (int, float) and kind in _COMPARED:
                clues.bound(kind, number, where)
            elif self._is_relation(left) and self._is_relation(right) and kind in (*_COMPARED, ast.Eq):
                text = ast.unparse(ast.Compare(left, [operator], [right]))
                if text not in [known for known, _ in self.function.requires]:
                    self.function.requires.append((text, where))

    def _is_relation(self, node: ast.expr) -> bool:
        """Whether an expression is over parameters alone, in the terms that preconditions are built from."""
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - {"len"}
        calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
        return bool(names) and names <= set(self.clues) and all(callee(each) == "len" for each in calls)

    def visit_Compare(self, node: ast.Compare) -> None:
        clues = self._of(node.left)
        if clues is not None and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.In)):
            value = literal(node.comparators[0], {})
            values = value if isinstance(value, (list, tuple)) else [value]
            if values and all(isinstance(each, str) for each in values):
                for each in values:
                    clues.value(each, f"line {node.lineno}")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            clues = self._of(node.value.value)
            if clues is not None:
                clues.see("array", f"line {node.lineno}", 3)
                clues.dims.add(len(target.elts))
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        clues = self._of(node.value)
        if clues is not None:
            if node.attr in ("shape", "dtype", "ndim", "T", "astype", "reshape", "ravel", "size", *_REDUCERS):
                clues.see("array", f"line {node.lineno}")
            elif node.attr in ("append", "extend", "pop", "insert"):
                clues.see("list", f"line {node.lineno}")
            elif node.attr in ("lower", "upper", "split", "strip", "startswith", "endswith", "format", "join"):
                clues.see("str", f"line {node.lineno}")
            elif node.attr in ("items", "keys", "get") or (node.attr == "values" and node in self.methods):
                clues.see("dict", f"line {node.lineno}")
            elif node.attr in _OF_TABLES:
                clues.see("table", f"line {node.lineno}")
            elif not clues.is_hinted:
                clues.see("object", f"line {node.lineno}", 4)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        clues = self._of(node.value)
        if clues is not None and isinstance(node.slice, ast.Tuple):
            clues.see("array", f"line {node.lineno}", 2)
            clues.dims.add(sum(not (isinstance(part, ast.Constant) and part.value is None) for part in node.slice.elts))
        inner = node.value
        if isinstance(inner, ast.Attribute) and inner.attr == "shape" and isinstance(node.slice, ast.Constant):
            shaped = self._of(inner.value)
            if shaped is not None and type(node.slice.value) is int and node.slice.value > 0:
                shaped.dims.add(node.slice.value + 1)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        sides = [self._of(side) for side in (node.left, node.right)]
        if isinstance(node.op, ast.MatMult):
            for clues in sides:
                if clues is not None:
                    clues.see("array", f"line {node.lineno}", 2)
            if sides[0] is not None and sides[1] is not None:
                self.function.products.append((sides[0], sides[1]))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = callee(node)
        is_numpy = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") in ("np", "numpy", "xp")
        axes = [keyword.value for keyword in node.keywords if keyword.arg == "axis"]
        sizes = self._sizes(node, name)
        self.methods.add(node.func)
        for clues in sizes:
            clues.see("int", f"line {node.lineno}", 2)
        for argument in node.args:
            clues = self._of(argument)
            if clues is None or clues in sizes:
                continue
            if is_numpy and name not in _OF_NUMBERS | _SIZED_BY_FIRST:
                clues.see("array", f"line {node.lineno}")
                if axes and isinstance(axes[0], ast.Constant) and type(axes[0].value) is int:
                    clues.dims.add(axes[0].value + 1 if axes[0].value >= 0 else 1)
            elif name in ("check_array", "_check_reg_targets", "column_or_1d", "check_consistent_length"):
                clues.see("array", f"line {node.lineno}")
        called = self._of(node.func)
        if called is not None:
            called.see("callable", f"line {node.lineno}", 9)
        self.generic_visit(node)

    def _sizes(self, node: ast.Call, name: str) -> list[Clues]:
        """The parameters that a call takes as sizes of what it makes: alone, in a shape, or plus a constant."""
        given = [keyword.value for keyword in node.keywords if keyword.arg in ("size", "shape")]
        given += node.args if name in _SIZED_BY_ALL else node.args[:1] if name in _SIZED_BY_FIRST else []
        parts = [part for each in given for part in (each.elts if isinstance(each, (ast.Tuple, ast.List)) else [each])]
        named = [
            side for part in parts for side in ([part.left, part.right] if isinstance(part, ast.BinOp) else [part])
        ]
        return [clues for clues in map(self._of, named) if clues is not None]

    def visit_For(self, node: ast.For) -> None:
        clues = self._of(node.iter)
        if clues is not None and not clues.kinds.get("array"):
            clues.see("list", f"line {node.lineno}")
        self.generic_visit(node)
