"""Lets test files tell what their assertions compare, while they run under pytest as they always do.

A file is compiled as pytest compiles it, pytest's own rewriting of assertions included. Only then its syntax tree is changed:
where it computes a comparison, the operands and the answer are also noted. What pytest says about a failure was made from the
tree before, so it stays as it is, to the letter.

pytest replaces each node of an assertion by one that computes from variables, at the place of the node that it replaces. So a
comparison is found by its kind and place, and its operands by where they stand below it.
"""

import ast
import builtins
import importlib.machinery
import importlib.util
import os
import sys

from temper import _engine
from temper.bounds import recording

# Names that no source text can have.
_OPERAND, _LOOK, _HELD = "@temper_operand", "@temper_look", "@temper_held"
_SITE_PACKAGES = f"{os.sep}site-packages{os.sep}"

# The sites of asserting functions, each by the number of each of them.
raising = {}


class NotFound(Exception):
    """A comparison does not stand in the tree where it stands in the text."""


def _place(node):
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _located(tree):
    """The expressions of a tree by kind and place, in the order of the text."""
    found = {}

    def walk(node):
        if isinstance(node, ast.expr) and getattr(node, "end_col_offset", None) is not None:
            found.setdefault((type(node).__name__, _place(node)), []).append(node)
        for child in ast.iter_child_nodes(node):
            walk(child)

    walk(tree)
    return found


def _steps(node, target):
    """How to get from a node to the expression at a place below it: the fields, with their index if they are lists."""
    for field, value in ast.iter_fields(node):
        children = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.expr) and _place(child) == target:
                return [(node, field, index)]
            deeper = _steps(child, target)
            if deeper:
                return [(node, field, index), *deeper]
    return []


def _call(name, *arguments):
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


class _Instrumenting:
    """Changes one tree. `text` is the tree of the file as it is written."""

    def __init__(self, text, tree):
        self._text, self._tree = _located(text), _located(tree)
        self._wrapped = {}

    def _only(self, table, kind, place, at=0):
        nodes = table.get((kind, place), ())
        if len(nodes) <= at:
            raise NotFound
        return nodes[at]

    def add(self, place, link, is_raising, sites, operands):
        """Prepares one comparison, or raises `NotFound` and changes nothing."""
        kinds = ("Call",) if is_raising else ("Compare", "Call", "BoolOp")
        kind = next((kind for kind in kinds if (kind, place) in self._text), None)
        if kind is None:
            raise NotFound
        written = self._only(self._text, kind, place)
        node = self._only(self._tree, kind, place, link if kind == "Compare" else 0)
        targets = [(number, slot, *self._target(written, node, link, at)) for number, slot, at in operands]
        for number, slot, parent, field, index in targets:
            child = getattr(parent, field) if index is None else getattr(parent, field)[index]
            note = _call(_OPERAND, ast.Constant(number), ast.Constant(slot), child)
            ast.copy_location(note, child if hasattr(child, "lineno") else node)
            if index is None:
                setattr(parent, field, note)
            else:
                getattr(parent, field)[index] = note
        self._wrapped[id(node)] = (_HELD if is_raising else _LOOK, sites)
        if is_raising:
            raising.update({site[0]: sites for site in sites})

    def _target(self, written, node, link, at):
        """Where an operand stands in the tree: its parent there, the field, the index."""
        if isinstance(written, ast.Compare) and len(written.ops) > 1:
            ends = [written.left, *written.comparators]
            position = next((i for i, end in enumerate(ends) if _place(end) == at), None)
            if position not in (link, link + 1) or len(node.ops) != 1:
                # Below an end of a chain, or a chain that nobody has taken apart.
                raise NotFound
            return (node, "left", None) if position == link else (node, "comparators", 0)
        steps = _steps(written, at)
        if not steps:
            raise NotFound
        # From the deepest ancestor that pytest keeps at its place.
        for start in range(len(steps) - 1, -1, -1):
            parent = steps[start][0]
            if not isinstance(parent, ast.expr):
                continue
            found = node if parent is written else self._only(self._tree, type(parent).__name__, _place(parent))
            for _, field, index in steps[start:-1]:
                value = getattr(found, field)
                found = value if index is None else value[index]
            return found, *steps[-1][1:]
        raise NotFound

    def finish(self, tree):
        """Puts the notes around the comparisons."""
        wrapped = self._wrapped

        class Wrap(ast.NodeTransformer):
            def visit(self, node):
                is_noted = id(node) in wrapped
                node = super().visit(node)
                if not is_noted:
                    return node
                name, sites = wrapped[id(node)]
                return ast.copy_location(_call(name, ast.Constant(sites), node), node)

            def visit_Assert(self, node):
                compared = node.test if isinstance(node.test, ast.Compare) else None
                node = self.generic_visit(node)
                if compared is not None and node.test is not compared:
                    node.test = _still_a_comparison(node.test)
                return node

        return ast.fix_missing_locations(Wrap().visit(tree))


def _still_a_comparison(call):
    """Python 3.11 says where an assertion failed more exactly if it is a comparison: so `not not call is not False`."""
    truth = ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), call))
    compared = ast.Compare(truth, [ast.IsNot()], [ast.Constant(False)])
    for node in (compared, truth, truth.operand):
        ast.copy_location(node, call)
    return compared


def instrument(source, tree, groups):
    """The tree with notes, how many comparisons have them, and how many have none."""
    work = _Instrumenting(ast.parse(source), tree)
    count = 0
    for place, link, is_raising, sites, operands in groups:
        try:
            work.add(tuple(place), link, is_raising, ast.literal_eval(sites), operands)
            count += 1
        except (NotFound, ValueError):
            continue
    return work.finish(tree), count, len(groups) - count


class ObservedLoader(importlib.machinery.SourceFileLoader):
    """Compiles a file as pytest would, with notes. Keeps no bytecode: that of pytest's cache must stay without them."""

    def __init__(self, name, path, groups, rewrite):
        super().__init__(name, path)
        self._groups, self._rewrite = groups, rewrite

    def get_code(self, fullname):
        source = self.get_data(self.path)
        tree = ast.parse(source, filename=self.path)
        if self._rewrite is not None:
            self._rewrite(tree, source, self.path)
        tree, _, _ = instrument(source, tree, self._groups)
        return compile(tree, self.path, "exec", dont_inherit=True)


class ObservingFinder:
    """Finds the files of a project that have approximate assertions, by asking the other finders."""

    def __init__(self, root, config):
        self._root, self._config = os.path.realpath(root), config
        self._open = set()
        self.files = set()

    def find_spec(self, name, path=None, target=None):
        if name in self._open:
            return None
        self._open.add(name)
        try:
            spec = self._elsewhere(name, path, target)
            return None if spec is None else self._observed(name, spec)
        finally:
            self._open.discard(name)

    def _elsewhere(self, name, path, target):
        for finder in list(sys.meta_path):
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None

    def _observed(self, name, spec):
        origin = spec.origin if spec.has_location else None
        if origin is None or not origin.endswith(".py"):
            return None
        real = os.path.realpath(origin)
        if not real.startswith(self._root + os.sep) or _SITE_PACKAGES in real:
            return None
        is_rewritten = type(spec.loader).__module__ == "_pytest.assertion.rewrite"
        rewrite = self._rewriter() if is_rewritten else None
        if is_rewritten and rewrite is None:
            return None
        groups = _engine.assertion_sites(self._root, real)
        if not groups:
            return None
        self.files.add(real)
        loader = ObservedLoader(name, origin, groups, rewrite)
        places = spec.submodule_search_locations
        return importlib.util.spec_from_file_location(name, origin, loader=loader, submodule_search_locations=places)

    def _rewriter(self):
        """pytest's rewriting of a tree; nothing if this pytest has none under the name, and then nothing is noted."""
        try:
            from _pytest.assertion.rewrite import rewrite_asserts
        except ImportError:
            return None
        return lambda tree, source, path: rewrite_asserts(tree, source, path, self._config)


def install(root, config):
    """Has all files that are imported from now on looked at."""
    for name, function in ((_OPERAND, recording.operand), (_LOOK, recording.look), (_HELD, recording.held)):
        setattr(builtins, name, function)
    recording.is_sending = False
    finder = ObservingFinder(root, config)
    sys.meta_path.insert(0, finder)
    return finder
