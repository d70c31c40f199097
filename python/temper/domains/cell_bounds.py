"""Preconditions about the cells of an array, as bounds of its cells: `labels.max() < classes` is then built, not filtered.

Understood are comparisons of `x.min()`, `x.max()`, `(x >= a).all()` and `np.all(x >= a)` with what the solver knows. The
preconditions stay in force: what a bound only comes near to, such as a float below another, they filter.
"""

from __future__ import annotations

import ast
from typing import Any

from temper.domains import terms
from temper.domains.kinds.arrays import Arrays
from temper.domains.names import bound_names

_FLIPPED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Eq: ast.Eq}


def bound_cells(domains: dict[str, Any], preconditions: list[Any], scope: terms.Scope) -> None:
    """Puts bounds on arrays that have none, as far as preconditions say them."""
    for precondition in preconditions:
        _, node = terms.expression_of(precondition.test)
        for left, operator, right in _comparisons(node):
            for cells, comparison, other in ((left, operator, right), (right, _FLIPPED.get(operator), left)):
                _limit(domains, cells, comparison, other, scope)


def _comparisons(node: Any) -> list[tuple[ast.expr, Any, ast.expr]]:
    """The comparisons that must hold together, one for each pair of a chain."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return [found for part in node.values for found in _comparisons(part)]
    inner = _of_all(node)
    if isinstance(inner, ast.Compare):
        return [(_Every(left), operator, _Every(right)) for left, operator, right in _pairs(inner)]
    return _pairs(node) if isinstance(node, ast.Compare) else []


class _Every:
    """One side of a comparison that holds for every cell."""

    def __init__(self, node: ast.expr) -> None:
        self.node = node


def _pairs(node: ast.Compare) -> list[tuple[Any, Any, Any]]:
    sides = [node.left, *node.comparators]
    return [(sides[at], type(operator), sides[at + 1]) for at, operator in enumerate(node.ops)]


def _of_all(node: Any) -> Any:
    """What is asked of all cells in `(...).all()`, `np.all(...)` and `all(...)`; None elsewhere."""
    if not isinstance(node, ast.Call):
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name != "all":
        return None
    return node.args[0] if len(node.args) == 1 else getattr(node.func, "value", None)


def _limit(domains: dict[str, Any], cells: Any, operator: Any, other: Any, scope: terms.Scope) -> None:
    """Bounds the cells that one side names by the other side."""
    name, ends = _cells(cells)
    array = domains.get(name)
    if not isinstance(array, Arrays):
        return
    node = other.node if isinstance(other, _Every) else other
    if not _is_plain(node, name, domains, scope):
        return
    for end, operators in (("min", (ast.Gt, ast.GtE, ast.Eq)), ("max", (ast.Lt, ast.LtE, ast.Eq))):
        if end in ends and operator in operators and array.params.get(end) is None:
            step = {ast.Gt: " + 1", ast.Lt: " - 1"}.get(operator, "") if _is_whole(array) else ""
            changed = Arrays({**array.params, end: ast.unparse(node) + step})
            changed.line, changed.file = array.line, array.file
            domains[name] = array = changed


def _cells(side: Any) -> tuple[str, tuple[str, ...]]:
    """The array whose cells a side speaks of, and which of their ends the comparison limits."""
    if isinstance(side, _Every):
        return getattr(side.node, "id", ""), ("min", "max")
    if isinstance(side, ast.Call) and isinstance(side.func, ast.Attribute) and side.func.attr in ("min", "max"):
        inner = side.args[0] if side.args else side.func.value
        return getattr(inner, "id", ""), (side.func.attr,)
    return "", ()


def _is_plain(node: ast.expr, bounded: str, domains: dict[str, Any], scope: terms.Scope) -> bool:
    """Whether the solver knows the term, and no argument in it depends on another: so this makes no circle."""
    if "unclear" in str(terms.term_of_text(ast.unparse(node), scope)):
        return False
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - {"len"}
    return (
        bounded not in names
        and names <= set(scope.names)
        and not any(bound_names(domains.get(name)) & set(domains) for name in names)
    )


def _is_whole(array: Arrays) -> bool:
    dtype = array.params.get("dtype")
    return not isinstance(dtype, list) and any(word in str(dtype) for word in ("int", "i4", "i8"))
