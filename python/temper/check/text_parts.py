"""Texts that a function takes apart: the words and separators in its own code are parts that its texts are made of.

A text of random characters never is ``"conv:3,relu"``. So half of the texts of an argument are put together from the
constants of the function, of the functions of its module that it calls, and of the tables of the module that it names,
with a character here and there. They are lists of numbers to the engine, which the search edits (`text_search.py`) and shrinking
shortens.
"""

from __future__ import annotations

import copy
import enum
import inspect
import json
import re
import string
from types import CodeType
from typing import Any

from temper.check.branches import code_of, helpers_of
from temper.domains.annotated import AnnotatedFunction
from temper.domains.domain import Domain, make
from temper.domains.kinds import anys
from temper.domains.kinds.texts import Texts

# Longer constants are messages, and more parts than this are no help.
_MAX_LEN = 16
_MOST = 40
# Parts that every text may have: numbers are in most formats.
_USUAL = ("0", "1", "3", "a", " ")
# Numbers of the code that are tokens of a text too.
_GREATEST_NUMBER = 100_000
# Names in the code of functions that read documents, and values that those have.
_READERS = frozenset(("loads", "JSONDecoder", "raw_decode"))
_VALUES: tuple[Any, ...] = (0, "a", None, [], {}, True)
_MOST_DOCUMENTS = 24
# The characters of texts without an alphabet, in the order of `crates/temper-domains/src/kinds/texts.rs`.
_PRINTABLE = "".join(map(chr, range(ord(" "), ord("~") + 1)))
PLAIN_ALPHABET = string.ascii_letters + string.digits + "".join(each for each in _PRINTABLE if not each.isalnum())


class TextForm:
    """How texts of one alphabet are numbers to the engine: characters first, then parts."""

    def __init__(self, alphabet: str, parts: list[str]) -> None:
        self.alphabet, self.parts = alphabet, parts
        self._places = {character: at for at, character in reversed(list(enumerate(alphabet)))}

    def text(self, items: list[int]) -> str | None:
        """The text of these numbers; None if it is of another form."""
        known = len(self.alphabet)
        if any(item >= known for item in items) and not self.parts:
            return None
        return "".join(
            self.alphabet[item] if item < known else self.parts[(item - known) % len(self.parts)] for item in items
        )

    def items(self, text: str) -> list[int] | None:
        """The numbers of a text, a character each; None if it has characters that the alphabet lacks."""
        found = [self._places.get(character) for character in text]
        return [each for each in found if each is not None] if None not in found else None


def with_parts(annotated: AnnotatedFunction) -> AnnotatedFunction:
    """The function with texts of parts next to its other texts; itself if it has no texts, or its code no parts."""
    arguments = annotated.record.arguments
    if not any(_texts_in(domain) for domain in arguments.values()):
        return annotated
    parts = parts_of(annotated.function)
    if not parts:
        return annotated
    made = copy.copy(annotated)
    made.record = copy.copy(annotated.record)
    made.record.arguments = {name: _widened(domain, parts) for name, domain in arguments.items()}
    return made


def forms_of(annotated: AnnotatedFunction) -> list[TextForm]:
    """The forms of a function's texts, each once."""
    found = [text for domain in annotated.record.arguments.values() for text in _texts_in(domain)]
    parts = parts_of(annotated.function) if found else []
    alphabets = {_alphabet(domain): None for domain in found}
    return [TextForm(alphabet, _allowed(parts, alphabet)) for alphabet in alphabets if alphabet]


def parts_of(function: Any) -> list[str]:
    """The words and separators in the code of a function and of its helpers, in the order of the code."""
    found: dict[str, None] = {}
    reads_documents = False
    for each in (function, *helpers_of(function)):
        code, scope = code_of(each), getattr(each, "__globals__", {})
        if code is None:
            continue
        reads_documents = reads_documents or bool(_READERS & set(code.co_names))
        for constant in [*_constants(code), *(text for name in code.co_names for text in _named(name, scope))]:
            found.update(dict.fromkeys(_divided(constant)))
    parts = list(found)[:_MOST]
    if not parts:
        return []
    more = [*(part for part in _USUAL if part not in found), *_joined(parts)]
    return [*parts, *more, *(_documents(parts) if reads_documents else [])]


def _named(name: str, scope: dict[str, Any]) -> list[str]:
    """The texts that a name of the code stands for: a table, list or pattern of the module, or of a class of it."""
    found = _listed(scope.get(name))
    for value in list(scope.values()):
        if isinstance(value, type) and value.__module__ == scope.get("__name__") and name in vars(value):
            found += _listed(vars(value)[name])
    return found


def _joined(parts: list[str]) -> list[str]:
    """Words with a separator in front, and pairs of words: one step of the search adds both."""
    words, separators = [part for part in parts if part.isalpha()], separators_of(parts)
    found = [separator + word for separator in separators for word in words][:_MOST]
    pairs = [word + separator + other for separator in separators for word in words for other in words if word != other]
    return [*found, *pairs[:_MOST]]


def separators_of(parts: list[str]) -> list[str]:
    """The parts that stand between others."""
    return [part for part in parts if len(part) == 1 and not part.isalnum()]


def _documents(parts: list[str]) -> list[str]:
    """Documents of JSON with the words of the code as keys."""
    words = [part for part in parts if part.isidentifier()]
    found: list[Any] = [*_VALUES, *({word: value} for word in words for value in _VALUES[:4])]
    found.append({word: 0 for word in words[:4]})
    found.append({word: "a" for word in words[:4]})
    return [json.dumps(each) for each in found[-_MOST_DOCUMENTS:]]


def _constants(code: CodeType) -> list[str]:
    """The texts and whole numbers in a function's code, without its docstring."""
    found: list[str] = []
    for at, constant in enumerate(code.co_consts):
        if inspect.iscode(constant):
            found += _constants(constant)
        elif isinstance(constant, (tuple, frozenset)):
            found += _in_order([each for each in constant if isinstance(each, str)], constant)
        elif isinstance(constant, str) and not (at == 0 and len(constant) > _MAX_LEN):
            found.append(constant)
        elif type(constant) is int and 1 < constant < _GREATEST_NUMBER:
            found.append(str(constant))
    return found


def _listed(value: Any) -> list[str]:
    """The texts in a table or list of the module, in a pattern, or of an enumeration."""
    if isinstance(value, re.Pattern):
        value = [value.pattern]
    if isinstance(value, type) and issubclass(value, enum.Enum):
        value = [text for member in value for text in (member.name, member.value)]
    is_list = isinstance(value, (str, dict, list, tuple, set, frozenset))
    found = [value] if isinstance(value, str) else list(value) if is_list else []
    return _in_order([each for each in found if isinstance(each, str)], value)[:_MOST]


def _in_order(texts: list[str], container: Any) -> list[str]:
    """The texts in an order that is the same in every process, so that a record means the same."""
    return sorted(texts) if isinstance(container, (set, frozenset)) else texts


def _divided(constant: str) -> list[str]:
    """The words and numbers of a text, and the characters between them."""
    if len(constant) > _MAX_LEN:
        return []
    return [constant] * bool(constant) + re.findall(r"[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]", constant)


def _texts_in(domain: Any) -> list[Texts]:
    """The domains of texts in a domain whose lengths are numbers."""
    if isinstance(domain, Texts):
        lengths = [domain.params.get(name) for name in ("min_len", "max_len", "len")]
        return [] if any(isinstance(each, str) for each in lengths) else [domain]
    if isinstance(domain, Domain):
        return [text for part in domain.params.values() for text in _texts_in(part)]
    inner = domain.values() if isinstance(domain, dict) else domain if isinstance(domain, (list, tuple)) else ()
    return [text for part in inner for text in _texts_in(part)]


def _widened(domain: Any, parts: list[str]) -> Any:
    if not _texts_in(domain):
        return domain
    if isinstance(domain, Texts):
        return anys(domain, _parted(domain, parts))
    if isinstance(domain, dict):
        return {name: _widened(part, parts) for name, part in domain.items()}
    if isinstance(domain, (list, tuple)):
        return type(domain)(_widened(part, parts) for part in domain)
    made = copy.copy(domain)
    made.params = {name: _widened(value, parts) for name, value in domain.params.items()}
    return made


def _alphabet(domain: Texts) -> str:
    alphabet = domain.params.get("alphabet")
    return PLAIN_ALPHABET if alphabet is None else "".join(alphabet)


def _allowed(parts: list[str], alphabet: str) -> list[str]:
    return [part for part in parts if set(part) <= set(alphabet)]


def _parted(domain: Texts, parts: list[str]) -> Domain:
    made = make(Texts, {**domain.params, "parts": _allowed(parts, _alphabet(domain))}, {})
    made.line, made.file = domain.line, domain.file
    return made
