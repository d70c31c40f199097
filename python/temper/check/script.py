"""A module run as a script, in a process of its own."""

from __future__ import annotations

import linecache
import os
import runpy
import sys
import traceback
from typing import Any

from temper.worker import sandbox

# What `argparse` ends with when the command line is not what the script wants.
_USAGE = 2


def script(path: str, root: str) -> dict[str, Any]:
    """Runs a file as the command line would, without arguments, and says how that ended."""
    sys.argv[:] = [path]
    sys.path.insert(0, os.path.dirname(path))
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        if end.code in (None, 0):
            return _ended({"kind": "passed"})
        return _ended({"kind": "usage"}) if end.code == _USAGE else _ended(_described(end, path, root))
    except BaseException as error:
        return _ended(_described(error, path, root))
    return _ended({"kind": "passed"})


def _ended(described: dict[str, Any]) -> dict[str, Any]:
    """What containment refused explains everything that came after."""
    refused = sandbox.report()["refused"]
    return {"kind": "refused", "refused": refused} if refused else described


def _described(error: BaseException, path: str, root: str) -> dict[str, Any]:
    root = os.path.realpath(root) + os.sep
    place = (path, 1)
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = os.path.realpath(frame.f_code.co_filename)
        if file.startswith(root) and f"{os.sep}site-packages{os.sep}" not in file:
            place = (file, line)
    lines = str(error).strip().splitlines()
    message = f"{type(error).__qualname__}: {lines[0][:500]}" if lines else type(error).__qualname__
    source = linecache.getline(*place).strip()
    return {"kind": "script", "message": message, "path": place[0], "line": place[1], "source": source}
