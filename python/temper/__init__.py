"""Temper makes the tests of machine-learning code trustworthy.

The command line is ``temper``; this package is what its users import.
"""

from typing import Any

from temper.annotations import (
    arg,
    args,
    cc_example,
    consume,
    ensure,
    exclude,
    generator,
    module_test,
    nested,
    raises,
    regression,
    require,
    timeout,
)
from temper.domains.domain import (
    anys,
    bool_lists,
    bools,
    dicts,
    float_lists,
    floats,
    frames,
    froms,
    int_lists,
    ints,
    lists,
    np_arrays,
    np_shapes,
    objs,
    records,
    tensors,
    texts,
    tuples,
    untargeted,
    with_neighbours,
)
from temper.domains.filled import filled
from temper.model.testing import ModelReport, test_model
from temper.properties.decorate import exists, forall, not_exists
from temper.properties.goal import PropertyError, assume, maximize, minimize
from temper.verify import difference, is_finite, time_limit, verify

__all__ = [
    "ModelReport",
    "PropertyError",
    "__version__",
    "anys",
    "arg",
    "args",
    "assume",
    "bool_lists",
    "bools",
    "cc_example",
    "consume",
    "dicts",
    "difference",
    "ensure",
    "exclude",
    "exists",
    "filled",
    "float_lists",
    "floats",
    "forall",
    "frames",
    "froms",
    "generator",
    "int_lists",
    "ints",
    "is_finite",
    "lists",
    "maximize",
    "minimize",
    "module_test",
    "nested",
    "not_exists",
    "np_arrays",
    "np_shapes",
    "objs",
    "raises",
    "records",
    "regression",
    "require",
    "tensors",
    "test_model",
    "texts",
    "time_limit",
    "timeout",
    "tuples",
    "untargeted",
    "verify",
    "with_neighbours",
]


def __getattr__(name: str) -> Any:
    # Test runs import this package before they know whether anything of it is used; the engine waits until it is.
    if name == "__version__":
        from temper._engine import __version__

        return __version__
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
