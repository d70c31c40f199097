"""Proposals of annotations for functions that have none: what ``temper check --suggest`` prints.

What the docstring says comes first. The other sources are those of the AnnoTest paper's Table 1: calls of the function,
assertions and exceptions in it, what its body does with an argument, and functions that it hands an argument on to. Source
is read, nothing is imported. What a function said when it refused a proposal narrows the next one.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import re
from collections.abc import Sequence
from typing import Any

from temper.check import guess, phrases
from temper.check.call_files import nearest, neighbours
from temper.check.docstrings import DescribedName, Docstring
from temper.check.guess import Clues, SeenArray
from temper.check.narrow import narrow
from temper.check.protocol import SuggestedFunction, SuggestReply
from temper.domains.domain import Domain

_OURS = frozenset(("arg", "args", "require", "ensure", "exclude", "generator", "cc_example", "forall", "precondition"))
_REDUCERS = frozenset(
    ("sum", "mean", "std", "var", "max", "min", "argmax", "argmin", "cumsum", "sort", "argsort", "ravel")
)
_COMPARED = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}
_SWAPPED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_MAKERS = frozenset(("zeros", "ones", "empty", "full", "random", "standard_normal"))
# Calls whose arguments are sizes: all of them, or the first one.
_SIZED_BY_ALL = frozenset(("arange", "eye", "identity", "tri", "rand", "randn", "range"))
_SIZED_BY_FIRST = _MAKERS
_OF_TABLES = frozenset(("columns", "loc", "iloc", "values", "groupby", "to_numpy", "merge", "iterrows", "sort_values"))
# Functions of numpy that take one number as well as an array.
_OF_NUMBERS = frozenset(("float64", "float32", "sqrt", "exp", "log", "abs", "clip"))


class _Function:
    """A function that could have annotations, and the clues about its parameters."""

    def __init__(self, node: Any, owner: ast.ClassDef | None, path: str, module: str) -> None:
        self.node, self.owner, self.path, self.module = node, owner, path, module
        self.name = node.name if owner is None else f"{owner.name}.{node.name}"
        self.is_static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)
        listed = [*node.args.posonlyargs, *node.args.args]
        self.parameters = listed[1:] if owner is not None and not self.is_static else listed
        self.keywords = node.args.kwonlyargs
        self.required = [each.arg for each in [*self.parameters, *self.keywords]]
        # `*samples`, if the docstring says what they are.
        self.star: str | None = None
        self.clues = {name: Clues(name, frozenset(self.required)) for name in self.required}
        self.requires: list[tuple[str, str]] = []
        self.raises: list[str] = []
        # Arrays whose sizes agree, by the docstring.
        self.relations: list[phrases.SaidRelation] = []
        # What holds of the result, by the docstring.
        self.ensures: list[tuple[str, str]] = []
        # Pairs of parameters that are multiplied as matrices.
        self.products: list[tuple[Clues, Clues]] = []
        self._read_defaults()
        self._read_docstring()

    def _read_docstring(self) -> None:
        texts = [ast.get_docstring(self.node)]
        if self.owner is not None and self.node.name == "__init__":
            # The parameters of a constructor are mostly described with the class.
            texts.append(ast.get_docstring(self.owner))
        for docstring in map(Docstring, texts):
            self._read_star(docstring)
            for name, described in docstring.parameters.items():
                if name in self.clues:
                    self._read_described(self.clues[name], described)
            phrases.share_rows(self.clues)
            known = {name: each for name, each in docstring.parameters.items() if name in self.clues}
            self.relations += phrases.relations(known)
            self.raises += [name for name in docstring.raises if hasattr(builtins, name) and name not in self.raises]
            self.ensures += phrases.promise(docstring.returns, self.clues)

    def _read_described(self, clues: Clues, described: DescribedName) -> None:
        kind = described.kind or ("" if clues.is_hinted else phrases.leading_kind(described.text))
        phrases.read_kind(clues, kind)
        phrases.read_description(clues, described.text)
        if clues.said in ("int", "float") and None not in clues.values:
            compared = phrases.comparisons(described, set(self.clues))
            self.requires += [(text, "its docstring") for text in compared]

    def _read_star(self, docstring: Docstring) -> None:
        """What the docstring says about `*samples`, under that name or as `sample1, sample2, ...`."""
        star = self.node.args.vararg
        if star is None or self.star is not None:
            return
        one = re.escape(star.arg.removesuffix("s"))
        names = [name for name in docstring.parameters if name == star.arg or re.fullmatch(rf"{one}_?\d", name)]
        if names:
            described = docstring.parameters[names[0]]
            clues = Clues(star.arg, frozenset(self.required))
            phrases.read_kind(clues, described.kind)
            phrases.read_description(clues, described.text)
            if clues.said == "array":
                self.star = star.arg
                self.clues[star.arg] = clues
                self.required.append(star.arg)

    def _read_defaults(self) -> None:
        padded: list[Any] = [None] * (len(self.parameters) - len(self.node.args.defaults))
        padded += self.node.args.defaults[-len(self.parameters) :] if self.parameters else []
        by_name = zip(self.keywords, self.node.args.kw_defaults, strict=True)
        for parameter, default in [*zip(self.parameters, padded, strict=False), *by_name]:
            clues = self.clues[parameter.arg]
            if default is not None:
                clues.has_default = True
                self.required.remove(parameter.arg)
                value = _literal(default, {})
                if value is not _UNKNOWN:
                    clues.value(value, "its default")
            _read_hint(clues, parameter.annotation)


_UNKNOWN = object()


def suggest(files: list[Any], around: list[str], refusals: Sequence[Any] = ()) -> dict[str, Any]:
    """Proposals for the functions of some files, as a `SuggestReply`; `around` are files that may call them.

    `refusals` are triples of a function, as `module.name`, what it said about an input of an earlier proposal, and whether it
    refused that input in its own words.
    """
    functions: list[_Function] = []
    for path, module in files:
        tree = _parsed(path)
        functions += _functions(tree, path, module) if tree is not None else []
    by_name: dict[str, list[_Function]] = {}
    for function in functions:
        is_constructor = function.owner is not None and function.node.name == "__init__"
        called = function.owner.name if is_constructor else function.node.name
        by_name.setdefault(called, []).append(function)
    for path in sorted({*nearest(around, [path for path, _ in files]), *neighbours([path for path, _ in files])}):
        tree = _parsed(path)
        if tree is not None:
            _read_calls(tree, by_name, os.path.basename(path))
    for function in functions:
        _Body(function).read()
    for function in functions:
        _hand_on(function, by_name)
        for relation in function.relations:
            relation.apply(function.clues)
        phrases.limit_axes(function.clues)
        said = [
            (message, is_refusal)
            for name, message, is_refusal in refusals
            if name == f"{function.module}.{function.name.removesuffix('.__init__')}"
        ]
        narrow(function.clues, said)
    inits = [each for each in functions if each.owner is not None and each.node.name == "__init__"]
    constructors = {(each.path, each.owner.name): each for each in inits}
    proposals = (_proposal(each, constructors) for each in functions)
    return SuggestReply(functions=[found for found in proposals if found is not None]).wire()


def _parsed(path: str) -> ast.Module | None:
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return None


def _functions(tree: ast.Module, path: str, module: str) -> list[_Function]:
    found = []
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in tree.body:
        owners = [(node, None)] if isinstance(node, ast.FunctionDef) else []
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            owners = [(each, node) for each in node.body if isinstance(each, ast.FunctionDef)]
        for each, owner in owners:
            is_public = each.name == "__init__" or not each.name.startswith(("_", "test"))
            decorators = {_callee(decorator) for decorator in each.decorator_list}
            # What a class of the module makes of a function has another signature.
            if is_public and not decorators & (_OURS | classes | {"property", "overload", "fixture"}):
                found.append(_Function(each, owner, path, module))
    return found


def _callee(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


# Values and hints.


def _literal(node: ast.expr, names: dict[str, Any]) -> Any:
    """The value of an expression, as far as it can be told: literals, names of literals, arrays by their shape."""
    if isinstance(node, ast.Name):
        return names.get(node.id, _UNKNOWN)
    if isinstance(node, ast.Call):
        return _made_array(node)
    if isinstance(node, ast.BinOp):
        left = _literal(node.left, names)
        return left if isinstance(left, SeenArray) else _UNKNOWN
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return _UNKNOWN


def _made_array(node: ast.Call) -> Any:
    name = _callee(node)
    arguments = node.args
    if name in _MAKERS and arguments:
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
    return _UNKNOWN


def _read_hint(clues: Clues, hint: ast.expr | None) -> None:
    if hint is None:
        return
    text = ast.unparse(hint).replace("'", "").replace('"', "")
    for part in text.replace("Optional[", "None | ").split("|"):
        part = part.strip().rstrip("]") if "Optional" in text else part.strip()
        listed = re.fullmatch(r"(?:typing\.)?(?:[Ll]ist|Sequence|Iterable|Collection)\[(.*)\]", part)
        if listed is not None:
            clues.said_element = phrases.element_of_hint(listed[1])
            part = "list"
        seen = next(filter(None, (kind.clue_of_hint(part) for kind in Domain.kinds())), None)
        if seen is not None:
            # More than callers can outvote: functions of the same name in other places are taken for this one.
            clues.see(seen, "its hint", 30)
            clues.is_hinted = True
        elif part == "None":
            clues.value(None, "its hint")
        elif part.startswith("Literal["):
            clues.options = list(ast.literal_eval(f"[{ast.unparse(hint).partition('[')[2]}"))
            clues.note("its hint")


# Calls.


def _read_calls(tree: ast.Module, by_name: dict[str, list[_Function]], file: str) -> None:
    scopes = [tree, *(node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))]
    outer = _assigned(tree)
    for scope in scopes:
        names = {**outer, **_assigned(scope)}
        for node in _own_nodes(scope):
            if isinstance(node, ast.Call):
                for function in by_name.get(_callee(node), ()):
                    _read_call(function, node, names, f"{file}:{node.lineno}")


def _own_nodes(scope: Any) -> list[ast.AST]:
    found: list[ast.AST] = []
    stack = list(ast.iter_child_nodes(scope))
    while stack:
        node = stack.pop()
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            stack.extend(ast.iter_child_nodes(node))
        found.append(node)
    return found


def _assigned(scope: Any) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for node in scope.body:
        for inner in ast.walk(node) if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) else ():
            if isinstance(inner, ast.Assign) and len(inner.targets) == 1 and isinstance(inner.targets[0], ast.Name):
                value = _literal(inner.value, names)
                if value is not _UNKNOWN:
                    names[inner.targets[0].id] = value
    return names


def _read_call(function: _Function, node: ast.Call, names: dict[str, Any], where: str) -> None:
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return
    pairs = list(zip(function.parameters, node.args, strict=False))
    given = [(parameter.arg, argument) for parameter, argument in pairs]
    given += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg in function.clues]
    for name, argument in given:
        value = _literal(argument, names)
        if value is not _UNKNOWN:
            function.clues[name].value(value, where)


# Bodies.


class _Body(ast.NodeVisitor):
    """Reads what a function's body says about its parameters."""

    def __init__(self, function: _Function) -> None:
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
            name = _callee(raised[0].exc) if raised[0].exc is not None else ""
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
            clues, number = self._of(left), _literal(right, {})
            kind: Any = type(operator)
            if clues is None:
                clues, number, kind = self._of(right), _literal(left, {}), _SWAPPED.get(kind, kind)
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
        return bool(names) and names <= set(self.clues) and all(_callee(each) == "len" for each in calls)

    def visit_Compare(self, node: ast.Compare) -> None:
        clues = self._of(node.left)
        if clues is not None and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.In)):
            value = _literal(node.comparators[0], {})
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
        name = _callee(node)
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


def _hand_on(function: _Function, by_name: dict[str, list[_Function]]) -> None:
    """A parameter that is handed on as it is has the clues of the parameter that it becomes."""
    for node in ast.walk(function.node):
        if not isinstance(node, ast.Call):
            continue
        for other in by_name.get(_callee(node), ()):
            pairs = [
                (parameter.arg, argument) for parameter, argument in zip(other.parameters, node.args, strict=False)
            ]
            pairs += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg in other.clues]
            for name, argument in pairs:
                mine = function.clues.get(argument.id) if isinstance(argument, ast.Name) else None
                theirs = other.clues[name]
                if mine is not None and mine is not theirs and not mine.kinds and not mine.values:
                    mine.kinds, mine.dims = dict(theirs.kinds), set(theirs.dims)
                    mine.values = [value for value in theirs.values if value is not None]
                    mine.low, mine.high = mine.low or theirs.low, mine.high or theirs.high
                    mine.note(f"`{other.name}`, which it is handed to")
            handed = {name: each.id for name, each in pairs if isinstance(each, ast.Name) and each.id in function.clues}
            for text, _ in other.requires if other is not function else ():
                _require_too(function, text, handed, f"`{other.name}`, which they are handed to")


def _require_too(function: _Function, text: str, handed: dict[str, str], where: str) -> None:
    """What another function requires of parameters that it is all handed holds of them here too."""
    if not _names(text) <= set(handed):
        return
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = handed.get(node.id, node.id)
    renamed = ast.unparse(tree)
    if renamed not in [each for each, _ in function.requires]:
        function.requires.append((renamed, where))


# Proposals.


def _proposal(function: _Function, constructors: dict[Any, _Function]) -> SuggestedFunction | None:
    if not function.clues and function.node.name == "__init__":
        return None
    for left, right in function.products:
        guess.fit_product(left, right)
    found = {name: guess.domain(clues) for name, clues in function.clues.items()}
    known = {name: made for name, made in found.items() if made is not None}
    if function.star in known:
        text, source = known[function.star]
        known[function.star] = (f"lists({text}, 2, 4)", source)
    missing = [name for name in function.required if name not in known]
    decorators = [(f'@arg("{name}", {text})', source) for name, (text, source) in known.items()]
    usable = [(text, where) for text, where in function.requires if _names(text) <= set(known)]
    decorators += [(f'@require("{text}")', where) for text, where in usable]
    raised = [name for name in function.raises if name.endswith(("Error", "Exception"))]
    decorators += [(f"@raises({', '.join(raised)})", "its docstring and its body")] if raised else []
    ensured = [(text, where) for text, where in function.ensures if _names(text) - {"result"} <= set(known)]
    decorators += [(f'@ensure("{text}")', where) for text, where in ensured]
    notes = [guess.missing(function.clues[name]) for name in missing]
    unset = _unset(function)
    if unset:
        notes.append(f"needs {', '.join(f'`self.{name}`' for name in unset)}, which the constructor does not set")
    constructor = constructors.get((function.path, function.owner.name)) if function.owner is not None else None
    is_whole = not missing and not unset
    if constructor is not None and constructor is not function:
        is_whole = is_whole and all(guess.domain(constructor.clues[name]) for name in constructor.required)
    if not function.clues and not function.node.args.args:
        decorators = decorators or [("@args()", "it takes no arguments")]
    return SuggestedFunction(
        path=function.path,
        line=function.node.lineno,
        function=function.name,
        decorators=decorators,
        notes=notes,
        is_complete=is_whole,
        entry=_entry(function, known, [text for text, _ in usable], raised, [text for text, _ in ensured]),
    )


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)} - {"len"}


def _unset(function: _Function) -> list[str]:
    """Attributes that a method reads and the constructor does not set, although another method does."""
    if function.owner is None or function.node.name == "__init__":
        return []
    set_by: dict[str, set[str]] = {}
    for method in function.owner.body:
        if isinstance(method, ast.FunctionDef):
            for node in ast.walk(method):
                if _is_of_self(node, ast.Store):
                    set_by.setdefault(node.attr, set()).add(method.name)
    methods = {each.name: each for each in function.owner.body if isinstance(each, ast.FunctionDef)}
    found, ran, queue = set(), {"__init__"}, [function.node.name]
    while queue:
        name = queue.pop()
        ran.add(name)
        for node in ast.walk(methods[name]):
            if _is_of_self(node, ast.Load):
                if node.attr in methods and node.attr not in ran:
                    queue.append(node.attr)
                found.add(node.attr)
    return sorted(name for name in found if set_by.get(name) and not set_by[name] & ran)


def _is_of_self(node: ast.AST, context: type) -> bool:
    is_attribute = isinstance(node, ast.Attribute) and isinstance(node.ctx, context)
    return is_attribute and getattr(node.value, "id", "") == "self"


def _entry(
    function: _Function, known: dict[str, Any], requires: list[str], raised: list[str], ensured: list[str]
) -> str:
    name = function.name.removesuffix(".__init__")
    lines = ["[[function]]", f"module = {json.dumps(function.module)}", f"function = {json.dumps(name)}"]
    inner = ", ".join(f"{argument} = {json.dumps(text)}" for argument, (text, _) in known.items())
    lines.append(f"args = {{ {inner} }}" if inner else "args = {}")
    lines += [f"require = {json.dumps(requires)}"] if requires else []
    lines += [f"raises = {json.dumps(raised)}"] if raised else []
    lines += [f"ensure = {json.dumps(ensured)}"] if ensured else []
    return "\n".join(lines) + "\n"
