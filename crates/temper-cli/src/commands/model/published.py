"""Property tests read off a decision tree, one a leaf, in the form of Durelli et al. Written by `temper model --emit hypothesis`."""

import math
import pathlib  # noqa: F401
import warnings

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

NAN = math.nan
COLUMNS = [@COLUMNS@]
HAS_TEXT = @HAS_TEXT@


@MODEL@

MODEL = load()


def answer(row):
    """The model's answer to one row."""
    if HAS_TEXT or getattr(MODEL, "feature_names_in_", None) is not None:
        import pandas

        rows = pandas.DataFrame([row], columns=COLUMNS)
    else:
        import numpy

        rows = numpy.array([row], dtype=float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(MODEL, "predict", MODEL)(rows)[0]


SETTINGS = settings(phases=[Phase.generate], max_examples=@DRAWS@, database=None, deadline=None)
