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
from temper.check.function_body import FunctionBody
from temper.check.guess import Clues
from temper.check.literals import UNKNOWN, callee, literal
from temper.check.narrow import narrow
from temper.check.protocol import SuggestedFunction, SuggestReply
from temper.domains.domain import Domain

_OURS = frozenset(("arg", "args", "require", "ensure", "exclude", "generator", "cc_example", "forall", "precondition"))


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
                value = literal(default, {})
                if value is not UNKNOWN:
                    clues.value(value, "its default")
            _read_hint(clues, parameter.annotation)


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
        FunctionBody(function).read()
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
            decorators = {callee(decorator) for decorator in each.decorator_list}
            # What a class of the module makes of a function has another signature.
            if is_public and not decorators & (_OURS | classes | {"property", "overload", "fixture"}):
                found.append(_Function(each, owner, path, module))
    return found


# Hints.


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
                for function in by_name.get(callee(node), ()):
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
                value = literal(inner.value, names)
                if value is not UNKNOWN:
                    names[inner.targets[0].id] = value
    return names


def _read_call(function: _Function, node: ast.Call, names: dict[str, Any], where: str) -> None:
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return
    pairs = list(zip(function.parameters, node.args, strict=False))
    given = [(parameter.arg, argument) for parameter, argument in pairs]
    given += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg in function.clues]
    for name, argument in given:
        value = literal(argument, names)
        clues = function.clues[name]
        # Tests give None where it must be refused: a docstring that names a kind would say that it is allowed.
        is_against_docstring = value is None and clues.said is not None
        if value is not UNKNOWN and not is_against_docstring:
            clues.value(value, where)


def _hand_on(function: _Function, by_name: dict[str, list[_Function]]) -> None:
    """A parameter that is handed on as it is has the clues of the parameter that it becomes."""
    for node in ast.walk(function.node):
        if not isinstance(node, ast.Call):
            continue
        for other in by_name.get(callee(node), ()):
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
    hidden = _hidden_fields(function.owner)
    if hidden:
        notes.append(f"an instance needs {', '.join(f'`{name}`' for name in hidden)}, which callers do not give")
    constructor = constructors.get((function.path, function.owner.name)) if function.owner is not None else None
    is_whole = not missing and not unset and not hidden
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


def _hidden_fields(owner: ast.ClassDef | None) -> list[str]:
    """The fields of a dataclass that its own code gives to the constructor: they have private names and no default."""
    if owner is None or not any(callee(each) == "dataclass" for each in owner.decorator_list):
        return []
    fields = [each for each in owner.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)]
    return [each.target.id for each in fields if each.target.id.startswith("_") and not _has_default(each.value)]


def _has_default(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call) and callee(value) == "field":
        return any(each.arg in ("default", "default_factory", "init") for each in value.keywords)
    return value is not None


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
