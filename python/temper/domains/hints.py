"""From type hints to constraints: `Annotated` with a constraint of ours, and plain hints."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from typing import Any

from temper.domains import domain as constraints
from temper.domains.domain import Constraint


def constraint_of(hint: Any, depth: int = 6) -> Constraint | None:
    """The constraint that a hint stands for; None when it says nothing that can be drawn."""
    if depth == 0:
        return None
    hint = unaliased(hint)
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _of_annotated(hint, depth)
    if hasattr(hint, "dim_str") and hasattr(hint, "dtypes"):
        return _of_jaxtyping(hint)
    if _is_simple(hint):
        return _SIMPLE[hint]()
    if origin is typing.Literal:
        return constraints.froms(parts)
    if origin in (typing.Union, types.UnionType):
        options = [None if part is type(None) else constraint_of(part, depth - 1) for part in parts]
        if any(option is None and part is not type(None) for option, part in zip(options, parts, strict=True)):
            return None
        return constraints.anys(*options)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return constraints.froms(list(hint))
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return constraints.objs(hint)
    return _of_container(origin or hint, parts, depth)


def unaliased(hint: Any) -> Any:
    """What a `type` alias stands for; numpy's `NDArray` is one from 2.5 on."""
    for _ in range(10):
        alias = typing.get_origin(hint) or hint
        # By name: typing_extensions has a class of its own.
        if type(alias).__name__ != "TypeAliasType":
            break
        parts = typing.get_args(hint)
        hint = alias.__value__[parts] if parts else alias.__value__
    return hint


_SIMPLE = {
    int: constraints.ints,
    float: constraints.floats,
    bool: constraints.bools,
    str: constraints.texts,
    type(None): lambda: constraints.froms([None]),
    list: lambda: constraints.lists(constraints.ints()),
}


def _is_simple(hint: Any) -> bool:
    try:
        return hint in _SIMPLE
    except TypeError:
        # Hints that cannot be hashed, such as `Literal[[1]]`.
        return False


def names_array(hint: Any) -> bool:
    """Whether a hint names the shape or dtype of an array."""
    hint = unaliased(hint)
    if hasattr(hint, "dim_str"):
        return True
    return has_ours(hint) or getattr(typing.get_origin(hint), "__name__", "") == "ndarray"


def _of_jaxtyping(hint: Any) -> Constraint | None:
    """`Float32[np.ndarray, "n k"]`; read by its attributes, so any version will do."""
    dtypes = [name for name in hint.dtypes if name in _DTYPES] if isinstance(hint.dtypes, (list, tuple)) else []
    parts = []
    for place, part in enumerate(hint.dim_str.split()):
        part = part.lstrip("#?")
        if part in ("...", "*..."):
            part = "*rest"
        elif part == "_":
            part = f"side{place}"
        elif "=" in part:
            part = part.partition("=")[2]
        parts.append(part.lstrip("_") if part.startswith("_") and len(part) > 1 else part)
    given = {"dtype": dtypes, "shape": " ".join(parts)} if dtypes else {"shape": " ".join(parts)}
    if not parts:
        given["shape"] = ()
    library = getattr(hint.array_type, "__module__", "").partition(".")[0]
    if library in ("torch", "jax", "jaxlib", "tensorflow"):
        return constraints.tensors(lib="jax" if library == "jaxlib" else library, **given)
    return constraints.np_arrays(**given)


_DTYPES = frozenset(
    (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
)


def has_ours(hint: Any, depth: int = 6) -> bool:
    """Whether a hint carries a constraint of ours."""
    if depth == 0:
        return False
    hint = unaliased(hint)
    if typing.get_origin(hint) is typing.Annotated and any(isinstance(m, Constraint) for m in hint.__metadata__):
        return True
    return any(has_ours(part, depth - 1) for part in typing.get_args(hint))


def _of_annotated(hint: Any, depth: int) -> Constraint | None:
    for metadata in hint.__metadata__:
        if isinstance(metadata, Constraint):
            return metadata
    base = constraint_of(hint.__origin__, depth - 1)
    if base is None:
        return None
    for metadata in hint.__metadata__:
        _narrow(base, metadata)
    steps = [metadata.multiple_of for metadata in hint.__metadata__ if hasattr(metadata, "multiple_of")]
    return _multiples(base, steps[0]) if steps else base


def _multiples(base: Constraint, step: Any) -> Constraint | None:
    """The multiples in the range that the other metadata left."""
    low, high = base.params.get("min", 0), base.params.get("max", 1000)
    if base.kind != "ints" or type(step) is not int or step < 1 or low is None or high is None:
        return None
    found = range(-(-low // step) * step, high + 1, step)
    return constraints.froms(found[:10_000])


def _narrow(base: Constraint, metadata: Any) -> None:
    """Applies what `annotated_types` can say (Ge, Gt, Le, Lt, Interval, Len, MultipleOf); by attribute, so any version
    will do."""
    is_int = base.kind == "ints"
    for name, ours in (("ge", "min"), ("le", "max"), ("gt", "min"), ("lt", "max")):
        value = getattr(metadata, name, None)
        if value is None:
            continue
        if name in ("gt", "lt") and is_int:
            value = value + 1 if name == "gt" else value - 1
        elif name in ("gt", "lt"):
            base.params["exclude_min" if name == "gt" else "exclude_max"] = True
        base.params[ours] = value
    least, most = getattr(metadata, "min_length", None), getattr(metadata, "max_length", None)
    if least is not None or most is not None:
        base.params["min_len"] = least or 0
        if most is not None:
            base.params["max_len"] = most


def _of_container(origin: Any, parts: tuple[Any, ...], depth: int) -> Constraint | None:
    inner = [constraint_of(part, depth - 1) for part in parts if part is not Ellipsis]
    name = getattr(origin, "__name__", "")
    if name == "ndarray":
        return _of_array(parts)
    if not inner or any(part is None for part in inner):
        return None
    if origin is list or name in ("Sequence", "Iterable", "Collection"):
        return constraints.lists(inner[0])
    if origin is tuple:
        if len(parts) == 2 and parts[1] is Ellipsis:
            made = constraints.lists(inner[0])
            made.params["is_tuple"] = True
            return made
        return constraints.tuples(*inner)
    if origin is dict or name in ("Mapping", "MutableMapping"):
        return constraints.dicts(inner[0], inner[1])
    return None


def _of_array(parts: tuple[Any, ...]) -> Constraint | None:
    """`NDArray[np.float32]` is `ndarray[shape, dtype[float32]]`."""
    kinds = typing.get_args(parts[1]) if len(parts) == 2 else ()
    if not kinds or not isinstance(kinds[0], type):
        return constraints.np_arrays()
    try:
        return constraints.np_arrays(dtype=kinds[0])
    except TypeError:
        return constraints.np_arrays()
