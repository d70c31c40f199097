"""What the words of a docstring or of an error message say about one parameter: kind, shape, choices, bounds."""

from __future__ import annotations

import ast
import re
from typing import Any

from temper.check.docstrings import DescribedName
from temper.check.guess import Clues

_NUMBER = r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)"
# Phrases that bound a number from below or above: pattern, operators. The first group of one is the lower end.
_LOWER = (
    (
        rf"(?:at least|minimum (?:of|is)|no less than|>=|≥|greater than or equal to|larger than or equal to)\s*{_NUMBER}",
        ast.GtE,
    ),
    (rf"(?:strictly greater than|greater than|larger than|more than|>(?!=))\s*{_NUMBER}", ast.Gt),
)
_UPPER = (
    (
        rf"(?:at most|maximum (?:of|is)|no more than|<=|≤|less than or equal to|smaller than or equal to)\s*{_NUMBER}",
        ast.LtE,
    ),
    (rf"(?:strictly less than|less than|smaller than|<(?!=))\s*{_NUMBER}", ast.Lt),
)
_RANGE = re.compile(
    rf"(?:in|range|interval|within)\s+(?:the\s+)?(?:range\s+|interval\s+)?(?:of\s+)?([\[(\]])\s*{_NUMBER}\s*,\s*{_NUMBER}\s*([\])\[])"
)
_BETWEEN = re.compile(rf"(?:between|from)\s+{_NUMBER}\s+(?:and|to)\s+{_NUMBER}")
# Words for kinds of values, in the order in which they are looked for.
_KINDS = (
    ("array", r"array|ndarray|matrix|matrices|tensor|\bvector\b|sparse"),
    ("table", r"dataframe"),
    ("callable", r"\bcallable\b|\bfunction\b|\bfunc\b"),
    ("dict", r"\bdict(?:ionary)?\b|\bmapping\b"),
    ("list", r"\blists?\b|\bsequences?\b|\biterables?\b"),
    ("tuple", r"\btuples?\b"),
    ("bool", r"\bbool(?:ean)?\b"),
    ("int", r"\bints?\b|\bintegers?\b"),
    ("float", r"\bfloats?\b|\bscalars?\b|\bnumber\b|\breal\b|\bnumeric\b|\bdouble\b"),
    ("str", r"\bstr(?:ing)?\b|\btext\b"),
)
_OBJECTS = r"\b(?:estimator|graph|object|instance|model|generator|classifier|regressor|file|path|axes|series)\b"


def read_kind(clues: Clues, text: str) -> None:
    """Reads what stands for the type of a parameter: `{'a', 'b'}, default='a'`, `array-like of shape (n, k)`, `int or None`."""
    low = text.lower()
    head = re.split(r",?\s*(?:optional|default)", low)[0]
    choices = re.search(r"\{([^{}]+)\}", text)
    quoted = re.fullmatch(
        r"\s*(['\"][\w-]+['\"])(?:\s*(?:\||,|or)\s*(['\"][\w-]+['\"]))+\s*,?\s*(?:optional.*|default.*)?", text
    )
    if quoted is not None:
        clues.options = [
            each.strip("'\"") for each in re.findall(r"['\"][\w-]+['\"]", re.split(r"optional|default", text)[0])
        ]
        clues.note(_DOCSTRING)
        return
    if choices is not None and not re.search(r"array", head):
        found = [_value(part) for part in choices[1].split(",")]
        if all(each is not _UNREAD for each in found):
            clues.options = [*found, *([None] if re.search(r"\bor none\b|, none\b", head) else [])]
            clues.note(_DOCSTRING)
            return
    if re.search(r"\bnone\b", head):
        clues.value(None, _DOCSTRING)
    kinds = _kinds_of(head)
    clues.is_many_things = len(kinds) > 2 and "array" not in kinds
    if kinds:
        clues.said = kinds[0]
        clues.note(_DOCSTRING)
    elif re.search(_OBJECTS, head):
        clues.said = "object"
        clues.note(_DOCSTRING)
    if clues.said == "array":
        _read_array(clues, text)


def _kinds_of(head: str) -> list[str]:
    """The kinds that a type names, the first one first: `int or array_like` is mostly a number. What an array or a list is of
    is no kind by itself."""
    found = {name: match for name, pattern in _KINDS if (match := re.search(pattern, head)) is not None}
    kinds = sorted(found, key=lambda name: found[name].start())
    array = found.get("array")
    if array is not None and kinds[0] != "array":
        before = head[found[kinds[0]].end() : array.start()]
        if not re.search(r"\bor\b|,|\||/", before):
            # `float array`, `list of arrays` is no plain array.
            return kinds if kinds[0] in ("list", "tuple", "dict", "callable") else ["array", *kinds]
    return kinds


def read_description(clues: Clues, text: str) -> None:
    """Reads what the text about a parameter says: bounds, and for arrays the shape and the kind of values."""
    if clues.said == "array" and clues.shape is None:
        _read_shape(clues, text)
    low = text.lower()
    if clues.said == "array" and ("weight" in clues.name or re.match(r"(?:sample |the )?weights?\b", low)):
        clues.bound(ast.GtE, 0, _DOCSTRING)
    elif clues.said == "array" and clues.said_dtype is None:
        if re.search(r"\b(?:binary labels?|binary targets?)\b", low):
            clues.said_dtype = "int64"
            clues.bound(ast.LtE, 1, _DOCSTRING)
        elif re.search(r"\blabels?\b|\bclass(?:es)? (?:ids|indices)\b|\bcluster\b|\bcounts\b|\bindices\b", low):
            clues.said_dtype = "int64"
    read_bounds(clues, text, _DOCSTRING)


def read_bounds(clues: Clues, text: str, source: str) -> None:
    """Reads the bounds that a sentence puts on a number."""
    low = " ".join(text.lower().replace("`", "").split())
    ends = _RANGE.search(low)
    if ends is not None:
        clues.bound(ast.Gt if ends[1] in "(]" else ast.GtE, float(ends[2]), source)
        clues.bound(ast.Lt if ends[4] in ")[" else ast.LtE, float(ends[3]), source)
        return
    ends = _BETWEEN.search(low)
    if ends is not None:
        clues.bound(ast.GtE, float(ends[1]), source)
        clues.bound(ast.LtE, float(ends[2]), source)
        return
    for side in (_LOWER, _UPPER):
        found = [(operator, float(number)) for pattern, operator in side for number in re.findall(pattern, low)]
        # Several bounds are cases that the text tells apart.
        if len(found) == 1:
            clues.bound(*found[0], source)
    if clues.low is not None and clues.high is not None and clues.low[0] > clues.high[0]:
        clues.low = clues.high = None
    if re.search(r"non-?negative|not be negative|cannot be negative", low):
        clues.bound(ast.GtE, 0, source)
    elif re.search(r"\bpositive\b", low) and not re.search(r"positive (?:class|label|if|rate)|true positive", low):
        clues.bound(ast.Gt, 0, source)
    if (
        re.search(r"\bprobabilit(?:y|ies)\b|\bfraction\b|\bproportion\b", low)
        and clues.low is None
        and clues.high is None
    ):
        clues.bound(ast.GtE, 0, source)
        clues.bound(ast.LtE, 1, source)


def share_rows(clues: dict[str, Clues]) -> None:
    """Vectors of which only the number of dimensions is said are as long as the other arrays of the docstring."""
    rows = [each.shape.split()[0] for each in clues.values() if each.shape is not None]
    rows = [row for row in rows if row.isidentifier()]
    for each in clues.values():
        if rows and each.said_dims == 1 and each.shape is None:
            each.shape = rows[0]


def promise(returned: DescribedName | None, clues: dict[str, Clues]) -> list[tuple[str, str]]:
    """What the docstring says about the shape of the result, if all its sides are sides of arguments."""
    if returned is None or " or " in returned.kind:
        return []
    result = Clues("result")
    read_kind(result, returned.kind)
    sides = [_place_of(side, clues) for side in (result.shape or "").split()]
    if not sides or not all(sides):
        return []
    comma = "," if len(sides) == 1 else ""
    return [(f"result.shape == ({', '.join(map(str, sides))}{comma})", _DOCSTRING)]


def _place_of(side: str, clues: dict[str, Clues]) -> str | None:
    """A side as it is read off an argument that is always an array."""
    for name, each in clues.items():
        shape = (each.shape or "").split()
        is_surely_array = each.said == "array" and not each.has_default and None not in each.values
        if side in shape and is_surely_array and not shape[0].startswith("*"):
            return f"{name}.shape[{shape.index(side)}]"
    return None


def read_refusal(clues: dict[str, Clues], message: str) -> None:
    """Reads the bounds that a function put on a parameter when it refused a value."""
    for name, each in clues.items():
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message):
            read_bounds(each, message.partition(", got")[0], f"its refusal `{message[:60]}`")


_DOCSTRING = "its docstring"
_UNREAD = object()


def _value(text: str) -> Any:
    text = text.strip().strip("`")
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return _UNREAD
    return value if isinstance(value, (str, int, float, bool, type(None))) else _UNREAD


def _read_array(clues: Clues, text: str) -> None:
    low = text.lower()
    if re.search(r"\bint(?:s|eger)?s?\b", low) and not re.search(r"\bfloats?\b", low):
        clues.said_dtype = "int64"
    elif re.search(r"\bbool(?:ean)?s?\b", low):
        clues.said_dtype = "bool"
    elif re.search(r"\bfloats?\b", low):
        clues.said_dtype = "float64"
    _read_shape(clues, text)
    dims = re.search(r"\b([123])-?d\b", low)
    if dims is not None and clues.shape is None:
        clues.said_dims = int(dims[1])


def _read_shape(clues: Clues, text: str) -> None:
    """`(n_samples, n_features)` as the shape of an array; only the first one if there are several."""
    match = re.search(r"(?:shape|size|of|array|matrix|tensor|^|,)\s*[=:]?\s*[\[(]\s*([^()\[\]]*)[\])]", text)
    if match is None:
        return
    sides = [side.strip() for side in match[1].split(",") if side.strip()]
    if sides and all(re.fullmatch(r"\w+|\.\.\.", side) for side in sides):
        clues.shape = " ".join(_side(clues, side, at) for at, side in enumerate(sides))
        clues.said_dims = len(sides)
        clues.note(_DOCSTRING)


def _side(clues: Clues, side: str, at: int) -> str:
    if side == "...":
        return "*batch" if at == 0 else "inner"
    name = side if side.isdigit() else side.lower()
    # A side of the name of an argument would be as long as that argument says, which may be None.
    return f"{name}_side" if name in clues.parameters else name
