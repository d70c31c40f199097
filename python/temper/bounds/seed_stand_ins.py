"""What stands in for the functions and classes by which libraries take a seed, while fixed seeds are varied.

`random` is reached in `temper.worker.seeds`, which already stands in for its seeding. numpy keeps its classes: every seed
of its new generators passes one function, and every seed of the old ones the class of `temper.worker.legacy_generator`.
torch, tensorflow and jax have functions in modules; names that the project imported from there before
(`from torch import manual_seed`) are replaced in its modules.
"""

import operator
import sys
import threading

from temper.bounds.seed_variation import vary
from temper.worker import loading, seeds, trace

_local = threading.local()
_aliases = {}


def install():
    """Puts the stand-ins in place for what is loaded, and for what will be."""
    if seeds.vary is None:
        seeds.vary = vary
        for name, stand_in in _LIBRARIES.items():
            seeds.also(name, stand_in)
    _replace_aliases()


# numpy.


def _numpy():
    from numpy.random import bit_generator, mtrand

    if not hasattr(mtrand, "_MT19937") or hasattr(bit_generator._coerce_to_uint32_array, "is_stand_in"):
        return
    bit_generator._coerce_to_uint32_array = _coercion(bit_generator._coerce_to_uint32_array)
    # Seeds of the old generators are passed on by `temper.worker.legacy_generator`; the shared one was made before it.
    state = mtrand._rand.get_state()
    mtrand._rand.__init__(mtrand._MT19937())
    mtrand._rand.set_state(state)


def _coercion(original):
    """The function that reads the entropy of a `SeedSequence`, and right after it its spawn key, which is no seed."""

    def coerce(x):
        if getattr(_local, "is_inside", False):
            return original(x)
        _local.is_inside = True
        try:
            words = original(x)
            _local.is_key = not getattr(_local, "is_key", False)
            if not _local.is_key or x is seeds.last_entropy:
                return words
            other = vary(x)
            return words if other is x else original(other)
        except BaseException:
            _local.is_key = False
            raise
        finally:
            _local.is_inside = False

    coerce.is_stand_in = True
    return coerce


# torch, tensorflow, jax.


def _torch():
    torch = sys.modules["torch"]
    if not hasattr(torch, "manual_seed") or hasattr(torch.manual_seed, "is_stand_in"):
        return
    function = _seeder(torch.random.manual_seed)
    _put(function, torch.random, torch)
    _put(_torch_generator(torch.Generator), torch)


def _torch_generator(original):
    class Kind(type(original)):
        def __instancecheck__(cls, instance):
            return isinstance(instance, original)

        def __subclasscheck__(cls, subclass):
            return issubclass(subclass, original)

    class Generator(original, metaclass=Kind):
        stands_for = original

        def manual_seed(self, seed):
            super().manual_seed(seed)
            other = vary(seed)
            return self if other is seed else super().manual_seed(other)

    Generator.__module__, Generator.__qualname__ = original.__module__, original.__qualname__
    return Generator


def _tensorflow():
    functions = getattr(sys.modules["tensorflow"], "random", None)
    if functions is not None and not hasattr(functions.set_seed, "is_stand_in"):
        _put(_seeder(functions.set_seed), functions)


def _jax():
    module = sys.modules["jax.random"]
    for name in ("PRNGKey", "key"):
        function = getattr(module, name, None)
        if function is not None and not hasattr(function, "is_stand_in"):
            _put(_seeder(function), module)


def _seeder(original):
    """A function whose first argument is a seed."""

    def stand_in(seed, *arguments, **keywords):
        try:
            seed = vary(operator.index(seed))
        except TypeError:
            # No number: jax is tracing, or the library will say what is wrong.
            pass
        return original(seed, *arguments, **keywords)

    stand_in.__name__ = stand_in.__qualname__ = original.__name__
    stand_in.__doc__, stand_in.__module__ = original.__doc__, original.__module__
    stand_in.is_stand_in, stand_in.stands_for = True, original
    return stand_in


def _put(stand_in, *modules):
    """Puts a stand-in into modules under its name."""
    _aliases[id(stand_in.stands_for)] = stand_in
    for module in modules:
        setattr(module, stand_in.__name__, stand_in)


def _replace_aliases():
    if not _aliases:
        return
    root = trace.root().rstrip("/")
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if not file or not root or not loading.is_of_project(file, root):
            continue
        for name, value in list(vars(module).items()):
            stand_in = _aliases.get(id(value))
            if stand_in is not None and stand_in.stands_for is value:
                setattr(module, name, stand_in)


_LIBRARIES = {"numpy.random": _numpy, "torch": _torch, "tensorflow": _tensorflow, "jax.random": _jax}
