"""What an assertion form accepts, turned round: the number that the bound would have to be for the comparison to pass.

For `|a - d| <= atol + rtol * |d|` that is, for atol, the largest `|a - d| - rtol * |d|`. A comparison passes if and
only if its number lies on the right side of the bound, so the numbers of many runs are a sample of the bound needed.
Each rule follows the documentation of the function it stands for (numpy 2, pytest 9, Python 3.14, torch 2,
tensorflow 2, pandas 3, polars 1, xarray 2025).
"""

import math

from temper.bounds import frames
from temper.bounds.values import Unreadable, leaves, to_float

# Forms whose relative tolerance is a share of the larger of the two values, and the larger of both tolerances counts.
_OF_LARGER = ("math-isclose", "pandas-almost-equal", "pandas-equal", "polars-equal")

# Documented tolerances of `torch.testing.assert_close` by type: relative, absolute.
_TORCH_DEFAULTS = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}


class Measurement:
    """What one evaluation of an assertion gives.

    `needed` maps the role of each bound to (number needed, number in force); the other fields say what else was seen.
    """

    __slots__ = ("has_equal_nan", "is_infinite", "is_nan", "needed")

    def __init__(self):
        self.needed, self.is_nan, self.is_infinite, self.has_equal_nan = {}, False, False, False


def measure(form, is_upper, reduction, slots):
    """The numbers behind one evaluation; `slots` holds the operands and the bounds in force by role."""
    if form in ("compare", "difference", "margin", "answer", "assert-array-less"):
        return _ordered(is_upper, reduction, slots)
    return _close(form, is_upper, reduction, slots)


# Order.


def _ordered(is_upper, reduction, slots):
    role = "margin" if "reference" in slots else "value"
    other = slots["reference"] if role == "margin" else slots["value"]
    found = Measurement()
    wants_largest = is_upper == (reduction != "any")
    best = None
    for kind, (actual, bound) in leaves(slots["actual"], other):
        worst = _worst_order(found, kind, actual, bound, wants_largest, is_upper)
        if worst is not None and (best is None or _is_beyond(worst, best, wants_largest)):
            best = worst
    if best is not None:
        value, bound = best
        found.needed[role] = (value - bound, 0.0) if role == "margin" else (value, bound)
    return found


def _is_beyond(new, old, wants_largest):
    return (new[0] - new[1] > old[0] - old[1]) == wants_largest


def _worst_order(found, kind, actual, bound, wants_largest, is_upper):
    if kind == "plain":
        if isinstance(actual, complex) or isinstance(bound, complex):
            raise Unreadable("complex numbers have no order")
        actual, bound = to_float(actual), to_float(bound)
        if math.isnan(actual) or math.isnan(bound):
            found.is_nan = True
            return None
        if math.isinf(actual):
            # One on the side where it passes is as far inside as can be: no number, and no fault.
            found.is_infinite = (actual > 0) == is_upper
            return None
        return actual, bound
    return _worst_order_of_array(found, actual, bound, wants_largest, is_upper)


def _worst_order_of_array(found, actual, bound, wants_largest, is_upper):
    import numpy

    if actual.dtype.kind == "c" or bound.dtype.kind == "c":
        raise Unreadable("complex numbers have no order")
    try:
        actual, bound = numpy.broadcast_arrays(actual, bound)
    except ValueError:
        raise Unreadable("the shapes differ") from None
    actual, bound = actual.astype(numpy.float64).ravel(), bound.astype(numpy.float64).ravel()
    is_nan = numpy.isnan(actual) | numpy.isnan(bound)
    is_infinite = numpy.isinf(actual) & ~is_nan
    # Infinities on the side where they pass are as far inside as can be.
    is_wrong = is_infinite & ((actual > 0) == is_upper)
    usable = ~(is_nan | is_infinite)
    # One good element satisfies `any`, whatever the others are.
    is_any = wants_largest != is_upper
    if not is_any or not (usable | (is_infinite & ~is_wrong)).any():
        found.is_nan |= bool(is_nan.any())
        found.is_infinite |= bool(is_wrong.any())
    if not usable.any():
        return None
    actual, bound = actual[usable], bound[usable]
    margin = actual - bound
    index = int(margin.argmax() if wants_largest else margin.argmin())
    return float(actual[index]), float(bound[index])


# Closeness.


def _close(form, is_upper, reduction, slots):
    found = Measurement()
    bounds = _bounds_in_force(form, slots)
    # `not allclose` is satisfied by one distant element; `not isclose(...).any()` asks for all.
    wants_largest = True if reduction == "none" else is_upper == (reduction == "all")
    is_any = reduction == "any" or (reduction == "none" and not is_upper)
    parts = frames.leaves if form in frames.FORMS else leaves
    if form == "polars-equal" and frames.is_early_polars():
        form = "xarray-close"
    for kind, (actual, reference) in parts(slots["actual"], slots["reference"]):
        distance = _distance_of_plain if kind == "plain" else _distance_of_array
        pairs = distance(form, found, actual, reference, is_any)
        for role, number in _needed(form, bounds, pairs, wants_largest).items():
            old = found.needed.get(role)
            if old is None or (number > old[0]) == wants_largest:
                found.needed[role] = (number, bounds[role])
    return found


def _bounds_in_force(form, slots):
    """The numbers in force, digits turned into the distance that they stand for."""
    bounds = {role: slots[role] for role in ("relative", "absolute", "delta") if slots.get(role) is not None}
    if form in ("torch-assert-close", "tensorflow-close", "assert-allclose") and "delta" not in bounds:
        relative, absolute = _by_type(form, slots)
        bounds.setdefault("relative", relative)
        bounds.setdefault("absolute", absolute)
    if form == "approx" and "absolute" not in bounds:
        bounds["absolute"] = 1e-12
    bounds = {role: to_float(number) for role, number in bounds.items()}
    if slots.get("decimal") is not None:
        bounds["decimal"] = 1.5 * 10.0 ** -slots["decimal"]
    if slots.get("significant") is not None:
        bounds["significant"] = 10.0 ** -(slots["significant"] - 1)
    if slots.get("places") is not None and "delta" not in bounds:
        bounds["places"] = 0.5 * 10.0 ** -slots["places"]
    return bounds


def _by_type(form, slots):
    """Tolerances that a function chooses by the types compared: those of the less precise side."""
    names = [_type_name(slots[slot]) for slot in ("actual", "reference")]
    if form == "torch-assert-close":
        known = [_TORCH_DEFAULTS.get(name, (0.0, 0.0)) for name in names]
        return max(pair[0] for pair in known), max(pair[1] for pair in known)
    if form == "tensorflow-close":
        # `tf.debugging.assert_near`: ten times the spacing of the type at 1.
        spacing = 10 * max(_spacing(name) for name in names)
        return spacing, spacing
    # scipy's `xp_assert_close`: four times the square root of the spacing.
    return 4 * math.sqrt(max(_spacing(name) for name in names)), 0.0


def _type_name(value):
    dtype = getattr(value, "dtype", None)
    return "float64" if dtype is None else str(dtype).rpartition(".")[2]


def _spacing(name):
    return {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "complex64": 2.0**-23}.get(name, 2.0**-52)


class _Pairs:
    """Distances of the elements that count, with the magnitude that a relative tolerance multiplies."""

    __slots__ = ("distance", "magnitude")

    def __init__(self, distance, magnitude):
        self.distance, self.magnitude = distance, magnitude


def _distance_of_plain(form, found, actual, reference, is_any):
    if actual == reference:
        return _Pairs([0.0], [to_float(abs(reference))] if _is_finite(reference) else [0.0])
    actual_is_nan, reference_is_nan = actual != actual, reference != reference
    if actual_is_nan or reference_is_nan:
        if actual_is_nan and reference_is_nan:
            found.has_equal_nan = True
        else:
            found.is_nan = True
        return _Pairs([], [])
    distance = to_float(abs(actual - reference))
    if math.isinf(distance):
        found.is_infinite = True
        return _Pairs([], [])
    if form == "assert-approx-equal":
        distance = _significant_distance(actual, reference)
    magnitude = to_float(abs(reference))
    if form in _OF_LARGER:
        magnitude = max(magnitude, to_float(abs(actual)))
    return _Pairs([distance], [magnitude])


def _is_finite(number):
    try:
        return math.isfinite(abs(number))
    except OverflowError:
        return False


def _significant_distance(actual, reference):
    """Distance after scaling to numbers between 1 and 10, as numpy does it."""
    scale = 0.5 * (abs(to_float(reference)) + abs(to_float(actual)))
    scale = 10.0 ** math.floor(math.log10(scale)) if scale > 0 else 1.0
    return abs(to_float(reference) / scale - to_float(actual) / scale)


def _distance_of_array(form, found, actual, reference, is_any):
    import numpy

    try:
        actual, reference = numpy.broadcast_arrays(actual, reference)
    except ValueError:
        raise Unreadable("the shapes differ") from None
    actual, reference = actual.ravel(), reference.ravel()
    with numpy.errstate(all="ignore"):
        distance = abs(actual - reference).astype(numpy.float64)
        magnitude = abs(reference).astype(numpy.float64)
        if form in _OF_LARGER:
            magnitude = numpy.maximum(magnitude, abs(actual).astype(numpy.float64))
        if form == "assert-approx-equal":
            scaled = [_significant_distance(a, d) for a, d in zip(actual.tolist(), reference.tolist(), strict=True)]
            distance = numpy.where(numpy.isfinite(distance), scaled, distance)
    is_equal = actual == reference
    distance[is_equal] = 0.0
    magnitude[is_equal & ~numpy.isfinite(magnitude)] = 0.0
    equal_nan = numpy.isnan(actual) & numpy.isnan(reference)
    is_nan = numpy.isnan(distance) & ~equal_nan
    is_infinite = numpy.isinf(distance)
    usable = ~(equal_nan | is_nan | is_infinite)
    found.has_equal_nan |= bool(equal_nan.any())
    if not is_any or not usable.any():
        found.is_nan |= bool(is_nan.any())
        found.is_infinite |= bool(is_infinite.any())
    return _Pairs(distance[usable], magnitude[usable])


def _needed(form, bounds, pairs, wants_largest):
    """For each bound in force, the number that the worst element needs with the other bound as it is."""
    if len(pairs.distance) == 0:
        return {}
    relative, absolute = bounds.get("relative", 0.0), bounds.get("absolute", 0.0)
    takes_larger = form == "approx" or form in _OF_LARGER
    numbers = _numbers_of_plain if isinstance(pairs.distance, list) else _numbers_of_array
    needed = {}
    for role in bounds:
        each = numbers(role, pairs, relative, absolute, takes_larger)
        if len(each):
            needed[role] = float(max(each) if wants_largest else min(each))
    return needed


def _numbers_of_plain(role, pairs, relative, absolute, takes_larger):
    """What the one element needs: a list of one number, or none if a relative tolerance plays no part."""
    ((distance,), (magnitude,)) = (pairs.distance, pairs.magnitude)
    if role == "absolute" and takes_larger:
        return [distance if distance > relative * magnitude else 0.0]
    if role == "absolute":
        return [distance - relative * magnitude]
    if role != "relative":
        return [distance]
    if takes_larger and distance <= absolute:
        return [0.0]
    rest = distance if takes_larger else distance - absolute
    if magnitude == 0.0:
        # Beside a zero, a relative tolerance is either not needed or of no help.
        return [] if rest <= 0.0 else [math.inf]
    return [rest / magnitude]


def _numbers_of_array(role, pairs, relative, absolute, takes_larger):
    """`_numbers_of_plain` for many elements; the extreme one is enough for the caller."""
    import numpy

    distance, magnitude = pairs.distance, pairs.magnitude
    if role == "absolute" and takes_larger:
        numbers = numpy.where(distance > relative * magnitude, distance, 0.0)
    elif role == "absolute":
        numbers = distance - relative * magnitude
    elif role != "relative":
        numbers = distance
    else:
        rest = distance if takes_larger else distance - absolute
        with numpy.errstate(all="ignore"):
            numbers = numpy.where(magnitude == 0.0, numpy.where(rest > 0.0, numpy.inf, numpy.nan), rest / magnitude)
        if takes_larger:
            numbers = numpy.where(distance <= absolute, 0.0, numbers)
        numbers = numbers[~numpy.isnan(numbers)]
    return numpy.array([numbers.min(), numbers.max()]) if numbers.size else numbers
