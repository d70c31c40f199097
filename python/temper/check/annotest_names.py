"""The names of AnnoTest's released package, so that code annotated for it runs unchanged.

In a worker, ``from annotest import an_language as an`` and ``import annotest as an`` find this module, also if the
package is installed: its own decorators keep nothing that could be read at run time. Its names are here, and those of
the paper. Every kind of domain takes the parameter names of both; the meaning is that of our own kinds.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from temper import annotations
from temper.domains import kinds
from temper.domains.domain import OTHER_NAMES

# What `np_arrays` without a dtype is made of, as the package documents it.
_NUMBERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)] + ["float16", "float32", "float64"]


def _spelled(make: Callable[..., Any], *order: str, **defaults: Any) -> Callable[..., Any]:
    """One of our kinds of domains, with the package's order of parameters, and under all names that these have.

    A parameter that is None was left out, except that the ends of `ints` may be None.
    """
    known = inspect.signature(make).parameters
    is_none_said = make is kinds.ints

    def spelled(*args: Any, **given: Any) -> Any:
        if len(args) > len(order):
            raise TypeError(f"`{make.__name__}` takes {len(order)} values by place, and {len(args)} were given")
        named = dict(zip(order, args, strict=False)) | {_name(name, known): value for name, value in given.items()}
        values = {name: value for name, value in named.items() if value is not None or is_none_said}
        return _at_caller(make(**(defaults | values)))

    return spelled


def _name(name: str, known: Any) -> str:
    """Our name of a parameter; one that we do not know stays, and is reported."""
    if name == "elements" and "element" in known:
        return "element"
    other = OTHER_NAMES.get(name, name)
    return name if name in known or other not in known else other


def _at_caller(node: Any) -> Any:
    """The annotation stands where these functions are called."""
    frame = sys._getframe(2)
    node.line, node.file = frame.f_lineno, frame.f_code.co_filename
    return node


integers = _spelled(kinds.ints, "min", "max", min=0, max=1000)
ints = _spelled(kinds.ints, "min", "max")
floats = _spelled(kinds.floats, "min", "max", "nan", "inf", "width", "exclude_min", "exclude_max")
sampled = froms = _spelled(kinds.froms, "values")
booleans = bools = _spelled(kinds.bools)
np_arrays = ndarrays = _spelled(kinds.np_arrays, "dtype", "shape", dtype=_NUMBERS)
lists = _spelled(kinds.lists, "element", "min_len", "max_len")
texts = _spelled(kinds.texts, "min_len", "max_len")
dictionaries = dicts = _spelled(kinds.dicts, "keys", "values", "min_size", "max_size")
obj = objs = _spelled(kinds.objs, "generator")
integer_lists = int_lists = _spelled(kinds.int_lists, "min_len", "max_len", "min", "max")
float_lists = _spelled(kinds.float_lists, "min_len", "max_len", "min", "max")
bool_lists = _spelled(kinds.bool_lists, "min_len", "max_len")


def array_shapes(min_dims: int = 1, max_dims: Any = None, min_side: int = 1, max_side: Any = None) -> Any:
    """Shapes; up to two more dimensions and five more a side than the least."""
    most = min_dims + 2 if max_dims is None else max_dims
    return _at_caller(kinds.np_shapes(min_dims, most, min_side, min_side + 5 if max_side is None else max_side))


np_shapes = array_shapes


def tuples(*args: Any) -> Any:
    """Tuples."""
    return _at_caller(kinds.tuples(*args))


def multiple(*args: Any) -> Any:
    """A value of any of some kinds."""
    return _at_caller(kinds.anys(*args))


anys = multiple


def arg(arg_name: Any, arg_type: Any) -> Any:
    """Says which values an argument takes."""
    line = sys._getframe(1).f_lineno

    def decorate(decorated: Any) -> Any:
        annotations.add_argument(decorated, arg_name, arg_type, line)
        return decorated

    return decorate


def precondition(predicate: Any) -> Any:
    """Says what must hold of the arguments."""
    line = sys._getframe(1).f_lineno

    def decorate(decorated: Any) -> Any:
        annotations.add_precondition(decorated, predicate, line)
        return decorated

    return decorate


def deadline(time: Any = None) -> Any:
    """Limits the time of one call: a `timedelta`, or milliseconds."""
    is_number = isinstance(time, (int, float))
    return timeout(time / 1000 if is_number else time)


def timeout(time: Any = None) -> Any:
    """Limits the time of one call: a `timedelta`, or seconds."""
    if time is None:
        return lambda decorated: decorated
    return annotations.timeout(time.total_seconds() if hasattr(time, "total_seconds") else time)


require = precondition
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
        module.__dict__.update({name: value for name, value in globals().items() if not name.startswith("_")})
        if module.__name__ == "annotest":
            module.__path__ = []
            importlib.import_module("annotest.an_language")


def install() -> None:
    """Puts the names in force for all later imports."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
