"""The scratch folder, which takes every temporary file of a worker.

It belongs to the driver. Each piece of work has a separate folder in it, which its parent layer removes.
"""

import os
import stat
import tempfile

# Variables by which programs find a place for temporary files and caches.
SCRATCH_VARIABLES = (
    "TMPDIR",
    "TEMP",
    "TMP",
    "PYTEST_DEBUG_TEMPROOT",
    "NUMBA_CACHE_DIR",
    "MPLCONFIGDIR",
    "HYPOTHESIS_STORAGE_DIRECTORY",
)

folder = None


def enter(place):
    """Makes `place` the folder of temporary files from here on, creating it if needed.

    The outermost one was made by the driver, for this user alone; what lies in it is out of other people's reach.
    """
    global folder
    os.makedirs(place, mode=0o700, exist_ok=True)
    found = os.lstat(place)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"`{place}` is not a folder of this user")
    folder = place
    for name in SCRATCH_VARIABLES:
        os.environ[name] = place
    os.environ["COVERAGE_FILE"] = os.path.join(place, "coverage")
    tempfile.tempdir = place


def mirror(root, place):
    """Fills a scratch folder with links to what is in the project's root, so that relative paths find its data.

    Reading goes through the links; what is made goes to scratch; writing to what a link leads to is a write there, and
    contained as such.
    """
    for name in os.listdir(root):
        try:
            os.symlink(os.path.join(root, name), os.path.join(place, name))
        except OSError:
            # A name of our own in scratch, or a file system without links: the file is found by its full path only.
            pass


# Levels of folders that are emptied one inside the other: each costs a descriptor.
_DEEPEST = 32


def remove(place):
    """Removes a scratch folder, even one whose permissions the subject changed. What links lead to is not touched."""
    parent, name = os.path.split(place)
    try:
        top = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        pending = [name]
        while pending:
            _remove_below(top, pending.pop(), top, 0, pending)
    finally:
        os.close(top)


def _remove_below(folder, name, top, depth, pending):
    """Removes what is called `name` in a folder; what lies too deep is moved up, to be removed from there."""
    try:
        if not stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
            os.unlink(name, dir_fd=folder)
            return
        inner = _opened(folder, name)
        try:
            if depth == _DEEPEST:
                moved = f"removed-{os.getpid()}-{len(pending)}-{os.urandom(8).hex()}"
                os.rename(name, moved, src_dir_fd=folder, dst_dir_fd=top)
                pending.append(moved)
                return
            for each in os.listdir(inner):
                _remove_below(inner, each, top, depth + 1, pending)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=folder)
    except OSError:
        # Gone already, or another user's: the rest is removed all the same.
        pass


def _opened(folder, name):
    """A descriptor of a folder, after all rights to it were given to this user: to exactly this folder, and through no link."""
    handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        try:
            os.chmod(f"/proc/self/fd/{handle}", 0o700)
        except OSError:
            pass
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=handle)
    finally:
        os.close(handle)
