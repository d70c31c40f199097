"""`matching`: texts that a regular expression matches as a whole."""

from __future__ import annotations

import re
from typing import Any

from temper.domains.composed import Draw
from temper.domains.domain import make
from temper.domains.kinds.computed import Computed
from temper.domains.kinds.ints import ints
from temper.domains.kinds.lists import lists
from temper.errors import RejectedInput

try:
    from re import _constants as codes
    from re import _parser as parser
except ImportError:  # Python 3.10
    import sre_constants as codes  # type: ignore[no-redef]
    import sre_parse as parser  # type: ignore[no-redef]

_PRINTABLE = [chr(code) for code in (*range(97, 123), *range(65, 91), *range(48, 58), *range(32, 48), *range(58, 65))]
_CLASSES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_SPACE": " \t\n",
    "CATEGORY_WORD": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_",
}
# How often a text is drawn again that an assertion inside the pattern refuses, and how far `*` and `+` go.
_TRIES, _MORE = 20, 10


def matching(pattern: str) -> Matching:
    """Texts that match a regular expression as a whole. Without bounds, `*` and `+` go up to ten more repeats."""
    return make(Matching, {"pattern": pattern}, {})


class Matching(Computed[str]):
    """Texts that match a regular expression."""

    __slots__ = ()
    kind = "matching"

    def compute(self, draw: Draw) -> str:
        """One text: the pattern is followed, and lookarounds and the like are tried afterwards."""
        pattern = re.compile(self.params["pattern"])
        for _ in range(_TRIES):
            text = _Follower(draw, pattern.flags).sequence(parser.parse(pattern.pattern, pattern.flags))
            if pattern.fullmatch(text):
                return text
        raise RejectedInput

    def describe(self, reader: Any) -> dict[str, Any]:
        try:
            re.compile(self.params["pattern"])
        except (re.error, TypeError) as error:
            raise reader.wrong(self, "pattern", self.params["pattern"], f"a regular expression ({error})") from None
        return super().describe(reader)


class _Follower:
    """Follows a parsed pattern and draws a text for it."""

    def __init__(self, draw: Draw, flags: int) -> None:
        self.draw, self.flags = draw, flags
        self.groups: dict[int, str] = {}

    def sequence(self, parts: Any) -> str:
        return "".join(self.one(str(code), value) for code, value in parts)

    def one(self, code: str, value: Any) -> str:
        if code == "LITERAL":
            return chr(value)
        if code in ("ANY", "NOT_LITERAL"):
            return self.pick([each for each in _PRINTABLE if code == "ANY" or each != chr(value)])
        if code == "IN":
            return self.pick(_members(value))
        if code == "BRANCH":
            return self.sequence(value[1][self.draw(ints(0, len(value[1]) - 1))])
        if code == "SUBPATTERN":
            text = self.sequence(value[3])
            if value[0] is not None:
                self.groups[value[0]] = text
            return text
        if code in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, inner = value
            most = low + _MORE if high is codes.MAXREPEAT else high
            return "".join(self.sequence(inner) for _ in range(len(self.draw(lists(ints(0, 0), low, most)))))
        if code == "GROUPREF":
            return self.groups.get(value, "")
        if code == "GROUPREF_EXISTS":
            chosen = value[1] if value[0] in self.groups else value[2]
            return self.sequence(chosen) if chosen is not None else ""
        if code == "ATOMIC_GROUP":
            return self.sequence(value)
        # Anchors and lookarounds have no text of their own; the whole is matched afterwards.
        return ""

    def pick(self, characters: list[str]) -> str:
        if not characters:
            raise RejectedInput
        return characters[self.draw(ints(0, len(characters) - 1))]


def _members(parts: Any) -> list[str]:
    """The characters of a set, the simplest first."""
    is_negated = str(parts[0][0]) == "NEGATE"
    found: list[str] = []
    for code, value in parts[1:] if is_negated else parts:
        name = str(code)
        if name == "LITERAL":
            found.append(chr(value))
        elif name == "RANGE":
            found += [chr(each) for each in range(value[0], min(value[1], value[0] + 255) + 1)]
        elif name == "CATEGORY":
            word = str(value)
            inside = _CLASSES.get(word.replace("_NOT_", "_"), "")
            found += [each for each in _PRINTABLE if each not in inside] if "_NOT_" in word else list(inside)
    if is_negated:
        return [each for each in _PRINTABLE if each not in found]
    return found
