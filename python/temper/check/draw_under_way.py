"""Where the driver finds the choices of the draw under way when this process is killed; the twin of
`crates/temper-check/src/draw_under_way.rs`.
"""

from __future__ import annotations

import mmap
import os
import struct


class DrawUnderWay:
    """Memory that is shared with the driver; without a path, nothing is noted."""

    _SIZE = 1 << 20
    # The number of valid inputs so far stands at the end.
    _COUNT = slice(_SIZE - 8, _SIZE)

    def __init__(self, path: str | None) -> None:
        self._map = None
        self._count = 0
        if path is not None:
            # A function that ran before may have left a link there.
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            os.ftruncate(descriptor, self._SIZE)
            self._map = mmap.mmap(descriptor, self._SIZE)
            os.close(descriptor)

    def seed(self, seed: int) -> None:
        """The draw that this seed gives is under way."""
        if self._map is not None:
            self._map[0:9] = struct.pack("<BQ", 1, seed)

    def tree(self, tree: bytes) -> None:
        """The draw with this record is under way."""
        if self._map is not None and len(tree) < self._SIZE - 16:
            self._map[0:5] = struct.pack("<BI", 2, len(tree))
            self._map[5 : 5 + len(tree)] = tree

    def judged(self) -> None:
        """One more valid input is done with."""
        self._count += 1
        if self._map is not None:
            self._map[self._COUNT] = struct.pack("<Q", self._count)

    def idle(self) -> None:
        """Nothing of the subject's is under way."""
        if self._map is not None:
            self._map[0] = 0
