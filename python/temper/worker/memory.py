"""What memory holds that nobody has written: a pattern, where the driver asks for one.

Code that reads such memory, an array of `np.empty` that it forgot to fill, takes its numbers from whatever lay there
before. With a pattern they are the same every time; a second pattern shows that they come from there.
"""

import sys

from temper.worker import kernel

# numpy keeps freed blocks below this size by their size, a few of each, and hands them out as they are.
_SMALL_BYTES = 1024
_KEPT = 7


# What the blocks that numpy keeps hold, where a layer has seen to that for its forks: the pages are shared then.
_prepared = None


def prepare(piece):
    """In a layer: gives the blocks that numpy keeps the bytes that the first run of this piece of work asks for."""
    global _prepared
    byte = _first(piece)
    if byte is not None and byte != _prepared:
        _fill_kept_blocks(byte)
        _prepared = byte


def _first(piece):
    if piece["kind"] == "repeat":
        return piece["starts"][0]["memory"]
    return piece["memory"] if piece["kind"] == "test" else None


def fill(byte):
    """Has memory that is taken from now on hold `byte`; `None` leaves it as it is found."""
    global _prepared
    kernel.fill_memory(byte)
    if byte is not None and byte != _prepared:
        _fill_kept_blocks(byte)
    # From here on they hold what the run leaves there.
    _prepared = None


def _fill_kept_blocks(byte):
    numpy = sys.modules.get("numpy")
    # Projects may have a module of this name that is another thing.
    if hasattr(numpy, "full") and hasattr(numpy, "uint8"):
        filled = numpy.full(_SMALL_BYTES, byte, numpy.uint8)
        for size in range(8, _SMALL_BYTES, 8):
            # A copy takes a block and fills it in one step. All of them at once: each then is a separate block.
            copy = filled[:size].copy
            [copy() for _ in range(_KEPT)]
