"""Source text for values that the user wrote out: what was written, if `repr` would not give the value back."""

from __future__ import annotations

import ast
import builtins
import enum
import functools
import linecache
import sys
from collections.abc import Callable
from typing import Any

_LISTS = frozenset(("froms", "sampled"))
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
# Libraries by the names that reported calls use for them; each kind of domain adds its own.
LIBRARIES = {name: f"import {name}" for name in ("temper", "runpy", "asyncio", "contextlib", "copy", "pickle")}
# Functions that give the text of a value, or None if they do not know it; each kind of domain adds its own.
VALUE_TEXTS: list[Callable[[Any, str | None], str | None]] = []
# What modules need to be imported that are annotated with the names of AnnoTest's package.
_ANNOTEST = "import temper.annotest"


def text_of(value: Any, written: str | None = None) -> str:
    """Source text for a value: its `repr` if that is an expression, its name if it has one, else what was written."""
    if isinstance(value, float) and type(value) is float:
        if value != value:
            return "float('nan')"
        if value in (float("inf"), float("-inf")):
            return f"float('{value}')"
    for text_of_kind in VALUE_TEXTS:
        text = text_of_kind(value, written)
        if text is not None:
            return text
    if type(value) in (list, tuple, set, dict) and value and (written is None or _is_plain(value)):
        return _container_text(value)
    if _is_named(value):
        return value.__qualname__
    if written is not None and not _is_plain(value):
        return written
    try:
        return repr(value)
    except Exception as error:
        return f"<{type(value).__name__} whose repr raised {type(error).__name__}>"


def _is_named(value: Any) -> bool:
    """Whether a name of its module stands for the value; a lambda and a local function have none."""
    name = getattr(value, "__qualname__", "")
    return (isinstance(value, type) or callable(value)) and bool(name) and "<" not in name


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_plain(part) for pair in value.items() for part in pair)
    if type(value) in (list, tuple, set):
        return all(_is_plain(part) for part in value)
    return type(value) in _PLAIN or isinstance(value, enum.Enum) or _is_named(value)


def _container_text(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text_of(key)}: {text_of(item)}" for key, item in value.items()) + "}"
    items = ", ".join(text_of(item) for item in value)
    if isinstance(value, list):
        return f"[{items}]"
    if isinstance(value, set):
        return f"{{{items}}}"
    return f"({items},)" if len(value) == 1 else f"({items})"


@functools.cache
def _tree(file: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None


def written(file: str, line: int, names: frozenset[str], given: list[Any]) -> list[str] | None:
    """The texts of the values that a call of one of these names at a line was given; None when unclear."""
    tree = _tree(file) if file else None
    found: list[list[str]] = []
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Call) or not node.lineno <= line <= (node.end_lineno or 0):
            continue
        callee = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        values: list[ast.expr] = [*node.args, *(keyword.value for keyword in node.keywords)]
        if callee in names and callee in _LISTS | {"cc_example"} and len(values) == 1:
            if isinstance(values[0], (ast.List, ast.Tuple)) and _is_listed(callee, values[0]):
                values = values[0].elts
        if callee in names and len(values) == len(given) and all(map(_may_be, values, given)):
            found.append([ast.unparse(value) for value in values])
    return found[0] if found and all(each == found[0] for each in found) else None


def _may_be(node: ast.expr, value: Any) -> bool:
    """Whether an expression can have given a value; only what is plain to see speaks against it."""
    if isinstance(node, ast.Constant):
        return type(node.value) is type(value) and node.value == value
    if isinstance(node, ast.Lambda):
        return getattr(value, "__name__", "") == "<lambda>"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id[:1].isupper():
        return type(value).__name__ == node.func.id
    return True


def _is_listed(callee: str, values: ast.List | ast.Tuple) -> bool:
    """Whether the one argument is a list of values, and not one value that is a list."""
    return callee != "cc_example" or all(isinstance(each, (ast.List, ast.Tuple)) for each in values.elts)


def parts(text: str) -> list[str] | None:
    """The texts of the elements of a list or tuple that is written out."""
    node = ast.parse(text, mode="eval").body
    return [ast.unparse(each) for each in node.elts] if isinstance(node, (ast.List, ast.Tuple)) else None


def imports_of(text: str, module: Any) -> str:
    """The statements, in one line, that make the names of an expression known."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return f"from {module.__name__} import *"
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    opened = {getattr(node.value, "id", "") for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    # A module may have something else under the name of a library, such as a class: that is used without a dot.
    libraries = {name for name in names & set(LIBRARIES) if name in opened or name not in vars(module)}
    own = sorted(name for name in names - libraries if name in vars(module))
    lines = [LIBRARIES[name] for name in sorted(libraries)]
    if "annotest" in sys.modules:
        lines.append(_ANNOTEST)
    unknown = names - set(own) - libraries - set(dir(builtins))
    if own or unknown:
        lines.append(f"from {module.__name__} import {', '.join(own or sorted(unknown))}")
    return "; ".join(lines)
