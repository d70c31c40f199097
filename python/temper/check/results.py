"""What is asked of a result: to be finite, to have the shape that the return hint names, to be as it was recorded."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import itertools
import json
import math
import os
import types
from typing import Any

from temper import annotations
from temper.check.oracles import in_range
from temper.domains import hints, terms
from temper.domains.annotated import AnnotatedFunction
from temper.domains.domain import Domain

FILE = "temper.regressions.json"
# Calls that are recorded for each function, and items of a result that are looked at one by one.
RECORDED_CALLS = 20
_MAX_ITEMS = 20
_DEFAULT_CONSUME = 64
_LAZY = (map, filter, zip, enumerate, reversed, types.GeneratorType, types.AsyncGeneratorType)


def awaited(result: Any) -> Any:
    """What a coroutine returns; anything else as it is."""

    async def wait() -> Any:
        return await result

    return asyncio.run(wait()) if inspect.isawaitable(result) else result


def consumed(result: Any, limit: int | None) -> Any:
    """The first items of an iterator, as the result; anything else as it is.

    Without a limit only what is known to be lazy is consumed: an iterator may also be an open file.
    """
    if limit is None:
        if not isinstance(result, _LAZY) and type(result).__module__ != "itertools":
            return result
        limit = _DEFAULT_CONSUME
    if hasattr(result, "__anext__"):
        return asyncio.run(_consumed_async(result, limit))
    if hasattr(result, "__next__"):
        return list(itertools.islice(result, limit))
    return result


async def _consumed_async(result: Any, limit: int) -> list[Any]:
    items = []
    async for item in result:
        items.append(item)
        if len(items) >= limit:
            break
    return items


def verify(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls a function and asserts its postconditions."""
    plain = annotations.function_of(function)
    annotated = AnnotatedFunction(getattr(plain, "__qualname__", "function"), function, function, "function")
    result = function(*args, **kwargs)
    if inspect.iscoroutinefunction(plain):
        result = awaited(result)
    result = consumed(result, annotated.record.consume)
    promise = returned(annotated)
    if annotated.record.postconditions or promise is not None:
        bound = inspect.signature(function).bind(*args, **kwargs)
        bound.apply_defaults()
        given = {**bound.arguments, "self": getattr(function, "__self__", None), "result": result}
        for condition in annotated.record.postconditions:
            assert _holds(condition.test, given, getattr(plain, "__globals__", {})), condition_text(condition)
        wrong = misshapen(promise, result, _sides(annotated, bound.arguments)) if promise is not None else None
        assert wrong is None, wrong
    return result


def _sides(annotated: AnnotatedFunction, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call, and the shape variables that its arrays give."""
    from temper.domains.arguments import domains_of

    known = dict(given)
    for name, domain in domains_of(annotated).items():
        sides = domain.params.get("shape") if isinstance(domain, Domain) else None
        shape = getattr(given.get(name), "shape", None)
        if isinstance(sides, str) and shape is not None:
            parts = [part.partition(":")[0] for part in sides.replace(",", " ").split()]
            # From the right: what stands for any leading dimensions is first.
            pairs = zip(reversed(parts), reversed(shape), strict=False)
            known.update({part: side for part, side in pairs if part.isidentifier()})
    return known


def _holds(test: Any, given: dict[str, Any], scope: dict[str, Any]) -> Any:
    if isinstance(test, str):
        return eval(test.strip(), scope, given)
    return test(*[given[name] for name in inspect.signature(test).parameters])


def condition_text(condition: Any) -> str:
    """A postcondition as reports show it."""
    return f"`@ensure({terms.expression_of(condition.test)[0]})`"


# The shape of a result.


def returned(annotated: AnnotatedFunction) -> Domain | None:
    """The array that the return hint promises, where it names a shape or a dtype."""
    hint = annotated.hints().get("return")
    found = hints.domain_of(hint) if hint is not None and hints.names_array(hint) else None
    return found if found is not None and found.kind == "np_arrays" else None


def misshapen(promise: Domain, result: Any, known: dict[str, Any]) -> str | None:
    """How a result differs from the array that was promised; None when it does not."""
    shape, dtype = getattr(result, "shape", None), getattr(result, "dtype", None)
    if shape is None or dtype is None:
        return f"returned {type(result).__name__}, no array"
    wanted = promise.params.get("dtype")
    names = wanted if isinstance(wanted, list) else [wanted]
    if wanted is not None and not any(_same_dtype(name, dtype) for name in names):
        shown = [getattr(name, "__name__", str(name)) for name in names]
        return f"returned dtype {dtype}, not {' or '.join(shown)}"
    sides = promise.params.get("shape")
    if isinstance(sides, str) and not _fits(sides.replace(",", " ").split(), tuple(shape), dict(known)):
        values = {name: known[name] for name in terms.names_in_shape(sides) if name in known}
        given = ", ".join(f"{name} = {value}" for name, value in sorted(values.items()))
        return f"returned shape {tuple(shape)}, not ({sides})" + (f" with {given}" if given else "")
    low, high = (promise.params.get(name) for name in ("min", "max"))
    ends = [end if isinstance(end, (int, float)) else None for end in (low, high)]
    return in_range(result, *ends)


def _same_dtype(name: Any, dtype: Any) -> bool:
    import numpy

    try:
        return numpy.dtype(name) == dtype
    except TypeError:
        return str(dtype).rpartition(".")[2] == str(name)


def _fits(parts: list[str], shape: tuple[int, ...], known: dict[str, Any]) -> bool:
    if parts and parts[0].startswith("*"):
        count = len(parts) - 1
        return len(shape) >= count and _fits(parts[1:], shape[len(shape) - count :], known)
    if len(parts) != len(shape):
        return False
    for part, side in zip(parts, shape, strict=True):
        name = part.partition(":")[0]
        if name.isidentifier():
            if known.setdefault(name, side) != side:
                return False
            continue
        try:
            if eval(part, {"__builtins__": {}}, known) != side:
                return False
        except Exception:
            # A term over what is not known promises nothing.
            continue
    return True


# Recorded results.


def summary(value: Any, depth: int = 4) -> Any:
    """A value in JSON: numbers as they are, long things by their length and a few numbers or a hash."""
    if value is None or (isinstance(value, (bool, int, str)) and not hasattr(value, "dtype")):
        return value if not isinstance(value, str) or len(value) <= 200 else {"text": _hash(value), "len": len(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    array = value.to_numpy() if callable(getattr(value, "to_numpy", None)) else value
    if hasattr(array, "dtype") and hasattr(array, "shape"):
        return _array_summary(array)
    if isinstance(value, dict) and depth:
        pairs = sorted(((str(key), part) for key, part in value.items()), key=lambda pair: pair[0])
        return {"dict": {key: summary(part, depth - 1) for key, part in pairs[:_MAX_ITEMS]}, "len": len(value)}
    if isinstance(value, (list, tuple)) and depth:
        return {"items": [summary(part, depth - 1) for part in value[:_MAX_ITEMS]], "len": len(value)}
    return {"type": type(value).__qualname__}


def _array_summary(array: Any) -> Any:
    import numpy

    array = numpy.asarray(array)
    described: dict[str, Any] = {"dtype": str(array.dtype), "shape": list(array.shape)}
    if array.dtype.kind in "fc" and array.size:
        flat = numpy.abs(array.ravel()) if array.dtype.kind == "c" else array.ravel().astype(float)
        finite = flat[numpy.isfinite(flat)]
        described["finite"] = int(finite.size)
        if finite.size:
            places = (finite.mean(), finite.std(), finite.min(), finite.max(), finite[0], finite[-1])
            described["numbers"] = [float(number) for number in places]
    else:
        described["hash"] = _hash(repr(array.tolist()))
    return described


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def difference(old: Any, new: Any, rel: float) -> str | None:
    """The first place where two summaries differ by more than floats may; None when there is none."""
    is_number = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (old, new))
    if is_number and (isinstance(old, float) or isinstance(new, float)):
        return None if math.isclose(old, new, rel_tol=rel, abs_tol=rel * 1e-3) else f"was {old!r}, is {new!r}"
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        pairs = [(old[key], new[key], f" at {key}") for key in old]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = [(*pair, f" at {place}") for place, pair in enumerate(zip(old, new, strict=True))]
    else:
        return None if old == new else f"was {json.dumps(old)[:80]}, is {json.dumps(new)[:80]}"
    for left, right, where in pairs:
        found = difference(left, right, rel)
        if found is not None:
            return found if " at " in found else found + where
    return None


def recorded(root: str, module: str, name: str) -> dict[str, Any]:
    """The recorded results of a function, by the text of the call."""
    try:
        with open(os.path.join(root, FILE), encoding="utf-8") as file:
            found = json.load(file).get(f"{module}::{name}", [])
    except (OSError, ValueError, AttributeError):
        return {}
    return {record["call"]: record["result"] for record in found}
