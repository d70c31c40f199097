"""Constraints as strategies of Hypothesis, in source text."""

from __future__ import annotations

from typing import Any

from temper.domains.annotated import AnnotatedFunction
from temper.domains.compile import constraints_of
from temper.domains.domain import Constraint
from temper.domains.source_text import text_of
from temper.domains.wording import NoForm, constraint_text, dtype_name


class Strategies:
    """Writes strategies, and notes the imports that they need."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.needed: list[str] = []

    def strategy(self, constraint: Any) -> str:
        """The strategy of a constraint; a plain value stands for itself."""
        if not isinstance(constraint, Constraint):
            return f"st.just({text_of(constraint)})"
        made = getattr(self, f"_{constraint.kind}", None)
        if made is None:
            raise NoForm
        return made(constraint, constraint.params)

    def _froms(self, constraint: Constraint, params: dict[str, Any]) -> str:
        return "st.sampled_from(" + constraint_text(constraint).removeprefix("temper.froms(")

    def _bools(self, constraint: Constraint, params: dict[str, Any]) -> str:
        return "st.booleans()"

    def _ints(self, constraint: Constraint, params: dict[str, Any]) -> str:
        low, high = params.get("min", 0), params.get("max", 1000)
        if "min" in params and "max" not in params and low is not None:
            high = f"({low}) + 1000"
        if "max" in params and "min" not in params and high is not None:
            low = f"({high}) - 1000"
        return f"st.integers({-(1 << 63) if low is None else low}, {(1 << 63) - 1 if high is None else high})"

    def _floats(self, constraint: Constraint, params: dict[str, Any]) -> str:
        width = params.get("width", 64)
        parts = _ends(params, width)
        parts += [f"{name}=True" for name in ("exclude_min", "exclude_max") if params.get(name)]
        parts += [f"allow_nan={bool(params.get('nan'))}", f"allow_infinity={bool(params.get('inf'))}"]
        return f"st.floats({', '.join(parts)}, width={width})"

    def _texts(self, constraint: Constraint, params: dict[str, Any]) -> str:
        alphabet = params.get("alphabet")
        letters = repr(alphabet) if alphabet else "st.characters(min_codepoint=32, max_codepoint=126)"
        low, high = _lengths(params)
        return f"st.text({letters}, min_size={low}, max_size={high})"

    def _lists(self, constraint: Constraint, params: dict[str, Any]) -> str:
        low, high = _lengths(params)
        text = f"st.lists({self.strategy(params['element'])}, min_size={low}, max_size={high})"
        return f"{text}.map(tuple)" if params.get("is_tuple") else text

    def _tuples(self, constraint: Constraint, params: dict[str, Any]) -> str:
        return f"st.tuples({', '.join(map(self.strategy, params['elements']))})"

    def _anys(self, constraint: Constraint, params: dict[str, Any]) -> str:
        return f"st.one_of({', '.join(map(self.strategy, params['options']))})"

    def _dicts(self, constraint: Constraint, params: dict[str, Any]) -> str:
        low = params.get("min_size") or 0
        high = params.get("max_size")
        keys, values = self.strategy(params["keys"]), self.strategy(params["values"])
        return f"st.dictionaries({keys}, {values}, min_size={low}, max_size={low + 4 if high is None else high})"

    def _records(self, constraint: Constraint, params: dict[str, Any]) -> str:
        fields = params["fields"].items()
        always = ", ".join(f"{name!r}: {self.strategy(each)}" for name, each in fields if not name.endswith("?"))
        maybe = ", ".join(f"{name[:-1]!r}: {self.strategy(each)}" for name, each in fields if name.endswith("?"))
        return f"st.fixed_dictionaries({{{always}}}, optional={{{maybe}}})"

    def _np_shapes(self, constraint: Constraint, params: dict[str, Any]) -> str:
        self._need_numpy()
        low = params.get("min_side", 1)
        high = params.get("max_side")
        if isinstance(low, str) or isinstance(high, str):
            raise NoForm
        high = max(low + 5, 8) if high is None else high
        least = params.get("min_dims", 1)
        most = params.get("max_dims")
        most = max(least, 3) if most is None else most
        return f"hnp.array_shapes(min_dims={least}, max_dims={most}, min_side={low}, max_side={high})"

    def _np_arrays(self, constraint: Constraint, params: dict[str, Any]) -> str:
        self._need_numpy()
        if params.get("unique"):
            raise NoForm
        dtypes = params.get("dtype") or ["float64", "float32", "int64", "int32", "uint8"]
        if isinstance(dtypes, str):
            dtypes = [part.strip() for part in dtypes.split("|")]
        dtypes = dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
        options = [self._array(dtype_name(dtype), params) for dtype in dtypes]
        text = options[0] if len(options) == 1 else f"st.one_of({', '.join(options)})"
        if params.get("lib") == "torch":
            self.needed.append("import torch")
            return f"{text}.map(torch.from_numpy)"
        if params.get("lib"):
            raise NoForm
        return text

    def _array(self, dtype: str, params: dict[str, Any]) -> str:
        shape = params.get("shape")
        if shape is None:
            sides = self._np_shapes(Constraint("np_shapes", {}), {})
        elif isinstance(shape, Constraint):
            sides = self.strategy(shape)
        else:
            parts = shape.replace(",", " ").split() if isinstance(shape, str) else shape
            parts = [shape] if isinstance(shape, int) else parts
            if any(str(part).startswith("*") for part in parts):
                raise NoForm
            sides = "(" + "".join(f"{str(part).partition(':')[0]}, " for part in parts) + ")"
        return f"hnp.arrays({dtype!r}, {sides}, elements={self._cells(dtype, params)})"

    def _cells(self, dtype: str, params: dict[str, Any]) -> str:
        if dtype.startswith("float"):
            flags = f"allow_nan={bool(params.get('nan'))}, allow_infinity={bool(params.get('inf'))}"
            return f"st.floats({', '.join([*_ends(params, int(dtype[5:])), flags])}, width={dtype[5:]})"
        if dtype.startswith("complex"):
            raise NoForm
        if params.get("min") is None and params.get("max") is None:
            return "None"
        low, high = (0, 1) if dtype == "bool" else _whole_range(dtype)
        return f"st.integers({params.get('min', low)}, {params.get('max', high)})"

    def _objs(self, constraint: Constraint, params: dict[str, Any]) -> str:
        generator = params["generator"]
        name = getattr(generator, "__qualname__", "")
        if vars(self.module).get(name) is not generator or isinstance(generator, type):
            raise NoForm
        target = AnnotatedFunction(name, generator, generator, "function")
        if target.record.preconditions:
            raise NoForm
        parts = [f"{each}={self.strategy(inner)}" for each, inner in constraints_of(target).items()]
        return f"st.builds({', '.join([name, *parts])})"

    def _need_numpy(self) -> None:
        line = "from hypothesis.extra import numpy as hnp"
        if line not in self.needed:
            self.needed.append(line)


def _whole_range(dtype: str) -> tuple[int, int]:
    import numpy

    return int(numpy.iinfo(dtype).min), int(numpy.iinfo(dtype).max)


def _ends(params: dict[str, Any], width: int) -> list[str]:
    """The bounds of floats; Hypothesis takes only those that are floats of the width themselves."""
    found = []
    for end, towards in (("min", float("inf")), ("max", float("-inf"))):
        value = params.get(end)
        if value is not None:
            text = value if isinstance(value, str) else repr(_rounded(value, width, towards))
            found.append(f"{end}_value={text}")
    return found


def _rounded(value: float, width: int, towards: float) -> float:
    """The nearest float of a width that is on the inner side of a bound."""
    import numpy

    kind = {16: numpy.float16, 32: numpy.float32, 64: numpy.float64}[width]
    near = kind(value)
    is_outside = near < value if towards > 0 else near > value
    return float(numpy.nextafter(near, kind(towards)) if is_outside else near)


def _lengths(params: dict[str, Any]) -> tuple[Any, Any]:
    if "len" in params:
        return params["len"], params["len"]
    low = params.get("min_len", 0)
    high = params.get("max_len")
    return low, (f"({low}) + 8" if high is None else high)
