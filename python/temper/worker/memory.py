"""What memory holds that nobody has written: a pattern, where the driver asks for one.

Code that reads such memory, an array of `np.empty` that it forgot to fill, takes its numbers from whatever lay there
before. With a pattern they are the same every time; a second pattern shows that they come from there.
"""

import sys

from temper.worker import kernel

# numpy keeps freed blocks below this size by their size, a few of each, and hands them out as they are.
_SMALL_BYTES = 1024
_KEPT = 7


def fill(byte):
    """Has memory that is taken from now on hold `byte`; `None` leaves it as it is found."""
    kernel.fill_memory(byte)
    numpy = sys.modules.get("numpy")
    if byte is not None and numpy is not None:
        for size in range(8, _SMALL_BYTES, 8):
            # All of them at once: each then is a separate block.
            for block in [numpy.empty(size, numpy.uint8) for _ in range(_KEPT)]:
                block.fill(byte)
