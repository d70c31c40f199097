"""Which files are read for calls of functions that `--suggest` proposes annotations for."""

from __future__ import annotations

import os

# More files than this say nothing new.
_MOST_AROUND = 400


def nearest(around: list[str], paths: list[str]) -> list[str]:
    """The files that may call functions of others; of a large tree those that share most folders with them."""
    if len(around) <= _MOST_AROUND:
        return around

    def shared(path: str) -> int:
        return max((len(os.path.commonpath([path, each])) for each in paths), default=0)

    return sorted(around, key=lambda path: (-shared(path), path))[:_MOST_AROUND]


def neighbours(paths: list[str]) -> list[str]:
    """The files next to those, and their tests: installed packages are no part of the project."""
    found = []
    for folder in {os.path.dirname(path) for path in paths}:
        for below in (folder, os.path.join(folder, "tests")):
            if os.path.isdir(below):
                found += [os.path.join(below, name) for name in sorted(os.listdir(below)) if name.endswith(".py")]
    return found
