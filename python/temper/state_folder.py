"""The project's `.temper/` folder, as far as pytest's side writes there. Links are not followed: projects come from anywhere."""

from __future__ import annotations

import os
import secrets


def opened(root: str, name: str) -> int:
    """A descriptor of a folder in `.temper/`, which is made if it is not there. `.temper/` ignores itself in git."""
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    for part in (".temper", name):
        try:
            os.mkdir(part, 0o700, dir_fd=folder)
        except FileExistsError:
            pass
        try:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
        if part == ".temper":
            _ignore(folder)
    return folder


def replace(root: str, folder: str, name: str, text: str) -> None:
    """Writes a file as a whole: whoever reads meanwhile sees the old one or the new one."""
    inside = opened(root, folder)
    try:
        new = f".{name}.{secrets.token_hex(8)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(new, flags, 0o644, dir_fd=inside), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(new, name, src_dir_fd=inside, dst_dir_fd=inside)
    finally:
        os.close(inside)


def _ignore(folder: int) -> None:
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        descriptor = os.open(".gitignore", flags, 0o644, dir_fd=folder)
    except FileExistsError:
        return
    os.write(descriptor, b"*\n")
    os.close(descriptor)
