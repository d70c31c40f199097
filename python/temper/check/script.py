"""A module run as a script, in a separate process."""

from __future__ import annotations

import linecache
import os
import runpy
import sys
import traceback
from typing import Any

from temper.check.protocol import PASSED, REFUSED, SCRIPT, USAGE, FoundPlace, ScriptReply, refusals
from temper.worker import sandbox

# What `argparse` ends with when the command line is not what the script wants.
_USAGE_CODE = 2


def script(path: str, root: str) -> dict[str, Any]:
    """Runs a file as the command line would, without arguments, and says how that ended, as a `ScriptReply`."""
    sys.argv[:] = [path]
    sys.path.insert(0, os.path.dirname(path))
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        if end.code in (None, 0):
            return _ended(PASSED)
        return _ended(USAGE) if end.code == _USAGE_CODE else _ended(SCRIPT, _place(end, path, root))
    except BaseException as error:
        return _ended(SCRIPT, _place(error, path, root))
    return _ended(PASSED)


def _ended(kind: str, place: FoundPlace | None = None) -> dict[str, Any]:
    """What containment refused explains everything that came after."""
    refused = refusals(sandbox.report()["refused"])
    if refused:
        return ScriptReply(kind=REFUSED, refused=refused, place=None).wire()
    return ScriptReply(kind=kind, refused=[], place=place).wire()


def _place(error: BaseException, path: str, root: str) -> FoundPlace:
    root = os.path.realpath(root) + os.sep
    place = (path, 1)
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = os.path.realpath(frame.f_code.co_filename)
        if file.startswith(root) and f"{os.sep}site-packages{os.sep}" not in file:
            place = (file, line)
    lines = str(error).strip().splitlines()
    message = f"{type(error).__qualname__}: {lines[0][:500]}" if lines else type(error).__qualname__
    return FoundPlace(message=message, path=place[0], line=place[1], source=linecache.getline(*place).strip())
