"""The Python half of Temper's workers: standard library and public pytest hooks only.

The Rust driver (crate `temper-worker`) starts `boot.py`; nothing here is imported by users' programs. docs/worker.md
describes the processes, the messages and the limits.
"""

import importlib
import os
import sys
import types


def import_own(*names):
    """Import modules of this package without running ``temper/__init__.py``, and return them.

    That file is for user code: it needs an engine built for the interpreter, and runs only when user code asks for it.
    """
    absent = "temper" not in sys.modules
    if absent:
        sys.modules["temper"] = types.ModuleType("temper")
        sys.modules["temper"].__path__ = [os.path.dirname(os.path.dirname(__file__))]
    try:
        return [importlib.import_module(f"temper.worker.{name}") for name in names]
    finally:
        if absent:
            del sys.modules["temper"]
