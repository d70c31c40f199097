"""Temper makes the tests of machine-learning code trustworthy.

The command line is ``temper``; this package is what its users import.
"""

from temper._engine import __version__
from temper.annotations import (
    arg,
    args,
    cc_example,
    consume,
    ensure,
    exclude,
    generator,
    module_test,
    raises,
    require,
    timeout,
)
from temper.arrays import filled
from temper.constraints import (
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
)
from temper.model.testing import ModelReport, test_model

__all__ = [
    "ModelReport",
    "__version__",
    "anys",
    "arg",
    "args",
    "bool_lists",
    "bools",
    "cc_example",
    "consume",
    "dicts",
    "ensure",
    "exclude",
    "filled",
    "float_lists",
    "floats",
    "frames",
    "froms",
    "generator",
    "int_lists",
    "ints",
    "lists",
    "module_test",
    "np_arrays",
    "np_shapes",
    "objs",
    "raises",
    "records",
    "require",
    "tensors",
    "test_model",
    "texts",
    "timeout",
    "tuples",
]
