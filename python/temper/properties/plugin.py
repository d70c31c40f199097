"""pytest's side of `forall`, and the fixture for models. Loaded by pytest wherever Temper is installed, so it imports
nothing heavy and does nothing for tests that are no properties.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from temper.properties import decorate, profiles

_ATTRIBUTE = "__temper_property__"
# Where a test keeps what its property found.
CONTEXT: Any = pytest.StashKey()


def pytest_addoption(parser: Any) -> None:
    """Adds the seed."""
    parser.getgroup("temper").addoption(
        "--temper-seed",
        type=int,
        metavar="N",
        help="seed of the property tests that set none themselves (default: 0)",
    )
    parser.getgroup("temper").addoption(
        "--temper-profile",
        metavar="NAME",
        help="settings of property tests by name: `ci`, `nightly`, or one named with `temper.profile`",
    )
    parser.getgroup("temper").addoption(
        "--temper-regressions",
        metavar="FOLDER",
        help="where counterexamples are saved and looked for (default: `regressions` next to each test file)",
    )

    parser.getgroup("temper").addoption(
        "--temper-report",
        action="store_true",
        help="keep what property tests found in .temper/records/, for `temper report`",
    )
    parser.getgroup("temper").addoption(
        "--temper-record",
        action="store_true",
        help="note what approximate assertions compare, in .temper/recorded/, for `temper bounds --no-run`",
    )
    parser.getgroup("temper").addoption(
        "--temper-seeds",
        choices=("keep", "vary"),
        default="keep",
        help="with --temper-record: keep the seeds that tests fix, or vary them (default: keep)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    """Starts to record, before the project's first file is imported."""
    options = early_config.known_args_namespace
    if options.temper_record and "temper.worker.layer" not in sys.modules:
        from temper.bounds.record_plugin import Recorder

        early_config.pluginmanager.register(Recorder(early_config, options.temper_seeds == "vary"), "temper-record")


def pytest_configure(config: Any) -> None:
    """Chooses the profile."""
    profiles.chosen = config.getoption("temper_profile")
    if config.getoption("temper_report") and "temper.worker.layer" not in sys.modules:
        from temper.properties.record import PropertyRecords

        config.pluginmanager.register(PropertyRecords(config), "temper-report")


@pytest.fixture
def temper_model() -> Any:
    """`temper.test_model`: ``temper_model(model, X, y)`` fails when the model is worse than its reference."""
    from temper.model.testing import test_model

    return test_model


def pytest_fixture_setup(fixturedef: Any, request: Any) -> None:
    """Remembers the fixtures of the project that are made for one test and would serve all its inputs."""
    if fixturedef.scope != "function":
        return
    prepared = getattr(request.function, _ATTRIBUTE, None)
    if prepared is not None and _is_of_project(fixturedef.func, request.config):
        if fixturedef.argname in prepared.fixtures:
            prepared.shared.add(fixturedef.argname)


def _is_of_project(function: Any, config: Any) -> bool:
    path = getattr(getattr(function, "__code__", None), "co_filename", "")
    return path.startswith(str(config.rootpath) + os.sep) and f"{os.sep}site-packages{os.sep}" not in path


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Iterator[None]:
    """Tells the property which test it is."""
    if getattr(pyfuncitem.obj, _ATTRIBUTE, None) is None:
        yield
        return
    before, decorate.context = decorate.context, _context(pyfuncitem)
    pyfuncitem.stash[CONTEXT] = decorate.context
    try:
        yield
    finally:
        decorate.context = before


def _context(item: Any) -> decorate.Context:
    root = str(item.config.rootpath)
    shared = item.config.getoption("temper_regressions")
    # Next to a test file its name says enough; in one folder for all, two files may have the same.
    file = [item.path.stem] if shared is None else Path(os.path.relpath(item.path, root)).with_suffix("").parts
    parts = [*file, *([item.cls.__name__] if item.cls is not None else []), item.originalname]
    name = re.sub(r"[^\w.-]", "_", "-".join(parts)) + ".txt"
    path = (
        item.path.parent / "regressions" / name if shared is None else item.config.invocation_params.dir / shared / name
    )
    # What Temper's own workers try out, such as mutants, leaves no trace in the project.
    saved_in = None if "temper.worker.layer" in sys.modules else str(path)
    command = f"pytest {shlex.quote(item.nodeid)}"
    seed = item.config.getoption("temper_seed")
    return decorate.Context(saved_in, os.path.relpath(path, root), command, seed)
