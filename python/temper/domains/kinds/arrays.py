"""`np_arrays` and `tensors`: arrays of numpy, and tensors that libraries make of them."""

from __future__ import annotations

import sys
import typing
from typing import Any, ClassVar

from temper.domains import terms
from temper.domains.domain import UNSET, Domain, NoForm, make
from temper.domains.kinds.floats import OPEN, hypothesis_ends, number_text
from temper.domains.kinds.froms import Froms
from temper.domains.kinds.ints import Ints
from temper.domains.kinds.shapes import Shapes
from temper.domains.kinds.tuples import Tuples

DTYPES = frozenset(
    [
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    ]
)
# What an array without a dtype may be made of.
_ANY_DTYPE = ["float64", "float32", "int64", "int32", "uint8"]
_LIBRARIES = ("torch", "tensorflow", "jax")
# An array that is written out and has more cells is shown as it was written.
_MAX_CELLS = 8


def np_arrays(
    dtype: Any = UNSET,
    shape: Any = UNSET,
    min: Any = UNSET,
    max: Any = UNSET,
    nan: bool = False,
    inf: bool = False,
    unique: bool = False,
    **others: Any,
) -> Arrays:
    """Numpy arrays. ``shape`` is a tuple, an `np_shapes`, or names such as ``"n k"`` and ``"batch:1..32 3"``."""
    flags = {"nan": nan, "inf": inf, "unique": unique}
    return make(Arrays, {"dtype": dtype, "shape": shape, "min": min, "max": max, **flags}, others)


def tensors(
    dtype: Any = UNSET,
    shape: Any = UNSET,
    min: Any = UNSET,
    max: Any = UNSET,
    nan: bool = False,
    inf: bool = False,
    unique: bool = False,
    lib: str = "torch",
    **others: Any,
) -> Arrays:
    """Tensors of ``lib`` (``"torch"``, ``"tensorflow"`` or ``"jax"``), built from the arrays of `np_arrays`."""
    flags = {"nan": nan, "inf": inf, "unique": unique, "lib": lib}
    return make(Arrays, {"dtype": dtype, "shape": shape, "min": min, "max": max, **flags}, others)


class Arrays(Domain[Any]):
    """Arrays and tensors."""

    __slots__ = ()
    kind = "np_arrays"
    shape_params = ("shape",)
    imports: ClassVar = {
        "np": "import numpy as np",
        "tf": "import tensorflow as tf",
        "torch": "import torch",
        "jnp": "import jax.numpy as jnp",
    }
    clues = frozenset(("array",))

    def libraries(self) -> tuple[str, ...]:
        library = self.params.get("lib")
        return ("numpy", library) if library in _LIBRARIES else ("numpy",)

    def describe(self, reader: Any) -> dict[str, Any]:
        params = self.params
        names = self._dtypes(reader, params.get("dtype"))
        described = {"kind": "np_arrays", "shape": self._shape(reader, params.get("shape"))}
        for name in ("nan", "inf", "unique"):
            described[name] = bool(params.get(name))
        described.update(reader.bounds(self, OPEN))
        if params.get("lib") is not None:
            if params["lib"] not in _LIBRARIES:
                raise reader.wrong(self, "lib", params["lib"], "torch, tensorflow or jax")
            described["lib"] = params["lib"]
        options = [{**described, "dtype": name} for name in names]
        return options[0] if len(options) == 1 else {"kind": "anys", "options": options}

    def _dtypes(self, reader: Any, dtype: Any) -> list[str]:
        if dtype is None:
            return list(_ANY_DTYPE)
        if isinstance(dtype, str) and "|" in dtype:
            return [name for part in dtype.split("|") for name in self._dtypes(reader, part.strip())]
        if isinstance(dtype, (list, tuple, set)):
            return [name for part in dtype for name in self._dtypes(reader, part)]
        try:
            name = dtype_name(dtype)
        except TypeError:
            raise reader.wrong(self, "dtype", dtype, "a dtype of numpy") from None
        if name not in DTYPES:
            raise reader.wrong(self, "dtype", name, "a dtype of bools, whole numbers, floats or complex numbers")
        return [name]

    def _shape(self, reader: Any, shape: Any) -> Any:
        if shape is None:
            return {"range": Shapes({}).describe_range(reader)}
        if isinstance(shape, str):
            return {"dims": terms.shape_dims(shape, reader.scope)}
        if isinstance(shape, int):
            shape = (shape,)
        if isinstance(shape, (tuple, list)):
            return {"dims": [self._side(reader, side) for side in shape]}
        if isinstance(shape, Domain):
            return self._shape_of_domain(reader, shape)
        raise reader.wrong(self, "shape", shape, 'a tuple, a text such as "n k", or `np_shapes`')

    def _side(self, reader: Any, side: Any) -> Any:
        number = reader.plain_number(side)
        if type(number) is int or isinstance(number, str):
            return terms.dimension(number, reader.scope)
        raise reader.wrong(self, "shape", side, "sizes and names")

    def _shape_of_domain(self, reader: Any, shape: Domain) -> Any:
        reader.check(shape)
        if isinstance(shape, Shapes):
            return {"range": shape.describe_range(reader)}
        if isinstance(shape, Froms):
            shapes = [(value,) if isinstance(value, int) else value for value in shape.params["values"]]
            if all(isinstance(each, (tuple, list)) and all(type(side) is int for side in each) for each in shapes):
                return {"one_of": [list(each) for each in shapes]}
        if isinstance(shape, Tuples):
            return {"dims": [self._dimension_of(reader, element) for element in shape.params["elements"]]}
        raise reader.wrong(self, "shape", shape, "`np_shapes`, `froms` with shapes, or `tuples` of sizes")

    def _dimension_of(self, reader: Any, element: Any) -> Any:
        """A dimension given as `ints(...)` is a shape variable without a name that could be written."""
        if isinstance(element, Ints):
            low, high = element.ends(reader)
            return {"named": {"name": reader.unused_name("side"), "min": low, "max": high}}
        return self._side(reader, element)

    def source(self) -> str:
        text = super().source()
        return text.replace("temper.np_arrays(", "temper.tensors(", 1) if self.params.get("lib") else text

    def parameter_source(self, name: str, value: Any) -> str:
        if name == "dtype" and not isinstance(value, str):
            is_many = isinstance(value, (list, tuple))
            return repr([dtype_name(each) for each in value] if is_many else dtype_name(value))
        return super().parameter_source(name, value)

    def as_hypothesis(self, writer: Any) -> str:
        writer.need_numpy()
        if self.params.get("unique"):
            raise NoForm
        dtypes = self.params.get("dtype") or _ANY_DTYPE
        if isinstance(dtypes, str):
            dtypes = [part.strip() for part in dtypes.split("|")]
        dtypes = dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
        options = [self._hypothesis_array(writer, dtype_name(dtype)) for dtype in dtypes]
        text = options[0] if len(options) == 1 else f"st.one_of({', '.join(options)})"
        if self.params.get("lib") == "torch":
            writer.need("import torch")
            return f"{text}.map(torch.from_numpy)"
        if self.params.get("lib"):
            raise NoForm
        return text

    def _hypothesis_array(self, writer: Any, dtype: str) -> str:
        shape = self.params.get("shape")
        if shape is None or isinstance(shape, Domain):
            sides = writer.strategy(Shapes({}) if shape is None else shape)
        else:
            parts = shape.replace(",", " ").split() if isinstance(shape, str) else shape
            parts = [shape] if isinstance(shape, int) else parts
            if any(str(part).startswith("*") for part in parts):
                raise NoForm
            sides = "(" + "".join(f"{str(part).partition(':')[0]}, " for part in parts) + ")"
        return f"hnp.arrays({dtype!r}, {sides}, elements={self._hypothesis_cells(dtype)})"

    def _hypothesis_cells(self, dtype: str) -> str:
        params = self.params
        if dtype.startswith("float"):
            flags = f"allow_nan={bool(params.get('nan'))}, allow_infinity={bool(params.get('inf'))}"
            return f"st.floats({', '.join([*hypothesis_ends(params, int(dtype[5:])), flags])}, width={dtype[5:]})"
        if dtype.startswith("complex"):
            raise NoForm
        if params.get("min") is None and params.get("max") is None:
            return "None"
        low, high = (0, 1) if dtype == "bool" else _whole_range(dtype)
        return f"st.integers({params.get('min', low)}, {params.get('max', high)})"

    @classmethod
    def from_hint(cls, hint: Any) -> Domain | None:
        if hasattr(hint.hint, "dim_str") and hasattr(hint.hint, "dtypes"):
            return _of_jaxtyping(hint.hint)
        if hint.name != "ndarray":
            return None
        # `NDArray[np.float32]` is `ndarray[shape, dtype[float32]]`.
        kinds = typing.get_args(hint.parts[1]) if len(hint.parts) == 2 else ()
        return np_arrays(dtype=kinds[0]) if kinds and isinstance(kinds[0], type) else np_arrays()

    @classmethod
    def value_text(cls, value: Any, written: str | None) -> str | None:
        numpy = sys.modules.get("numpy")
        is_array = numpy is not None and type(value) is numpy.ndarray and value.dtype.kind in "biuf"
        if not is_array or (written is not None and value.size > _MAX_CELLS):
            return None
        return f"np.array({value.tolist()!r}, '{value.dtype.name}')"

    @classmethod
    def clue_of_hint(cls, text: str) -> str | None:
        return "array" if any(word in text for word in ("ndarray", "NDArray", "ArrayLike", "Tensor")) else None

    @classmethod
    def guess(cls, clues: Any, clue: str, values: list[Any]) -> str | None:
        dtypes = {value.dtype for value in values if hasattr(value, "dtype")}
        dtype = clues.said_dtype or (dtypes.pop() if len(dtypes) == 1 else clues.dtype)
        shape = clues.shape_text()
        if clues.least_rows is not None:
            first, _, rest = shape.partition(" ")
            shape = f"{first}:{clues.least_rows}..{clues.least_rows + 8} {rest}".strip()
        if dtype == "bool":
            return f'np_arrays("bool", "{shape}")'
        is_whole = dtype.startswith("int")
        low = _inside(clues.low, 1, is_whole) or ("0" if is_whole else "-100")
        high = _inside(clues.high, -1, is_whole) or ("9" if is_whole else "100")
        return f'np_arrays("{dtype}", "{shape}", min={low}, max={high})'


def _inside(bound: tuple[float, bool] | None, direction: int, is_whole: bool) -> str | None:
    """The outermost cell that a bound allows; the bounds of arrays are never open, so an open one moves in a little."""
    if bound is None:
        return None
    number, is_open = bound
    if not is_open:
        return number_text(number)
    # A thousandth is far enough from the bound to stay there in float32, and near enough to be an edge.
    return number_text(number + direction * (1 if is_whole else 1e-3 * max(1.0, abs(number))))


def _of_jaxtyping(hint: Any) -> Arrays:
    """`Float32[np.ndarray, "n k"]`; read by its attributes, so any version will do."""
    dtypes = [name for name in hint.dtypes if name in DTYPES] if isinstance(hint.dtypes, (list, tuple)) else []
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
    given: dict[str, Any] = {"dtype": dtypes} if dtypes else {}
    given["shape"] = " ".join(parts) if parts else ()
    library = getattr(hint.array_type, "__module__", "").partition(".")[0]
    if library in ("torch", "jax", "jaxlib", "tensorflow"):
        return tensors(lib="jax" if library == "jaxlib" else library, **given)
    return np_arrays(**given)


def dtype_name(dtype: Any) -> str:
    """The name of a dtype, however it is given."""
    import numpy

    return numpy.dtype(dtype).name


def _whole_range(dtype: str) -> tuple[int, int]:
    import numpy

    return int(numpy.iinfo(dtype).min), int(numpy.iinfo(dtype).max)
