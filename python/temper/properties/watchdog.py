"""Tells which input a property hangs on. The property goes on: only the user knows whether it will end."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable


class Watchdog:
    """A thread that looks at the clock while a property runs.

    `begin` and `end` enclose each call; `describe` gives the input of the call that is under way.
    """

    def __init__(self, name: str, limit_secs: float, describe: Callable[[], str]) -> None:
        self._name, self._limit, self._describe = name, limit_secs, describe
        self._began: float | None = None
        self._is_told = False
        self._stopped = threading.Event()
        self._watched = threading.get_ident()
        self._thread = threading.Thread(target=self._watch, name="temper-watchdog", daemon=True)

    def __enter__(self) -> Watchdog:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def begin(self) -> None:
        """A call of the property begins."""
        self._is_told = False
        self._began = time.monotonic()

    def end(self) -> None:
        """The call has ended."""
        self._began = None

    def _watch(self) -> None:
        while not self._stopped.wait(self._limit / 4):
            began = self._began
            if began is not None and not self._is_told and time.monotonic() - began > self._limit:
                self._is_told = True
                self._tell()

    def _tell(self) -> None:
        frame = sys._current_frames().get(self._watched)
        lines = traceback.format_stack(frame)[-3:] if frame is not None else []
        where = "".join(lines).rstrip()
        print(
            f"\ntemper: `{self._name}` has been running for more than {self._limit:g} s on one input\n"
            f"{self._describe()}\n{where}",
            file=sys.__stderr__,
            flush=True,
        )
