"""Mutants that are put in place in live functions do what edited files do; the others are named with their reason."""

import asyncio
import importlib
import os
import subprocess
import sys
import types

import pytest

# One change a line: what is replaced, with what, and a call that shows it.
SOURCE = """\
from __future__ import annotations
import contextlib, functools
import math as m
LEVEL = 3
def recursive(n): return 1 if n <= 0 else n * recursive(n - 1)
def generator(n):
    for i in range(n): yield i + 1
async def coroutine(x): return x + 1
class Base:
    level = 5
    def method(self): return 2
    @property
    def value(self): return 7 + 1
    @staticmethod
    def static(x): return x + 2
    @classmethod
    def cls(cls): return cls.level + 1
class Derived(Base):
    def method(self): return super().method() + 10
def outer(k):
    n = 0
    def inner():
        nonlocal n
        n += 1
        return n * k + 100
    return inner
made = outer(2)
def deco(function):
    @functools.wraps(function)
    def wrapper(*arguments): return function(*arguments) + 1000
    return wrapper
@deco
def decorated(x): return x + 5
@functools.lru_cache
def cached(x): return x + 6
@functools.lru_cache
def asked(x): return x + 66
KEPT = asked(1)
@contextlib.contextmanager
def manager(): yield 1 + 8
shorter = lambda x: x + 9
partial = functools.partial(decorated, 1)
def imported(x): return m.sqrt(x) + 4
one, other = lambda: 1 + 70, lambda: 1 + 70
def enclosing(k):
    def enclosed(): return k + 50
    return enclosed()
def default(x=0.25, *, y=444): return x + y
class WithDefault:
    @functools.wraps(default)
    def method(self, rate=0.75): return rate
@deco
def given(x=31): return x
def changed(x=41): return x
changed.__defaults__ = (42,)
def local():
    return [i + 30 for i in range(3)]
"""

REPLACED = [
    ("n - 1)", "n - 2)", lambda m: m.recursive(5)),
    ("i + 1", "i - 1", lambda m: list(m.generator(3))),
    ("return x + 1", "return x - 1", lambda m: asyncio.run(m.coroutine(3))),
    ("+ 10", "- 10", lambda m: m.Derived().method()),
    ("7 + 1", "7 - 1", lambda m: m.Base().value),
    ("x + 2", "x - 2", lambda m: m.Base.static(1)),
    ("cls.level + 1", "cls.level - 1", lambda m: m.Base.cls()),
    ("n * k + 100", "n * k - 100", lambda m: m.outer(3)()),
    ("n * k + 100", "n * k - 100", lambda m: m.made() > 0),
    ("+ 1000", "- 1000", lambda m: m.decorated(1)),
    ("x + 5", "x - 5", lambda m: m.decorated(1)),
    ("x + 5", "x - 5", lambda m: m.partial()),
    ("x + 6", "x - 6", lambda m: m.cached(22)),
    ("1 + 8", "1 - 8", lambda m: m.manager().__enter__()),
    ("x + 9", "x - 9", lambda m: m.shorter(1)),
    ("(x) + 4", "(x) - 4", lambda m: m.imported(4)),
    ("0.25", "2.5", lambda m: m.default()),
    ("444", "40", lambda m: m.default()),
    ("0.75", "7.5", lambda m: m.WithDefault().method()),
    ("31", "32", lambda m: m.given()),
    ("k + 50", "k - 50", lambda m: m.enclosing(1)),
    ("k + 50", "6 + 50", lambda m: m.enclosing(1)),
    ("i + 30", "i - 30", lambda m: m.local()),
]
LOADED = [
    ("LEVEL = 3", "LEVEL = 4", "code of the module"),
    ("level = 5", "level = 6", "code of a class"),
    ("@deco\n", "@abs \n", "code of the module"),
    ("super().method() + 10", "self.level + 10", "code of a class"),
    ("n * k + 100", "n * 2 + 100", "its function runs while the project is imported"),
    ("x + 66", "x - 66", "its function runs while the project is imported"),
    ("return wrapper", "return None   ", "its function runs while the project is imported"),
    ("41", "43", "its default is no longer that of the text"),
    ("1 + 70", "1 - 70", "two functions on one line are alike"),
]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A module that was imported under the eyes of the watch, and what its mutants are."""
    from temper.worker import live_code

    (tmp_path / "live_subject.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "live_subject", raising=False)
    tracer = sys.gettrace()
    live_code.watch()
    try:
        module = importlib.import_module("live_subject")
        live_code.keep()
    finally:
        sys.settrace(tracer)
    return module, str(tmp_path / "live_subject.py")


def compared(path, *changes):
    from temper.bounds import mutant_code

    edits = []
    for old, new in changes:
        start = SOURCE.encode().index(old.encode())
        edits.append([start, start + len(old.encode()), new.encode()])
    return mutant_code.compare(path, SOURCE.encode(), edits)


def in_fork(call, module, changes):
    """What a call returns in a fork with these changes, as a text."""
    from temper.worker import live_code

    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write, repr(live_code.replace(changes) and call(module)).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(pid, 0)
    return text


def test_replaced_code_does_what_an_edited_file_does(project):
    module, path = project
    answers = compared(path, *(change[:2] for change in REPLACED))
    for (old, new, call), answer in zip(REPLACED, answers, strict=True):
        assert "changes" in answer, (old, answer)
        edited = types.ModuleType("edited")
        exec(compile(SOURCE.replace(old, new, 1), "edited", "exec"), edited.__dict__)
        expected = call(edited)
        found = in_fork(call, module, answer["changes"])
        assert found == repr(expected), old
        assert found != in_fork(call, module, []), old


def test_what_cannot_be_replaced_is_said_with_its_reason(project):
    _, path = project
    for change, answer in zip(LOADED, compared(path, *(change[:2] for change in LOADED)), strict=True):
        assert answer.get("reason") == change[2], (change, answer)


def test_changes_that_compile_to_the_same_are_seen(project):
    _, path = project
    same, one, again = compared(path, ("x + 9", "x +  9"), ("x + 9", "x - 9"), ("+ 9", "-  9"))
    assert same == {"same": True}
    assert one["digest"] == again["digest"]


def test_a_module_that_is_not_loaded_has_no_live_functions(project, tmp_path):
    from temper.bounds import mutant_code

    (answer,) = mutant_code.compare(str(tmp_path / "late.py"), b"\ndef f(): return 1\n", [[18, 19, b"2"]])
    assert answer["reason"] == "its module is not loaded with the tests"


def test_a_function_that_a_library_compiles_is_not_replaced(tmp_path):
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba/__init__.py").write_text("from numba.core import Dispatcher as njit\n")
    dispatcher = "class Dispatcher:\n    def __init__(self, function):\n        self.py_func = function\n"
    (tmp_path / "numba/core.py").write_text(dispatcher)
    (tmp_path / "fast.py").write_text("from numba import njit\n\n@njit\ndef f(x):\n    return x + 1\n")
    script = (
        "from temper.worker import live_code\nlive_code.watch()\nimport fast\nlive_code.keep()\n"
        "from temper.bounds import mutant_code\ntext = open('fast.py', 'rb').read()\nat = text.index(b'+')\n"
        "print(mutant_code.compare('fast.py', text, [[at, at + 1, b'-']])[0]['reason'])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "its function is compiled by a library\n", done.stderr
