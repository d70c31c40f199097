"""Frames on pipes: a length in four bytes, then the content; the twin of `crates/temper-worker/src/remote/frames.rs`."""

import struct


def write(file, *parts):
    """Writes one frame."""
    file.write(struct.pack("<I", sum(map(len, parts))))
    for part in parts:
        file.write(part)
    file.flush()


def read(file):
    """Reads one frame; `None` at the end."""
    head = file.read(4)
    if len(head) < 4:
        return None
    (length,) = struct.unpack("<I", head)
    content = file.read(length)
    return content if len(content) == length else None
