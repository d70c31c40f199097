"""How an exception travels to the driver: its type, its words, where it came from."""

import errno
import os
import traceback

_MAX_TEXT = 4000
_MAX_FRAMES = 50


def describe(error):
    """A plain description; never raises, whatever the exception's own methods do."""
    kind = type(error)
    return {
        "type": kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}",
        "message": _message(error),
        "frames": _frames(error),
        "errno": error.errno if isinstance(error, OSError) and type(error.errno) is int else None,
        "is_memory": isinstance(error, MemoryError),
        "is_permission": hidden_refusal(error) is not None,
    }


_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)
# SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN, and the words of the last two for Pythons that do not tell codes.
_SQLITE_CODES = (3, 8, 14)
_SQLITE_WORDS = ("attempt to write a readonly database", "unable to open database")


def hidden_refusal(error):
    """What the kernel refused, if the exception, or one that led to it, says so: its kind and what it was about."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        # One that a program raises itself has no number.
        if isinstance(error, OSError) and error.errno in _REFUSED:
            return _refusal(error)
        if type(error).__module__ == "sqlite3" and _is_refused_by_sqlite(error):
            return {"kind": "write", "detail": ""}
        error = error.__cause__ or error.__context__
    return None


def _refusal(error):
    name = error.filename
    if isinstance(name, (str, bytes)) and name:
        return {"kind": "write", "detail": os.path.abspath(os.fsdecode(name))}
    frames = _frames(error)
    is_of_socket = bool(frames) and os.path.basename(frames[-1][0]) == "socket.py"
    return {"kind": "net" if is_of_socket else "system", "detail": ""}


def _is_refused_by_sqlite(error):
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF in _SQLITE_CODES if isinstance(code, int) else str(error).startswith(_SQLITE_WORDS)


def _message(error):
    try:
        return str(error)[:_MAX_TEXT]
    except Exception as second:
        return f"(its message raised {type(second).__name__})"


def _frames(error):
    frames = []
    for frame, line in list(traceback.walk_tb(error.__traceback__))[-_MAX_FRAMES:]:
        frames.append([frame.f_code.co_filename, line, frame.f_code.co_name])
    return frames
