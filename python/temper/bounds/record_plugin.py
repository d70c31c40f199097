"""`pytest --temper-record`: what approximate assertions compare in ordinary test runs, kept for `temper bounds --no-run`.

One file for each process, in `.temper/recorded/`: a line that says what ran and where, then a line for each test. Lines are only
ever added, so that a killed process loses at most its last one. The tests run as they always do (`observe.py`).
"""

import hashlib
import json
import os
import platform
import secrets
import sys
import time

import pytest

from temper import _engine, state_folder
from temper.bounds import observe, recording

FORMAT = 1
_SITE_PACKAGES = f"{os.sep}site-packages{os.sep}"


class Recorder:
    """The plugin of one process."""

    def __init__(self, config, varies_seeds):
        self._root = str(config.rootpath)
        self._varies_seeds = varies_seeds
        self._file = None
        self._phases = {}
        self._began = (0.0, 0.0)
        self.finder = observe.install(self._root, config)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        # The process that hands tests out to others runs none.
        if session.items and self._file is None and not session.config.getoption("collectonly", False):
            self._file = _RecordFile(self._root, _header(self._root, self._varies_seeds))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        recording.clear()
        self._phases = {}
        self._began = (time.monotonic(), time.process_time())
        if self._varies_seeds:
            _vary(self._root)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        error = None if call.excinfo is None else call.excinfo.value
        if call.when == "call" and isinstance(error, AssertionError):
            recording.failed_calls(observe.raising)
        self._phases[call.when] = (report.outcome, hasattr(report, "wasxfail"), error)
        if call.when == "teardown" and self._file is not None:
            self._file.add(self._line(item))

    def _line(self, item):
        wall, cpu = self._began
        end, said = _end(self._phases, any(state.failed for state in recording.states().values()))
        return {
            "test": item.nodeid,
            "end": end,
            "said": said,
            "secs": time.monotonic() - wall,
            "cpu_secs": time.process_time() - cpu,
            "sites": {number: _written(state) for number, state in recording.states().items()},
        }


def _vary(root):
    """Gives the test that begins another seed, and others in place of those that it fixes."""
    from temper.bounds import seed_variation
    from temper.worker import probe, seeds, trace

    # Which seeds are the project's is told by its folder; what tests use is not noted.
    trace.install()
    trace.begin(root)
    trace.pause()
    seeds.reseed(secrets.randbits(63))
    seed_variation.install()
    probe.clear()


def _end(phases, has_failed_site):
    """How the test ended. If an assertion that is noted has failed, that is all there is to say."""
    for when in ("setup", "call", "teardown"):
        outcome, is_expected, error = phases.get(when, ("passed", False, None))
        if is_expected or outcome == "skipped":
            return "skipped", str(error or "")[:200]
        if outcome == "failed":
            if when == "call" and isinstance(error, AssertionError):
                return ("passed", "") if has_failed_site else ("failed", _words(error))
            return "error", _words(error)
    return "passed", ""


def _words(error):
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"[:200]


def _written(state):
    """JSON has no infinities: numbers are written as Python writes them."""
    *counts, worst = state.record()
    return [*counts, [[role, repr(float(number)), repr(float(bound))] for role, number, bound in worst]]


def _header(root, varies_seeds):
    return {
        "temper_record": FORMAT,
        "temper": _engine.__version__,
        "python": f"{sys.implementation.name} {platform.python_version()}",
        "machine": _machine(),
        "commit": _commit(root),
        "at": time.time(),
        "seeds": "vary" if varies_seeds else "keep",
        "files": _project_files(root),
        "packages": _packages(root),
    }


def _is_of_project(path, root):
    return path.startswith(root + os.sep) and _SITE_PACKAGES not in path and path.endswith(".py")


def _origin(module):
    return getattr(getattr(module, "__spec__", None), "origin", None) or ""


def _project_files(root):
    """A digest of each file of the project that is loaded."""
    root = os.path.realpath(root)
    found = {}
    for module in list(sys.modules.values()):
        path = os.path.realpath(_origin(module)) if _origin(module) else ""
        if _is_of_project(path, root):
            try:
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = hashlib.sha256(file.read()).hexdigest()
            except OSError:
                continue
    return dict(sorted(found.items()))


def _packages(root):
    """Versions of the libraries that are loaded, as they tell them."""
    tops = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names) - {"temper"}
    found = {}
    for top in sorted(tops):
        version = getattr(sys.modules.get(top), "__version__", None)
        if isinstance(version, str) and not _is_of_project(_origin(sys.modules[top]), os.path.realpath(root)):
            found[top] = version
    return found


def _machine():
    """The kind of this machine, in the words of `machine.rs`."""
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.partition(":")[2].split() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return " ".join([platform.machine(), *(names[0] if names else [])])


def _commit(root):
    """The revision that is checked out, from git's own files; empty outside of a repository."""
    folder = root
    while not os.path.exists(os.path.join(folder, ".git")):
        folder, before = os.path.dirname(folder), folder
        if folder == before:
            return ""
    try:
        git = os.path.join(folder, ".git")
        if os.path.isfile(git):
            # A linked work tree.
            with open(git) as file:
                git = os.path.join(folder, file.read().partition("gitdir:")[2].strip())
        with open(os.path.join(git, "HEAD")) as file:
            head = file.read().strip()
        if not head.startswith("ref: "):
            return head
        return _reference(git, head[5:])
    except OSError:
        return ""


def _reference(git, name):
    common = git
    if os.path.exists(os.path.join(git, "commondir")):
        with open(os.path.join(git, "commondir")) as file:
            common = os.path.join(git, file.read().strip())
    path = os.path.join(common, name)
    if os.path.exists(path):
        with open(path) as file:
            return file.read().strip()
    with open(os.path.join(common, "packed-refs")) as file:
        lines = [line.split() for line in file if line.rstrip().endswith(f" {name}")]
    return lines[0][0] if lines else ""


class _RecordFile:
    """A new file with a name that nobody can guess. Links are not followed."""

    def __init__(self, root, header):
        folder = state_folder.opened(root, "recorded")
        name = f"{secrets.token_hex(16)}.jsonl"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(name, flags, 0o644, dir_fd=folder)
        os.close(folder)
        self.add(header)

    def add(self, line):
        text = json.dumps(line, separators=(",", ":"), allow_nan=False) + "\n"
        os.write(self._descriptor, text.encode())
