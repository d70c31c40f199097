"""The kinds of domains, and the functions by which users name them. This is the list of all kinds."""

from temper.domains.kinds.anys import anys
from temper.domains.kinds.arrays import np_arrays, tensors
from temper.domains.kinds.bools import bools
from temper.domains.kinds.datetimes import datetimes
from temper.domains.kinds.dicts import dicts
from temper.domains.kinds.exact_numbers import complexes, decimals, fractions
from temper.domains.kinds.floats import floats
from temper.domains.kinds.frames import frames
from temper.domains.kinds.froms import froms
from temper.domains.kinds.identifiers import dates, emails, paths, timedeltas, times, urls, uuids
from temper.domains.kinds.ints import ints
from temper.domains.kinds.lists import bool_lists, float_lists, int_lists, lists
from temper.domains.kinds.mapped import filtered, flat_mapped, mapped
from temper.domains.kinds.objects import objs
from temper.domains.kinds.patterns import matching
from temper.domains.kinds.records import records
from temper.domains.kinds.selections import permutations, subsets, weighted
from temper.domains.kinds.shapes import np_shapes
from temper.domains.kinds.stepped import untargeted, with_neighbours
from temper.domains.kinds.texts import texts
from temper.domains.kinds.tuples import tuples

__all__ = [
    "anys",
    "bool_lists",
    "bools",
    "complexes",
    "dates",
    "datetimes",
    "decimals",
    "dicts",
    "emails",
    "filtered",
    "flat_mapped",
    "float_lists",
    "floats",
    "fractions",
    "frames",
    "froms",
    "int_lists",
    "ints",
    "lists",
    "mapped",
    "matching",
    "np_arrays",
    "np_shapes",
    "objs",
    "paths",
    "permutations",
    "records",
    "subsets",
    "tensors",
    "texts",
    "timedeltas",
    "times",
    "tuples",
    "untargeted",
    "urls",
    "uuids",
    "weighted",
    "with_neighbours",
]
