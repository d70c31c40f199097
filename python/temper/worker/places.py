"""The scratch folder, which takes every temporary file of a worker.

It belongs to the driver. Each piece of work has a separate folder in it, which its parent layer removes.
"""

import os
import shutil
import sys
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

scratch = None


def enter(folder):
    """Makes `folder` the place of temporary files from here on, creating it if needed."""
    global scratch
    os.makedirs(folder, mode=0o700, exist_ok=True)
    scratch = folder
    for name in SCRATCH_VARIABLES:
        os.environ[name] = folder
    os.environ["COVERAGE_FILE"] = os.path.join(folder, "coverage")
    tempfile.tempdir = folder


def mirror(root, folder):
    """Fills a scratch folder with links to what is in the project's root, so that relative paths find its data.

    Reading goes through the links; what is made goes to scratch; writing to what a link leads to is a write there, and
    contained as such.
    """
    for name in os.listdir(root):
        try:
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
        except OSError:
            # A name of our own in scratch, or a file system without links: the file is found by its full path only.
            pass


def remove(folder):
    """Removes a scratch folder, even one whose permissions the subject changed."""

    def unlock(function, path, _error):
        try:
            os.chmod(os.path.dirname(path), 0o700)
            os.chmod(path, 0o700)
            function(path)
        except OSError:
            pass

    if sys.version_info >= (3, 12):
        shutil.rmtree(folder, onexc=unlock)
    else:
        shutil.rmtree(folder, onerror=unlock)
    # An unlocked folder loses its contents only in a second pass.
    shutil.rmtree(folder, ignore_errors=True)
