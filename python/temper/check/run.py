"""What the driver asks of a worker: survey a module, check one subject, confirm one finding, describe one draw."""

from __future__ import annotations

import hashlib
import json
import linecache
import mmap
import os
import signal
import struct
import sys
import time
from typing import Any

from temper.check import alias, branches, emit, judge, origin, results, subjects
from temper.check.judge import Judge, Outcome
from temper.check.script import script
from temper.check.search import Search
from temper.check.survey import subject_named, survey
from temper.worker import sandbox

__all__ = ["check", "confirm", "script", "survey"]

alias.install()

# Draws before a precondition counts as unsatisfiable.
_MAX_ATTEMPTS = 10_000
_SHRINK_TRIES = 600
_MAX_GROUPS = 20
# A function without arguments is called this often: only chance can make its calls differ.
_MAX_FREE_CALLS = 20
_MAX_SLOW = 2


class _Memory:
    """Where the driver finds the choices of the current draw when this process is killed."""

    _SIZE = 1 << 20
    # The number of valid inputs so far stands at the end.
    _COUNT = slice(_SIZE - 8, _SIZE)

    def __init__(self, path: str | None) -> None:
        self._map = None
        self._count = 0
        if path is not None:
            descriptor = os.open(path, os.O_RDWR)
            os.ftruncate(descriptor, self._SIZE)
            self._map = mmap.mmap(descriptor, self._SIZE)
            os.close(descriptor)

    def seed(self, seed: int) -> None:
        """The draw that this seed gives is under way."""
        if self._map is not None:
            self._map[0:9] = struct.pack("<BQ", 1, seed)

    def tree(self, tree: bytes) -> None:
        """The draw with this record is under way."""
        if self._map is not None and len(tree) < self._SIZE - 16:
            self._map[0:5] = struct.pack("<BI", 2, len(tree))
            self._map[5 : 5 + len(tree)] = tree

    def judged(self) -> None:
        """One more valid input is done with."""
        self._count += 1
        if self._map is not None:
            self._map[self._COUNT] = struct.pack("<Q", self._count)

    def idle(self) -> None:
        """Nothing of the subject's is under way."""
        if self._map is not None:
            self._map[0] = 0


class _Group:
    """Findings that are one: the first, the simplest so far, and how many there were."""

    def __init__(self, outcome: Outcome, tree: bytes) -> None:
        self.outcome, self.tree, self.count = outcome, tree, 1
        self.omitted: list[int] = []
        self.is_shrunk = False
        # What `@regression` knows of the result.
        self.recorded: Any = None


class Check:
    """The check of one subject: draws, search, shrinking."""

    def __init__(self, subject: subjects.Subject, module_name: str, options: dict[str, Any]) -> None:
        self.subject, self.module_name, self.options = subject, module_name, options
        self.program = subject.program
        self.judge = Judge(subject, options)
        self.memory = _Memory(options.get("memory"))
        self.until = time.monotonic() + options["secs"]
        self.counts = dict.fromkeys((judge.PASSED, judge.REJECTED, judge.DOCUMENTED, judge.CRASH, judge.ENSURE), 0)
        self.groups: dict[Any, _Group] = {}
        self.build_error: BaseException | None = None
        self.covered: set[tuple[int, bool]] = set()
        # For each branch outcome not yet taken: the least distance, a record that reached it, and the way there.
        self.nearest: dict[tuple[int, bool], tuple[float, bytes, list[tuple[int, bool]]]] = {}
        # A record whose call passed, to draw around when a crash hides others.
        self.passing: bytes | None = None
        self.search_calls = 0
        self.slow_call: str | None = None
        self.new_records: list[dict[str, Any]] | None = None

    def run(self) -> dict[str, Any]:
        """Does everything and reports."""
        try:
            started = time.process_time()
            self._try_defaults()
            self._draw()
            if self.options["search"] and not self.is_over():
                search = Search(self, time.process_time() - started)
                try:
                    search.run()
                finally:
                    self.search_calls = search.calls
            for group in self.groups.values():
                self._shrink(group)
            if self.subject.target.record.regression is not None:
                self._compare_recorded(self.subject.target.record.regression)
        finally:
            self.judge.stop()
            self.memory.idle()
        return self._report()

    def is_over(self) -> bool:
        """Whether the time is spent, or calls that do not end have made the rest pointless."""
        return time.monotonic() > self.until or self.counts.get(judge.SLOW, 0) >= _MAX_SLOW

    def valid(self) -> int:
        """How many valid inputs were used so far."""
        return sum(count for kind, count in self.counts.items() if kind not in (judge.REJECTED, judge.BUILD))

    def _try_defaults(self) -> None:
        values = self.program.defaults()
        if values is not None:
            tree = self.program.tree()
            self.memory.tree(tree)
            self.take(self.judged(values), lambda: tree)

    def _draw(self) -> None:
        draw, skip = self.program.draw, set(self.options.get("skip", ()))
        first = _seed_of(self.options["seed"], self.subject.target.name)
        wanted = self.options["draws"]
        if self.subject.argument_count == 0:
            wanted = min(wanted, _MAX_FREE_CALLS)
        for attempt in range(max(_MAX_ATTEMPTS, wanted)):
            if self.valid() >= wanted or self.is_over():
                break
            seed = (first + attempt) & 0xFFFF_FFFF_FFFF_FFFF
            if seed in skip:
                continue
            self.memory.seed(seed)
            values = draw(seed)
            self.take(self.judged(values), self.program.tree)

    def judged(self, values: Any) -> Outcome:
        """The outcome for drawn arguments; a draw without arguments was rejected, or its generator raised."""
        if values is None:
            error = self.program.error()
            if error is None:
                return judge._REJECTED
            self.build_error = self.build_error or error
            return Outcome(judge.BUILD)
        if self.judge.branches is not None:
            self.judge.branches.probe.clear()
        return self.judge.run(values)

    def seed_of(self, purpose: str) -> int:
        """A seed of its own for each thing that is drawn for this subject."""
        return _seed_of(self.options["seed"], f"{self.subject.target.name} {purpose}")

    def take(self, outcome: Outcome, tree: Any) -> None:
        """Counts an outcome; `tree()` is the record of its input."""
        self.counts[outcome.kind] = self.counts.get(outcome.kind, 0) + 1
        if outcome.kind not in (judge.REJECTED, judge.BUILD):
            self.memory.judged()
        if outcome.kind == judge.SLOW and self.slow_call is None:
            self.slow_call = self.subject.text(tree())
        recorded = None
        if outcome.kind == judge.PASSED and self.passing is None:
            self.passing = recorded = tree()
        if outcome.key is not None:
            group = self.groups.get(outcome.key)
            if group is not None:
                group.count += 1
            elif len(self.groups) < _MAX_GROUPS:
                recorded = recorded or tree()
                self.groups[outcome.key] = _Group(outcome, recorded)
        if self.judge.branches is not None and self.judge.branches.count:
            self._note_branches(tree, recorded)

    def _note_branches(self, tree: Any, recorded: bytes | None) -> None:
        distances = self.judge.branches.probe.distances
        for key, distance in distances.items():
            if distance == 0.0:
                if key not in self.covered:
                    self.covered.add(key)
                    self.nearest.pop(key, None)
            elif key not in self.covered:
                known = self.nearest.get(key)
                if known is None or distance < known[0]:
                    recorded = recorded or tree()
                    self.nearest[key] = (distance, recorded, branches.chain_of(distances, key))

    def _shrink(self, group: _Group) -> None:
        """The simplest arguments that still end in the same way."""
        key = group.outcome.key
        if key[0] == judge.TIMEOUT:
            return
        until = min(self.until + 5.0, time.monotonic() + 10.0)

        def fails(values: Any) -> bool:
            if time.monotonic() > until:
                return False
            return self.judge.run(values).key == key

        self.memory.tree(group.tree)
        group.tree = self.program.shrink(group.tree, _SHRINK_TRIES, fails)
        values = self.program.replay(group.tree)
        if values is not None:
            outcome = self.judge.run(values)
            if outcome.key == key:
                group.outcome, group.is_shrunk = outcome, True
        self._omit(group, fails)

    def _omit(self, group: _Group, fails: Any) -> None:
        """Leaves out the arguments whose own defaults do as well: the call reads shorter."""
        for place in self.subject.allowed_defaults:
            values = self._values(group.tree, [*group.omitted, place])
            if values is not None and fails(values):
                group.omitted.append(place)

    def _values(self, tree: bytes, omitted: list[int]) -> Any:
        return values_of(self.subject, tree, omitted)

    def _report(self) -> dict[str, Any]:
        lines = self.judge.lines
        accepted = self.valid()
        attempts = accepted + self.counts[judge.REJECTED]
        described: dict[str, Any] = {
            "counts": self.counts,
            "valid": accepted,
            "attempts": attempts,
            "search_calls": self.search_calls,
            "findings": [self._finding(group) for group in self.groups.values()],
            "refused": self.judge.refused,
            "filters": [[each["line"], each["text"]] for each in self.subject.preconditions],
            "branches": self._branches(),
        }
        if lines is not None:
            described["lines"] = [len(lines.seen & lines.all), len(lines.all)]
        if self.slow_call is not None:
            described["slow_call"] = self.slow_call
        if self.build_error is not None:
            described["build_error"] = _error_text(self.build_error)
        if self.judge.filter_error is not None:
            described["filter_error"] = _error_text(self.judge.filter_error)
        if self.new_records is not None:
            described["regression"] = json.dumps(self.new_records)
        # A property over inputs that do not end, or end the process, would do the same to the tests.
        is_safe = not self.options.get("skip") and all(key[0] != judge.TIMEOUT for key in self.groups)
        if self.options.get("emit") and is_safe:
            form, module = self.options["emit"], sys.modules[self.module_name]
            described["property"] = emit.property_text(self.subject, module, form, bool(self.groups))
        if any(_has_no_source(finding["call"]) for finding in described["findings"]):
            described["notes"] = ["a call holds a value that has no source text; `temper replay` makes it again"]
        return described

    def _compare_recorded(self, rel: float) -> None:
        """Compares results with those recorded; where there are none, they become the record."""
        target = self.subject.target
        known = results.recorded(self.options["root"], self.module_name, target.name)
        records = []
        for number in range(results.RECORDED_CALLS):
            # The inputs stay the same under every `--seed`.
            values = self.program.draw(_seed_of(0, f"{target.name} recorded {number}"))
            tree = self.program.tree()
            if values is None or self.judge.run(values).kind != judge.PASSED:
                continue
            call, now = self.subject.text(tree), results.summary(self.judge.result)
            records.append({"call": call, "result": now})
            wrong = results.difference(known[call], now, rel) if call in known else None
            if wrong is not None and (judge.REGRESSION, "") not in self.groups:
                outcome = self.judge._at(judge.REGRESSION, target.def_line, f"the result changed: {wrong}")
                self.groups[judge.REGRESSION, ""] = group = _Group(outcome, tree)
                group.recorded = known[call]
        # A change that was found is not accepted in passing.
        is_changed = (judge.REGRESSION, "") in self.groups
        if not is_changed and {record["call"] for record in records} != set(known):
            self.new_records = records

    def _branches(self) -> list[int]:
        """The branch outcomes of the subject itself: how many were taken, and how many there are."""
        watched = self.judge.branches
        return watched.outcomes(self.covered) if watched is not None else [0, 0]

    def _finding(self, group: _Group) -> dict[str, Any]:
        outcome = group.outcome
        path, line, _ = outcome.frames[-1]
        call = self.subject.text(group.tree, group.omitted)
        check = emit.check_text(self.subject, outcome.kind, call, group.recorded)
        own = [frame for frame in outcome.frames if frame[0] == self.judge.path]
        through = {}
        if own and own[-1][:2] != (path, line) and path != self.judge.path:
            source = linecache.getline(*own[-1][:2]).strip()
            through = {"through": own[-1][0], "through_line": own[-1][1], "through_source": source}
        return {
            **through,
            "kind": outcome.kind,
            "type": group.outcome.key[0],
            "path": path,
            "line": line,
            "message": outcome.text or _error_text(outcome.error),
            "source": linecache.getline(path, line).strip(),
            "count": group.count,
            "tree": group.tree,
            "omitted": group.omitted,
            "call": call,
            "check": check,
            "import": origin.imports_of(f"{call}\n{check}", sys.modules[self.module_name]),
            "frames": [list(frame) for frame in outcome.frames],
        }


def _error_text(error: BaseException | None) -> str:
    if error is None:
        return ""
    name = type(error).__qualname__
    try:
        text = str(error)
    except Exception as second:
        text = f"(its message raised {type(second).__name__})"
    first = text.strip().splitlines()[0] if text.strip() else ""
    return f"{name}: {first[:500]}" if first else name


def _has_no_source(text: str) -> bool:
    try:
        compile(text, "<call>", "eval")
    except (SyntaxError, ValueError):
        return True
    return False


def _seed_of(seed: int, name: str) -> int:
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return int.from_bytes(digest[:8], "little")


def values_of(subject: subjects.Subject, tree: bytes, omitted: list[int]) -> Any:
    """The arguments of a record, with the parameters' own defaults in some places."""
    values = subject.program.replay(tree)
    if values is None or not omitted:
        return values
    changed = list(values)
    for place in omitted:
        changed[place] = subject.allowed_defaults[place]
    return tuple(changed)


def check(module_name: str, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Draws inputs for one subject and reports what came of the calls."""
    return Check(subject_named(module_name, name, options), module_name, options).run()


def confirm(module_name: str, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Makes one recorded call and says how it ended."""
    subject = subject_named(module_name, name, options)
    memory = _Memory(options.get("memory"))
    if "draw" in options:
        values = subject.program.draw(options["draw"])
        tree = subject.program.tree()
    else:
        tree = options["tree"]
        values = values_of(subject, tree, options["omitted"])
    described: dict[str, Any] = {"tree": tree, "call": None}
    if values is None:
        return {**described, "kind": judge.REJECTED}
    if options.get("only_describe"):
        if "killed_by" in options:
            tree = _shrink_killing(subject, tree, options)
        return {"tree": tree, "call": subject.text(tree)}
    described["call"] = subject.text(tree, options.get("omitted", []))
    memory.tree(tree)
    watcher = Judge(subject, options, watch=False)
    try:
        outcome = watcher.run(values)
    finally:
        watcher.stop()
        memory.idle()
    if outcome.kind == judge.PASSED and subject.target.record.regression is not None:
        known = results.recorded(options["root"], module_name, name).get(described["call"])
        wrong = results.difference(known, results.summary(watcher.result), subject.target.record.regression)
        if known is not None and wrong is not None:
            outcome = watcher._at(judge.REGRESSION, subject.target.def_line, f"the result changed: {wrong}")
    described["kind"] = outcome.kind
    described["refused"] = watcher.refused
    if outcome.key is not None:
        path, line, _ = outcome.frames[-1]
        described.update(type=outcome.key[0], path=path, line=line, message=outcome.text or _error_text(outcome.error))
    return described


def _shrink_killing(subject: subjects.Subject, tree: bytes, options: dict[str, Any]) -> bytes:
    """The simplest arguments that still end the process in the same way; each try is a process of its own."""
    watcher = Judge(subject, options, watch=False)
    watcher.stop()
    until = time.monotonic() + 10.0
    wanted = options["killed_by"]

    def fails(values: Any) -> bool:
        if time.monotonic() > until:
            return False
        # The fence is for the subject; this fork is ours.
        sandbox.watch(False)
        pid = os.fork()
        if pid == 0:
            sandbox.watch(True)
            signal.alarm(5)
            watcher.run(values)
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        sandbox.watch(True)
        if os.WIFSIGNALED(status):
            return wanted == ["signal", os.WTERMSIG(status)]
        return os.WEXITSTATUS(status) != 0 and wanted == ["code", os.WEXITSTATUS(status)]

    return subject.program.shrink(tree, 200, fails)
