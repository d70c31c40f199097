"""From type hints to constraints: `Annotated` with a constraint of ours, and plain hints."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from typing import Any

from temper import constraints
from temper.constraints import Constraint


def constraint_of(hint: Any, depth: int = 6) -> Constraint | None:
    """The constraint that a hint stands for; None when it says nothing that can be drawn."""
    if depth == 0:
        return None
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _of_annotated(hint, depth)
    if hint in _SIMPLE:
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


_SIMPLE = {
    int: constraints.ints,
    float: constraints.floats,
    bool: constraints.bools,
    str: constraints.texts,
    type(None): lambda: constraints.froms([None]),
    list: lambda: constraints.lists(constraints.ints()),
}


def has_ours(hint: Any, depth: int = 6) -> bool:
    """Whether a hint carries a constraint of ours."""
    if depth == 0:
        return False
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
    return base


def _narrow(base: Constraint, metadata: Any) -> None:
    """Applies what `annotated_types` can say (Ge, Gt, Le, Lt, Interval, Len); by attribute, so any version will do."""
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
