"""Which lines of the subject ran: `sys.monitoring` from Python 3.12 on, `sys.settrace` before."""

from __future__ import annotations

import inspect
import sys
from types import CodeType
from typing import Any


class Lines:
    """Watches the code of some functions, and of functions defined inside them."""

    def __init__(self, functions: list[Any]) -> None:
        found = [getattr(function, "__code__", None) for function in functions]
        self._codes = {each for code in found if code is not None for each in _codes(code)}
        self.all = {line for each in self._codes for line in _lines_of(each)}
        self.seen: set[int] = set()
        self._tool: int | None = None
        self._is_tracing = False

    def start(self) -> None:
        """Begins to watch."""
        if not self._codes:
            return
        monitoring = getattr(sys, "monitoring", None)
        if monitoring is None:
            self._is_tracing = True
            return
        for tool in (3, 4, 1, 0):
            if monitoring.get_tool(tool) is None:
                self._tool = tool
                monitoring.use_tool_id(tool, "temper")
                monitoring.register_callback(tool, monitoring.events.LINE, self._on_line)
                for code in self._codes:
                    monitoring.set_local_events(tool, code, monitoring.events.LINE)
                return

    def _on_line(self, code: CodeType, line: int) -> Any:
        self.seen.add(line)
        # Once is enough: the line costs nothing from here on.
        return sys.monitoring.DISABLE

    def enter(self) -> None:
        """Before a call."""
        if self._is_tracing:
            sys.settrace(self._trace)

    def leave(self) -> None:
        """After a call."""
        if self._is_tracing:
            sys.settrace(None)
            if self.seen >= self.all:
                self._is_tracing = False

    def rest(self) -> None:
        """Stops watching for good."""
        if self._tool is not None:
            sys.monitoring.free_tool_id(self._tool)
            self._tool = None
        self._is_tracing = False

    def _trace(self, frame: Any, event: str, argument: Any) -> Any:
        if frame.f_code not in self._codes:
            return None
        self.seen.add(frame.f_lineno)
        return self._trace_line

    def _trace_line(self, frame: Any, event: str, argument: Any) -> Any:
        self.seen.add(frame.f_lineno)
        return self._trace_line


def _codes(code: CodeType) -> list[CodeType]:
    found = [code]
    for constant in code.co_consts:
        if inspect.iscode(constant):
            found.extend(_codes(constant))
    return found


def _lines_of(code: CodeType) -> set[int]:
    lines = {line for _, _, line in code.co_lines() if line is not None}
    # The line of the `def` belongs to whoever defines the function.
    lines.discard(code.co_firstlineno)
    return lines
