"""What code used apart from itself: files that it opened or asked for, folders that it listed, environment variables that it
read. A stored run counts later only if all of that is as it was.

Seen are what Python's audit events and `os.environ` show. Not seen: whether a file exists (`stat`), what libraries open in C,
the network, the clock. If a library that opens files in C is loaded, or a process was started, that is said (`is_opaque`),
and the driver takes in all data files of the project.

Code files are not noted when they are imported: which modules a test uses is known from their imports. What a module of the
project uses while it is imported belongs to that module.
"""

import contextlib
import os
import sys
import sysconfig

# Modules that read files without Python's help.
_OPAQUE_MODULES = (
    "cv2",
    "h5py",
    "lmdb",
    "netCDF4",
    "pyarrow",
    "pynvml",
    "rasterio",
    "soundfile",
    "tables",
    "tensorflow",
    "torch",
    "torchaudio",
    "vtk",
    "zarr",
)
_PROCESS_EVENTS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.forkpty", "pty.spawn"}
_CODE = (".py", ".pyc", ".pyi", ".so", ".pth", ".egg-link")
_NOT_FILES = ("/proc/", "/dev/", "/sys/")
# Read by test runners and terminals everywhere, and by nothing that computes. The project's own code may still read them.
_OF_SESSIONS = {
    "CI",
    "COLORTERM",
    "COLUMNS",
    "FORCE_COLOR",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LINES",
    "LOGNAME",
    "NO_COLOR",
    "PATH",
    "PWD",
    "PY_COLORS",
    "SHELL",
    "TERM",
    "TZ",
    "USER",
    "USERNAME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
}
# Ours, or pytest's to itself.
_IGNORED_STARTS = ("PYTEST_", "TEMPER_", "COVERAGE_", "_")
_IGNORED_CALLERS = ("_pytest.", "pytest", "pluggy", "temper.worker", "temper.bounds", "iniconfig", "xdist", "pytest_")
_STDLIB = os.path.realpath(sysconfig.get_path("stdlib")) + os.sep
_SITE = f"{os.sep}site-packages{os.sep}"

# Of one process; a forked child goes on with a copy.
_state = None


class _State:
    """What was used, by the file of the module that was being imported; `""` outside of imports."""

    def __init__(self):
        self.is_on = False
        self.root = ""
        self.files = set()
        self.folders = set()
        self.variables = set()
        self.written = set()
        self.has_started_processes = False

    def clear(self):
        self.files, self.folders, self.variables, self.written = set(), set(), set(), set()
        self.has_started_processes = False


class _Environ(os._Environ):
    """`os.environ` that notes which variables are read. Copying all of it notes nothing."""

    def __getitem__(self, key):
        if _state is not None and _state.is_on:
            _note_variable(key)
        return super().__getitem__(key)

    def __iter__(self):
        state = _state
        if state is None or not state.is_on:
            yield from super().__iter__()
            return
        # Variables that are read while all are walked through: if that was all of them, it was a copy.
        before, names = set(state.variables), []
        for name in super().__iter__():
            names.append(name)
            yield name
        read = {name for name, _ in state.variables - before}
        if set(names) - read <= {name for name in names if _is_ignored(name)}:
            state.variables = before

    def copy(self):
        return {self.decodekey(key): self.decodevalue(value) for key, value in self._data.items()}


def install():
    """Lets this process and its forks be traced."""
    global _state
    if _state is not None:
        return
    _state = _State()
    sys.addaudithook(_audit)
    if type(os.environ) is os._Environ:
        os.environ.__class__ = _Environ


def root():
    """The folder of the project, with a separator at its end; empty before one is loaded."""
    return "" if _state is None else _state.root


def begin(root):
    """Notes what is used from here on, until `pause`."""
    if _state is not None:
        _state.root = os.path.realpath(root) + os.sep if root else _state.root
        _state.is_on = True


def pause():
    """Stops noting: what follows is our own."""
    if _state is not None:
        _state.is_on = False


@contextlib.contextmanager
def paused():
    """Notes nothing inside, and goes on as before behind it."""
    was_on = _state is not None and _state.is_on
    pause()
    try:
        yield
    finally:
        if was_on:
            _state.is_on = True


def clear():
    """Forgets what was noted, as a fork does that is to be told apart from its parent."""
    if _state is not None:
        _state.clear()


def taken():
    """What was noted, as lists of `[name, owner]`: the owner is the file of the module that was being imported, or empty."""
    if _state is None:
        return {"files": [], "folders": [], "variables": [], "is_opaque": False}
    loaded = [name for name in _OPAQUE_MODULES if name in sys.modules]
    return {
        "files": sorted(map(list, _state.files)),
        "folders": sorted(map(list, _state.folders)),
        "variables": sorted(map(list, _state.variables)),
        "is_opaque": bool(loaded) or _state.has_started_processes,
    }


def _audit(event, arguments):
    state = _state
    if not state.is_on:
        return
    if event == "open":
        path, _, flags = arguments
        if isinstance(path, (str, bytes)):
            _note_file(path, flags)
    elif event in ("os.listdir", "os.scandir"):
        if isinstance(arguments[0], (str, bytes)):
            _note_folder(arguments[0] or ".")
    elif event == "sqlite3.connect":
        if isinstance(arguments[0], (str, bytes)):
            _note_file(arguments[0], 0)
    elif event in _PROCESS_EVENTS:
        state.has_started_processes = True


def _note_file(path, flags):
    path = os.path.abspath(os.fsdecode(path))
    if path.startswith(_NOT_FILES) or (path.startswith(_STDLIB) and path.endswith(_CODE)):
        return
    if isinstance(flags, int) and flags & (os.O_TRUNC | os.O_EXCL):
        # What a run writes itself does not come from outside; what it appends to does.
        _state.written.add(path)
        return
    if isinstance(flags, int) and flags & os.O_WRONLY:
        return
    if path in _state.written or _is_in_scratch(path) or path.endswith(_CODE):
        return
    owner = _owner()
    if owner is not None:
        _state.files.add((path, owner))


def _note_folder(path):
    path = os.path.abspath(os.fsdecode(path))
    if path.startswith(_NOT_FILES) or path.startswith(_STDLIB) or _SITE in path + os.sep or _is_in_scratch(path):
        return
    owner = _owner()
    if owner is not None:
        _state.folders.add((path, owner))


def _note_variable(key):
    if not isinstance(key, str) or key.startswith(_IGNORED_STARTS):
        return
    owner = _owner()
    if owner is None or (_is_ignored(key) and not _is_asked_by_project()):
        return
    _state.variables.add((key, owner))


def _is_ignored(name):
    return name in _OF_SESSIONS or name.startswith(_IGNORED_STARTS)


def _is_in_scratch(path):
    from temper.worker import scratch

    return scratch.folder is not None and path.startswith(scratch.folder + os.sep)


def _owner():
    """Whose use this is: the file of the module that is being imported, or empty; nothing if it is not the subject's."""
    frame = sys._getframe(2)
    owner, is_first = "", True
    while frame is not None:
        code = frame.f_code
        name = frame.f_globals.get("__name__") or ""
        is_library = code.co_filename.startswith(("<frozen", _STDLIB)) and _SITE not in code.co_filename
        if is_first and not is_library and name != __name__:
            is_first = False
            if name.startswith(_IGNORED_CALLERS):
                return None
        elif is_first and name.startswith("importlib._bootstrap"):
            return None
        if code.co_name == "<module>" and code.co_filename.startswith(_state.root) and _SITE not in code.co_filename:
            owner = os.path.realpath(code.co_filename)
            break
        frame = frame.f_back
    return owner


def _is_asked_by_project():
    frame = sys._getframe(3)
    while frame is not None and frame.f_code.co_filename.startswith(("<frozen", _STDLIB)):
        frame = frame.f_back
    return (
        frame is not None and frame.f_code.co_filename.startswith(_state.root) and _SITE not in frame.f_code.co_filename
    )
