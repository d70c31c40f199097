"""Loads edited source in place of what is on disk: modules, test files and conftest alike. No file is written.

The finder stands before pytest's own, whose cache is keyed by the file on disk. An edited test file therefore runs without
pytest's assertion rewriting: its asserts decide the same, with plainer messages. Edits keep line numbers, so tracebacks
point at the user's own lines. Not reached: code that a program reads and executes by itself, past the import system.
"""

import importlib.machinery
import importlib.util
import os
import sys


class _EditedLoader(importlib.machinery.SourceFileLoader):
    """A source loader that has the text already and uses no bytecode cache."""

    def __init__(self, name, path, source):
        super().__init__(name, path)
        self._source = source

    def get_data(self, path):
        return self._source if path == self.path else super().get_data(path)

    def get_code(self, fullname):
        return self.source_to_code(self._source, self.path)


class EditFinder:
    """Finds the modules whose files are edited, by asking the other finders where a module would come from."""

    def __init__(self, edits):
        self._sources = {os.path.realpath(path): source for path, source in edits}
        self._tails = {_tail(path) for path in self._sources}
        self.applied = set()
        self._open = set()

    def find_spec(self, name, path=None, target=None):
        # Another finder that asks the others in turn must not be sent back here.
        if name.rpartition(".")[2] not in self._tails or name in self._open:
            return None
        self._open.add(name)
        try:
            spec = self._elsewhere(name, path, target)
        finally:
            self._open.discard(name)
        if spec is None or not spec.has_location:
            return None
        origin = os.path.realpath(spec.origin)
        source = self._sources.get(origin)
        if source is None:
            return None
        self.applied.add(origin)
        loader = _EditedLoader(name, spec.origin, source)
        return importlib.util.spec_from_file_location(
            name, spec.origin, loader=loader, submodule_search_locations=spec.submodule_search_locations
        )

    def _elsewhere(self, name, path, target):
        for finder in list(sys.meta_path):
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None

    def unapplied(self):
        """Edited files that nothing has imported yet."""
        return sorted(set(self._sources) - self.applied)


def _tail(path):
    folder, file = os.path.split(path)
    stem = os.path.splitext(file)[0]
    return os.path.basename(folder) if stem == "__init__" else stem


def install(edits):
    """Puts the edits in force for all later imports; `None` if there are none."""
    if not edits:
        return None
    finder = EditFinder(edits)
    put_first(finder)
    return finder


def put_first(finder):
    """Moves the finder to the front; pytest puts its own there when it starts."""
    if finder is not None:
        sys.meta_path[:] = [finder] + [other for other in sys.meta_path if other is not finder]
