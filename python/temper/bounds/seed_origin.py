"""Where a fixed seed comes from: a place in the project, or a library that seeds itself.

Read off the stack at the moment the seed takes effect. Only seeds of the project are varied: a library may rely on its own
(a table that it makes at import, a permutation test with a documented seed).
"""

import dis
import functools
import os
import sys

from temper.worker import loading, seeds, trace

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# How many entries of a container of a frame are looked at.
_ENTRIES = 64


def place_of(value):
    """File and line in the project whose code brought the seed `value` here; `None` if it is not the project's."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        if frame.f_code is seeds.reseed.__code__:
            # Temper itself sets the state of a run.
            return None
        frame = frame.f_back
    is_traced = isinstance(value, int)
    while frame is not None:
        code = frame.f_code
        whose = _whose(code.co_filename, trace.root())
        if whose == "project":
            return code.co_filename, frame.f_lineno
        if whose == "temper":
            return None
        if whose == "library":
            if code.co_name == "<module>":
                # The library is being imported: what it draws then is its own affair.
                return None
            if is_traced:
                held = _held(frame, value)
                if held is None and value in _literals(code):
                    return None
                # A number that lies in an object, or was computed, may be anybody's: the project's, as a rule.
                is_traced = held == "variable"
        frame = frame.f_back
    return None


@functools.cache
def _whose(file, root):
    if file.startswith("<"):
        return "nobody"
    if file.startswith(_OWN):
        return "temper"
    return "project" if root and loading.is_of_project(file, root.rstrip(os.sep)) else "library"


@functools.cache
def _literals(code):
    """The whole numbers that are written in a function."""
    return frozenset(
        instruction.argval
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_CONST", "LOAD_SMALL_INT") and type(instruction.argval) is int
    )


def _held(frame, value):
    """How a frame has the number: in a variable of its own, in an object that it knows, or not at all."""
    variables = list(frame.f_locals.values())
    if any(_is_same(each, value) or _has_entry(each, value) for each in variables):
        return "variable"
    if any(_has_entry(getattr(each, "__dict__", None), value) for each in variables):
        return "object"
    return None


def _has_entry(container, value):
    if isinstance(container, dict):
        container = list(container.values())[:_ENTRIES]
    if not isinstance(container, (list, tuple)):
        return False
    return any(_is_same(each, value) for each in container[:_ENTRIES])


def _is_same(each, value):
    return isinstance(each, int) and not isinstance(each, bool) and each == value
