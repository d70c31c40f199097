"""What the mutants of a file compile to: nothing new, other code for live functions, or code that must be loaded.

Runs in a fork of a layer that keeps its live functions (`temper.worker.live_code`). Only the function or class at module level
around a change is compiled: for a long file that is a small part.
"""

import ast
import hashlib
import inspect
import marshal
import os
import types
import warnings

from temper.worker import live_code
from temper.worker.live_code import described


class _Obstacle(Exception):
    """Why a mutant needs a layer; its words complete "loaded apart: "."""


def compare(path, original, edits):
    """For each edit `[start, end, text]` of the bytes of a file, in UTF-8: what it is compared with the original.

    `{"same": True}`, or a `digest` of what it does with the `changes` of live functions, or with the `reason` why there are none.
    """
    path = os.path.realpath(path)
    with warnings.catch_warnings():
        # `x is 0` and the like: the compiler's advice is of no use here.
        warnings.simplefilter("ignore")
        file = _File(path, original)
        return [file.compare(*edit) for edit in edits]


class _File:
    """The original text, and its compiled parts."""

    def __init__(self, path, original):
        self._path, self._original = path, original
        self._originals = {}
        self._name = live_code.file_name(path) if live_code.is_kept() else None
        self._parts, self._defaults = _read(original)

    def compare(self, start, end, text):
        part = next((part for part in self._parts if part.start <= start and end <= part.end), self._parts[-1])
        if part not in self._originals:
            code = self._compile(part, self._original[part.start : part.end])
            self._originals[part] = code, code and described(code)
        before, expected = self._originals[part]
        after = self._compile(part, self._original[part.start : start] + text + self._original[end : part.end])
        if before is None or after is None:
            return {"digest": "", "reason": "it does not compile"}
        content = described(after)
        if content == expected:
            return {"same": True}
        digest = hashlib.sha256(repr((part, content)).encode()).hexdigest()
        try:
            default = self._defaults.get((start, end))
            changes = self._changes(before, after) if default is None else self._of_default(default, before, text)
            return {"digest": digest, "changes": changes}
        except _Obstacle as reason:
            return {"digest": digest, "reason": str(reason)}

    def _compile(self, part, text):
        try:
            # As text: a note about its encoding would be about the bytes of the file.
            return compile((part.head + text).decode(), self._name or self._path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return None

    def _changes(self, before, after):
        if self._name is None:
            raise _Obstacle("its module is not loaded with the tests")
        changes = []
        for old, new in _outermost(before, after):
            if not live_code.functions(self._path, old):
                raise _Obstacle("no live function has its code")
            changes += self._of_function(old, new)
        return changes

    def _of_default(self, default, before, text):
        """The change of a default of a function that is made when its module or class is loaded."""
        code = next(_named(before, default.name, default.line), None)
        found = [] if code is None or self._name is None else live_code.functions(self._path, code)
        if not found:
            raise _Obstacle("no live function has its code")
        reason = live_code.obstacle(self._path, code)
        if reason is not None:
            raise _Obstacle(reason)
        for function in found:
            value = default.value_in(function)
            if (type(value), repr(value)) != (type(default.value), repr(default.value)):
                raise _Obstacle("its default is no longer that of the text")
        value = marshal.dumps(ast.literal_eval(text.decode().strip()))
        place = {"path": self._path, "original": marshal.dumps(code)}
        return [{**place, "parameter": default.parameter, "default": value}]

    def _of_function(self, old, new):
        """Changes of a function, and of those inside it that are alive already."""
        if described(old, with_inner=False) != described(new, with_inner=False):
            reason = live_code.obstacle(self._path, old)
            if reason is not None:
                raise _Obstacle(reason)
        changes = []
        if live_code.functions(self._path, old):
            if old.co_freevars != new.co_freevars:
                raise _Obstacle("it uses other variables of the functions around it")
            changes.append({"path": self._path, "original": marshal.dumps(old), "code": marshal.dumps(new)})
        inner = _codes(old)
        if len(inner) != len(_codes(new)):
            if any(live_code.functions(self._path, code) for code in inner):
                raise _Obstacle("functions made by it are alive")
            return changes
        for pair in _differing(old, new):
            changes += self._of_function(*pair)
        return changes


def _outermost(before, after):
    """Pairs of functions that differ, none inside another."""
    if _is_function(before):
        yield before, after
        return
    if described(before, with_inner=False) != described(after, with_inner=False):
        raise _Obstacle("code of the module" if before.co_name == "<module>" else "code of a class")
    for pair in _differing(before, after):
        yield from _outermost(*pair)


def _differing(before, after):
    """What is inside two pieces of code, pair by pair, as far as it differs."""
    codes = _codes(before)
    known = [(code.co_name, code.co_firstlineno, described(code)) for code in codes]
    for this, old, new in zip(known, codes, _codes(after), strict=True):
        if this[2] == described(new):
            continue
        if known.count(this) > 1:
            raise _Obstacle("two functions on one line are alike")
        yield old, new


def _named(code, name, line):
    """The code of the function that begins on this line, outside of other functions."""
    for each in _codes(code):
        if _is_function(each):
            if (each.co_name, each.co_firstlineno) == (name, line):
                yield each
        else:
            yield from _named(each, name, line)


def _codes(code):
    return [each for each in code.co_consts if isinstance(each, types.CodeType)]


def _is_function(code):
    return bool(code.co_flags & inspect.CO_NEWLOCALS)


class _Part:
    """A stretch of the file that is compiled by itself, with what must stand before it."""

    def __init__(self, start, end, head):
        self.start, self.end, self.head = start, end, head

    def __repr__(self):
        return f"{self.start}:{self.end}"


class _Default:
    """The default of a parameter: a name, or the place among those of positional parameters."""

    def __init__(self, function, parameter, value):
        self.name, self.line = function.name, _first_line(function)
        self.parameter, self.value = parameter, value

    def value_in(self, function):
        if isinstance(self.parameter, str):
            return (function.__kwdefaults__ or {}).get(self.parameter)
        defaults = function.__defaults__ or ()
        return defaults[self.parameter] if self.parameter < len(defaults) else None


def _first_line(node):
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _read(original):
    """The functions and classes at module level with the whole file at last; and the defaults, by their place in the text."""
    whole = _Part(0, len(original), b"")
    try:
        tree = ast.parse(original.decode())
    except (SyntaxError, ValueError):
        return [whole], {}
    # Calls on an imported name are compiled differently from Python 3.11 on.
    head = "; ".join(map(ast.unparse, _imports(tree.body))).encode()
    starts = [0]
    for line in original.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    parts = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = _first_line(node)
            if first > 1:
                before = head + b"\n" * (first - 1)
                parts.append(_Part(starts[first - 1], starts[node.end_lineno], before))
    return [*parts, whole], dict(_defaults(tree.body, starts))


def _defaults(body, starts):
    """Constants that are defaults of functions outside of other functions."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _defaults(node.body, starts)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            named = zip((each.arg for each in node.args.kwonlyargs), node.args.kw_defaults, strict=True)
            for parameter, value in [*enumerate(node.args.defaults), *named]:
                if isinstance(value, ast.Constant):
                    start = starts[value.lineno - 1] + value.col_offset
                    end = starts[value.end_lineno - 1] + value.end_col_offset
                    yield (start, end), _Default(node, parameter, value.value)


def _imports(body):
    """The imports at module level, in order; those from `__future__` come first in any file."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for name in ("body", "handlers", "orelse", "finalbody", "cases"):
                yield from _imports(getattr(node, name, None) or [])
