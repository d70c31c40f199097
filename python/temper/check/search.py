"""The search of one subject: towards branch outcomes that no draw took, and away from a crash that hides others."""

from __future__ import annotations

import math
import time
from typing import Any

from temper.check import branches, protocol

# How many calls the search may make for each random draw of the budget.
_FACTOR = 50
# A climb ends after so many calls that brought it no nearer, and an outcome is climbed towards so often.
_PATIENCE = 250
_MAX_CLIMBS = 4
_RESTARTS = 20
# Candidates of one number that are worth undoing an earlier comparison for.
_DETOURS = 6
# Numbers of one record that are moved one by one; an input with more is left to the climb.
_MAX_NUMBERS = 40
# The search may take this long, or twice as long as the draws before it; on a slow machine up to three times as long,
# until it has made so many calls.
_SECS = 1.0
_LEAST_CALLS = 3000
# A crash hides others when more than this part of the inputs end in it; so many calls are then spent around it.
_HIDES = 0.5
_STEER_CALLS = 2000


class Search:
    """Spends the rest of a check's budget. What is found goes the way of every draw: through `check.take`."""

    def __init__(self, check: Any, draw_secs: float) -> None:
        self.check = check
        self.budget = check.options["draws"] * _FACTOR
        # Processor time: how far the search comes must not depend on what else the machine does.
        now = time.process_time()
        self.until = now + max(_SECS, 2 * draw_secs)
        self.at_last = now + max(3 * _SECS, 2 * draw_secs)
        self.calls = 0
        # How often each outcome was worked towards.
        self.tried: dict[tuple[int, bool], int] = {}

    def run(self) -> None:
        """Works towards outcomes; then away from a crash that most inputs end in, and towards what lies behind it."""
        self._reach()
        if self._steer():
            self._reach()

    def _is_over(self) -> bool:
        now = time.process_time()
        is_spent = now > self.at_last or (now > self.until and self.calls >= _LEAST_CALLS)
        return is_spent or self.calls >= self.budget or self.check.is_over()

    def _try(self, values: Any, tree: bytes) -> Any:
        """Calls the subject; the outcome, or None where the arguments were not valid."""
        self.calls += 1
        self.check.memory.tree(tree)
        outcome = self.check.judged(values)
        self.check.take(outcome, lambda: tree)
        return outcome if outcome.kind not in (protocol.REJECTED, protocol.BUILD) else None

    # Away from a crash.

    def _steer(self) -> bool:
        """Draws around the inputs that do not end in the commonest crash, where that is common enough to hide others."""
        check = self.check
        groups = sorted(check.groups.values(), key=lambda group: -group.count)
        if not groups or groups[0].count <= _HIDES * check.valid() or check.passing is None:
            return False
        key = groups[0].outcome.key
        program = check.program
        program.start_search(check.seed_of("away"), check.passing, 1.0)
        for _ in range(min(_STEER_CALLS, self.budget // 4)):
            if self._is_over():
                break
            values = program.ask()
            outcome = self._try(values, program.asked_tree())
            program.tell(None if outcome is None else float(outcome.key != key))
        return True

    # Towards outcomes.

    def _reach(self) -> None:
        """Works towards one branch outcome after the other, the nearest first.

        An outcome that gets no nearer is left alone; those that did get nearer are tried again at the end.
        """
        nearest, tried = self.check.nearest, self.tried
        number = 0
        while not self._is_over():
            keys = [key for key in nearest if tried.get(key, 0) < _MAX_CLIMBS]
            if not keys:
                return
            key = min(keys, key=lambda each: (tried.get(each, 0), nearest[each][0]))
            number += 1
            before = nearest[key][0]
            self._solve(key, nearest[key][1])
            if key in nearest:
                self._climb(key, number)
            if key in nearest and tried.get(key, 0) == 0:
                self._restart(key)
            is_flat = key in nearest and nearest[key][0] == before and tried.get(key, 0) > 0
            tried[key] = _MAX_CLIMBS if is_flat else tried.get(key, 0) + 1

    def _restart(self, key: tuple[int, bool]) -> None:
        """Tries again from other inputs: where two numbers depend on each other, most starts lead nowhere."""
        for number in range(_RESTARTS):
            if key not in self.check.nearest or self._is_over():
                return
            if self.check.program.draw(self.check.seed_of(f"{key} start {number}")) is not None:
                self._solve(key, self.check.program.tree())

    def _solve(self, key: tuple[int, bool], tree: bytes) -> None:
        """Moves one number of the record at a time, by what the missed comparison says is missing.

        The alternating variable method (Korel 1990), with steps taken from the operands: a number that is compared
        as it was drawn, or with a slope that two calls tell, is right at once.
        """
        chain = self.check.nearest[key][2]
        best, operands = self._measure(tree, chain)
        while best is not None and key in self.check.nearest and not self._is_over():
            before = best
            tree, best, operands = self._sweep(tree, chain, best, operands)
            if best == before and key in self.check.nearest:
                tree, best, operands = self._detour(tree, chain, best, operands)
            if best == before:
                return

    def _sweep(self, tree: bytes, chain: Any, best: Any, operands: Any, fixed: int = -1) -> tuple[Any, Any, Any]:
        """Moves every number once, but for one that stays."""
        for place, value in enumerate(self.check.program.numbers(tree)[:_MAX_NUMBERS]):
            if place != fixed and best[0] < len(chain) and not self._is_over():
                tree, best, operands = self._move(tree, place, value, chain, best, operands)
        return tree, best, operands

    def _detour(self, tree: bytes, chain: Any, best: Any, operands: Any) -> tuple[Any, Any, Any]:
        """Moves one number to where the missed comparison wants it, though that undoes an earlier one, and mends the
        earlier one with the other numbers."""
        for place, value in enumerate(self.check.program.numbers(tree)[:_MAX_NUMBERS]):
            for candidate in _candidates(value, operands, 0)[:_DETOURS]:
                if candidate == value or not _is_number(candidate) or self._is_over():
                    continue
                moved, _, found, seen = self._with_number(tree, place, candidate, chain)
                if found is None:
                    continue
                mended = self._sweep(moved, chain, found, seen, fixed=place)
                if mended[1] <= best:
                    # The number mends it itself, with a small step; the others then make up for the step.
                    mended = self._sweep(mended[0], chain, mended[1], mended[2])
                if mended[1] > best:
                    return mended
        return tree, best, operands

    def _measure(self, tree: bytes, chain: Any) -> tuple[Any, Any]:
        """How far the call of a record comes, as a pair that orders calls, and what its missed comparison compared."""
        outcome = self._try(self.check.program.replay(tree), tree)
        if outcome is None:
            return None, None
        probe = self.check.judge.branches.probe
        level, distance = branches.progress(probe.distances, chain)
        operands = probe.operands.get(chain[level]) if level < len(chain) else None
        return (level, -distance), operands

    def _with_number(self, tree: bytes, place: int, number: Any, chain: Any) -> tuple[bytes, Any, Any, Any]:
        """The record with another number at a place, or the nearest that may stand there; that number; how far it comes."""
        program = self.check.program
        found, operands = self._measure(program.with_number(tree, place, number), chain)
        moved = program.tree()
        numbers = program.numbers(moved) if found is not None else []
        return moved, numbers[place] if place < len(numbers) else number, found, operands

    def _move(self, tree: bytes, place: int, value: Any, chain: Any, best: Any, operands: Any) -> tuple[Any, Any, Any]:
        """The record with the number at a place moved as far as that brings it nearer."""
        step = 1 if type(value) is int else max(abs(value), 1.0) * 1e-3
        tried = {value}
        queue = _candidates(value, operands, step)
        while queue:
            candidate = queue.pop(0)
            if candidate in tried or not _is_number(candidate) or self._is_over():
                continue
            tried.add(candidate)
            moved, candidate, found, seen = self._with_number(tree, place, candidate, chain)
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

    def _climb(self, key: tuple[int, bool], number: int) -> None:
        """Follows whatever small change of the whole record comes nearer."""
        check, program = self.check, self.check.program
        distance, tree, chain = check.nearest[key]
        start = branches.utility(dict.fromkeys(chain[:-1], 0.0) | {key: distance}, chain)
        program.start_search(check.seed_of(f"{key} {number}"), tree, start)
        best, last_rise = distance, self.calls
        while self.calls - last_rise < _PATIENCE:
            if key in check.covered or self._is_over():
                return
            values = program.ask()
            outcome = self._try(values, program.asked_tree())
            distances = check.judge.branches.probe.distances
            program.tell(None if outcome is None else branches.utility(distances, chain))
            if key in check.nearest and check.nearest[key][0] < best:
                best, last_rise = check.nearest[key][0], self.calls


def _candidates(value: Any, operands: Any, step: Any) -> list[Any]:
    """Where a number may have to go: by what is missing between the operands, just beside that, and a step."""
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
