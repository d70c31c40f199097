"""What a docstring says about parameters, exceptions and the result, in the styles of numpydoc, Google and reST.

The text is only divided here; `phrases.py` reads what the parts mean.
"""

from __future__ import annotations

import inspect
import re


class DescribedName:
    """A parameter or a result: its type and its description, as they are written."""

    __slots__ = ("kind", "name", "text")

    def __init__(self, name: str, kind: str = "", text: str = "") -> None:
        self.name, self.kind, self.text = name, kind, text


class Docstring:
    """The parts of a docstring that say something about calls."""

    def __init__(self, text: str | None) -> None:
        self.parameters: dict[str, DescribedName] = {}
        self.raises: list[str] = []
        self.returns: DescribedName | None = None
        lines = inspect.cleandoc(text).splitlines() if text else []
        self._read_numpy(lines)
        self._read_google(lines)
        self._read_rest(lines)

    def _add(self, names: str, kind: str, text: str) -> None:
        for name in re.split(r"[,/]\s*", names):
            name = name.strip().lstrip("*").strip("`")
            if name.isidentifier() and name not in self.parameters:
                self.parameters[name] = DescribedName(name, kind.strip(), text.strip())

    # numpydoc: a title, a line of dashes, `name : type`, and indented text.

    def _read_numpy(self, lines: list[str]) -> None:
        for title, body in _underlined(lines):
            if title in ("Parameters", "Other Parameters"):
                for head, text in _items(body):
                    names, _, kind = head.partition(":")
                    self._add(names, kind, text)
            elif title == "Raises":
                self.raises += [head.strip(" `:") for head, _ in _items(body)]
            elif title == "Returns":
                found = _items(body)
                if len(found) == 1:
                    name, colon, kind = found[0][0].partition(":")
                    self.returns = DescribedName(name if colon else "", (kind if colon else name).strip(), found[0][1])

    # Google: a title with a colon, and indented `name (type): text`.

    def _read_google(self, lines: list[str]) -> None:
        for title, body in _indented(lines):
            if title in ("Args", "Arguments", "Parameters", "Keyword Args", "Keyword Arguments"):
                for head, text in _items(body):
                    match = re.match(r"(\*{0,2}\w+)\s*(?:\((.*?)\))?\s*:\s*(.*)", head)
                    if match is not None:
                        self._add(match[1], match[2] or "", f"{match[3]} {text}")
            elif title == "Raises":
                self.raises += [head.partition(":")[0].strip(" `") for head, _ in _items(body)]
            elif title == "Returns" and self.returns is None and body:
                kind, colon, text = " ".join(line.strip() for line in body).partition(":")
                self.returns = DescribedName("", kind if colon else "", text)

    # reST: fields at the start of lines.

    def _read_rest(self, lines: list[str]) -> None:
        fields = _fields(lines)
        types = {words[-1]: text for words, text in fields if words[0] == "type" and len(words) == 2}
        for words, text in fields:
            if words[0] in ("param", "parameter", "arg", "argument") and len(words) > 1:
                self._add(words[-1], " ".join(words[1:-1]) or types.get(words[-1], ""), text)
            elif words[0] in ("raises", "raise", "except") and len(words) > 1:
                self.raises.append(words[-1])
            elif words[0] == "rtype" and self.returns is None:
                self.returns = DescribedName("", text)


def _underlined(lines: list[str]) -> list[tuple[str, list[str]]]:
    """The sections with a title over a line of dashes."""
    starts = [
        at
        for at in range(len(lines) - 1)
        if re.fullmatch(r"-{3,}\s*", lines[at + 1]) and lines[at].strip() and not lines[at].startswith(" ")
    ]
    ends = [*starts[1:], len(lines)]
    return [(lines[at].strip(), lines[at + 2 : end]) for at, end in zip(starts, ends, strict=False)]


def _indented(lines: list[str]) -> list[tuple[str, list[str]]]:
    """The sections with a title and a colon over indented lines."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        match = re.fullmatch(r"([A-Z][A-Za-z ]+):\s*", line)
        if match is not None:
            found.append((match[1], []))
        elif found and (line.startswith(" ") or not line.strip()):
            found[-1][1].append(line)
        elif found:
            found.append(("", []))
    return [(title, [line for line in body if line.strip()]) for title, body in found if title]


def _items(body: list[str]) -> list[tuple[str, str]]:
    """The items of a section: a line at the least indent, and the text that is indented further below it."""
    full = [line for line in body if line.strip()]
    least = min((len(line) - len(line.lstrip()) for line in full), default=0)
    found: list[tuple[str, list[str]]] = []
    for line in full:
        if len(line) - len(line.lstrip()) == least:
            found.append((line.strip(), []))
        elif found:
            found[-1][1].append(line.strip())
    return [(head, " ".join(text)) for head, text in found]


def _fields(lines: list[str]) -> list[tuple[list[str], str]]:
    """The fields `:name words: text`, each with the lines that follow it."""
    found: list[tuple[list[str], str]] = []
    for line in lines:
        match = re.match(r"\s*:(\w[^:]*):\s*(.*)", line)
        if match is not None:
            found.append((match[1].split(), match[2]))
        elif found and line.startswith(" "):
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
    return found
