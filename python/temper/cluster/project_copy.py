"""The project as one archive, and a copy of it made from that.

What git knows, what it does not know, and of what it ignores only small code and data, such as compiled extensions: tests may
need them. Virtual environments, caches and hidden folders stay. Large files stay too: tests that need them find them by their own
paths on a file system that all machines share.
"""

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

# More than sources, fixtures and compiled extensions have; data above it belongs on a shared file system.
MOST_BYTES = 64 << 20
_MOST_IGNORED_BYTES = 8 << 20
_MOST_IN_ALL = 1 << 30
_PASSED_OVER = {"__pycache__", "node_modules", "target", "build", "dist", "site-packages"}
_IGNORED_KINDS = {".so", ".pyd", ".py", ".pyi", ".json", ".toml", ".txt", ".csv", ".npy", ".npz", ".pkl", ".parquet"}


class TooLarge(Exception):
    """The project is too large to be sent; the text says how large it is."""


def pack(root):
    """A name for the content, the archive, and the files that were left out because they are large."""
    root = Path(root)
    files, large = [], []
    for path, most in _candidates(root):
        size = path.lstat().st_size
        if size <= most:
            files.append(path)
        elif most == MOST_BYTES:
            large.append(str(path.relative_to(root)))
    total = sum(path.lstat().st_size for path in files)
    if total > _MOST_IN_ALL:
        raise TooLarge(f"the project has {total >> 20} MB besides large files")
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz", compresslevel=1) as packed:
        for path in sorted(files):
            packed.add(path, str(path.relative_to(root)), recursive=False, filter=_plain)
    content = archive.getvalue()
    return _digest(root, files), content, sorted(large)


def _candidates(root):
    """Files with the greatest size that they may have."""
    known = _git(root, "--cached", "--others", "--exclude-standard")
    if known is None:
        yield from ((path, MOST_BYTES) for path in _walk(root))
        return
    for path in known:
        yield path, MOST_BYTES
    for path in _git(root, "--others", "--ignored", "--exclude-standard") or ():
        if path.suffix in _IGNORED_KINDS:
            yield path, _MOST_IGNORED_BYTES


def _git(root, *which):
    """Files that git lists; `None` if this is no repository."""
    command = ["git", "-C", str(root), "ls-files", "-z", *which]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    names = {os.fsdecode(name) for name in listed.split(b"\0") if name}
    return [root / name for name in names if _is_sent(root, root / name)]


def _walk(root):
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = [name for name in folders if _is_sent_folder(here / name)]
        yield from (here / name for name in names if _is_file(root, here / name))


def _is_sent(root, path):
    folders = list(path.relative_to(root).parents)[:-1]
    return all(_is_sent_folder(root / folder) for folder in folders) and _is_file(root, path)


def _is_sent_folder(folder):
    is_environment = (folder / "pyvenv.cfg").exists()
    return not folder.name.startswith(".") and folder.name not in _PASSED_OVER and not is_environment


def _is_file(root, path):
    """Whether it is a file, or a link that stays inside the project."""
    if path.is_symlink():
        return os.path.realpath(path).startswith(os.path.realpath(root) + os.sep)
    return path.is_file()


def _plain(member):
    """Equal files make equal archives, whoever has them."""
    member.mtime, member.uid, member.gid, member.uname, member.gname = 0, 0, 0, "", ""
    return member


def _digest(root, files):
    found = hashlib.sha256()
    for path in sorted(files):
        content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        found.update(f"{path.relative_to(root)}\0{len(content)}\0".encode())
        found.update(content)
    return found.hexdigest()


def unpack(content, folder):
    """Makes a copy in a new folder below `folder`; returns where it is."""
    place = tempfile.mkdtemp(prefix="temper-", dir=folder)
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as packed:
            packed.extractall(place, filter="data")
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return place
