"""Annotations from a side file, put on the functions that it names."""

from __future__ import annotations

from typing import Any

import temper
from temper import annotations
from temper.annotations import Condition
from temper.check.subjects import resolve
from temper.domains.annotated import AnnotatedFunction
from temper.domains.domain import Domain
from temper.errors import BadAnnotation


def apply(module: Any, entry: dict[str, Any]) -> AnnotatedFunction:
    """The annotated of one entry, with its annotations."""
    name, where = entry["function"], (str(entry["file"]), int(entry["line"]))
    try:
        annotated = resolve(module, name)
    except AttributeError as error:
        raise BadAnnotation(
            f"`{module.__name__}` has no function `{name}`", where[1], hint="name it as it is imported"
        ) from error
    annotated.side = where
    record = annotated.record
    try:
        # Kept on the function too: methods ask its constructor, generators are asked by others.
        setattr(annotated.function, annotations.ATTRIBUTE, record)
    except (AttributeError, TypeError):
        pass
    scope = {**vars(module), **_library(), **{name: getattr(temper, name) for name in temper.__all__}}
    for argument, text in _table(entry, "args").items():
        annotations._add_argument(record, argument, _evaluated(text, scope, where[1]), where[1])
    record.preconditions += [Condition(text, where[1]) for text in _texts(entry, "require", where[1])]
    record.postconditions += [Condition(text, where[1]) for text in _texts(entry, "ensure", where[1])]
    record.raises += tuple(_evaluated(text, scope, where[1]) for text in _texts(entry, "raises", where[1]))
    record.examples += [list(_evaluated(text, scope, where[1])) for text in _texts(entry, "cc_example", where[1])]
    for oracle in _texts(entry, "holds", where[1]):
        annotations.hold(record, oracle, where[1])
    for oracle in annotations.ROW_ORACLES:
        if entry.get(oracle):
            record.oracles[oracle] = tuple(_texts(entry, oracle, where[1]))
    record.is_excluded = record.is_excluded or bool(entry.get("exclude"))
    record.is_generator = record.is_generator or bool(entry.get("generator"))
    if entry.get("timeout") is not None:
        record.timeout_secs = float(entry["timeout"])
    if entry.get("consume") is not None:
        record.consume = int(entry["consume"])
    if entry.get("regression"):
        record.regression = 1e-6 if entry["regression"] is True else float(entry["regression"])
    return annotated


def _library() -> dict[str, Any]:
    try:
        import numpy
    except ImportError:
        return {}
    return {"np": numpy}


def _table(entry: dict[str, Any], key: str) -> dict[str, Any]:
    found = entry.get(key) or {}
    if not isinstance(found, dict):
        raise BadAnnotation(f"`{key}` is a table of arguments and domains, not {found!r}", int(entry["line"]))
    return found


def _texts(entry: dict[str, Any], key: str, line: int) -> list[str]:
    found = entry.get(key) or []
    found = [found] if isinstance(found, str) else found
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise BadAnnotation(f"`{key}` is a list of texts, not {found!r}", line)
    return found


def _evaluated(text: Any, scope: dict[str, Any], line: int) -> Any:
    if not isinstance(text, str):
        return text
    try:
        value = eval(compile(text, "<side file>", "eval"), scope)
    except Exception as error:
        raise BadAnnotation(
            f"`{text}` cannot be evaluated",
            line,
            fact=f"{type(error).__name__}: {error}",
            hint="names in scope are those of temper, of the function's module, and np",
        ) from None
    if isinstance(value, Domain):
        value.line, value.file = line, ""
    return value
