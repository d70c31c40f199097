"""How the search changes texts: a piece of the input that a comparison saw becomes what it was compared with.

A function that takes a text apart compares the pieces one by one. Where a missed comparison had a piece of an input's text on one
side, that piece is replaced by the other side, and the next comparison is met in the same way: formats are solved part by part,
without a guess (the idea is that of Redqueen, Aschermann et al. 2019). Where a number of pieces was missed, pieces are added.
"""

from __future__ import annotations

import json
import re
from typing import Any

from temper.check.branches import TextAim
from temper.check.text_parts import TextForm, separators_of
from temper.domains.composed import program_of
from temper.domains.kinds import matching

# Proposals of one step, and places of a piece that are tried.
_MOST = 160
_PLACES = 3
# Pieces that are added or taken away at once.
_MOST_PIECES = 8
# Texts of a pattern that are drawn.
_EXAMPLES = 6
_MEMBERS = 12
# What a piece is replaced by that is asked about its characters.
_ASKED = {
    "isdigit": ("0", "1", "12"),
    "isnumeric": ("0", "1"),
    "isdecimal": ("0", "1"),
    "isalpha": ("a",),
    "isalnum": ("a1", "a"),
    "isupper": ("A",),
    "islower": ("a",),
    "isidentifier": ("a",),
    "isspace": (" ",),
    "number": ("0", "1", "-1", "7", "100", "0.5"),
}


class TextEdits:
    """What the texts of a record may become, given what a missed comparison compared."""

    def __init__(self, program: Any, forms: list[TextForm]) -> None:
        self._program, self._forms = program, forms

    def __bool__(self) -> bool:
        return bool(self._forms)

    def proposals(self, tree: bytes, operands: Any) -> list[bytes]:
        """Records to try, the likeliest first."""
        found: dict[bytes, None] = {}
        pairs = _replacements(operands)
        for place, items in enumerate(self._program.plain_lists(tree)):
            for form in self._forms:
                text = form.text(items)
                if text is None:
                    continue
                separators = separators_of(form.parts)
                changes = [*_with_key(text, operands, separators), *_replaced(text, pairs, separators)]
                for changed in [*changes, *_resized(text, operands, separators)]:
                    new = form.items(changed)
                    if new is not None and changed != text:
                        found[self._program.with_plain_list(tree, place, new)] = None
                    if len(found) >= _MOST:
                        return list(found)
        return list(found)

    def single_parts(self, tree: bytes) -> list[bytes]:
        """Records in which one of the texts is one part and nothing else."""
        found: dict[bytes, None] = {}
        for place in range(len(self._program.plain_lists(tree))):
            for form in self._forms:
                for items in filter(None, map(form.items, form.parts)):
                    found[self._program.with_plain_list(tree, place, items)] = None
        return list(found)

    def plain(self, tree: bytes) -> bytes:
        """The record with all texts as characters: parts are what the code has today, and a record is kept for longer."""
        for place, items in enumerate(self._program.plain_lists(tree)):
            for form in self._forms:
                text = form.text(items)
                new = form.items(text) if text is not None else None
                if new is not None and new != items and max(items, default=0) >= len(form.alphabet):
                    tree = self._program.with_plain_list(tree, place, new)
                    break
        return tree


def _replacements(operands: Any) -> list[tuple[str, str]]:
    """Pieces, and what they should become."""
    if isinstance(operands, TextAim):
        return [(operands.text, each) for each in _aimed(operands)]
    if not isinstance(operands, tuple) or len(operands) != 2:
        return []
    left, right = operands
    if isinstance(left, str) and isinstance(right, (list, tuple, set, frozenset, dict)):
        members = sorted(each for each in list(right)[:_MEMBERS] if isinstance(each, str))
        return [(left, each) for each in members]
    if isinstance(left, str) and isinstance(right, str):
        # One is in the other, or they are equal.
        return [(left, right), (right, left), (right, right + left), (right, left + right), (left, left + "a")]
    found = []
    for one, other in ((left, right), (right, left)):
        for target in _around(other):
            found += [(before, after) for before, after in zip(_written(one), _written(target), strict=True)]
    return found


def _aimed(aim: TextAim) -> list[str]:
    """Texts for which what is asked about a text is true."""
    text, wanted = aim.text, aim.wanted
    if aim.asked == "startswith":
        return [each + rest for each in _as_texts(wanted) for rest in (text, text[len(each) :])]
    if aim.asked == "endswith":
        return [rest + each for each in _as_texts(wanted) for rest in (text, text[: -len(each) or None])]
    if aim.asked in ("match", "fullmatch", "search"):
        return _examples(wanted)
    return list(_ASKED.get(aim.asked, ()))


def _as_texts(wanted: Any) -> list[str]:
    return [each for each in (wanted if isinstance(wanted, tuple) else (wanted,)) if isinstance(each, str)]


def _examples(pattern: Any) -> list[str]:
    """Some texts that a pattern matches, the shortest first."""
    written = getattr(pattern, "pattern", pattern)
    if not isinstance(written, str):
        return []
    found: set[str] = set()
    try:
        program = program_of(matching(written))
        for seed in range(_EXAMPLES):
            drawn = program.draw(seed)
            # Texts are mostly printed on one line.
            found.update(re.sub(r"\s+", " ", text) for text in (drawn[:1] if drawn is not None else ()))
    except Exception:
        # Patterns with flags or parts that cannot be followed give no example.
        return []
    return sorted((text for text in found if re.search(written, text)), key=lambda text: (len(text), text))


def _around(value: Any) -> list[Any]:
    """A value, and for a number those next to it."""
    return [value, value + 1, value - 1] if type(value) in (int, float) else [value]


def _written(value: Any) -> list[str]:
    """How a value may stand in a text: by itself, and as JSON."""
    if isinstance(value, str):
        return [value, json.dumps(value)]
    if type(value) in (int, float, bool, type(None)):
        return [str(value), json.dumps(value)]
    return ["", ""]


def _replaced(text: str, pairs: list[tuple[str, str]], separators: list[str]) -> list[str]:
    found = []
    for piece, other in pairs:
        if not piece:
            ends = [separator for separator in separators if separator in text] or separators
            found += [text + other, other + text, *(text + end + other for end in separators)]
            found += [changed for end in ends for changed in _next_to(text, end, other)]
            continue
        at = -1
        # Functions that compare without regard to case see the piece in another one.
        low = text.lower() if len(text.lower()) == len(text) else text
        for _ in range(_PLACES):
            at = low.find(piece.lower(), at + 1)
            if at < 0:
                break
            found.append(text[:at] + other + text[at + len(piece) :])
    return found


def _next_to(text: str, separator: str, piece: str) -> list[str]:
    """The text with a piece on either side of a separator, at its first places and its last."""
    found = []
    places = [match.start() for match in re.finditer(re.escape(separator), text)]
    for at in dict.fromkeys([*places[:_PLACES], *places[-1:]]):
        found += [text[:at] + piece + text[at:], text[: at + len(separator)] + piece + text[at + len(separator) :]]
    return found


def _with_key(text: str, operands: Any, separators: list[str]) -> list[str]:
    """The text with an entry for a key that a table lacked which was read from it."""
    if isinstance(operands, TextAim) and operands.asked == "item":
        table, key = operands.wanted
    elif isinstance(operands, tuple) and isinstance(operands[0], str) and isinstance(operands[1], dict):
        key, table = operands
    else:
        return []
    found = []
    try:
        document = json.dumps(table)
        for value in (0, 1, "a", [], None):
            found.append(text.replace(document, json.dumps({**table, key: value})))
    except (TypeError, ValueError):
        # No document.
        found = []
    return [*found, *(f"{text}{end}{key}{sign}0" for end in separators for sign in separators if end != sign)]


def _resized(text: str, operands: Any, separators: list[str]) -> list[str]:
    """The text with more or fewer pieces, or characters, if a number of them was missed."""
    if not isinstance(operands, tuple) or len(operands) != 2 or {type(each) for each in operands} != {int}:
        return []
    found = []
    missing = operands[1] - operands[0]
    for count in dict.fromkeys((missing, -missing, missing + 1, missing - 1)):
        if 0 < count <= _MOST_PIECES:
            found += _grown(text, count, sorted(separators, key=lambda each: each not in text))
        elif -_MOST_PIECES <= count < 0:
            found += _shortened(text, -count, separators)
    return found


def _grown(text: str, count: int, separators: list[str]) -> list[str]:
    words = list(re.finditer(r"\w+", text))[-_PLACES:]
    found = [text[: word.end()] + (end + word[0]) * count + text[word.end() :] for end in separators for word in words]
    found += [text[: word.end()] + "a" * count + text[word.end() :] for word in words]
    lasts = [text + (end + (text.rpartition(end)[2] or "a")) * count for end in separators]
    return [*lasts, *found, text + "a" * count]


def _shortened(text: str, count: int, separators: list[str]) -> list[str]:
    words = list(re.finditer(r"\w+", text))[-_PLACES:]
    found = [end.join(text.split(end)[:-count]) for end in separators if end in text]
    found += [text[: max(word.end() - count, word.start())] + text[word.end() :] for word in words]
    # Fewer different pieces, or none in common.
    found += [text[: word.start()] + other * len(word[0]) + text[word.end() :] for word in words for other in "bz"]
    return [*found, text[:-count]]
