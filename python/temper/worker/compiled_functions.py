"""Functions that numba compiles are compiled once for all runs of a layer, and not again in every run.

A run is a fork of its layer, and what it compiles is gone with it: seconds, each time. numba can keep machine code in files, for
functions that ask for it. Here all of its functions have such files, in a folder of the layer, so that no code outlives what it
was made from. numba looks them up by the function's code and by what it encloses. The values of the global names that a function
reads are compiled into it too, so they are part of the name here.
"""

import contextlib
import hashlib
import os
import sys
import types
import warnings

from temper.worker import randomness, scratch, seeds, trace

_folder = None
_is_resting = False
# Values that numba compiles in as they are. Arrays are, too, up to a size.
_PLAIN = (int, float, complex, bool, str, bytes, type(None))
_LARGEST_ARRAY = 1 << 20


def install():
    """Has this layer and its forks keep what they compile."""
    global _folder
    _folder = os.path.join(scratch.folder, "numba")
    seeds.also("numba.core.dispatcher", _give_caches)


def rest():
    """Has this run keep and find nothing: some of its functions have other code."""
    global _is_resting
    _is_resting = True


def folders():
    """Where runs may write apart from their scratch folder."""
    if _folder is None or "numba" not in sys.modules:
        return []
    os.makedirs(_folder, mode=0o700, exist_ok=True)
    return [_folder]


def _give_caches():
    caching = sys.modules.get("numba.core.caching")
    dispatcher = getattr(sys.modules["numba.core.dispatcher"], "Dispatcher", None)
    if not hasattr(caching, "FunctionCache") or dispatcher is None:
        return
    if not isinstance(vars(dispatcher).get("_cache"), _CacheAttribute):
        dispatcher._cache = _CacheAttribute(_kept_functions(caching))


class _CacheAttribute:
    """The attribute by which a compiled function finds its cache: ours, made when it is first asked for."""

    def __init__(self, cache_class):
        self._cache_class = cache_class

    def __get__(self, function, owner=None):
        if function is None:
            return self
        attributes = vars(function)
        if _is_resting or "_cache" not in attributes:
            return attributes.get("_cache")
        if "_temper_cache" not in attributes:
            attributes["_temper_cache"] = self._made(function, attributes["_cache"])
        return attributes["_temper_cache"]

    def __set__(self, function, cache):
        vars(function)["_cache"] = cache
        vars(function).pop("_temper_cache", None)

    def _made(self, function, asked):
        config = sys.modules["numba.core.config"]
        before, config.CACHE_DIR = config.CACHE_DIR, _folder
        try:
            with _unnoticed():
                cache = self._cache_class(function.py_func)
        except Exception:
            # A function without a file, or a numba that keeps its code in another way.
            return asked
        finally:
            config.CACHE_DIR = before
        # Whoever asked for files is told when there can be none.
        cache.is_asked_for = type(asked).__name__ != "NullCache"
        return cache


def _kept_functions(caching):
    class KeptFunction(caching.FunctionCache):
        is_asked_for = False

        def _index_key(self, *arguments):
            return (*super()._index_key(*arguments), _digest(self._py_func))

        def load_overload(self, *arguments):
            with _unnoticed():
                return _or_nothing(super().load_overload, *arguments)

        def save_overload(self, *arguments):
            with _unnoticed(), warnings.catch_warnings():
                if not self.is_asked_for:
                    warnings.simplefilter("ignore")
                _or_nothing(super().save_overload, *arguments)

    return KeptFunction


def _or_nothing(function, *arguments):
    """What cannot be kept or found is compiled, as it would be without us."""
    try:
        return function(*arguments)
    except Warning:
        raise
    except Exception:
        return None


@contextlib.contextmanager
def _unnoticed():
    """Files, names and random numbers in here are ours, not those of the run."""
    with trace.paused(), randomness.unnoticed():
        yield


def _digest(function):
    digest = hashlib.sha256()
    _add_function(digest.update, function, set())
    return digest.hexdigest()


def _add_function(add, function, seen):
    """Adds the code of a function and the values that it reads, also those of the functions that it calls."""
    if id(function) in seen:
        return
    seen.add(id(function))
    names, modules = set(), set()
    _add_code(add, function.__code__, names)

    def add_value(value):
        if isinstance(value, _PLAIN) or type(value).__module__ == "numpy":
            # Larger arrays are not compiled in, and functions that read them are not kept.
            if getattr(value, "nbytes", 0) <= _LARGEST_ARRAY:
                add(f"{type(value).__name__} {getattr(value, 'dtype', '')} {getattr(value, 'shape', '')}".encode())
                add(value.tobytes() if hasattr(value, "tobytes") else repr(value).encode())
        elif isinstance(value, tuple):
            for each in value:
                add_value(each)
        elif isinstance(value, types.ModuleType):
            # `settings.N` is compiled in like `N`.
            if id(value) not in modules:
                modules.add(id(value))
                add_names(vars(value))
        elif isinstance(called := getattr(value, "py_func", None), types.FunctionType):
            _add_function(add, called, seen)

    def add_names(namespace):
        for name in sorted(names.intersection(namespace)):
            add(name.encode())
            add_value(namespace[name])

    add_names(function.__globals__)
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):
            add_value(cell.cell_contents)


def _add_code(add, code, names):
    names.update(code.co_names)
    add(code.co_code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _add_code(add, constant, names)
        else:
            add(repr(constant).encode())
