"""The check of one function: it is a subject of the engine's loop, and what the loop found becomes the reply.

What is drawn, how long, how failures are grouped and shrunk is decided in `crates/temper/src/run.rs`. Here calls are
judged and counted, and branch outcomes are noted for the search, which proposes inputs to the loop.
"""

from __future__ import annotations

import hashlib
import json
import linecache
import sys
import time
from collections import Counter
from typing import Any

from temper import evaluation
from temper.check import annotest_names, branches, emit, judge, protocol, results
from temper.check.confirm import confirm
from temper.check.draw_under_way import DrawUnderWay
from temper.check.judge import Judge, Outcome, error_text, values_of
from temper.check.life import Life
from temper.check.protocol import CheckReply, FoundReply, Through
from temper.check.script import script
from temper.check.search import Search
from temper.check.survey import subject_named, survey
from temper.check.text_search import TextEdits
from temper.domains import source_text
from temper.domains.compile import Subject
from temper.evaluation import BY_DOMAIN, BY_PRECONDITION, Failed, NoResult

__all__ = ["check", "confirm", "script", "survey"]

annotest_names.install()

# Draws before a precondition counts as unsatisfiable.
_PATIENCE = 10_000
# Enough for lists whose length another argument says, and for lives of thirty calls.
_SHRINK_TRIES = 3000
# One failure is shrunk for this long at most, and all together for this long after the time of the check.
_SHRINK_SECS = 10.0
_SHRINK_SECS_AFTER = 5.0
_MAX_FAILURES = 20
# Calls that the search may make: counted, so that how far it comes does not depend on the machine.
_SEARCH_CALLS = 3000
_MAX_SLOW = 2


class _Group:
    """Calls that ended in the same way: how, the simplest of them, and how many there were."""

    def __init__(self, outcome: Outcome, tree: bytes, count: int = 1) -> None:
        self.outcome, self.tree, self.count = outcome, tree, count
        self.omitted: list[int] = []
        # What `@regression` knows of the result.
        self.recorded: Any = None


class Checker:
    """The check of one subject."""

    def __init__(self, subject: Subject, module_name: str, options: dict[str, Any]) -> None:
        self.subject, self.module_name, self.options = subject, module_name, options
        self.program = subject.program
        self.judge = Judge(subject, options)
        self.memory = DrawUnderWay(options.get("memory"))
        self.until = time.monotonic() + options["secs"]
        # Whether the clock ended something: then another run may come further.
        self.is_cut = False
        self.counts: Counter[str] = Counter()
        self.groups: dict[Any, _Group] = {}
        self.build_error: BaseException | None = None
        self.covered: set[tuple[int, bool]] = set()
        # For each branch outcome not yet taken: the least distance, a record that reached it, and the way there.
        self.nearest: dict[tuple[int, bool], tuple[float, bytes, list[tuple[int, bool]]]] = {}
        self.texts = TextEdits(self.program, self.judge.text_forms)
        self.search = Search(self, self.texts)
        self.search_calls = 0
        self.slow_call: str | None = None
        self.new_records: list[dict[str, Any]] | None = None
        # The record of the input at hand: None until it is asked for.
        self._record: bytes | None = None
        # Whether the driver was told about the input at hand before it was drawn.
        self._is_noted = False
        self._is_shrinking = False
        self._shrink_until = 0.0

    def run(self) -> CheckReply:
        """Does everything and reports."""
        try:
            found = self.program.run(self, self._plan())
            self.search_calls = found.searched
            for failure in found.failures:
                group = _Group(failure.evidence, failure.tree, failure.count)
                if not self._is_of_other_subject(group.outcome):
                    self.groups[failure.key] = group
                    self._write_out(group)
                    self._omit(group)
            if self.subject.annotated.record.regression is not None:
                self._compare_recorded(self.subject.annotated.record.regression)
        finally:
            self.judge.stop()
            self.memory.idle()
        return self._report()

    def _plan(self) -> dict[str, Any]:
        draws = self.options["draws"]
        first = []
        if self.program.defaults() is not None:
            first.append(self.program.tree())
            self._note(first[0])
        return evaluation.plan(
            seed=_seed_of(self.options["seed"], self.subject.annotated.name),
            skipped=list(self.options.get("skip", ())),
            first=first,
            draws=draws,
            searches=draws,
            patience=_PATIENCE,
            most_failures=_MAX_FAILURES,
            search_budget=max(_SEARCH_CALLS, 2 * draws) if self.options["search"] else 0,
            steering_seed=self.seed_of("away"),
            shrink_budget=_SHRINK_TRIES,
            is_enumerated=self.options.get("enumerate", True),
        )

    def seed_of(self, purpose: str) -> int:
        """A separate seed for each thing that is drawn for this subject."""
        return _seed_of(self.options["seed"], f"{self.subject.annotated.name} {purpose}")

    # What the loop asks for.

    def evaluate(self, values: Any) -> Any:
        """Judges the call with drawn arguments; what is said about it is described in `temper.evaluation`."""
        if self._is_shrinking:
            return BY_DOMAIN if values is None else _evaluation(self.judge.run(values), values, None)
        if not self._is_noted:
            self._record = self.program.tree()
            self.memory.tree(self._record)
        outcome = self._judged(values)
        self._count(outcome)
        self._note_branches()
        self._is_noted, self._record = False, None
        return _evaluation(outcome, values, self.search.utility(outcome))

    def is_over(self, evaluations: int = 0) -> bool:
        """Whether the time is spent, or calls that do not end have made the rest pointless."""
        self.is_cut = self.is_cut or time.monotonic() > self.until
        return self.is_cut or self.counts[protocol.SLOW] >= _MAX_SLOW

    def before_draw(self, seed: int) -> None:
        """Tells the driver which draw is under way."""
        self.memory.seed(seed)
        self._is_noted = True

    def next_input(self) -> Any:
        """What the search proposes."""
        proposed = self.search.next_input()
        if isinstance(proposed, bytes):
            self._note(proposed)
        return proposed

    def before_shrinking(self, key: Any, tree: bytes) -> bool:
        """Starts the clock of shrinking. A call that does not end is not made again."""
        self._is_shrinking = True
        return key[0] != protocol.TIMEOUT and self._start_shrinking(tree)

    def is_shrinking_over(self) -> bool:
        """Whether this failure was shrunk for long enough."""
        is_over = time.monotonic() > self._shrink_until
        self.is_cut = self.is_cut or is_over
        return is_over

    # Calls.

    def _note(self, tree: bytes) -> None:
        self.memory.tree(tree)
        self._is_noted, self._record = True, tree

    def _judged(self, values: Any) -> Outcome:
        """The outcome for drawn arguments; a draw without arguments was rejected, or its generator raised."""
        if values is None:
            error = self.program.error()
            if error is None:
                return judge.REJECTED_DRAW
            self.build_error = self.build_error or error
            return Outcome(protocol.BUILD)
        if self.judge.branches is not None:
            self.judge.branches.probe.clear()
        return self.judge.run(values)

    def _count(self, outcome: Outcome) -> None:
        self.counts[outcome.kind] += 1
        if outcome.is_valid:
            self.memory.judged()
        if outcome.kind == protocol.SLOW and self.slow_call is None:
            self.slow_call = self.subject.text(self.record(), None, outcome)
        self.search.note(outcome)

    def record(self) -> bytes:
        """The record of the input at hand."""
        if self._record is None:
            self._record = self.program.tree()
        return self._record

    def _note_branches(self) -> None:
        if self.judge.branches is None or not self.judge.branches.count:
            return
        distances = self.judge.branches.probe.distances
        for key, distance in distances.items():
            if distance == 0.0:
                if key not in self.covered:
                    self.covered.add(key)
                    self.nearest.pop(key, None)
                    self.search.last_progress = self.search.calls
            elif key not in self.covered:
                known = self.nearest.get(key)
                is_nearer = known is None or distance < known[0]
                if is_nearer:
                    self.search.last_progress = self.search.calls
                # Of inputs that are as near, the shortest is the best to go on from: an outcome without a gradient is met
                # by chance.
                if is_nearer or (known is not None and distance == known[0] and len(self.record()) < len(known[1])):
                    self.nearest[key] = (distance, self.record(), branches.chain_of(distances, key))

    # After the loop.

    def _start_shrinking(self, tree: bytes) -> bool:
        self.memory.tree(tree)
        self._shrink_until = min(self.until + _SHRINK_SECS_AFTER, time.monotonic() + _SHRINK_SECS)
        return True

    def _is_of_other_subject(self, outcome: Outcome) -> bool:
        """Whether a life came to its end in one call of a method that is checked by itself."""
        return isinstance(self.subject, Life) and self.subject.is_of_one_method(outcome.done or [])

    def _write_out(self, group: _Group) -> None:
        """Keeps the texts of a call as characters."""
        tree = self.texts.plain(group.tree) if self.texts else group.tree
        if tree != group.tree and group.outcome.key[0] != protocol.TIMEOUT:
            self._start_shrinking(tree)
            values = self.program.replay(tree)
            if values is not None and self.judge.run(values).key == group.outcome.key:
                group.tree = tree

    def _omit(self, group: _Group) -> None:
        """Leaves out the arguments whose own defaults do as well: the call reads shorter."""
        key = group.outcome.key
        if key[0] == protocol.TIMEOUT:
            return
        self._start_shrinking(group.tree)
        for place in self.subject.allowed_defaults:
            values = values_of(self.subject, group.tree, [*group.omitted, place])
            if values is not None and not self.is_shrinking_over() and self.judge.run(values).key == key:
                group.omitted.append(place)

    def _report(self) -> CheckReply:
        lines, watched = self.judge.lines, self.judge.branches
        accepted = self.counts.total() - self.counts[protocol.REJECTED] - self.counts[protocol.BUILD]
        findings = [self._finding(group) for group in self.groups.values()]
        has_no_source = any(_has_no_source(finding.call) for finding in findings)
        return CheckReply(
            valid=accepted,
            attempts=accepted + self.counts[protocol.REJECTED],
            documented=self.counts[protocol.DOCUMENTED],
            slow=self.counts[protocol.SLOW],
            build_failures=self.counts[protocol.BUILD],
            search_calls=self.search_calls,
            is_cut=self.is_cut,
            findings=findings,
            refused=protocol.refusals(self.judge.refused),
            preconditions=[(each["line"], each["text"]) for each in self.subject.preconditions],
            lines=(len(lines.seen & lines.all), len(lines.all)) if lines is not None else None,
            branches=tuple(watched.outcomes(self.covered)) if watched is not None else None,
            slow_call=self.slow_call,
            build_error=error_text(self.build_error) or None,
            filter_error=error_text(self.judge.filter_error) or None,
            regression=json.dumps(self.new_records) if self.new_records is not None else None,
            property=self._property(),
            notes=["a call holds a value that has no source text; `temper replay` makes it again"]
            if has_no_source
            else [],
        )

    def _property(self) -> str | None:
        """A property test of the subject as source text, if one was asked for."""
        # A property over inputs that do not end, or end the process, would do the same to the tests.
        is_safe = not self.options.get("skip") and all(key[0] != protocol.TIMEOUT for key in self.groups)
        if not self.options.get("emit") or not is_safe:
            return None
        form, module = self.options["emit"], sys.modules[self.module_name]
        return emit.property_text(self.subject, module, form, bool(self.groups))

    def _compare_recorded(self, rel: float) -> None:
        """Compares results with those recorded; if there are none, they become the record."""
        annotated = self.subject.annotated
        known = results.recorded(self.options["root"], self.module_name, annotated.name)
        records = []
        for number in range(results.RECORDED_CALLS):
            # The inputs stay the same under every `--seed`.
            values = self.program.draw(_seed_of(0, f"{annotated.name} recorded {number}"))
            tree = self.program.tree()
            if values is None or self.judge.run(values).kind != protocol.PASSED:
                continue
            call, now = self.subject.text(tree), results.summary(self.judge.result)
            records.append({"call": call, "result": now})
            wrong = results.difference(known[call], now, rel) if call in known else None
            if wrong is not None and (protocol.REGRESSION, "") not in self.groups:
                outcome = self.judge._at(protocol.REGRESSION, annotated.def_line, f"the result changed: {wrong}")
                self.groups[protocol.REGRESSION, ""] = group = _Group(outcome, tree)
                group.recorded = known[call]
        # A change that was found is not accepted in passing.
        is_changed = (protocol.REGRESSION, "") in self.groups
        if not is_changed and {record["call"] for record in records} != set(known):
            self.new_records = records

    def _finding(self, group: _Group) -> FoundReply:
        outcome = group.outcome
        path, line, _ = outcome.frames[-1]
        call = self.subject.text(group.tree, group.omitted, outcome)
        check = emit.check_text(self.subject, outcome.kind, call, group.recorded, outcome.text)
        own = [frame for frame in outcome.frames if frame[0] == self.judge.path]
        through = None
        if own and own[-1][:2] != (path, line) and path != self.judge.path:
            source = linecache.getline(*own[-1][:2]).strip()
            through = Through(path=own[-1][0], line=own[-1][1], source=source)
        return FoundReply(
            kind=outcome.kind,
            place=outcome.place(),
            through=through,
            count=group.count,
            tree=group.tree,
            omitted=group.omitted,
            call=call,
            check=check,
            imports=source_text.imports_of(f"{call}\n{check}", sys.modules[self.module_name]),
        )


def _evaluation(outcome: Outcome, values: Any, utility: float | None) -> Any:
    """An outcome as the loop takes it."""
    if not outcome.is_valid:
        return BY_DOMAIN if values is None else BY_PRECONDITION
    if outcome.key is not None:
        return Failed(outcome.key, outcome, utility)
    return utility if outcome.kind == protocol.PASSED else NoResult(utility)


def _has_no_source(text: str) -> bool:
    try:
        compile(text, "<call>", "exec")
    except (SyntaxError, ValueError):
        return True
    return False


def _seed_of(seed: int, name: str) -> int:
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return int.from_bytes(digest[:8], "little")


def check(module_name: str, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Draws inputs for one subject and reports how the calls ended, as a `CheckReply`."""
    return Checker(subject_named(module_name, name, options), module_name, options).run().wire()
