"""Users' values as numbers: Python, numpy, torch, jax, tensorflow and pandas, scalars and arrays alike.

Libraries are recognised by what is loaded, never imported: a project that does not use numpy does not pay for it.
"""

import decimal
import fractions
import sys

_PLAIN = (bool, int, float, complex)


class Unreadable(Exception):
    """The operands are no numbers that could be compared; its text says why."""


def kind_of(value):
    """`plain`, `array`, `sequence` or `mapping`; raises `Unreadable` for anything else."""
    if isinstance(value, (*_PLAIN, decimal.Decimal, fractions.Fraction)):
        return "plain"
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        if value.dtype.kind not in "biufc":
            raise Unreadable(f"a numpy {value.dtype} is no number")
        return "plain"
    if isinstance(value, (list, tuple)):
        return "sequence"
    if isinstance(value, dict):
        return "mapping"
    if hasattr(value, "__array__") or hasattr(value, "numpy"):
        return "array"
    if isinstance(value, (set, frozenset, str, bytes)) or value is None:
        raise Unreadable(f"`{type(value).__name__}` is no number")
    if hasattr(value, "toarray"):
        return "array"
    if hasattr(value, "__float__"):
        return "plain"
    raise Unreadable(f"`{type(value).__name__}` is no number")


def plain(value):
    """A scalar that does arithmetic as the user's own comparison would, as far as types allow."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, float, complex)):
        return value
    if isinstance(value, (decimal.Decimal, fractions.Fraction)):
        return float(value)
    dtype = getattr(value, "dtype", None)
    if getattr(dtype, "kind", "") in ("b", "i", "u"):
        # numpy's small integers wrap around when subtracted.
        return int(value)
    if getattr(dtype, "kind", "") in ("f", "c"):
        return value
    return float(value)


def to_float(number):
    """A real number as the nearest float; integers beyond the range become infinite."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def array(value):
    """A numpy array of an inexact type, or of float64 where the user's is exact."""
    import numpy

    result = _as_numpy(value, numpy)
    if result.dtype.kind in "biu":
        return result.astype(numpy.float64)
    if result.dtype.kind == "O":
        try:
            return result.astype(numpy.float64)
        except (TypeError, ValueError) as error:
            raise Unreadable(f"an array of objects: {error}") from None
    if result.dtype.kind not in "fc":
        raise Unreadable(f"an array of {result.dtype} holds no numbers")
    return result


def _as_numpy(value, numpy):
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        # numpy has no bfloat16.
        return (value.float() if value.dtype == torch.bfloat16 else value).numpy()
    if hasattr(value, "toarray"):
        return numpy.asarray(value.toarray())
    if not hasattr(value, "__array__") and hasattr(value, "numpy"):
        return numpy.asarray(value.numpy())
    try:
        return numpy.asarray(value)
    except (TypeError, ValueError) as error:
        raise Unreadable(f"no array can be made of it: {error}") from None


def leaves(*operands):
    """Walks nested lists, tuples and dicts in step and yields groups of scalars or of arrays."""
    kinds = [kind_of(operand) for operand in operands]
    if "mapping" in kinds:
        yield from _mapping_leaves(operands, kinds)
    elif "array" in kinds:
        yield "array", [array(operand) for operand in operands]
    elif "sequence" in kinds:
        yield from _sequence_leaves(operands, kinds)
    else:
        yield "plain", [plain(operand) for operand in operands]


def _mapping_leaves(operands, kinds):
    mappings = [operand for operand, kind in zip(operands, kinds, strict=True) if kind == "mapping"]
    keys = mappings[0].keys()
    if any(other.keys() != keys for other in mappings[1:]):
        raise Unreadable("the keys differ")
    if any(kind not in ("mapping", "plain") for kind in kinds):
        raise Unreadable("a mapping is compared with something else")
    for key in keys:
        yield from leaves(
            *(part[key] if kind == "mapping" else part for part, kind in zip(operands, kinds, strict=True))
        )


def _sequence_leaves(operands, kinds):
    lengths = {len(operand) for operand, kind in zip(operands, kinds, strict=True) if kind == "sequence"}
    if len(lengths) > 1:
        raise Unreadable("the lengths differ")
    for index in range(lengths.pop()):
        yield from leaves(
            *(part[index] if kind == "sequence" else part for part, kind in zip(operands, kinds, strict=True))
        )
