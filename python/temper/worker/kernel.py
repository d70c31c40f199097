"""The few Linux calls that Python's standard library does not have, through ctypes; each says whether it worked."""

import os
import signal

try:
    import ctypes

    _libc = ctypes.CDLL(None, use_errno=True)
    _libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    _libc.syscall.restype = ctypes.c_long
except (ImportError, OSError, AttributeError):
    _libc = None

_M_PERTURB = -6
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38


def _prctl(option, value):
    return _libc is not None and _libc.prctl(option, value, 0, 0, 0) == 0


def die_with_parent(parent):
    """Asks for SIGKILL when the parent ends; exits at once if it already has."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def adopt_orphans():
    """Makes this process the parent of descendants whose own parent ends, so that it can end them too."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def forbid_new_privileges():
    return _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def fill_memory(byte):
    """Has the C library fill memory with `byte` when it is taken, and with its complement when it is freed."""
    # It is told the byte for freed memory; zero, which stands for none, is what it has at first.
    return hasattr(_libc, "mallopt") and _libc.mallopt(_M_PERTURB, 0 if byte is None else byte ^ 0xFF) == 1


def syscall(number, *arguments):
    """A raw system call: its result, or -1."""
    if _libc is None:
        return -1
    converted = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    return _libc.syscall(ctypes.c_long(number), *converted)


def buffer(data):
    """`data` in memory that a system call can be pointed at."""
    return ctypes.create_string_buffer(data, len(data))
