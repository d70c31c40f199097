"""The names of AnnoTest's released package, so that code annotated for it runs unchanged.

In a worker, ``from annotest import an_language as an`` finds this module, also where the package is installed: its own
decorators keep nothing that could be read at run time. Names and parameter names are those of the package; the
meaning is that of our own constraints.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
from types import ModuleType
from typing import Any

from temper import annotations, constraints

# What `np_arrays` without a dtype is made of, as the package documents it.
_NUMBERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)] + ["float16", "float32", "float64"]


def integers(min_value: Any = 0, max_value: Any = 1000) -> Any:
    """Whole numbers."""
    return _at_caller(constraints.ints(min_value, max_value))


def floats(
    min_value: Any = None,
    max_value: Any = None,
    allow_nan: Any = None,
    allow_infinity: Any = None,
    width: int = 64,
    exclude_min: bool = False,
    exclude_max: bool = False,
) -> Any:
    """Floats; finite unless asked."""
    return _at_caller(
        constraints.floats(
            min_value, max_value, exclude_min, exclude_max, nan=bool(allow_nan), inf=bool(allow_infinity), width=width
        )
    )


def sampled(elements: Any) -> Any:
    """One of some values."""
    return _at_caller(constraints.froms(elements))


def booleans() -> Any:
    """True or False."""
    return _at_caller(constraints.bools())


def array_shapes(min_dims: Any = 1, max_dims: Any = None, min_side: Any = 1, max_side: Any = None) -> Any:
    """Shapes; up to two more dimensions and five more a side than the least."""
    if max_dims is None:
        max_dims = min_dims + 2
    if max_side is None:
        max_side = min_side + 5
    return _at_caller(constraints.np_shapes(min_dims, max_dims, min_side, max_side))


def np_arrays(dtype: Any = None, shape: Any = None) -> Any:
    """Arrays."""
    given = {} if shape is None else {"shape": shape}
    return _at_caller(constraints.np_arrays(dtype=_NUMBERS if dtype is None else dtype, **given))


def tuples(*args: Any) -> Any:
    """Tuples."""
    return _at_caller(constraints.tuples(*args))


def lists(elements: Any, min_size: int = 0, max_size: Any = None) -> Any:
    """Lists."""
    most = min_size + 8 if max_size is None else max_size
    return _at_caller(constraints.lists(elements, min_size, most))


def texts(min_size: int = 0, max_size: Any = None) -> Any:
    """Texts."""
    return _at_caller(constraints.texts(min_size, min_size + 8 if max_size is None else max_size))


def dictionaries(keys: Any, values: Any, min_size: int = 0, max_size: Any = None) -> Any:
    """Dictionaries."""
    given = {} if max_size is None else {"max_size": max_size}
    return _at_caller(constraints.dicts(keys, values, min_size=min_size, **given))


def obj(generator: Any) -> Any:
    """What a generator function returns."""
    return _at_caller(constraints.objs(generator))


def multiple(*args: Any) -> Any:
    """A value of any of some kinds."""
    return _at_caller(constraints.anys(*args))


def integer_lists(min_len: int = 1, max_len: Any = None, min_value: Any = 1, max_value: Any = None) -> Any:
    """Lists of whole numbers, with the paper's defaults."""
    most = min_len + 2 if max_len is None else max_len
    highest = min_value + 5 if max_value is None else max_value
    return _at_caller(constraints.int_lists(min_len, most, min_value, highest))


def _at_caller(node: Any) -> Any:
    """The annotation stands where these functions are called."""
    frame = sys._getframe(2)
    node.line, node.file = frame.f_lineno, frame.f_code.co_filename
    return node


def arg(arg_name: Any, arg_type: Any) -> Any:
    """Says which values an argument takes."""
    return annotations.arg(arg_name, arg_type)


def precondition(predicate: Any) -> Any:
    """Says what must hold of the arguments."""
    line = sys._getframe(1).f_lineno

    def decorate(decorated: Any) -> Any:
        annotations.add_precondition(decorated, predicate, line)
        return decorated

    return decorate


def deadline(time: Any = None) -> Any:
    """Limits the time of one call: a `timedelta`, or milliseconds."""
    if time is None:
        return lambda decorated: decorated
    seconds = time.total_seconds() if hasattr(time, "total_seconds") else float(time) / 1000
    return annotations.timeout(seconds)


timeout = deadline
exclude = annotations.exclude
generator = annotations.generator


def cc_example(elements: Any) -> Any:
    """The arguments that build instances: a list of tuples, or one list of values."""
    is_many = bool(elements) and all(isinstance(element, (tuple, list)) for element in elements)
    return annotations.add_examples(elements if is_many else [elements], sys._getframe(1).f_lineno)


def annotest_module_test() -> None:
    """Makes the import of the calling module a subject."""
    sys._getframe(1).f_globals[annotations.MODULE_ATTRIBUTE] = True


module_test = annotest_module_test


class _Finder:
    """Finds `annotest` and `annotest.an_language` here, and nothing else."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name in ("annotest", "annotest.an_language"):
            return importlib.machinery.ModuleSpec(name, self, is_package=name == "annotest")
        return None

    def create_module(self, spec: Any) -> ModuleType:
        return ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        own = {name: value for name, value in globals().items() if not name.startswith("_")}
        if module.__name__ == "annotest":
            module.__path__ = []
            importlib.import_module("annotest.an_language")
            return
        module.__dict__.update(own)


def install() -> None:
    """Puts the names in force for all later imports."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
