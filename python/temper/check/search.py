"""Which inputs the search of one function proposes: those that may take branch outcomes that no draw took.

Each step is a generator that yields proposals to the engine's loop, in the forms that `crates/temper-py/src/subject.rs`
describes. When it goes on, the proposed input was evaluated. The budget of calls is the loop's.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any, TypeVar

from temper.check import branches
from temper.check.judge import Outcome
from temper.check.text_search import TextEdits

_Result = TypeVar("_Result")
# Steps that yield proposals and come to a result.
_Steps = Generator[Any, None, _Result]

# The search ends after this many calls that took no new outcome and came nearer to none: what is left then is mostly out of
# reach, such as a divisor that is never 0. Deep equations come nearer in smaller steps than this.
_STALE = 1500
# A climb ends after this many calls that brought it no nearer, and an outcome is climbed towards this often.
_PATIENCE = 250
_MAX_CLIMBS = 4
# How many climbs one counts for that came no nearer.
_FLAT_CLIMB = 2
_RESTARTS = 20
# Candidates of one number that are worth undoing an earlier comparison for.
_DETOURS = 6
# Numbers of one record that are moved one by one; an input with more is left to the climb.
_MAX_NUMBERS = 40


class Search:
    """The proposals for one check."""

    def __init__(self, check: Any, texts: TextEdits) -> None:
        self.check, self.texts = check, texts
        # The calls so far, and the outcome of the last; None if its arguments were not valid.
        self.calls = 0
        self.outcome: Outcome | None = None
        # How often each outcome was worked towards.
        self.tried: dict[tuple[int, bool], int] = {}
        # The way to the outcome that a climb works towards.
        self._climbed: list[tuple[int, bool]] | None = None
        self._proposals: _Steps[Any] | None = None
        # Whether the words of the code were tried.
        self._has_parts = False
        # The call that last took a new outcome or came nearer to one.
        self.last_progress = 0

    def next_input(self) -> Any:
        """The next proposal; None when there is none left, until more is known."""
        if self.calls - self.last_progress > _STALE:
            return None
        if self._proposals is None:
            self._proposals = self._reach()
        proposed = next(self._proposals, None)
        if proposed is None:
            self._proposals = None
        return proposed

    def note(self, outcome: Outcome) -> None:
        """Takes note of how the input at hand ended."""
        self.calls += 1
        self.outcome = outcome if outcome.is_valid else None

    def utility(self, outcome: Outcome) -> float | None:
        """How near the input at hand comes to what a climb works towards; None without a climb."""
        if self._climbed is None or not outcome.is_valid:
            return None
        return float(branches.utility(self.check.judge.branches.probe.distances, self._climbed))

    def _reach(self) -> _Steps[None]:
        """Works towards one branch outcome after the other, the nearest first.

        An outcome that gets no nearer is soon left alone; those that did get nearer are tried again at the end.
        """
        nearest, tried = self.check.nearest, self.tried
        if self.texts and not self._has_parts:
            self._has_parts = True
            yield from self._try_parts()
        number = 0
        while True:
            keys = [key for key in nearest if tried.get(key, 0) < _MAX_CLIMBS]
            if not keys:
                return
            key = min(keys, key=lambda each: (tried.get(each, 0), nearest[each][0]))
            number += 1
            before = nearest[key][:2]
            yield from self._solve(key, nearest[key][1])
            if key in nearest:
                yield from self._climb(key, number)
            if key in nearest and tried.get(key, 0) == 0:
                yield from self._restart(key)
            is_flat = key in nearest and nearest[key][:2] == before and tried.get(key, 0) > 0
            tried[key] = tried.get(key, 0) + (_FLAT_CLIMB if is_flat else 1)

    def _try_parts(self) -> _Steps[None]:
        """Tries each word of the code alone: what reads a whole document or a table's key takes few other texts."""
        program = self.check.program
        if program.draw(self.check.seed_of("parts")) is not None:
            yield from self.texts.single_parts(program.tree())

    def _restart(self, key: tuple[int, bool]) -> _Steps[None]:
        """Tries again from other inputs: if two numbers depend on each other, most starts lead nowhere."""
        for number in range(_RESTARTS):
            if key not in self.check.nearest:
                return
            if self.check.program.draw(self.check.seed_of(f"{key} start {number}")) is not None:
                yield from self._solve(key, self.check.program.tree())

    def _solve(self, key: tuple[int, bool], tree: bytes) -> _Steps[None]:
        """Moves one number of the record at a time, by what the missed comparison says is missing.

        The alternating variable method (Korel 1990), with steps taken from the operands: a number that is compared
        as it was drawn, or with a slope that two calls tell, is right at once.
        """
        chain = self.check.nearest[key][2]
        best, operands = yield from self._measure(tree, chain)
        if best is not None and self.texts:
            tree, best, operands = yield from self._rewrite(self.check.program.tree(), chain, best, operands)
            if not self._has_numbers(tree):
                return
        while best is not None and key in self.check.nearest:
            before = best
            tree, best, operands = yield from self._sweep(tree, chain, best, operands)
            if best == before and key in self.check.nearest:
                tree, best, operands = yield from self._detour(tree, chain, best, operands)
            if best == before:
                return

    def _has_numbers(self, tree: bytes) -> bool:
        """Whether a record has numbers apart from the characters of texts, which are not worth moving one by one."""
        program = self.check.program
        return len(program.numbers(tree)) > sum(map(len, program.plain_lists(tree)))

    def _rewrite(self, tree: bytes, chain: Any, best: Any, operands: Any) -> _Steps[tuple[Any, Any, Any]]:
        """Changes one piece of a text at a time, as long as that brings the record nearer."""
        program = self.check.program
        is_nearer = True
        while is_nearer and best[0] < len(chain):
            is_nearer = False
            for proposed in self.texts.proposals(tree, operands):
                found, seen = yield from self._measure(proposed, chain)
                if found is not None and found > best:
                    tree, best, operands, is_nearer = program.tree(), found, seen, True
                    break
        return tree, best, operands

    def _sweep(
        self, tree: bytes, chain: Any, best: Any, operands: Any, fixed: int = -1
    ) -> _Steps[tuple[Any, Any, Any]]:
        """Moves every number once, but for one that stays."""
        for place, value in enumerate(self.check.program.numbers(tree)[:_MAX_NUMBERS]):
            if place != fixed and best[0] < len(chain):
                tree, best, operands = yield from self._move(tree, place, value, chain, best, operands)
        return tree, best, operands

    def _detour(self, tree: bytes, chain: Any, best: Any, operands: Any) -> _Steps[tuple[Any, Any, Any]]:
        """Moves one number to where the missed comparison wants it, though that undoes an earlier one, and mends the
        earlier one with the other numbers."""
        for place, value in enumerate(self.check.program.numbers(tree)[:_MAX_NUMBERS]):
            for candidate in _candidates(value, operands, 0)[:_DETOURS]:
                if candidate == value or not _is_number(candidate):
                    continue
                moved, _, found, seen = yield from self._with_number(tree, place, candidate, chain)
                if found is None:
                    continue
                mended = yield from self._sweep(moved, chain, found, seen, fixed=place)
                if mended[1] <= best:
                    # The number mends it itself, with a small step; the others then make up for the step.
                    mended = yield from self._sweep(mended[0], chain, mended[1], mended[2])
                if mended[1] > best:
                    return mended
        return tree, best, operands

    def _measure(self, tree: bytes, chain: Any) -> _Steps[tuple[Any, Any]]:
        """How far the call of a record comes, as a pair that orders calls, and what its missed comparison compared."""
        yield tree
        if self.outcome is None:
            return None, None
        probe = self.check.judge.branches.probe
        level, distance = branches.progress(probe.distances, chain)
        operands = probe.operands.get(chain[level]) if level < len(chain) else None
        # Of runs that are as near, the one is better that got more answers: `all` asks until the first no.
        return (level, -distance, probe.answered), operands if operands is not None else probe.refused

    def _with_number(self, tree: bytes, place: int, number: Any, chain: Any) -> _Steps[tuple[bytes, Any, Any, Any]]:
        """The record with another number at a place, or the nearest that may stand there; that number; how far it comes."""
        program = self.check.program
        found, operands = yield from self._measure(program.with_number(tree, place, number), chain)
        moved = program.tree()
        numbers = program.numbers(moved) if found is not None else []
        return moved, numbers[place] if place < len(numbers) else number, found, operands

    def _move(
        self, tree: bytes, place: int, value: Any, chain: Any, best: Any, operands: Any
    ) -> _Steps[tuple[Any, Any, Any]]:
        """The record with the number at a place moved as far as that brings it nearer."""
        step = 1 if type(value) is int else max(abs(value), 1.0) * 1e-3
        tried = {value}
        queue = _candidates(value, operands, step)
        while queue:
            candidate = queue.pop(0)
            if candidate in tried or not _is_number(candidate):
                continue
            tried.add(candidate)
            moved, candidate, found, seen = yield from self._with_number(tree, place, candidate, chain)
            if found is None or candidate == value:
                continue
            tried.add(candidate)
            queue += _secant(value, candidate, best, found)
            if found > best:
                # Farther the same way, and what is missing from here.
                further = [candidate + 2 * (candidate - value), *_candidates(candidate, seen, step)]
                queue = [each for each in further if each not in tried]
                tree, value, best, operands = moved, candidate, found, seen
                if best[0] >= len(chain):
                    break
        return tree, best, operands

    def _climb(self, key: tuple[int, bool], number: int) -> _Steps[None]:
        """Follows whatever small change of the whole record comes nearer."""
        check = self.check
        distance, tree, chain = check.nearest[key]
        start = branches.utility(dict.fromkeys(chain[:-1], 0.0) | {key: distance}, chain)
        proposed: Any = (check.seed_of(f"{key} {number}"), tree, float(start))
        best, last_rise = distance, self.calls
        self._climbed = chain
        while self.calls - last_rise < _PATIENCE and key not in check.covered:
            yield proposed
            proposed = True
            if key in check.nearest and check.nearest[key][0] < best:
                best, last_rise = check.nearest[key][0], self.calls
        self._climbed = None


def _candidates(value: Any, operands: Any, step: Any) -> list[Any]:
    """Where a number may have to go: by what is missing between the operands, just next to that, and a step."""
    found: list[Any] = []
    if operands is not None:
        try:
            missing = operands[1] - operands[0]
            found += [*_around(value, value + missing), *_around(value, value - missing)]
            found += [other for other in operands if value in operands for other in _around(value, other)]
        except Exception:
            # Operands of the subject's own types, whose arithmetic is its own affair.
            found = []
    return [*found, value + step, value - step]


def _is_number(value: Any) -> bool:
    """Whether a record can hold it."""
    return abs(value) < 1 << 63 if type(value) is int else type(value) is float and math.isfinite(value)


def _around(value: Any, target: Any) -> list[Any]:
    """A number and its neighbours, as whole numbers or floats like `value`."""
    if type(value) is int:
        whole = round(float(target)) if isinstance(target, float) else int(target)
        return [whole, whole + 1, whole - 1]
    number = float(target)
    return [number, math.nextafter(number, math.inf), math.nextafter(number, -math.inf)]


def _secant(value: Any, candidate: Any, best: Any, found: Any) -> list[Any]:
    """Where the distance would be 0 if it fell on along a line; nothing for calls that missed different outcomes."""
    if best[0] != found[0] or best[1] == found[1]:
        return []
    slope = (best[1] - found[1]) / (candidate - value)
    target = value + best[1] / slope
    if not math.isfinite(target):
        return []
    if type(value) is int:
        return [math.floor(target), math.ceil(target)]
    return _around(value, target)
