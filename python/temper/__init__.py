"""Temper makes the tests of machine-learning code trustworthy.

The command line is ``temper``; this package is what its users import. Nothing is loaded before it is used: the command
line and every pytest run import this package, and most of them use none of its names.
"""

# As type checkers know it; the module `typing` takes longer to load than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from temper.domains.kinds import *
    from temper.public import *
    from temper.public import __all__ as __all__

    __version__: str
else:
    # Hidden from type checkers, which would take every name for one of ours.
    def __getattr__(name: str) -> object:
        if name == "__version__":
            from temper._engine import __version__

            return __version__
        if name != "__all__" and (name.startswith("_") or _is_submodule(name)):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from temper import public

        globals().update(
            {each: getattr(public, each) for each in public.__all__}, __all__=[*public.__all__, "__version__"]
        )
        try:
            return globals()[name]
        except KeyError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__")})


def _is_submodule(name: str) -> bool:
    """Whether ``from temper import name`` means a module, which the import system then imports."""
    from importlib.machinery import PathFinder

    return PathFinder.find_spec(f"temper.{name}", __path__) is not None
