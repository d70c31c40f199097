"""What a project layer does before it serves: paths, edits, containment, then tests or modules, under limits.

At the end it says what was found, which files of the project it read, and whether forks of it would be safe.
"""

import functools
import gc
import importlib
import importlib.metadata
import importlib.util
import os
import platform
import sys

from temper.worker import (
    compiled_functions,
    edits,
    errors,
    import_own,
    limits,
    live_code,
    probe,
    processes,
    sandbox,
    scratch,
    seeds,
    trace,
)

# State of the random sources while modules are imported and tests collected: one for all layers, so that data made
# at import time is the same in the baseline and in every mutant.
_LOAD_SEED = 0
# Parts of libraries that are loaded on first use, each with its library.
_LAZY_PARTS = (("numpy", "numpy.random"),)


def load(layer, message):
    """Loads a project and serves; returns only if loading failed."""
    root = message["root"]
    before = LoadedModules()
    variables = dict(os.environ)
    os.chdir(root)
    sys.path[:0] = [path for path in message["paths"] if path not in sys.path]
    limits.apply(message["limits"], final=False)
    sandbox.enter_layer(message["policy"], [scratch.folder], layer.channel)
    seeds.reseed(_LOAD_SEED)
    compiled_functions.install()
    finder = edits.install(message["edits"])
    probe.install()

    def finish(collector):
        if message["keeps_functions"]:
            live_code.keep()
        sandbox.watch(False)
        trace.pause()
        _complete()
        limits.lift()
        sandbox.narrow_sight(message["policy"], root)
        layer.collector = collector
        layer.channel.send(kind="loaded", **_describe(message, before, variables, finder, collector))
        layer.serve()

    if message["keeps_functions"]:
        live_code.watch()
    trace.begin(root)
    sandbox.watch(True)
    failure = _load_subjects(message["subjects"], finder, finish)
    sandbox.watch(False)
    trace.pause()
    limits.lift()
    sys.stdout.flush()
    sys.stderr.flush()
    layer.channel.send(kind="failed", **failure, containment=sandbox.report())


def _load_subjects(subjects, finder, finish):
    try:
        if subjects["kind"] == "tests":
            (collect,) = import_own("collect")
            return collect.load(subjects["arguments"], scratch.folder, finder, finish)
        if subjects["kind"] == "prepared":
            getattr(importlib.import_module(subjects["module"]), subjects["function"])(*subjects["arguments"])
        else:
            for name in subjects["modules"]:
                importlib.import_module(name)
    except BaseException as error:
        return {"stage": "import", "exit_code": None, "exception": errors.describe(error)}
    finish(None)


def _describe(message, before, variables, finder, collector):
    root = os.path.realpath(message["root"])
    gc.collect()
    # What is there now stays for good: samples need not touch these pages when they collect garbage.
    gc.freeze()
    found = {
        "items": collector.describe_items() if collector else [],
        "errors": collector.errors if collector else [],
        # Where every module lies is a tenth or more of what a layer costs, and asked for once.
        "files": sorted(_project_files(root)) if message["describe"] else [],
        "unapplied": finder.unapplied() if finder else [],
        "spawn_reason": _spawn_reason(),
        "containment": sandbox.report(),
    }
    if message["describe"]:
        found["modules"] = third_party(root, before.late())
        found["variables"] = _changed(variables)
        found["versions"] = _versions(root)
        found["used"] = trace.taken()
        found["options"] = collector.options() if collector else {}
    return found


def _changed(variables):
    """Environment variables that the project set while it was imported, which libraries may read when they are loaded."""
    now = {name: value for name, value in os.environ.items() if variables.get(name) != value}
    return {name: value for name, value in now.items() if not name.startswith("PYTEST_")}


def is_of_project(path, root):
    """Whether a file belongs to the project, not to a library or an interpreter that lies inside it."""
    path = os.path.realpath(path)
    if not path.startswith(root + os.sep) or f"{os.sep}site-packages{os.sep}" in path:
        return False
    # An interpreter or virtual environment may lie inside the project.
    prefix = os.path.realpath(sys.prefix)
    return not (prefix.startswith(root + os.sep) and path.startswith(prefix + os.sep))


def _origin(module):
    spec = getattr(module, "__spec__", None)
    return spec.origin if spec is not None and spec.has_location else None


def project_files(root, names):
    """Files of the project among the modules `names`."""
    origins = (_origin(sys.modules.get(name)) for name in names)
    return [origin for origin in origins if origin and is_of_project(origin, root)]


def _project_files(root):
    return project_files(root, list(sys.modules))


class LoadedModules:
    """The modules that are loaded now, to be told later which came after them.

    A fork pays for every page that it touches, and to look at a module is to touch it: so only late ones are looked at.
    """

    def __init__(self):
        self._names = frozenset(sys.modules)
        self._newest = next(reversed(sys.modules))

    def late(self):
        """Names of the modules that were loaded since, in the order in which they were."""
        names = []
        for name in reversed(sys.modules):
            if name == self._newest:
                break
            if name not in self._names:
                names.append(name)
        return names[::-1]


def third_party(root, loaded):
    """Modules among these that are worth importing once for all layers, in the order in which they were imported."""
    names = []
    for name in loaded:
        module = sys.modules.get(name)
        origin = _origin(module)
        if name.partition(".")[0] == "temper" or origin is None:
            continue
        # What pytest itself rewrites must be imported under its eyes, or it warns.
        is_rewritten = type(module.__spec__.loader).__module__.startswith("_pytest.")
        if not is_rewritten and not is_of_project(origin, root):
            names.append(name)
    return names


def _spawn_reason():
    """Why work must not be forked from this process; `None` if it may."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "cuda") and torch.cuda.is_initialized():
        return "CUDA was initialised while the project was imported"
    threads = processes.threads_that_outlive_a_fork()
    return f"threads were running after the project was imported ({threads})" if threads else None


def _versions(root):
    return {
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "prefix": sys.prefix,
        "packages": distributions(list(sys.modules), root),
        "installed": _installed(),
    }


def _installed():
    found = {}
    for distribution in importlib.metadata.distributions():
        name = distribution.metadata["Name"]
        if name:
            found.setdefault(name, distribution.version)
    return found


def distributions(names, root):
    """The distributions that modules come from, with their versions; of the project itself only what is installed."""
    tops = {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names) - {"temper"}
    modules = {top: sys.modules.get(top) for top in tops}
    root = os.path.realpath(root)
    foreign = {top for top, module in modules.items() if _origin(module) and not is_of_project(_origin(module), root)}
    if not foreign:
        return {}
    found = {}
    by_top = _distributions_by_module()
    for top in sorted(foreign):
        for name in by_top.get(top, ()):
            try:
                found[name] = importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                continue
    return found


@functools.cache
def _distributions_by_module():
    """Takes longer than many a test, so that the base layer asks before it is forked."""
    return importlib.metadata.packages_distributions()


def _is_foreign(name, root):
    """Whether the module is there and not of the project, as one that is installed from its folder would be."""
    top = name.partition(".")[0]
    if top == "temper" or top in ("conftest", "pytest", "_pytest"):
        return False
    # A package of the standard library may have the name of a folder of the project, as `test` does.
    if any(os.path.exists(os.path.join(root, *place)) for place in ((top,), (f"{top}.py",), ("src", top))):
        return False
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return False
    if spec is None:
        return False
    places = [spec.origin] if spec.has_location else list(spec.submodule_search_locations or ())
    return not any(is_of_project(place, root) for place in places)


def _complete():
    """Imports what libraries load only on first use and most tests use. Every fork would load it again, which for a short test
    takes longer than the test: `import numpy` leaves `numpy.random` out in its later versions."""
    for library, part in _LAZY_PARTS:
        if library in sys.modules and part not in sys.modules:
            try:
                importlib.import_module(part)
            except Exception:
                # Whoever needs it is told so.
                continue


def preload(modules, variables, root):
    """Imports modules into the base layer; the name of the first one that left threads running, or `None`.

    With a `root`, the names are a guess, and those that lead to files of that project are passed over.
    """
    os.environ.update(variables)
    for name in modules:
        if root is not None and not _is_foreign(name, os.path.realpath(root)):
            continue
        threads = processes.thread_count()
        try:
            importlib.import_module(name)
        except BaseException:
            # The project may have needed something set first; it will import the module itself.
            continue
        if processes.thread_count() > threads and processes.threads_that_outlive_a_fork():
            return name
    _complete()
    _distributions_by_module()
    # The fork server of the future is mostly what is in memory now.
    gc.collect()
    gc.freeze()
    return None
