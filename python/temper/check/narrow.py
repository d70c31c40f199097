"""What a function said when it refused a proposal, or could not work with it, narrows the next proposal.

A message that says how is followed: a bound, a number of dimensions, sizes that must agree, a least number of rows. One that does
not say how leaves optional arguments at their defaults: first those that it names, then all that are not choices, then all.
"""

from __future__ import annotations

import ast
import re

from temper.check import phrases
from temper.check.guess import Clues

_SAME = re.compile(
    r"same (?:length|size|shape|number|dimension|first dimension)|equal (?:length|size)|unequal length"
    r"|different (?:shape|length|size|number)|inconsistent (?:numbers? of|shape)|mismatch|could not be broadcast|not aligned"
    r"|must match|not match|incompatible shape|not compatible|length of .* (?:must|should) (?:be|equal)"
)
_DIMS = (
    (1, r"\b1-?d\b|\b1-dim|one[- ]dimension|\brank[- ]1\b|\bvectors?\b"),
    (2, r"\b2-?d\b|\b2-dim|two[- ]dimension|\brank[- ]2\b|\bmatrix\b"),
    (3, r"\b3-?d\b|\b3-dim|three[- ]dimension|\brank[- ]3\b"),
)
_ROWS = re.compile(
    r"sample|observation|element|data point|length|size|points|rows|entries|values|too (?:small|short|few)|dimension of"
)
_LEAST = re.compile(
    r"(?:at least|less than|fewer than|greater than|more than|larger than|longer than|minimum of|>=?|n\s*<)\s*(\d+)"
)
# Rows of an array that was too short, if the message does not say how many are enough.
_MANY = 24
# Most rows that a message may ask for.
_MOST = 200


def narrow(clues: dict[str, Clues], messages: list[tuple[str, bool]]) -> None:
    """Narrows what is known about the parameters by what the function said, one message after the other.

    A message with False is that of a crash, which is no word about the arguments unless their sizes do not fit.
    """
    level = 0
    for message, is_refusal in messages:
        before = [_state(each) for each in clues.values()]
        _read_sizes(clues, message.lower().replace("`", "").partition(", got")[0], is_refusal)
        if is_refusal and before == [_state(each) for each in clues.values()]:
            phrases.read_refusal(clues, message)
        if is_refusal and before == [_state(each) for each in clues.values()]:
            level += 1
            _leave(clues, message, level)


def _state(clues: Clues) -> tuple[object, ...]:
    return (
        clues.low,
        clues.high,
        clues.shape,
        clues.said_dims,
        clues.least_rows,
        clues.said,
        clues.is_odd,
        clues.is_left,
    )


def _arrays(clues: dict[str, Clues]) -> list[Clues]:
    return [
        each
        for each in clues.values()
        if (each.said or "") == "array" or (each.said is None and each.kinds.get("array"))
    ]


def _named(clues: dict[str, Clues], message: str) -> list[Clues]:
    return [each for name, each in clues.items() if re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", message)]


def _read_sizes(clues: dict[str, Clues], message: str, is_refusal: bool) -> None:
    arrays = _arrays(clues)
    named = [each for each in _named(clues, message) if each in arrays]
    if _SAME.search(message) and len(arrays) > 1:
        _fit(named if len(named) > 1 else arrays, message)
        return
    if not is_refusal:
        return
    dims = next((count for count, pattern in _DIMS if re.search(pattern, message)), None)
    targets = named or arrays
    if dims is not None and targets:
        for each in targets:
            each.set_dims(dims, _said(message))
        return
    least = _LEAST.search(message)
    if targets and _ROWS.search(message) and not [each for each in _named(clues, message) if each not in arrays]:
        count = int(least[1]) + 1 if least is not None else _MANY
        for each in targets if count <= _MOST else ():
            each.least_rows = max(each.least_rows or 0, count)
            each.note(_said(message))
    elif re.search(r"\bodd\b", message):
        for each in _named(clues, message) or list(clues.values()):
            each.is_odd = True
    elif not named and re.search(r"positive|negative", message):
        operator = ast.GtE if re.search(r"non-?negative|negative values|be negative", message) else ast.Gt
        for each in arrays:
            each.bound(operator, 0, _said(message))
    elif re.search(r"\binteger|\bint\b", message):
        for each in _named(clues, message):
            each.said = "array" if each.said == "array" else "int"
            each.said_dtype = "int64"
            each.note(_said(message))


def _fit(arrays: list[Clues], message: str) -> None:
    """Gives arrays sizes that agree: all sides if they have as many, or else the first ones."""
    shapes = [each.shape_text() for each in arrays]
    most = max(shapes, key=lambda shape: len(shape.split()))
    for each, shape in zip(arrays, shapes, strict=True):
        sides = len(shape.split())
        each.shape = " ".join(most.split()[:sides])
        each.said_dims = sides
        each.note(_said(message))


def _leave(clues: dict[str, Clues], message: str, level: int) -> None:
    """Leaves optional arguments at their defaults."""
    optional = [each for each in clues.values() if each.has_default and not each.is_left]
    named = [each for each in _named(clues, message.lower()) if each in optional]
    unsure = [each for each in optional if not each.options and each.said != "bool"]
    left = named if named and level == 1 else unsure if unsure and level <= 2 else optional
    for each in left:
        each.is_left = True


def _said(message: str) -> str:
    return f"its refusal `{message[:60]}`"
