"""Temper makes the tests of machine-learning code trustworthy.

The command line is ``temper``; this package is what its users import.
"""

from temper._engine import __version__

__all__ = ["__version__"]
