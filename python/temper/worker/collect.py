"""pytest inside the project layer: collects once, then serves; each sample runs one collected item in a fork.

Only public hooks and documented attributes. Plugins that rerun, reorder, distribute or trace are taken out of the way: their
options stay known, so a project's `addopts` parses, and their marks stay registered, so `--strict-markers` holds.
"""

import sys
import types
import warnings

import pytest

from temper.worker import edits, errors

# Modules of plugins whose hooks must not run. Unregistered as soon as they have added their options.
_SILENCED = {
    "pytest_rerunfailures",
    "flaky.flaky_pytest_plugin",
    "pytest_randomly",
    "pytest_cov.plugin",
    "random_order.plugin",
    "pytest_random_order.plugin",
    "pytest_retry.retry_plugin",
}
_MARKS = (
    "flaky: rerun on failure (not while Temper samples)",
    "no_cover: no coverage (there is none while Temper samples)",
    "random_order: order of tests (kept while Temper samples)",
)
# Options a project may have in `addopts` that would distribute, debug, write reports or share a temporary folder.
_OPTIONS = {
    "dist": "no",
    "tx": [],
    "numprocesses": None,
    "looponfail": False,
    "usepdb": False,
    "trace": False,
    "basetemp": None,
    "collectonly": False,
}


def arguments(scratch):
    """Options that follow the project's own, and win."""
    return [
        "--capture=no",
        "--tb=native",
        "--color=no",
        "-o",
        f"cache_dir={scratch}/pytest_cache",
        "--log-file=/dev/null",
    ]


class Collector:
    """The plugin: what was collected, and what one run of an item reports."""

    def __init__(self, finder, on_collected):
        self._finder = finder
        self._on_collected = on_collected
        self.items = {}
        self.errors = []
        self.failure = None
        self._phases = {}
        self._wants_traceback = False

    # Before collection.

    def pytest_plugin_registered(self, plugin, manager):
        if isinstance(plugin, types.ModuleType) and plugin.__name__ in _SILENCED:
            manager.unregister(plugin)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self, early_config):
        edits.put_first(self._finder)
        outcome = yield
        if outcome.excinfo is not None:
            error = outcome.excinfo[1]
            self.failure = errors.describe(error.__cause__ or error)

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config):
        for name, value in _OPTIONS.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)
        for line in _MARKS:
            config.addinivalue_line("markers", line)

    @pytest.fixture
    def no_cover(self):
        """Stands in for the fixture of pytest-cov."""

    @pytest.fixture
    def cov(self):
        """Stands in for the fixture of pytest-cov: no coverage is measured."""
        return None

    # Collection.

    def pytest_collectreport(self, report):
        if report.failed:
            self.errors.append({"node": report.nodeid, "text": report.longreprtext[-4000:]})

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        self.items = {item.nodeid: item for item in session.items}
        self._on_collected(self)
        return True

    def describe_items(self):
        described = []
        for node, item in self.items.items():
            _, line, _ = item.location
            described.append({"node": node, "path": str(item.path), "line": None if line is None else line + 1})
        return described

    def options(self):
        """What the project's configuration says to pytest: each setting with the text that was written."""
        config = next((item.config for item in self.items.values()), None)
        written = {} if config is None else _written(config)
        # The folder of the cache is ours, and changes no test.
        return {
            str(name): str(getattr(value, "value", value))
            for name, value in dict(written).items()
            if name != "cache_dir"
        }

    # One run, in the sample's process.

    def run(self, node, wants_traceback):
        """Runs the item `node` with fixtures of every scope, and says how it went."""
        self._wants_traceback = wants_traceback
        item = self.items.get(node)
        if item is None:
            return {"kind": "missing"}
        reporter = item.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            item.config.pluginmanager.unregister(reporter)
        self._phases = {}
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return {"kind": "test", **self._verdict()}

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        phase = {"outcome": report.outcome, "secs": call.duration, "is_xfail": hasattr(report, "wasxfail")}
        if call.excinfo is not None:
            phase["exception"] = errors.describe(call.excinfo.value)
            is_shown = report.failed and self._wants_traceback
            phase["text"] = report.longreprtext[-8000:] if is_shown else str(call.excinfo.value)[:500]
        self._phases[call.when] = phase

    def report_plainly(self, item, call):
        """The report of a failed phase without its traceback, which takes longer to render than most tests run.

        `None` where pytest's own report is needed.
        """
        is_plain = call.excinfo is not None and not isinstance(call.excinfo.value, pytest.skip.Exception)
        if self._wants_traceback or not is_plain:
            return None
        return pytest.TestReport(
            nodeid=item.nodeid,
            location=item.location,
            keywords=dict.fromkeys(item.keywords, 1),
            outcome="failed",
            longrepr=type(call.excinfo.value).__name__,
            when=call.when,
            duration=call.duration,
            user_properties=item.user_properties,
        )

    def _verdict(self):
        worst = {"status": "passed", "phase": "call", "exception": None, "text": ""}
        for when in ("teardown", "setup", "call"):
            phase = self._phases.get(when)
            status = None if phase is None else _status(when, phase)
            if status is not None:
                worst.update(status=status, phase=when, exception=phase.get("exception"), text=phase.get("text", ""))
                if when != "teardown":
                    break
        return {**worst, "secs": {when: float(phase["secs"]) for when, phase in self._phases.items()}}


class _PlainReports:
    """A plugin of its own: the collector already has a wrapper for this hook."""

    def __init__(self, collector):
        self._collector = collector

    def pytest_runtest_makereport(self, item, call):
        return self._collector.report_plainly(item, call)


def _written(config):
    """The settings that the project's files hold, as pytest read them; the whole file if pytest does not tell."""
    with warnings.catch_warnings():
        # From pytest 9 on it warns that the attribute will go.
        warnings.simplefilter("ignore")
        written = getattr(config, "inicfg", None)
    if written is None:
        written = {"file": "" if config.inipath is None else config.inipath.read_text()}
    return written


def _status(when, phase):
    """What a phase makes of the test; `None` if it says nothing against a pass."""
    if phase["is_xfail"]:
        return "xpassed" if phase["outcome"] == "passed" else "xfailed"
    if phase["outcome"] == "failed":
        return "failed" if when == "call" else "error"
    if phase["outcome"] == "skipped":
        return "skipped"
    return None


def load(root_arguments, scratch, finder, on_collected):
    """Runs pytest up to the point where tests would start, and calls `on_collected` there.

    Returns only when pytest gave up before: a description of why.
    """
    collector = Collector(finder, on_collected)
    sys.argv[:] = ["pytest", *root_arguments]
    code = pytest.main([*arguments(scratch), *root_arguments], plugins=[collector, _PlainReports(collector)])
    return {"stage": "collection", "exit_code": int(code), "exception": collector.failure}
