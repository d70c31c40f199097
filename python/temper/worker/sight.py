"""What contained code may see of the user's: environment variables and files.

Functions that are fed with drawn values need none of the user's secrets. They get the variables that programs need to run at all,
and those that the user names; and they may read the interpreter, the project, what is loaded, and what the user names.
"""

import os
import sys

_VARIABLES = {
    "CONDA_PREFIX",
    "CUDA_VISIBLE_DEVICES",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LD_LIBRARY_PATH",
    "PATH",
    "TERM",
    "TZ",
    "VIRTUAL_ENV",
}
_STARTS = ("COVERAGE_", "KMP_", "LC_", "MKL_", "OMP_", "OPENBLAS_", "PYTEST_", "PYTHON", "TEMPER_")
_ENDS = ("_NUM_THREADS",)

# What the C library, linkers and numerical libraries read. `/etc` as a whole has secrets in it.
_SYSTEM = ("/bin", "/dev", "/lib", "/lib32", "/lib64", "/opt", "/proc", "/sbin", "/sys", "/usr", "/nix/store")
_SYSTEM_FILES = (
    "alternatives",
    "fonts",
    "group",
    "host.conf",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki/tls",
    "resolv.conf",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
)


def hide_variables(named, scratch_variables):
    """Removes all variables but the usual ones and those named; also from the memory that `/proc/self/environ` shows."""
    kept = _VARIABLES.union(scratch_variables)
    for name, value in list(os.environ.items()):
        is_usual = name in kept or name.startswith(_STARTS) or name.endswith(_ENDS)
        if is_usual or any(_is_named(name, pattern) for pattern in named):
            # A copy of its own: the one that the process was started with is wiped below.
            os.putenv(name, value)
        else:
            del os.environ[name]
    _wipe_first_environment()


def _is_named(name, pattern):
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def _wipe_first_environment():
    try:
        import ctypes

        with open("/proc/self/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        start, end = int(fields[47]), int(fields[48])
    except (ImportError, OSError, IndexError, ValueError):
        return
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)


def readable(root, named):
    """Files and folders that may be read, as real paths, none below another."""
    found = {root, *named, *sys.path, sys.prefix, sys.base_prefix, sys.exec_prefix, *_SYSTEM}
    found.update(os.path.join("/etc", name) for name in _SYSTEM_FILES)
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str):
            found.add(os.path.dirname(file))
    for finder in sys.meta_path:
        # Packages that are installed from the folder of their source.
        mapping = getattr(sys.modules.get(getattr(finder, "__module__", "")), "MAPPING", None)
        if isinstance(mapping, dict):
            found.update(path for path in mapping.values() if isinstance(path, str))
    real = sorted({os.path.realpath(path) for path in found if path and os.path.exists(path)})
    return [path for at, path in enumerate(real) if not any(_is_below(path, top) for top in real[:at])]


def _is_below(path, top):
    return path.startswith(top.rstrip(os.sep) + os.sep)


def may_read(path, tops):
    """Whether a real path is one of these, or below one."""
    return any(path == top or _is_below(path, top) for top in tops)
