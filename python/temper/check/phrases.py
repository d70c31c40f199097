"""What the words of a docstring or of an error message say about one parameter: kind, shape, choices, bounds."""

from __future__ import annotations

import ast
import re
from typing import Any

from temper.check.docstrings import DescribedName
from temper.check.guess import Clues

# A number that is no number of dimensions: not the 2 of "at least 2D".
_NUMBER = r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)(?!\w)(?!-d)"
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
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
# "At least eight observations" is said of the length of an array and not of its cells.
_ROWS = re.compile(
    rf"(at least|minimum of|more than)\s*{_NUMBER}\s+(?:\w+ )?(?:elements?|samples?|observations?|values?|points?|entries|rows)\b"
)
_COUNTED = re.compile(
    rf"(?:at least|at most|minimum of|than)\s*{_NUMBER}\s+(?!and\b|or\b|if\b|for\b|when\b|in\b)[a-z]\w*"
)
_DIMS = re.compile(
    r"(?:^(?:an? |the )?|(?:must|should) be (?:at least )?(?:an? )?)(1|2|3|one|two|three)[- ]?d(?:im\w*)?\b"
)
# The start of a text about a list of arrays.
_ARRAYS = re.compile(r"(?:one or more |the )?(?:np\.)?(?:nd)?arrays\b|one or more (?:np\.)?(?:nd)?array\b")
# What the text about one parameter says about another one: sizes that agree, and comparisons.
_SAME = re.compile(
    r"same (shape|length|size|dimensions?|number of (?:dimensions|rows|samples|elements|observations))(?: and \w+)?"
    r" (?:as|of) (?:the )?`*(\w+)"
)
_OPERATORS = {
    ">=": r">=|≥|at least|no less than|(?:greater|larger) than or equal to",
    "<=": r"<=|≤|at most|no more than|(?:less|smaller) than or equal to",
    ">": r">(?!=)|(?:strictly )?(?:greater|larger|more) than(?! or equal)",
    "<": r"<(?!=)|(?:strictly )?(?:less|smaller) than(?! or equal)",
}
# A bare name is only taken in quotes: `a` is also a word of English.
_OPERAND = r"`*(len\(\w+\)|\w+\.(?:ndim|size|shape\[\d\])|(?<=`)[A-Za-z_]\w*(?=`))(?!\s*[-+*/])"
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
_SCALARS = ("bool", "int", "float", "str")
_OBJECTS = r"\b(?:estimator|graph|object|instance|model|generator|classifier|regressor|file|path|axes|series)\b"


def read_kind(clues: Clues, text: str) -> None:
    """Reads what stands for the type of a parameter: `{'a', 'b'}, default='a'`, `array-like of shape (n, k)`, `int or None`."""
    low = text.lower()
    head = re.split(r",?\s*(?:optional|default)", low)[0]
    if re.fullmatch(r"\s*(?:none|ignored|not used)\W*", head) and clues.has_default:
        clues.is_left = True
        return
    if re.match(r"\s*(?:an? )?(?:numpy\.|np\.)?(?:d-?type|data-?type|numeric type)\b", head):
        clues.said, clues.options = "dtype", ["float32", "float64"]
        clues.note(_DOCSTRING)
        return
    choices = re.search(r"\{([^{}]+)\}", text) or re.search(
        r"\b(?:int|integer|float|str|string)\s*\[((?:[^\[\],=]+,){2,}[^\[\],=]+)\]", text
    )
    quoted = re.fullmatch(
        r"\s*(['\"][\w-]+['\"])(?:\s*(?:\||,|or)\s*(['\"][\w-]+['\"]))+\s*,?\s*(?:optional.*|default.*)?", text
    )
    if quoted is not None:
        clues.options = [
            each.strip("'\"") for each in re.findall(r"['\"][\w-]+['\"]", re.split(r"optional|default", text)[0])
        ]
        clues.note(_DOCSTRING)
        return
    # The choices are taken of `{'a', 'b'} or array-like`; sides and contents of an array are no choices.
    array = head.find("array")
    if choices is not None and (array < 0 or choices.start() < array):
        found = [_value(part) for part in choices[1].split(",")]
        if all(each is not _UNREAD for each in found):
            clues.options = [*found, *([None] if re.search(r"\bor none\b|, none\b", head) else [])]
            clues.note(_DOCSTRING)
            return
    if re.search(r"\bnone\b", head):
        clues.value(None, _DOCSTRING)
    if _read_parts(clues, head):
        return
    kinds = _kinds_of(head)
    clues.is_many_things = len(kinds) > 2 and "array" not in kinds
    if kinds:
        # Of all texts, only few are what such a parameter takes: an array is the better guess.
        clues.said = "array" if kinds[0] == "str" and "array" in kinds else kinds[0]
        clues.note(_DOCSTRING)
    elif re.search(_OBJECTS, head):
        clues.said = "object"
        clues.note(_DOCSTRING)
    if clues.said == "array":
        _read_array(clues, text)
    elif clues.said == "list":
        elements = re.search(r"\b(?:lists?|sequences?|iterables?)\s+(?:of|containing)\s+(.+)", head)
        _read_elements(clues, elements[1] if elements is not None else "")


def _read_parts(clues: Clues, head: str) -> bool:
    """Reads `(bool, bool)`, a tuple with a kind for each of its elements. `(lower, upper)` are only names."""
    parts = re.fullmatch(r"\s*(?:none or )?(?:tuple (?:of )?)?\(((?:\w+\s*,\s*)+\w+)\)\W*(?:or none)?\W*", head)
    kinds = [_kinds_of(part) for part in parts[1].split(",")] if parts is not None else []
    if not kinds or not all(each and each[0] in _SCALARS for each in kinds):
        return False
    clues.said, clues.said_parts = "tuple", [each[0] for each in kinds]
    clues.note(_DOCSTRING)
    return True


def leading_kind(text: str) -> str:
    """The words at the start of a description that name a kind, for styles that have no place for a type: `string, a pattern`."""
    match = re.match(r"\s*(?:an? |the )?((\w+)[^.,;:]*)", text, re.IGNORECASE)
    if match is None:
        return ""
    if re.match(r"numbers? of\b", match[1], re.IGNORECASE):
        return "int"
    is_kind = any(re.fullmatch(pattern, match[2].lower()) for _, pattern in _KINDS)
    return match[1] if is_kind else ""


def _read_elements(clues: Clues, text: str) -> None:
    """Reads what the elements of a list are: a kind, or something that cannot be drawn."""
    kinds = _kinds_of(text.split(" or ")[0])
    if kinds:
        clues.said_element = kinds[0]
        if kinds[0] == "array":
            _read_array(clues, text)
    elif text:
        clues.said_element = "object"


def element_of_hint(text: str) -> str | None:
    """The kind of the elements of a list with this type hint; None if nothing is said."""
    last = text.rpartition(".")[2]
    if last in ("Any", ""):
        return None
    named = {"ndarray": "array", "ArrayLike": "array", "NDArray": "array", "int": "int", "float": "float"}
    return {**named, "str": "str", "bool": "bool"}.get(last.partition("[")[0], "object")


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
    low = _plain(text)
    if clues.said == "array" and clues.shape is None:
        _read_shape(clues, text)
        dims = _DIMS.search(low)
        if dims is not None and clues.shape is None and clues.said_dims is None:
            clues.said_dims = _number(dims[1])
    if clues.said == "list" and clues.said_element is None and _ARRAYS.match(low):
        clues.said_element = "array"
    if clues.said == "dtype" and re.match(r"(?:the )?(?:default )?complex", low):
        clues.options = ["complex64", "complex128"]
    _read_choices(clues, text)
    if clues.said == "array" and re.match(r"(?:an? |the |optional |array of |list of )*(?:\w+ )?names\b", low):
        # Texts, and mostly as many as something else has.
        clues.said, clues.said_element = "list", "str"
        clues.is_left = clues.has_default
    if clues.said == "str" and re.search(r"\bnames? of an?\b|\bpath\b|\bfile ?name\b", low):
        # Any text would be refused.
        clues.said = "object"
    if re.search(r"\b(?:must|should) be (?:an )?odd\b|\bodd (?:integers?|numbers?)\b", low):
        clues.is_odd = True
        clues.is_left = clues.is_left or (clues.said == "array" and clues.has_default)
    if clues.said == "array" and ("weight" in clues.name or re.match(r"(?:sample |the )?weights?\b", low)):
        clues.bound(ast.GtE, 0, _DOCSTRING)
    elif clues.said == "array" and clues.said_dtype is None:
        if re.search(r"\b(?:binary labels?|binary targets?)\b", low):
            clues.said_dtype = "int64"
            clues.bound(ast.LtE, 1, _DOCSTRING)
        elif re.match(r"(?:the )?numbers?(?:\(s\))? of\b|(?:the )?(?:observed|expected) frequencies", low):
            clues.said_dtype = "int64"
            clues.bound(ast.GtE, 0, _DOCSTRING)
        elif re.search(
            r"\bpositive integers?\b|\blabels?\b|\bclass(?:es)? (?:ids|indices)\b|\bcluster\b|\bcounts\b|\bindices\b",
            low,
        ):
            clues.said_dtype = "int64"
    read_bounds(clues, text, _DOCSTRING)


def _read_choices(clues: Clues, text: str) -> None:
    """Reads `one of 'a', 'b' or 'c'`, if nothing else says which texts there are."""
    listed = re.search(r"\bone of\b[^.'\"]*((?:['\"][\w-]+['\"](?:\s|,|or\b|and\b)*){2,})", text)
    if listed is not None and not clues.options and clues.said in (None, "str"):
        clues.options = re.findall(r"['\"]([\w-]+)['\"]", listed[1])
        clues.note(_DOCSTRING)


def read_bounds(clues: Clues, text: str, source: str) -> None:
    """Reads the bounds that a sentence puts on a number."""
    low = _plain(text)
    if clues.said == "array":
        low = _read_rows(clues, low, source)
    ends = _RANGE.search(low)
    if ends is not None:
        clues.bound(ast.Gt if ends[1] in "(]" else ast.GtE, float(ends[2]), source)
        clues.bound(ast.Lt if ends[4] in ")[" else ast.LtE, float(ends[3]), source)
        return
    ends = _BETWEEN.search(low)
    if ends is not None:
        is_open = re.search(r"strictly between|\bexclusive\b", low) is not None
        clues.bound(ast.Gt if is_open else ast.GtE, float(ends[1]), source)
        clues.bound(ast.Lt if is_open else ast.LtE, float(ends[2]), source)
        return
    for side in (_LOWER, _UPPER):
        found = [(operator, float(number)) for pattern, operator in side for number in re.findall(pattern, low)]
        # Several bounds are cases that the text tells apart.
        if len(found) == 1:
            clues.bound(*found[0], source)
    if clues.low is not None and clues.high is not None and clues.low[0] > clues.high[0]:
        # `either p <= 0 or p >= 1` is two ranges, of which one is proposed.
        clues.low, clues.high = (clues.low if " or " in low else None), None
    _read_signs(clues, low, source)


def _read_rows(clues: Clues, low: str, source: str) -> str:
    """Takes the number of rows that an array has at least out of a sentence; what is left speaks of cells."""
    rows = _ROWS.search(low)
    if rows is not None:
        least = int(float(rows[2])) + (rows[1] == "more than")
        clues.least_rows = max(clues.least_rows or 0, least)
        clues.note(source)
    # A number of other things, as in "at least one label", says nothing about cells either.
    return _COUNTED.sub("", low)


def _read_signs(clues: Clues, low: str, source: str) -> None:
    """Reads words for signs and for shares of a whole."""
    if re.search(r"non-?negative|not be negative|cannot be negative", low):
        clues.bound(ast.GtE, 0, source)
    elif re.search(r"\bpositive\b", low) and not re.search(
        r"positive (?:class|label|if|rate)|true positive|(?<!non-)\bnegative\b", low
    ):
        clues.bound(ast.Gt, 0, source)
    is_free = clues.low is None and clues.high is None
    if is_free and re.search(r"\bconfidence level\b", low):
        clues.bound(ast.Gt, 0, source)
        clues.bound(ast.Lt, 1, source)
    elif is_free and re.search(
        r"\bprobabilit(?:y|ies)\b(?! (?:distribution|mass))|\bfraction\b|\bproportion\b|\barray of p-values\b", low
    ):
        clues.bound(ast.GtE, 0, source)
        clues.bound(ast.LtE, 1, source)


def _plain(text: str) -> str:
    """A text in lower case, without quotes, with digits for numbers after words that compare, and without double negation."""
    low = " ".join(text.lower().replace("`", "").split())
    low = re.sub(r"\b(?:not|cannot|never|no)(?: be)? (?:less|smaller|lower|fewer) than", "at least", low)
    low = re.sub(r"\b(?:not|cannot|never|no)(?: be)? (?:greater|larger|higher|more) than", "at most", low)
    compared = rf"\b(at least|at most|than|minimum of) ({'|'.join(_WORDS)})\b(?! (?:positive|negative|of)\b)(?!-)"
    return re.sub(compared, lambda match: f"{match[1]} {_WORDS.index(match[2])}", low)


def _number(word: str) -> int:
    return _WORDS.index(word) if word in _WORDS else int(word)


class SaidRelation:
    """Two arrays whose sizes agree by the docstring: in all sides, the first one, or only their number."""

    __slots__ = ("extent", "name", "other")

    def __init__(self, name: str, other: str, extent: str) -> None:
        self.name, self.other, self.extent = name, other, extent

    def apply(self, clues: dict[str, Clues]) -> None:
        """Gives the first array the sizes of the other one."""
        mine, theirs = clues[self.name], clues[self.other]
        if mine.said != "array" or theirs.said != "array":
            return
        theirs_sides = theirs.shape_text().split()
        if self.extent == "dimensions":
            mine.set_dims(len(theirs_sides), _DOCSTRING)
        elif self.extent == "rows":
            mine.shape = " ".join([theirs_sides[0], *mine.shape_text().split()[1:]])
        else:
            mine.shape, mine.said_dims = " ".join(theirs_sides), len(theirs_sides)
        mine.note(_DOCSTRING)


def relations(parameters: dict[str, DescribedName]) -> list[SaidRelation]:
    """What the texts about parameters say about sizes that agree. The names of `x, y : array` share one text."""
    found = []
    for name, described in parameters.items():
        same = _SAME.search(described.text)
        alike = [other for other, each in parameters.items() if each.text == described.text and other != name]
        if same is not None and same[2] in parameters and same[2] != name:
            extent = "dimensions" if "dimension" in same[1] else "shape" if same[1] == "shape" else "rows"
            found.append(SaidRelation(name, same[2], extent))
        elif alike and re.search(r"\bsame (?:shape|length|size)\b(?!, except)", described.text):
            first = next(other for other in parameters if other == name or other in alike)
            found += [SaidRelation(name, first, "shape")] if first != name else []
    return found


def comparisons(described: DescribedName, names: set[str]) -> list[str]:
    """What the text about a number says about its order with other parameters: `at least x.ndim`, `int >= len(data)`."""
    found = []
    for operator, pattern in _OPERATORS.items():
        operands = re.findall(rf"(?:{pattern})\s*{_OPERAND}", described.kind)
        for operand in operands + re.findall(rf"\bbe (?:{pattern})\s*{_OPERAND}", described.text):
            other = re.split(r"[.(]", operand.removeprefix("len("))[0].rstrip(")")
            if other in names and other != described.name:
                found.append(f"{described.name} {operator} {operand}")
    return found


def limit_axes(clues: dict[str, Clues]) -> None:
    """An axis that must be given is one that every array has."""
    dims = [len(each.shape_text().split()) for each in clues.values() if each.said == "array"]
    for name in ("axis", "axes"):
        each = clues.get(name)
        if each is not None and dims and not each.has_default and each.said in (None, "int"):
            each.said = "int"
            each.bound(ast.GtE, 0, "its name")
            each.bound(ast.LtE, min(dims) - 1, "its name")


def share_rows(clues: dict[str, Clues]) -> None:
    """Vectors of which only the number of dimensions is said are as long as the other arrays of the docstring."""
    rows = [each.shape.split()[0] for each in clues.values() if each.shape is not None]
    rows = [row for row in rows if row.isidentifier()]
    # Most arrays of a docstring have a row for each sample; `n_classes` belongs to the one that says so.
    rows.sort(key=lambda row: "sample" not in row)
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
    if "label indicator" in low:
        # A row of zeros and ones for each sample; as labels of a vector they are two classes.
        clues.said_dtype = "int64"
        clues.bound(ast.LtE, 1, _DOCSTRING)
    elif re.search(r"\bint(?:s|eger)?s?\b", low) and not re.search(r"\bfloats?\b", low):
        clues.said_dtype = "int64"
    elif re.search(r"\bbool(?:ean)?s?\b", low):
        clues.said_dtype = "bool"
    elif re.search(r"\bfloats?\b", low):
        clues.said_dtype = "float64"
    _read_shape(clues, text)
    dims = re.search(r"\b([123])-?d\b|\bndim\s*=\s*([123])", low)
    if dims is not None and clues.shape is None:
        clues.said_dims = int(dims[1] or dims[2])


def _read_shape(clues: Clues, text: str) -> None:
    """`(n_samples, n_features)` as the shape of an array; only the first one if there are several."""
    plain = text.replace("`", "")
    match = re.search(r"(?:shape|size|of|array|matrix|tensor|^|,)\s*[=:]?\s*[\[(]\s*([^()\[\]]*)[\])]", plain)
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
