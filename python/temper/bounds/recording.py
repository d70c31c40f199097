"""Recording: operands arrive where they stand in the source, the comparison's own answer completes a hit.

An assertion is judged by the user's own code; this module only looks on, and then makes a failed one pass, so that
later sites of the same test are reached. Pending operands are kept per frame: recursion, threads, coroutines and
generators each have their frames.

Edits (made by the crate `temper-bounds`):

    a < c             judge(SITES, operand(3, 'actual', (a)) < operand(3, 'value', (c)))
    lo < a < hi       (judge(LOW, lo < operand(4, 'actual', (a))) and judge(HIGH, again(5, 'actual') < hi))
    allclose(a, d)    soft(SITES, assert_allclose)(operand(6, 'actual', (a)), operand(6, 'reference', (d)))

SITES is a tuple of site descriptions: (number, form, is_upper, is_strict, reduction, truth, fixed bounds), where truth
is the answer of the comparison that lets the assertion pass, or None if the source text alone does not tell. The form
`answer` has two sites, one for each value of the flag, which stands in place of the truth.
"""

import math
import sys

from temper.bounds.rules import measure
from temper.bounds.values import Unreadable
from temper.worker import probe

# How far the user's arithmetic may differ from ours, relative to the bound: half precision has three digits, and a test
# that uses it compares with a bound well above its last one.
_ROUNDING = 1e-3

_pending = {}
_states = {}
# Whether states go to the driver of a worker as they change; test runs that are recorded read them at their end.
is_sending = True


class State:
    """What one site has shown so far in this run. `worst` maps a role to (number needed, number in force)."""

    __slots__ = ("failed", "frame", "hits", "infinite", "nan", "reason", "unreadable", "worst")

    def __init__(self):
        self.hits = self.failed = self.nan = self.infinite = self.unreadable = 0
        self.reason, self.worst, self.frame = "", {}, None

    def record(self):
        worst = [[role, number, bound] for role, (number, bound) in self.worst.items()]
        return [self.hits, self.failed, self.nan, self.infinite, self.unreadable, self.reason, worst]


def clear():
    """Forgets everything: the next run begins."""
    _pending.clear()
    _states.clear()


def states():
    """What has been recorded in this process, by site number."""
    return _states


def operand(site, slot, value):
    """Keeps one operand of a site until its comparison is judged, and returns it untouched."""
    _pending.setdefault((site, id(sys._getframe(1))), {})[slot] = value
    return value


def again(site, slot):
    """The operand just seen in this frame: the middle of a chained comparison is evaluated once."""
    return _pending[site, id(sys._getframe(1))][slot]


def judge(sites, answer):
    """Completes a hit of a comparison that gives a truth value; returns an answer that lets the assertion pass."""
    truth, is_passing = _seen(sites, answer, id(sys._getframe(1)))
    if is_passing:
        return answer
    if sites[0][4] == "any" and _is_single(answer):
        # One element of `any(... for ...)`: the others may still pass.
        return answer
    return answer | True if truth else answer & False


def look(sites, answer):
    """Completes a hit of a comparison and returns its own answer: for test runs that are only looked at."""
    _seen(sites, answer, id(sys._getframe(1)))
    return answer


def held(sites, result):
    """Completes a hit of an asserting function that has returned, and returns its result."""
    _settle_all(sites, True, id(sys._getframe(1)))
    return result


def failed_calls(sites_by_number):
    """Completes the hits of asserting functions that did not return: their test has just failed in one of them."""
    for number, frame in list(_pending):
        if number in sites_by_number:
            _settle_all(sites_by_number[number], False, frame)


def _seen(sites, answer, frame):
    """Adds a hit to its sites; which answer lets the assertion pass, and whether this one does."""
    sites = _asked(sites, frame)
    if not sites:
        return True, True
    found = [(site, *_measured(site, frame)) for site in sites]
    truth = _truth_that_passes(found, answer)
    is_passing = _is_passing(answer, truth, sites[0][4])
    for each in found:
        _settle(each, is_passing, len(found) == 1, frame)
    return truth, is_passing


def _settle_all(sites, is_passing, frame):
    asked = _asked(sites, frame)
    for site in asked:
        _settle((site, *_measured(site, frame)), is_passing, len(asked) == 1, frame)
    return asked


def soft(sites, function):
    """The asserting function, changed so that its failure is noted and the test goes on."""
    frame = id(sys._getframe(1))
    for site in sites:
        _pending.pop((site[0], frame), None)

    def call(*arguments, **keywords):
        is_passing, result, refused = True, None, None
        try:
            result = function(*arguments, **keywords)
        except Exception as error:
            if not _is_refusal(error):
                raise
            is_passing, refused = False, error
        if not _settle_all(sites, is_passing, frame) and not is_passing:
            raise refused
        return result

    return call


def _asked(sites, frame):
    """The sites that this hit is about. Of `flag == (a < c)`, the one for the flag's value, told to expect a yes."""
    if all(site[1] != "answer" for site in sites):
        return sites
    asked = []
    for site in sites:
        flag = _pending.get((site[0], frame), {}).get("answer")
        if _is_single(flag) and bool(flag) == site[5]:
            asked.append((*site[:5], True, *site[6:]))
        else:
            _pending.pop((site[0], frame), None)
    return tuple(asked)


def _is_refusal(error):
    """Whether an exception is how an asserting function says no; tensorflow has its own."""
    return isinstance(error, AssertionError) or type(error).__name__ == "InvalidArgumentError"


def _measured(site, frame):
    """The measurement of a site's pending operands, or the reason why there is none."""
    number, form, is_upper, _, reduction, _, fixed = site
    slots = {**dict(fixed), **_pending.pop((number, frame), {})}
    try:
        return measure(form, is_upper, reduction, slots), None
    except Unreadable as error:
        return None, str(error)
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"[:200]


def _is_single(answer):
    return getattr(answer, "shape", ()) == ()


def _truth_that_passes(found, answer):
    """Which answer lets the assertion pass: known from the source, or read off a hit whose side is plain to see."""
    site, measurement, _ = found[0]
    if site[5] is not None:
        return site[5]
    if measurement is None or not measurement.needed:
        return True
    # Where answer and side disagree, the assertion asks for the opposite answer.
    return _reduce(answer, site[4] == "any") == _is_inside(site, measurement)


def _reduce(answer, is_any):
    if _is_single(answer):
        return bool(answer)
    return bool(answer.any() if is_any else answer.all())


def _is_passing(answer, truth, reduction):
    """Whether the assertion passes, given the comparison's own answer."""
    if truth:
        return _reduce(answer, reduction == "any")
    # Elements that must be False: `not any(x > c)` fails on one True, `not all(x > c)` on all.
    return not _reduce(answer, reduction != "any")


def _is_inside(site, measurement):
    """Whether the measured numbers lie on the right side of their bounds."""
    is_upper, is_strict = site[2], site[3]
    inside = []
    for number, bound in measurement.needed.values():
        if number == bound:
            inside.append(not is_strict)
        else:
            inside.append((number < bound) == is_upper)
    # With two tolerances, each number is what is needed while the other stays: they agree, but for rounding.
    return all(inside) if is_upper else any(inside)


def _settle(found, is_passing, is_alone, frame):
    """Adds one hit to the state of its site, and records the state whenever it got worse."""
    site, measurement, reason = found
    state = _states.setdefault(site[0], State())
    state.hits += 1
    if measurement is not None and not is_alone and not is_passing:
        # Several sites share one call; each answers for its own side.
        is_passing = _is_inside(site, measurement) and not (measurement.is_nan or measurement.is_infinite)
    if measurement is not None:
        reason = _contradiction(site, measurement, is_passing)
    has_changed = _count(state, measurement, reason, is_passing)
    if measurement is not None and reason is None:
        has_changed |= _keep_worst(state, site, measurement, frame)
    if has_changed or state.hits == 1:
        _send(site[0], state)


def _count(state, measurement, reason, is_passing):
    before = (state.failed, state.nan, state.infinite, state.unreadable)
    state.failed += not is_passing
    if reason is not None:
        state.unreadable += 1
        state.reason = reason
    elif measurement.is_nan:
        state.nan += 1
    elif measurement.is_infinite:
        state.infinite += 1
    return before != (state.failed, state.nan, state.infinite, state.unreadable)


def _contradiction(site, measurement, is_passing):
    """Makes number and answer agree where they differ by rounding; the reason where they differ by more.

    The user's own code decides. Sums in single precision differ from ours in the last digits; a difference beyond that
    means that the assertion failed for a reason that the number does not carry (shape, type, a NaN that must not be).
    """
    if measurement.is_nan or measurement.is_infinite or not measurement.needed:
        if not is_passing and not measurement.is_nan and not measurement.is_infinite:
            measurement.is_nan = measurement.has_equal_nan
            return None if measurement.has_equal_nan else "it fails for a reason other than its numbers"
        return None
    if _is_inside(site, measurement) == is_passing:
        return None
    if not is_passing and measurement.has_equal_nan:
        measurement.is_nan = True
        measurement.needed = {}
        return None
    if not any(abs(number - bound) <= _ROUNDING * abs(bound) for number, bound in measurement.needed.values()):
        return "it passes beyond its bound" if is_passing else "it fails for a reason other than its numbers"
    for role, (number, bound) in measurement.needed.items():
        measurement.needed[role] = (_nearest(number, bound, site, is_passing), bound)
    return None


def _nearest(number, bound, site, is_passing):
    """The number nearest to `number` that lies on the side of the bound that the answer says."""
    is_upper, is_strict = site[2], site[3]
    outside = math.inf if is_upper else -math.inf
    if is_passing:
        limit = math.nextafter(bound, -outside) if is_strict else bound
    else:
        limit = bound if is_strict else math.nextafter(bound, outside)
    return min(number, limit) if is_passing == is_upper else max(number, limit)


def _keep_worst(state, site, measurement, frame):
    """Keeps the number nearest to failing; of the elements of one `any(... for ...)`, the one nearest to passing."""
    is_upper = site[2]
    prefers_best = site[4] == "any" and state.frame == frame
    state.frame = frame
    has_changed = False
    for role, (number, bound) in measurement.needed.items():
        old = state.worst.get(role)
        if old is None:
            is_kept = True
        else:
            is_worse = (number - bound > old[0] - old[1]) if is_upper else (number - bound < old[0] - old[1])
            is_kept = is_worse != prefers_best and number - bound != old[0] - old[1]
        if is_kept:
            state.worst[role] = (number, bound)
            has_changed = True
    return has_changed


def _send(number, state):
    if is_sending:
        probe.probe(number, state.record())


probe.when_cleared(clear)
