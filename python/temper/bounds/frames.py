"""Frames, series and labelled arrays of pandas, polars and xarray, taken apart into columns of numbers with a fraction.

Those libraries compare such columns up to a tolerance, and all else (whole numbers, text, dates, labels) exactly. What is
compared exactly needs no tolerance if the assertion passes; if it does not, the failure is no matter of numbers.
"""

import sys

from temper.bounds.values import Unreadable

FORMS = ("pandas-equal", "polars-equal", "xarray-close")


def is_early_polars():
    """Whether polars is one before 1.32, which added the two tolerances as numpy and xarray do."""
    version = getattr(sys.modules.get("polars"), "__version__", "")
    major, minor, *_ = [int(part) if part.isdigit() else 0 for part in version.split(".")] + [0, 0]
    return (major, minor) < (1, 32)


def leaves(actual, reference):
    """Columns of the two structures, in pairs; one pair of equal numbers if there are none with a fraction."""
    actual, reference = _same_order(actual, reference)
    left, right = _columns(actual), _columns(reference)
    if left.keys() != right.keys():
        raise Unreadable("the columns differ")
    for name, column in right.items():
        if column.shape != left[name].shape:
            raise Unreadable("the shapes differ")
        yield "array", [left[name], column]
    if not right:
        yield "plain", [1.0, 1.0]


def _same_order(actual, reference):
    """pandas' `check_like` lets rows be in another order: then they are put in the same one."""
    labels, other = getattr(actual, "index", None), getattr(reference, "index", None)
    if not hasattr(labels, "is_unique") or not hasattr(actual, "reindex") or labels.equals(other):
        return actual, reference
    is_permuted = len(labels) == len(other) and labels.is_unique and labels.isin(other).all()
    return (actual.reindex(other), reference) if is_permuted else (actual, reference)


def _columns(value):
    """The columns with a fraction, by name."""
    if hasattr(value, "data_vars"):
        parts = {**value.data_vars, **value.coords}
    elif hasattr(value, "coords"):
        parts = {None: value.variable, **value.coords}
    elif hasattr(value, "columns"):
        parts = _parts_of_frame(value)
    elif hasattr(value, "dtype"):
        parts = {None: value, **_labels(value)}
    else:
        raise Unreadable(f"`{type(value).__name__}` is no frame or series")
    found = {name: _numbers(part) for name, part in parts.items()}
    return {name: numbers for name, numbers in found.items() if numbers is not None}


def _parts_of_frame(frame):
    names = list(frame.columns)
    if hasattr(frame, "iloc"):
        is_plain = len(set(names)) == len(names)
        parts = {name if is_plain else at: frame.iloc[:, at] for at, name in enumerate(names)}
        return {**parts, **_labels(frame)}
    return {name: frame[name] for name in names}


def _labels(value):
    index = getattr(value, "index", None)
    return {("index",): index} if hasattr(index, "dtype") else {}


def _numbers(column):
    """A column as a numpy array if its values have a fraction, else nothing."""
    import numpy

    dtype = column.dtype
    if hasattr(dtype, "is_float"):
        # polars
        return column.to_numpy().astype(numpy.float64) if dtype.is_float() else None
    kind = getattr(dtype, "kind", "O")
    if kind == "f" and hasattr(column, "to_numpy"):
        try:
            return column.to_numpy(dtype=numpy.float64, na_value=numpy.nan)
        except TypeError:
            return numpy.asarray(column, dtype=numpy.float64)
    if kind in "fc":
        return numpy.asarray(column)
    if kind == "O":
        return _numbers_of_objects(column)
    return None


def _numbers_of_objects(column):
    import numpy

    values = numpy.asarray(column, dtype=object).ravel()
    if not any(isinstance(value, float) for value in values):
        return None
    try:
        return values.astype(numpy.float64)
    except (TypeError, ValueError):
        return None
