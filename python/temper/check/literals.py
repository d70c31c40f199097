"""Values that source text tells without being run: literals, names of literals, arrays by their shape."""

from __future__ import annotations

import ast
from typing import Any

from temper.check.guess import SeenArray

# The value of an expression that says nothing about it.
UNKNOWN = object()
# Functions of numpy that make an array of a shape.
MAKERS = frozenset(("zeros", "ones", "empty", "full", "random", "standard_normal"))


def callee(node: ast.expr) -> str:
    """The name of what is called, or of a decorator, without what stands before its last dot."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def literal(node: ast.expr, names: dict[str, Any]) -> Any:
    """The value of an expression, as far as it can be told: literals, names of literals, arrays by their shape."""
    if isinstance(node, ast.Name):
        return names.get(node.id, UNKNOWN)
    if isinstance(node, ast.Call):
        return _made_array(node)
    if isinstance(node, ast.BinOp):
        left = literal(node.left, names)
        return left if isinstance(left, SeenArray) else UNKNOWN
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return UNKNOWN


def _made_array(node: ast.Call) -> Any:
    name = callee(node)
    arguments = node.args
    if name in MAKERS and arguments:
        shape = arguments[0]
        return SeenArray(len(shape.elts) if isinstance(shape, ast.Tuple) else 1)
    if name in ("rand", "randn"):
        return SeenArray(len(arguments) or 1)
    if name in ("normal", "uniform", "integers", "randint"):
        sizes = [keyword.value for keyword in node.keywords if keyword.arg == "size"]
        if sizes:
            dims = len(sizes[0].elts) if isinstance(sizes[0], ast.Tuple) else 1
            return SeenArray(dims, "int64" if "int" in name else "float64")
    if name in ("arange", "linspace"):
        return SeenArray(1)
    if name in ("array", "asarray") and arguments:
        depth, inner = 0, arguments[0]
        while isinstance(inner, (ast.List, ast.Tuple)) and inner.elts:
            depth, inner = depth + 1, inner.elts[0]
        is_int = isinstance(inner, ast.Constant) and type(inner.value) is int
        return SeenArray(depth or None, "int64" if is_int else "float64")
    return UNKNOWN
