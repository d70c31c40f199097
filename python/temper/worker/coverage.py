"""Which lines of the project a test reaches.

`sys.monitoring` where Python has it (3.12 and later), at next to no cost, since a line is reported once; `sys.settrace`
before. Lines of test files are among them; who asks leaves out what it does not want.
"""

import os
import sys
import threading

from temper.worker import loading


class Lines:
    """Records lines of files below `root` between `with` and its end, in all threads."""

    def __init__(self, root):
        self._root = os.path.realpath(root)
        self._lines = {}
        self._monitoring = getattr(sys, "monitoring", None)

    def __enter__(self):
        if self._monitoring is not None:
            try:
                self._monitoring.use_tool_id(self._monitoring.COVERAGE_ID, "temper")
            except ValueError:
                # Somebody else measures coverage already.
                self._monitoring = None
        if self._monitoring is None:
            threading.settrace(self._trace)
            sys.settrace(self._trace)
        else:
            line = self._monitoring.events.LINE
            self._monitoring.register_callback(self._monitoring.COVERAGE_ID, line, self._on_line)
            self._monitoring.set_events(self._monitoring.COVERAGE_ID, line)
        return self

    def __exit__(self, *_):
        if self._monitoring is None:
            sys.settrace(None)
            threading.settrace(None)
        else:
            self._monitoring.set_events(self._monitoring.COVERAGE_ID, 0)
            self._monitoring.free_tool_id(self._monitoring.COVERAGE_ID)

    def reached(self):
        """The lines, by file."""
        found = ({"path": path, "lines": sorted(lines)} for path, lines in self._lines.items() if lines)
        return sorted(found, key=lambda each: each["path"])

    def _of(self, path):
        """The set for a file; `None` if the file is not of the project."""
        if path not in self._lines:
            is_ours = not path.startswith("<") and loading.is_of_project(path, self._root)
            self._lines[path] = set() if is_ours else None
        return self._lines[path]

    def _on_line(self, code, line):
        lines = self._of(code.co_filename)
        if lines is not None:
            lines.add(line)
        return self._monitoring.DISABLE

    def _trace(self, frame, event, _argument):
        lines = self._of(frame.f_code.co_filename)
        if lines is None:
            return None

        def local(inner, _event, _value):
            lines.add(inner.f_lineno)
            return local

        return local
