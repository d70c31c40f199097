"""How an exception travels to the driver: its type, its words, where it came from."""

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
        "is_permission": isinstance(error, PermissionError),
    }


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
