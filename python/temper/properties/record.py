"""`pytest --temper-report`: what property tests found, as a record that `temper report` shows with those of the other jobs.

The results travel with pytest's own reports, so that they also come from the processes of xdist. The process that the user
started writes the record at the end of the session, in `.temper/records/properties.json`.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import math
import os
import platform
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from temper import state_folder

SCHEMA_VERSION = 1


class PropertyRecords:
    """The plugin of one process."""

    def __init__(self, config: Any) -> None:
        self._root = str(config.rootpath)
        self._is_worker = hasattr(config, "workerinput")
        self._found: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        """Lets the report of a property test say what its run found."""
        outcome = yield
        from temper.properties.plugin import CONTEXT

        context = item.stash.get(CONTEXT, None)
        if call.when == "call" and context is not None and context.report is not None:
            error = None if call.excinfo is None else call.excinfo.exconly().splitlines()[0]
            outcome.get_result().temper_property = _entry(item, context, error)  # type: ignore[attr-defined]

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Collects, in the process that the user started. A test that is run again counts as it ended."""
        entry = getattr(report, "temper_property", None)
        if entry is not None and not self._is_worker:
            self._found[report.nodeid] = entry

    def pytest_sessionfinish(self) -> None:
        """Writes the record, if there were property tests."""
        if self._found and not self._is_worker:
            _write(self._root, _document(self._found))


def _entry(item: Any, context: Any, error: str | None) -> dict[str, Any]:
    """One property, with nothing but what JSON has: it may come from another process."""
    report = context.report
    entry: dict[str, Any] = {
        "path": os.path.relpath(item.path, item.config.rootpath),
        "line": item.location[1] + 1,
        "seed": report.seed,
        "search": {
            "tests": report.tests,
            "rejected": report.rejected,
            "climb": [[test, value] for test, value in report.climb if math.isfinite(value)],
            "exhausted": report.is_exhausted,
        },
    }
    if context.said is not None:
        found = report.found
        entry |= {"said": context.said.splitlines(), "reproduce": context.reproduce, "error": error}
        entry["call"] = None if found is None else found.call
        entry["utility"] = None if found is None else found.utility
    return entry


def _document(found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    subjects, findings = [], []
    # In the order of places: processes of xdist end in any order.
    for name, entry in sorted(found.items(), key=lambda each: (each[1]["path"], each[1]["line"], each[0])):
        place = {"path": entry["path"], "line": entry["line"]}
        is_broken = "said" in entry
        verdict = "found" if is_broken else "clean"
        subjects.append({"name": name, **place, "verdict": verdict, "evidence": entry["search"]})
        if is_broken:
            findings.append(_finding(name, place, entry))
    versions = {"python": platform.python_version(), "temper": importlib.metadata.version("temper-ml")}
    document = {"schema_version": SCHEMA_VERSION, "command": "properties", "versions": versions, "seed": None}
    return {**document, "subjects": subjects, "findings": findings}


def _finding(name: str, place: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    # By the test alone: it is the same finding as long as the property is broken.
    number = hashlib.sha256(name.encode()).hexdigest()[:5]
    evidence = {**entry["search"], "said": entry["said"], "reproduce": entry["reproduce"]}
    if entry["utility"] is not None and math.isfinite(entry["utility"]):
        evidence["utility"] = entry["utility"]
    message = entry["said"][0].partition(": ")[2] or entry["said"][0]
    finding = {"id": f"P{number}", "kind": "counterexample", "subject": name, **place}
    finding |= {"message": f"`{name}`: {message}", "evidence": evidence}
    return finding | {key: entry[old] for key, old in (("exception", "error"), ("call", "call")) if entry[old]}


def _write(root: str, document: dict[str, Any]) -> None:
    """Replaces the record. What cannot be written is a note and no failure of the tests."""
    try:
        state_folder.replace(root, "records", "properties.json", json.dumps(document, indent=2) + "\n")
    except OSError as error:
        warnings.warn(f"what property tests found is not kept for `temper report`: {error}", stacklevel=1)
