"""From Python expressions to the terms and conditions that the solver knows (``solve/terms.rs`` in ``temper-domains``).

What is not understood becomes ``other`` and filters; nothing is ever refused here but the text of a bound.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from typing import Any

_COMPARISONS = {ast.Lt: ("lt", False), ast.LtE: ("le", False), ast.Gt: ("lt", True), ast.GtE: ("le", True)}
_NEGATED = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
_OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "div", ast.Mod: "mod"}
_INT64 = range(-(1 << 63), 1 << 63)


class _Unclear(Exception):
    """The expression is no term."""


class Scope:
    """Which names are arguments or shape variables, and what other names stand for."""

    def __init__(self, names: set[str], known: dict[str, Any]) -> None:
        self.names = names
        self.known = known


def term_of_text(text: str, scope: Scope) -> Any:
    """The term of a bound that is written as text."""
    try:
        return _term(ast.parse(text.strip(), mode="eval").body, scope, strict=True)
    except (_Unclear, SyntaxError, ValueError):
        return {"unclear": text}


def _term(node: ast.expr, scope: Scope, strict: bool = False) -> Any:
    if isinstance(node, ast.Constant):
        return _number(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = _term(node.operand, scope, strict)
        if isinstance(node.op, ast.UAdd):
            return inner
        if "float" in inner:
            return {"float": -inner["float"]}
        return {"sub": [{"int": 0}, inner]}
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return {_OPERATORS[type(node.op)]: [_term(node.left, scope, strict), _term(node.right, scope, strict)]}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        shape = _shape_of(node.args[0], scope)
        return {"dims": shape} if shape is not None else {"len": _path(node.args[0], scope)}
    if isinstance(node, ast.Attribute) and node.attr == "ndim":
        return {"dims": _path(node.value, scope)}
    if isinstance(node, ast.Subscript):
        shape = _shape_of(node.value, scope)
        index = _index(node.slice)
        if shape is not None:
            return {"dim": [shape, index]}
    if isinstance(node, ast.Name) and node.id not in scope.names:
        if strict and node.id not in scope.known:
            # Reported as an unknown name by the solver.
            return {"value": {"name": node.id}}
        return _number(scope.known.get(node.id))
    return {"value": _path(node, scope)}


def _number(value: Any) -> Any:
    if type(value) is int and value in _INT64:
        return {"int": value}
    if type(value) is float and value == value and abs(value) != float("inf"):
        return {"float": value}
    raise _Unclear


def _shape_of(node: ast.expr, scope: Scope) -> Any:
    if isinstance(node, ast.Attribute) and node.attr == "shape":
        return _path(node.value, scope)
    return None


def _index(node: ast.expr) -> int:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        raise _Unclear from None
    if type(value) is not int:
        raise _Unclear
    return value


def _path(node: ast.expr, scope: Scope) -> Any:
    items: list[int] = []
    while isinstance(node, ast.Subscript):
        index = _index(node.slice)
        if index < 0:
            raise _Unclear
        items.insert(0, index)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in scope.names:
        raise _Unclear
    return {"name": node.id, "items": items}


def condition(node: ast.expr, scope: Scope, negated: bool = False) -> Any:
    """The condition of an expression, with negations moved inwards."""
    if isinstance(node, ast.BoolOp):
        parts = [condition(part, scope, negated) for part in node.values]
        is_and = isinstance(node.op, ast.And) != negated
        return {"and" if is_and else "or": parts}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return condition(node.operand, scope, not negated)
    if isinstance(node, ast.Compare):
        lefts = [node.left, *node.comparators[:-1]]
        parts = [
            _comparison(left, operator, right, scope, negated)
            for left, operator, right in zip(lefts, node.ops, node.comparators, strict=True)
        ]
        return parts[0] if len(parts) == 1 else {"or" if negated else "and": parts}
    if isinstance(node, ast.Call):
        return _instance(node, scope, negated)
    return "other"


def _comparison(left: ast.expr, operator: ast.cmpop, right: ast.expr, scope: Scope, negated: bool) -> Any:
    by_type = _type_test(left, operator, right, scope, negated)
    if by_type is not None:
        return by_type
    kind: Any = type(operator)
    if negated:
        kind = _NEGATED.get(kind)
    try:
        if kind in _COMPARISONS:
            name, is_swapped = _COMPARISONS[kind]
            terms = [_term(left, scope), _term(right, scope)]
            return {"compare": [name, *(reversed(terms) if is_swapped else terms)]}
        if kind in (ast.Eq, ast.NotEq):
            return _equality(left, right, scope, "eq" if kind is ast.Eq else "ne")
    except _Unclear:
        pass
    return "other"


def _equality(left: ast.expr, right: ast.expr, scope: Scope, name: str) -> Any:
    """Shapes of equal rank are compared side by side; other things as numbers."""
    if isinstance(right, ast.Tuple) and name == "eq":
        shape = _shape_of(left, scope)
        if shape is not None:
            sides = [
                {"compare": ["eq", {"dim": [shape, at]}, _term(side, scope)]} for at, side in enumerate(right.elts)
            ]
            return {"and": [{"compare": ["eq", {"dims": shape}, {"int": len(sides)}]}, *sides]}
    return {"compare": [name, _term(left, scope), _term(right, scope)]}


def _type_test(left: ast.expr, operator: ast.cmpop, right: ast.expr, scope: Scope, negated: bool) -> Any:
    if not isinstance(operator, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
        return None
    is_negated = isinstance(operator, (ast.IsNot, ast.NotEq)) != negated
    try:
        if isinstance(right, ast.Constant) and right.value is None:
            return {"type": {"path": _path(left, scope), "names": ["NoneType"], "negated": is_negated}}
        is_type_call = isinstance(left, ast.Call) and isinstance(left.func, ast.Name) and left.func.id == "type"
        if is_type_call and len(left.args) == 1 and isinstance(right, (ast.Name, ast.Attribute)):
            name = right.id if isinstance(right, ast.Name) else right.attr
            return {"type": {"path": _path(left.args[0], scope), "names": [name], "negated": is_negated}}
    except _Unclear:
        return "other"
    return None


def _instance(node: ast.Call, scope: Scope, negated: bool) -> Any:
    is_call = isinstance(node.func, ast.Name) and node.func.id == "isinstance" and len(node.args) == 2
    if not is_call:
        return "other"
    kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
    names = [kind.id if isinstance(kind, ast.Name) else getattr(kind, "attr", None) for kind in kinds]
    # Subtypes count here; only for these is it known what they are.
    if not all(name in ("int", "float", "str", "bool", "list", "tuple", "dict", "ndarray") for name in names):
        return "other"
    try:
        path = _path(node.args[0], scope)
    except _Unclear:
        return "other"
    return {"type": {"path": path, "names": [f"*{name}" for name in names], "negated": negated}}


def expression_of(test: Any) -> tuple[str, ast.expr | None]:
    """The text and the parsed expression of a condition: a text, or a function."""
    if isinstance(test, str):
        text = " ".join(test.split())
        try:
            return text, ast.parse(test.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return text, None
    name = getattr(test, "__name__", repr(test))
    if name != "<lambda>":
        return name, None
    node = _lambda_node(test)
    return (ast.unparse(node), node.body) if node is not None else (name, None)


def free_names(tree: ast.AST) -> list[str]:
    """The names that an expression reads and does not bind itself, in order."""
    nodes = list(ast.walk(tree))
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return [node.id for node in nodes if isinstance(node, ast.Name) and node.id not in bound]


def _lambda_node(test: Any) -> ast.Lambda | None:
    """The lambda in its source; None when the lines hold several that could be it."""
    try:
        source = textwrap.dedent("".join(inspect.getsourcelines(test)[0]))
    except (OSError, TypeError):
        return None
    start = source.find("lambda")
    tree = None
    # The lines are a piece of a decorator; what follows the lambda is cut off until the rest parses.
    for end in range(len(source), start, -1):
        try:
            tree = ast.parse(source[start:end].strip(), mode="eval")
            break
        except (SyntaxError, ValueError):
            continue
    if tree is None:
        return None
    wanted = test.__code__.co_code
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    for node in found:
        code = compile(ast.Expression(node), "<lambda>", "eval").co_consts[0]
        if getattr(code, "co_code", None) == wanted and code.co_varnames == test.__code__.co_varnames:
            return node
    return None


_DIMENSION = re.compile(r"(?P<name>[^\W\d]\w*)(?::(?P<min>[^.]*)\.\.(?P<max>.*))?")


def shape_dims(text: str, scope: Scope) -> list[Any]:
    """The dimensions of ``"n k"``, ``"batch:1..32 3"``, ``"*batch n+1"``."""
    return [dimension(part, scope) for part in text.replace(",", " ").split()]


def dimension(part: Any, scope: Scope) -> Any:
    """One dimension: a number, a name with or without a range, leading dimensions, or a sum."""
    if isinstance(part, int):
        return {"size": {"int": int(part)}}
    part = str(part).strip()
    if part.startswith("*") and part[1:].isidentifier():
        return {"rest": part[1:]}
    match = _DIMENSION.fullmatch(part)
    if match is None:
        return {"size": term_of_text(part, scope)}
    ends = {}
    for end in ("min", "max"):
        if match[end] and match[end].strip():
            ends[end] = term_of_text(match[end], scope)
    return {"named": {"name": match["name"], **ends}}


def names_in_shape(text: str) -> list[str]:
    """The shape variables that a shape text brings with it, in its order."""
    matches = [_DIMENSION.fullmatch(part) for part in text.replace(",", " ").split()]
    return list(dict.fromkeys(match["name"] for match in matches if match is not None))
