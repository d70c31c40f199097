"""The live functions of a loaded project, whose code a fork can replace: a mutant of a function then needs no layer.

A layer that is asked for it notes which code runs while it is loaded, and afterwards keeps all functions of the project by the
place of their code. A fork assigns other code or another default to the function itself, so that whoever holds it (a class, a
decorator, an import by name) calls the new code. What a function computed while the project was imported stays as it is: such
functions are not replaced (`obstacle`), nor are those that a compiler has read.
"""

import gc
import marshal
import os
import sys
import sysconfig
import threading
import types

# Types of these modules keep functions that they have compiled, or will compile with a cache of their own.
_COMPILERS = ("numba.", "torch.jit.", "torch._C")
_STDLIB = sysconfig.get_path("stdlib") + os.sep
_SITE = f"{os.sep}site-packages{os.sep}"

# Code that has run while the project was loaded, by identity; `None` before that is watched.
_ran = None
_live = None


def watch():
    """Notes from here on which code runs."""
    global _ran
    _ran = {}
    threading.settrace(_note)
    sys.settrace(_note)


def _note(frame, _event, _argument):
    _ran[id(frame.f_code)] = frame.f_code


def keep():
    """Ends `watch`, and keeps the functions that are alive now."""
    global _live
    is_seen = sys.gettrace() is _note
    sys.settrace(None)
    threading.settrace(None)
    _live = _LiveFunctions(_ran if is_seen else None)


class _LiveFunctions:
    """All functions by the place of their code."""

    def __init__(self, ran):
        self.names = {}
        self._by_place = {}
        self._compiled = set()
        own = (code for code in (ran or {}).values() if not _is_foreign(code.co_filename))
        self._ran = None if ran is None else {self.place(code) for code in own}
        # Frozen objects are not listed.
        gc.unfreeze()
        for each in gc.get_objects():
            if type(each) is types.FunctionType:
                if not _is_foreign(each.__code__.co_filename):
                    self._by_place.setdefault(self.place(each.__code__), []).append(each)
            elif _is_compiler(type(each)):
                self._compiled.update(map(id, vars(each).values()))

    def place(self, code):
        path = self.names.get(code.co_filename)
        if path is None:
            path = self.names[code.co_filename] = os.path.realpath(code.co_filename)
        return path, code.co_name, code.co_firstlineno

    def of(self, path, code):
        """The functions whose code is `code`, of the file at this path."""
        alike = described(code)
        found = self._by_place.get((path, code.co_name, code.co_firstlineno), ())
        return [each for each in found if described(each.__code__) == alike]

    def obstacle(self, path, code):
        """Why other code in place of `code` would not show all that it does; `None` if it would."""
        if self._ran is None:
            return "another tool traces the project while it is imported"
        if (path, code.co_name, code.co_firstlineno) in self._ran:
            return "its function runs while the project is imported"
        if any(id(each) in self._compiled for each in self.of(path, code)):
            return "its function is compiled by a library"
        return None


def _is_compiler(kind):
    module = kind.__dict__.get("__module__")
    # Not all classes have their name as a text.
    return type(module) is str and module.startswith(_COMPILERS) and kind.__dictoffset__ != 0


def _is_foreign(name):
    return name.startswith(("<", _STDLIB)) or _SITE in name


def is_kept():
    """Whether this process knows the live functions of a project."""
    return _live is not None


def file_name(path):
    """How the code of a file calls it; `None` if no function of the file is alive."""
    return next((name for name, real in _live.names.items() if real == path), None)


def functions(path, code):
    return _live.of(path, code)


def obstacle(path, code):
    return _live.obstacle(path, code)


def replace(changes):
    """Puts a mutant in place, in a fork; says whether every function that it changes was found."""
    for change in changes:
        found = _live.of(change["path"], marshal.loads(change["original"])) if _live else ()
        if not found:
            return False
        for function in found:
            if "code" in change:
                function.__code__ = marshal.loads(change["code"])
            else:
                _set_default(function, change["parameter"], marshal.loads(change["default"]))
    return True


def _set_default(function, parameter, value):
    if isinstance(parameter, str):
        function.__kwdefaults__ = {**function.__kwdefaults__, parameter: value}
    else:
        defaults = list(function.__defaults__)
        defaults[parameter] = value
        function.__defaults__ = tuple(defaults)


def described(code, with_inner=True):
    """What code does, places in the text aside; `with_inner=False` leaves out what the code inside it does."""
    inner = described if with_inner else _name
    consts = tuple(inner(each) if isinstance(each, types.CodeType) else _constant(each) for each in code.co_consts)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags)
    return (code.co_code, consts, names, counts, getattr(code, "co_exceptiontable", b""))


def _name(code):
    return ("code", code.co_name)


def _constant(value):
    """1, 1.0 and True are equal and not the same; nor are 0.0 and -0.0."""
    if isinstance(value, tuple):
        return ("tuple", tuple(map(_constant, value)))
    if isinstance(value, frozenset):
        return ("frozenset", tuple(sorted(map(_constant, value))))
    return (type(value).__name__, repr(value))
